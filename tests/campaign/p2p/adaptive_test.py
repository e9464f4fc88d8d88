"""Sizes that choose themselves: a step that is planted at 5000 B of one arm is bracketed to a byte, by groups that judge nothing;
fresh ones judge. A driver that is killed on the way chooses the same. The library is a real one under a library to preload that
waits in MPI_Bcast (tests/faults/step_at.c): the step is so high that no noise hides it."""

import csv
import io
import json
import shutil

from support import DONE, INCOMPLETE, USAGE, Campaign, CampaignTest, main, over_everything

STEP = 5000
# Far above the noise of a busy machine, and far below the step of 20 us of calls of a microsecond or two.
TOLERANCE = "40%"
JUDGING = 3


class Adaptive(CampaignTest):
    def arms(self):
        stepped = self.shimmed_arm(self.first, "stepped", "step_at.c", STEP_BYTES=STEP, STEP_NS=20000)
        return [{"library": self.first, "label": "plain"}, stepped]

    def keys(self, **adaptive):
        size = dict({"adaptive": ["1KiB", "16KiB"], "tolerance": TOLERANCE}, **adaptive)
        return dict(launches=JUDGING, rounds=2, repetitions=10, cells=[{"operation": "bcast", "size": size}], arms=self.arms())

    def fields(self, campaign):
        return [line["fields"] for line in campaign.manifest("decided") if line["decision"] == "sizes"]

    def sizes_by_group(self, campaign):
        """Group -> arm -> the sizes that were measured."""
        sizes = {row["cell"]: int(row["size_bytes"]) for row in campaign.plan_rows}
        found = {}
        for line in campaign.manifest("launch"):
            journal = (campaign.path / line["dir"] / "journal.jsonl").read_text().splitlines()
            cells = {str(one["cell"]) for one in map(json.loads, journal) if one["type"] == "visit"}
            found.setdefault(line["group"], {})[line["arm"]] = {sizes[cell] for cell in cells}
        return found

    def measured(self, directory, **adaptive):
        campaign, result = self.measured_once(directory, **self.keys(**adaptive))
        return self.with_plans(campaign), result

    def with_plans(self, campaign):
        campaign.plan_rows = self.plan_rows(campaign)
        return campaign

    def plan_rows(self, campaign):
        """Rows of all plans, those of decisions included."""
        rows = []
        for line in campaign.manifest():
            if "csv" in line:
                rows += list(csv.DictReader(io.StringIO(line["csv"])))
        return rows

    def steps(self, directory):
        answer = json.loads(self.invar("compare", directory, "--format", "json", expect=None).out)
        return [row for row in answer["steps"] if row["arm"] == "stepped"], answer

    def test_a_planted_step_is_bracketed_to_one_byte_and_judged_by_fresh_groups(self):
        campaign, result = self.measured("data")
        self.assertIn("adaptive sizes (bcast begins with 9 of at most 200)", result.err)
        self.assertIn("(--fixed)", result.err)
        choices = self.fields(campaign)
        self.assertEqual(choices[-1]["phase"], "judge")
        self.assertEqual({choice["phase"] for choice in choices[:-1]}, {"choose"})
        found, answer = self.steps("data")
        self.assertIn((STEP, STEP + 1), [(row["low_bytes"], row["high_bytes"]) for row in found], found)
        step = next(row for row in found if row["low_bytes"] == STEP)
        self.assertGreater(step["height"], 2)
        self.assertLess(step["height_low"], step["height"])
        self.assertEqual(step["protocol"], "not asked", "a broadcast has none")
        self.assertEqual((step["known"], step["direction"]), ("to a byte", "up"))
        # The same sizes in both arms, and in the groups that judge all of them.
        by_group = self.sizes_by_group(campaign)
        for group, arms in by_group.items():
            self.assertEqual(arms["plain"], arms["stepped"], "group %d" % group)
        every = {int(row["size_bytes"]) for row in campaign.plan_rows}
        judging = sorted(by_group)[-JUDGING:]
        for group in judging:
            self.assertEqual(by_group[group]["plain"], every)
        self.assertTrue({STEP, STEP + 1} <= every)
        # Who chose does not judge.
        self.assertEqual({cell["launches"] for cell in over_everything(answer)}, {JUDGING})
        self.assertTrue(any("left out of all cells: the decision 'sizes'" in warning for warning in answer["warnings"]),
                        answer["warnings"])
        self.invar("verify", "data", expect=DONE)

    def test_a_driver_that_was_killed_chooses_the_same(self):
        whole, _ = self.measured("data", separation=256)
        decided = [line["line"] for line in whole.manifest("decided")]
        self.assertGreaterEqual(len(decided), 3)
        # Behind the first decision, and before the last one.
        for kept in (decided[0], decided[-1] - 1):
            with self.subTest(lines=kept):
                target = self.scratch / ("cut-%d" % kept)
                shutil.copytree(whole.path, target)
                text = (whole.path / "manifest.jsonl").read_text().splitlines(keepends=True)
                sealed = {json.loads(line)["dir"] for line in text[:kept] if json.loads(line)["type"] == "launch"}
                for launch in (target / "launches").iterdir():
                    if "launches/" + launch.name not in sealed:
                        shutil.rmtree(launch)
                for name in ("manifest.jsonl", "manifest.copy.jsonl"):
                    (target / name).write_text("".join(text[:kept]))
                self.invar("verify", target, expect=INCOMPLETE)
                self.invar("run", "--resume", "-o", target, expect=None)
                again = self.with_plans(Campaign(target))
                self.assertEqual(self.fields(again)[-1]["phase"], "judge")
                # What was measured before the cut decides as it did; times that are measured anew are others.
                before = sum(1 for line in decided if line <= kept)
                self.assertEqual(self.fields(again)[:before], self.fields(whole)[:before])
                self.invar("verify", target, expect=DONE)
                found, _ = self.steps(target)
                self.assertTrue(any(row["low_bytes"] <= STEP < row["high_bytes"] for row in found), found)

    def test_sigkill_while_sizes_are_chosen(self):
        process = self.start("run", self.campaign_file(**self.keys(separation=256)), "-o", "data")
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.manifest("decided") and self.processes(ranks_only=True), "the first decision", process)
        process.kill()
        process.wait()
        self.assert_nothing_runs()
        before = self.fields(campaign)
        self.invar("verify", "data", expect=INCOMPLETE)
        told = self.invar("compare", "data", expect=INCOMPLETE)
        self.assertIn("all complete launch groups chose what to measure, and none judges it", told.err)
        self.invar("run", "--resume", "-o", "data", expect=None)
        self.assertEqual(self.fields(campaign)[:len(before)], before)
        self.assertEqual(self.fields(campaign)[-1]["phase"], "judge")

    def test_what_excludes_adaptive_sizes_is_refused_before_anything_is_measured(self):
        refused = self.invar("race", self.first, self.second, "--operation", "bcast", "--size", "adaptive:1KiB:16KiB", "--sequential",
                             "--budget", "10s", expect=USAGE)
        self.assertIn("such a race is --fixed by itself", refused.err)
        refused = self.invar("race", self.first, self.second, "--operation", "bcast,barrier", "--size", "adaptive:1KiB:16KiB",
                             "--budget", "10s", expect=USAGE)
        self.assertIn("barrier has no size to be chosen", refused.err)

    def test_a_race_says_that_it_is_fixed(self):
        planned = self.invar("race", self.first, self.second, "--operation", "bcast", "--size", "adaptive:1KiB:16KiB:20%",
                             "--budget", "30s", "--dry-run")
        self.assertIn("--fixed", planned.out)
        self.assertIn("bcast begins with 9 of at most 200", planned.out)


if __name__ == "__main__":
    main()
