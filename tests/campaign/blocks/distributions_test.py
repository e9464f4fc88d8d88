"""Blocks of different lengths and large counts, from the campaign to the table: measured and checked in every visit, told in
data and exports only where they differ, and refused beforehand where an operation or a library has none."""

import csv
import io
import json

from support import DONE, USAGE, Campaign, CampaignTest, main, over_everything

SIZE = 65536
# What rank 0 and rank 1 of two ranks have of 2 x SIZE bytes (docs/methods.md, "Distributions of blocks").
BLOCKS = {"regular": (65536, 65536), "linear": (43690, 87382), "one-big": (0, 131072)}
V_FORMS = ["allgatherv", "gatherv", "scatterv", "alltoallv", "alltoallw", "iallgatherv", "neighbor_alltoallv", "reduce_scatter"]


class Distributions(CampaignTest):
    def cells(self, operations=None, levels=None, **more):
        return [dict({"operation": operations or V_FORMS, "size": SIZE, "distribution": levels or list(BLOCKS) + ["random:1"]}, **more)]

    def test_every_level_is_measured_and_every_result_is_right(self):
        campaign, _ = self.run_campaign(cells=self.cells(), launches=1, rounds=1, repetitions=5, engine={"verification": 1})
        self.assertEqual(campaign.manifest("failed_cell"), [])
        self.assertEqual({(row["operation"], row["distribution"]) for row in campaign.plan()},
                         {(name, level) for name in V_FORMS for level in list(BLOCKS) + ["random:1"]})
        for launch in campaign.launches():
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
            self.assertEqual(len(launch.visits()), len(V_FORMS) * 4)

    def test_buffers_are_as_long_as_the_blocks(self):
        campaign, _ = self.run_campaign(cells=self.cells(["allgatherv", "alltoallv"], list(BLOCKS)), launches=1, rounds=1, repetitions=5)
        level_of = {int(row["cell"]): (row["operation"], row["distribution"]) for row in campaign.plan()}
        for launch in campaign.launches():
            for buffers in launch.environment()["buffers"]:
                operation, level = level_of[buffers["cell"]]
                blocks = BLOCKS[level] if operation == "allgatherv" else (2 * SIZE, 2 * SIZE)
                self.assertEqual(buffers["most_bytes"], max(blocks) + 2 * SIZE, (operation, level))
                self.assertEqual(buffers["all_bytes"], sum(blocks) + 4 * SIZE, (operation, level))

    def test_a_column_stands_only_where_blocks_differ(self):
        self.run_campaign(cells=self.cells(["alltoallv"], ["regular", "linear"]), launches=2, rounds=2, repetitions=5)
        rows = list(csv.DictReader(io.StringIO(self.invar("export", "data", "--to", "csv").out)))
        self.assertEqual({row["distribution"] for row in rows}, {"regular", "linear"})
        answer = json.loads(self.invar("compare", "data", "--against", "distribution", "--format", "json").out)
        pairs = {(row["arm_a"].partition(" in ")[0], row["arm_b"].partition(" in ")[0]) for row in over_everything(answer)}
        self.assertEqual(pairs, {("distribution regular", "distribution linear")})
        self.run_campaign("equal", cells=self.cells(["alltoallv"], ["regular"]), launches=1, rounds=1, repetitions=5)
        self.assertNotIn("distribution", self.invar("export", "equal", "--to", "csv").out)
        self.assertNotIn("distribution", Campaign(self.scratch / "equal").plan()[0])

    def test_what_no_operation_can_have_is_refused_with_its_place(self):
        for cell, words in ((self.cells(["allreduce"], ["linear"]), "none of these operations has blocks of different lengths"),
                            (self.cells(["alltoallv"], ["linear"], **{"in-place": True}), "alltoallv in place exchanges blocks"),
                            (self.cells(["alltoallv"], ["lineal"]), "'distribution' of [[cells]] is 'lineal', no distribution"),
                            (self.cells(["allgatherv"], ["one-big"], size=2 << 29), "allgatherv_c")):
            path = self.campaign_file(cells=cell)
            refused = self.invar("plan", path, expect=USAGE)
            self.assertRegex(refused.err, r"campaign\.toml:\d+:\d+: ")
            self.assertIn(words, refused.err.replace("\n", " "))

    def known(self):
        return json.loads(self.invar("ops", "--format", "json").out)["operations"]

    def test_ops_says_which_operations_take_one(self):
        takes = {row["operation"]: row["distribution"] for row in self.known() if row["library"] == self.first}
        for name in V_FORMS:
            self.assertTrue(takes[name], name)
        for name in ("allgather", "alltoall", "allreduce", "barrier", "reduce_scatter_block", "bcast_c"):
            self.assertFalse(takes[name], name)
        self.assertIn("distribution", self.invar("ops", "--format", "csv").out.splitlines()[0].split(","))


class LargeCounts(CampaignTest):
    OPERATIONS = ["allreduce_c", "alltoallv_c"]

    def lacking(self):
        """Library -> why it has none; None: it has them."""
        rows = json.loads(self.invar("ops", "--format", "json").out)["operations"]
        return {row["library"]: row["missing"] or None for row in rows if row["operation"] == "allreduce_c"}

    def file(self, *libraries):
        cells = [{"operation": self.OPERATIONS, "size": SIZE}]
        return self.campaign_file(cells=cells, arms=[{"library": name} for name in libraries], launches=1, rounds=2, repetitions=5)

    def test_a_library_without_them_is_named_before_anything_runs(self):
        lacking = {name: why for name, why in self.lacking().items() if why and name in (self.first, self.second)}
        if not lacking:
            self.skipTest("every library here has large counts")
        for name, why in lacking.items():
            self.assertIn("large counts: this library has MPI 3", why)
            refused = self.invar("run", self.file(name), "-o", "data", expect=USAGE)
            self.assertIn("no arm can measure any of the cells", refused.err.replace("\n", " "))
            self.assertIn("large counts: this library has MPI 3", refused.err.replace("\n", " "))
            self.assertFalse((self.scratch / "data").exists())

    def test_a_library_that_has_them_is_measured(self):
        able = [name for name, why in self.lacking().items() if why is None and name in (self.first, self.second)]
        if not able:
            self.skipTest("no library here has large counts")
        self.invar("run", self.file(able[0]), "-o", "data", expect=DONE)
        campaign = Campaign(self.scratch / "data")
        self.assertEqual({row["operation"] for row in campaign.plan()}, set(self.OPERATIONS))
        self.assertEqual(campaign.manifest("failed_cell"), [])
        for launch in campaign.launches():
            self.assertGreater(len(launch.timings()), 0)


class PersistentForms(CampaignTest):
    FORMS = ["allgatherv_init", "alltoallv_init"]

    def able(self):
        rows = json.loads(self.invar("ops", "--format", "json").out)["operations"]
        return [row["library"] for row in rows
                if row["operation"] == self.FORMS[0] and not row["missing"] and row["library"] in (self.first, self.second)]

    def test_ranks_that_a_cell_lets_sleep_do_not_keep_the_others_waiting(self):
        """Rank 0 has the cell of one rank as well and puts away what it had for the other one, rank 1 does not: making it
        again is collective all the same."""
        able = self.able()
        if not able:
            self.skipTest("no library here has persistent collectives")
        for number, operations in enumerate((self.FORMS[:1], self.FORMS[1:], self.FORMS)):
            data = "data%d" % number
            cells = [{"operation": operations, "size": SIZE, "ranks": [1, 2]}]
            self.invar("run", self.campaign_file(cells=cells, arms=[{"library": able[0]}], launches=1, rounds=2, repetitions=5),
                       "-o", data, expect=DONE)
            campaign = Campaign(self.scratch / data)
            self.assertEqual(campaign.manifest("failed_cell"), [])
            self.assertEqual({(row["operation"], row["ranks"]) for row in campaign.plan()},
                             {(operation, ranks) for operation in operations for ranks in ("1", "2")})


if __name__ == "__main__":
    main()
