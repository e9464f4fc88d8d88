"""Reference algorithms in campaigns: measured and checked in every visit; cells that they cannot have are left out with the
reason; segments that mean the same are one cell; phases are times where the cell asks for marks."""

import json
import struct

from support import DONE, USAGE, CampaignTest, main, over_everything

SIZE = 8192
ALGORITHMS = ["bcast@chain", "allgather@bruck", "alltoall@spread", "allreduce@rabenseifner", "allreduce@ring", "reduce@binomial",
              "reduce_scatter_block@recursive-halving", "gather@binomial", "scatter@binomial", "scan@recursive-doubling"]


class Algorithms(CampaignTest):
    def test_they_are_measured_and_every_result_is_right(self):
        campaign, _ = self.run_campaign(cells=[{"operation": ALGORITHMS, "size": [0, SIZE]}], launches=2, rounds=2, repetitions=5,
                                        engine={"verification": 1})
        self.assertEqual(campaign.manifest("failed_cell"), [])
        self.assertEqual({row["operation"] for row in campaign.plan()}, set(ALGORITHMS))
        self.assertNotIn("marks", campaign.plan()[0])
        self.assertNotIn("segment_bytes", campaign.plan()[0])
        for launch in campaign.launches():
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
            self.assertFalse((launch.path / "marks.bin").exists(), "nobody asked for marks")
        for arm in campaign.manifest("arm"):
            self.assertEqual({known["name"]: known["emulates"] for known in arm["operations"]},
                             {name: name.split("@")[0] for name in ALGORITHMS})

    def test_the_root_moves_on(self):
        campaign, _ = self.run_campaign(cells=[{"operation": ["bcast@binomial", "gather@binomial"], "size": SIZE, "root": "rotating"}],
                                        launches=1, rounds=2, repetitions=5, engine={"verification": 1})
        self.assertEqual(campaign.manifest("failed_cell"), [])

    def test_cells_that_they_cannot_have_are_left_out_with_the_reason(self):
        cells = [{"operation": ["allgather", "allgather@neighbour-exchange"], "size": SIZE, "ranks": [1, 2]},
                 {"operation": ["allreduce", "allreduce@ring"], "size": SIZE, "datatype": ["int32", "vector"]}]
        planned = self.invar("plan", self.campaign_file(cells=cells), "-o", "plan")
        said = " ".join((planned.out + planned.err).split())
        self.assertIn("needs an even number of ranks, not 1", said)
        self.assertIn("operator 'user' does not commute", said)
        alone = [{"operation": "allgather@neighbour-exchange", "size": SIZE, "ranks": 1}]
        refused = self.invar("plan", self.campaign_file(cells=alone), expect=USAGE)
        self.assertIn("needs an even number of ranks, not 1", " ".join(refused.err.split()))

    def test_segments_that_mean_the_same_are_measured_once(self):
        cells = [{"operation": ["bcast@chain", "allreduce@ring"], "size": SIZE, "segment": ["0", "1KiB", "4KiB", "8KiB"]}]
        campaign, _ = self.run_campaign(cells=cells, launches=1, rounds=1, repetitions=5, engine={"verification": 1})
        self.assertEqual(campaign.manifest("failed_cell"), [])
        # Of two ranks the ring's share is 4 KiB.
        self.assertEqual({(row["operation"], row["segment_bytes"]) for row in campaign.plan()},
                         {("bcast@chain", "0"), ("bcast@chain", "1024"), ("bcast@chain", "4096"), ("allreduce@ring", "0"),
                          ("allreduce@ring", "1024")})

    def test_phases_are_times_where_they_are_marked(self):
        cells = [{"operation": "allreduce@rabenseifner", "size": SIZE, "marks": ["off", "on"]}]
        campaign, _ = self.run_campaign(cells=cells, launches=3, rounds=3, repetitions=10, arms=[{"library": self.first}],
                                        design='together = ["marks"]\n')
        on = {int(row["visit"]) for row in campaign.plan() if row["marks"] == "on"}
        for launch in campaign.launches():
            marks = list(struct.iter_unpack("<IIIIqq", (launch.path / "marks.bin").read_bytes()))
            self.assertEqual({visit for visit, *_ in marks}, on & {visit["visit"] for visit in launch.visits()})
            # The ends of fold, reduce-scatter and allgather on both ranks.
            self.assertEqual({(rank, number) for _, _, rank, number, _, _ in marks}, {(r, m) for r in (0, 1) for m in (0, 1, 2)})
        shown = json.loads(self.invar("show", "data", "--time", "all", "--format", "json").out)
        told = json.dumps(shown)
        for phase in ("fold", "reduce-scatter", "allgather", "unfold"):
            self.assertIn('"%s"' % phase, told)
        cost, = over_everything(json.loads(self.invar("compare", "data", "--against", "marks", "--format", "json", expect=DONE).out))
        self.assertEqual((cost["arm_a"], cost["arm_b"]), ("off", "on"))
        shares = over_everything(json.loads(self.invar("compare", "data", "--against", "time", "--format", "json", expect=DONE).out))
        self.assertEqual({row["time_b"] for row in shares}, {"fold", "reduce-scatter", "allgather", "unfold"})
        self.assertTrue(all(row["ratio"] is not None and row["ratio"] < 1 for row in shares), shares)


if __name__ == "__main__":
    main()
