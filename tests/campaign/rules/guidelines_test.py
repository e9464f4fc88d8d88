"""invar guidelines on a real library: both sides of a rule in one launch, judged, resumed, judged as PGMPI does."""

import collections
import csv
import io
import json
import statistics

from support import DONE, FAILED, FOUND, LATE, LOST, USAGE, WARM_UP, Campaign, CampaignTest, main

RULES = """GL8: reduce(n) <= allreduce(n)  # the result for all
GL10: bcast(n) <= scatter(n/p) + allgather(n/p)
m: monotone(bcast) tolerance 5%
s: split(allreduce)
none: reduce_scatter(n) <= reduce(n) + bcast(n)
slow: bcast(n) <= empty(n)
"""
SIZES = (8, 4096, 65536)


def planned(campaign):
    """The rows that are in force: a plan overrules those before it from its first group on."""
    rows = []
    for line in campaign.manifest():
        later = list(csv.DictReader(io.StringIO(line.get("csv", ""))))
        if later:
            first = min(int(row["group"]) for row in later)
            rows = [row for row in rows if int(row["group"]) < first] + later
    return rows


class Guidelines(CampaignTest):
    def measure(self, *words, rules=RULES, expect=None):
        self.write("own.rules", rules)
        return self.invar("guidelines", self.first, "--rules", "own.rules", "--size", ",".join(map(str, SIZES)), "--budget", "25s",
                          "-o", "data", *words, expect=expect)

    def test_both_sides_are_measured_together_and_judged(self):
        measured = self.measure("--format", "json", "--fail-on", "violated")
        # Nothing takes less time than nothing: `slow` is violated.
        self.assertIn(measured.status, (FOUND, FAILED), measured.err)
        answer = json.loads(measured.out)
        rows = answer["guidelines"]
        self.assertEqual({row["rule"] for row in rows}, {"GL8", "GL10", "m", "s", "none", "slow"})
        (absent,) = [row for row in rows if row["rule"] == "none"]
        self.assertEqual(absent["verdict"], "not-measured")
        self.assertIn("no mock-up does reduce_scatter by reduce(n) + bcast(n)", absent["why"])
        for row in rows:
            if row["rule"] == "slow":
                self.assertEqual(row["verdict"], "violated")
                self.assertGreater(row["factor_low"], 1)
                self.assertGreater(row["lost_ns"], 0)
            if row["verdict"] == "holds":
                self.assertLess(row["factor_high"], 1 + row["tolerance"])
        self.assertEqual({row["right"] for row in rows if row["rule"] == "GL10"}, {"bcast=scatter+allgather"})
        # 8 B are two elements: there is nothing to choose, and the pilot group judges.
        calls = {row["size_bytes"]: row["right_calls"] for row in rows if row["rule"] == "s" and row["factor"]}
        self.assertEqual(calls[8], 2)
        self.assertEqual(len([row for row in rows if row["rule"] == "s"]), len(SIZES), "one number of calls a size")
        self.assertLessEqual(set(calls.values()), {2, 4, 8})
        (chose,) = [line for line in Campaign(self.scratch / "data").manifest("decided") if line["decision"] == "splits"]
        (pilot,) = [some for some in chose["not_judging"] if some["groups"]]
        self.assertEqual(len(pilot["groups"]), 1)
        self.assertEqual({choice["arm"] for choice in chose["fields"]["splits"]}, {self.first})
        for choice in chose["fields"]["splits"]:
            medians = {median["cell"]: median["median_ns"] for median in choice["medians"]}
            self.assertEqual(medians[choice["chosen"]], min(medians.values()))
        self.assertTrue(any("'splits' was made from them" in warning for warning in answer["warnings"]), answer["warnings"])

        # The record of the looks speaks of guidelines, and not of a gate.
        decided = [one["verdict"] for look in Campaign(self.scratch / "data").manifest("look") for one in look["decided"]]
        self.assertIn("violated", decided)
        self.assertLessEqual(set(decided), {"violated", "holds"})

        # A family is two cells, one behind the other in every round, and nothing else is measured; the pilot also has those
        # that it chooses from.
        rounds = collections.defaultdict(list)
        for row in planned(Campaign(self.scratch / "data")):
            self.assertTrue(row["family"])
            rounds[int(row["group"]), row["round"], row["family"]].append(int(row["visit"]))
        for (group, _, family), visits in rounds.items():
            self.assertEqual(len(visits), 4 if group in pilot["groups"] and family in ("s-4096", "s-65536") else 2)
            self.assertEqual(max(visits) - min(visits), len(visits) - 1)

        table = self.invar("guidelines", "data", expect=None).out
        self.assertTrue(table.startswith("%s violates " % self.first), table)
        again = list(csv.DictReader(io.StringIO(self.invar("guidelines", "data", "--format", "csv", expect=None).out)))
        self.assertEqual(len(again), len(rows))
        self.assertEqual(list(csv.DictReader(io.StringIO(self.invar("export", "data", "--to", "answers", expect=None).out))), again)
        pgmpi = self.invar("guidelines", "data", "--as", "pgmpi", expect=None).out
        self.assertTrue(pgmpi.startswith("As PGMPI judges (Wilcoxon's rank-sum test, not corrected), "), pgmpi)
        self.assertTrue(self.invar("run", "--resume", "-o", "data", expect=None).out.startswith("%s violates " % self.first))
        self.assertIn("two arms", self.invar("compare", "data", expect=USAGE).err)

    def test_rules_that_were_changed_under_way_are_refused(self):
        self.measure()
        path = self.scratch / "data" / "campaign.toml"
        path.write_text(path.read_text().replace("GL8: reduce(n) <= allreduce(n)", "GL8: reduce(n) <= allreduce(n) tolerance 5%"))
        self.assertIn("campaign.toml", self.invar("run", "--resume", "-o", "data", expect=USAGE).err)

    def test_rules_without_a_mock_up_are_told_before_anything_is_measured(self):
        refused = self.measure(rules="reduce_scatter(n) <= reduce(n) + bcast(n)\nbcast(n) <= scater(n)\n", expect=USAGE)
        self.assertIn("own.rules:2:13: there is no operation 'scater'; did you mean 'scatter'?", refused.err)
        self.assertIn("own.rules:1:1: reduce_scatter(n) <= reduce(n) + bcast(n) cannot be measured", refused.err)
        # What cannot be read does not hide what is wrong with the other lines.
        refused = self.measure(rules="bcast(n) <=\nbcast(n) <= scater(n)\n", expect=USAGE)
        self.assertIn("own.rules:1:12: the line ends where an operation should be", refused.err)
        self.assertIn("own.rules:2:13: there is no operation 'scater'; did you mean 'scatter'?", refused.err)
        refused = self.measure(rules="reduce_scatter(n) <= reduce(n) + bcast(n)\n", expect=USAGE)
        self.assertIn("own.rules:1:1: reduce_scatter(n) <= reduce(n) + bcast(n) cannot be measured: no mock-up does", refused.err)
        self.assertFalse((self.scratch / "data").exists())

    def test_both_sides_of_a_rule_are_late_by_a_call_of_the_left_one(self):
        # An empty operation takes no time, so that half of its own would be none.
        self.measure("--arrival", "last-late:5x", rules="slow: bcast(n) <= empty(n)\n")
        campaign = Campaign(self.scratch / "data")
        operation_of = {int(row["cell"]): row["operation"] for row in campaign.plan()}
        for launch in campaign.launches():
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            skews = collections.defaultdict(list)
            for timing in launch.timings():
                if not timing.flags & (WARM_UP | LATE | LOST):
                    skews[operation_of[cell_of[timing.visit]]].append(timing.start_skew_ps)
            left, right = (statistics.median(skews[name]) for name in ("bcast", "empty"))
            self.assertLess(abs(left - right), left / 2)

    def test_a_dry_run_says_what_would_be_measured(self):
        planned = self.measure("--dry-run", expect=DONE)
        self.assertIn("cells", planned.out)
        self.assertIn("chooses into how many calls splits divide", planned.out)
        self.assertRegex(planned.out, "at most [0-9.]+ MB of data")
        self.assertIn("1 of 6 rules cannot be measured: none: no mock-up does", planned.err)
        # PGMPI's are bytes: a reduction of one exists.
        self.write("own.rules", "GL8: reduce(n) <= allreduce(n)\n")
        words = ("guidelines", self.first, "--rules", "own.rules", "--size", "1", "--dry-run")
        self.assertIn("is not a multiple of int32", self.invar(*words, expect=USAGE).err)
        self.assertIn("allreduce, 1 B", self.invar(*words, "--as", "pgmpi", expect=DONE).out)
        # Numbers of ranks are no levels that a rule's sides differ in.
        self.assertIn("1 rank", self.invar(*words[:4], "--size", "8", "--ranks", "1,2", "--dry-run", expect=DONE).out)
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
