"""Cells that are compared are measured together: one cell in three families, of other batches in each, in a campaign that is
killed and goes on. The clock is made coarse by INVAR_TEST_CLOCK_STEP_NS, so that short calls need batches."""

import collections
import json

from support import DONE, INCOMPLETE, USAGE, Campaign, CampaignTest, main, over_everything

GROUPS = 3
ROUNDS = 4
COARSE = {"INVAR_TEST_CLOCK_STEP_NS": "10000"}
SHARED = 16384
# What the cell of 16 KiB is compared with: the shorter, the more calls has a batch.
OTHERS = {"with-short": 8, "with-middle": 4096, "with-long": 1 << 18}


def family_tables(others):
    return "".join("\n[[family]]\nname = \"%s\"\ncells = [{ operation = \"allreduce\", size = [%d, %d] }]\n" % (name, other, SHARED)
                   for name, other in others.items())


class Families(CampaignTest):
    def keys(self):
        return dict(launches=GROUPS, rounds=ROUNDS, repetitions=10, design=family_tables(OTHERS),
                    cells=[{"operation": "allreduce", "size": sorted([SHARED] + list(OTHERS.values()))}],
                    engine={"clock": "monotonic-raw", "sync": "barrier"},
                    arms=[{"library": self.first, "label": label} for label in ("a", "b")])

    def check_plan(self, rows):
        """In every round the two cells of a family are neighbours, and each comes first as often as the other."""
        rounds = collections.defaultdict(list)
        for row in rows:
            if row["arm"] == "a":
                rounds[row["group"], row["round"]].append(row)
        first = collections.Counter()
        for here in rounds.values():
            self.assertEqual(len(here), 2 * len(OTHERS))
            for one, other in zip(here[::2], here[1::2]):
                self.assertEqual(one["family"], other["family"])
                self.assertEqual({int(one["size_bytes"]), int(other["size_bytes"])}, {SHARED, OTHERS[one["family"]]})
                self.assertEqual((one["calls"], one["repetitions"]), (other["calls"], other["repetitions"]))
                first[one["group"], one["family"], int(one["size_bytes"])] += 1
        self.assertEqual(set(first.values()), {ROUNDS // 2})

    def test_one_cell_in_three_families_has_batches_of_its_own_in_each_also_after_a_kill(self):
        process = self.start("run", self.campaign_file(**self.keys()), "-o", "data", env=COARSE)
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.manifest("batches") and self.processes(ranks_only=True), "a group in batches", process)
        process.kill()
        process.wait()
        self.assert_nothing_runs()
        self.invar("verify", "data", expect=INCOMPLETE)
        self.invar("run", "--resume", "-o", "data", env=COARSE)
        self.assertIn("complete and whole", self.invar("verify", "data").out)

        plan = {int(row["visit"]): row for row in campaign.plan() if int(row["group"]) in campaign.outcomes()}
        self.check_plan([row for _, row in sorted(plan.items())])
        (decision,) = campaign.manifest("batches")
        decided = {batch["cell"]: batch["calls"] for batch in decision["calls"]}
        calls = {row["family"]: decided.get(int(row["cell"]), 1) for row in plan.values() if int(row["size_bytes"]) == SHARED}
        self.assertGreater(calls["with-short"], calls["with-middle"])
        self.assertGreater(calls["with-middle"], calls["with-long"])
        self.assertEqual(sorted(campaign.outcomes()), list(range(1, GROUPS + 2)), "the pilot does not count")
        made = {visit["visit"]: visit["calls"] for launch in campaign.launches() for visit in launch.visits()}
        self.assertEqual(sorted(made), sorted(plan))
        for number, row in plan.items():
            self.assertEqual(made[number], 1 if row["group"] == "1" else calls[row["family"]])

        compared = json.loads(self.invar("compare", "data", "--format", "json").out)
        rows = {(row["factors"]["family"], row["size_bytes"]) for row in over_everything(compared)}
        self.assertEqual(rows, {(name, size) for name, other in OTHERS.items() for size in (SHARED, other)})
        self.assertEqual(len(over_everything(compared)), len(rows), "visits of other families are never mixed in")
        table = self.invar("compare", "data").out
        for name in OTHERS:
            self.assertIn(name, table)

    def test_plan_names_the_families_and_counts_their_visits(self):
        planned = self.invar("plan", self.campaign_file(**self.keys()))
        self.assertIn("families       with-short: 2 cells, with-middle: 2 cells, with-long: 2 cells", planned.out)
        visits = GROUPS * ROUNDS * 2 * len(OTHERS) * 2
        self.assertIn("visits         about %d" % visits, planned.out)

    def test_a_family_of_one_cell_is_refused_where_it_stands(self):
        keys = dict(self.keys(), design=family_tables({"alone": SHARED}).replace("[%d, %d]" % (SHARED, SHARED), str(SHARED)))
        refused = self.invar("run", self.campaign_file(**keys), "-o", "data", expect=USAGE)
        self.assertIn("campaign.toml:10:1: family 'alone' has one cell: allreduce, 16 KiB, 2 ranks", refused.err)
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
