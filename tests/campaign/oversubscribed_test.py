"""More ranks than cores: refused, or asked for and then labelled, and never the ground of a verdict."""

import json
import os

from support import DONE, OVERSUBSCRIBED, USAGE, CampaignTest, main


class Oversubscribed(CampaignTest):
    def setUp(self):
        super().setUp()
        self.ranks = 2 * len(os.sched_getaffinity(0))
        self.cells = [{"operation": "allreduce", "size": 64, "ranks": self.ranks}]

    def arms(self):
        """MPICH never gives up its core while it waits; the tests bring what mends that (tests/mpi)."""
        arms = []
        for library in (self.first, self.second):
            preload = os.environ.get("INVAR_YIELD_PRELOAD")
            settings = {"env:LD_PRELOAD": preload} if library == "mpich" and preload else {}
            arms.append({"library": library, "settings": settings})
        return arms

    def test_more_ranks_than_cores_are_refused(self):
        refused = self.invar("run", self.campaign_file(cells=self.cells), "-o", "data", expect=USAGE)
        self.assertRegex(refused.err, r"campaign\.toml:\d+:\d+: .*%d" % self.ranks)
        self.assertIn("oversubscribe", refused.err)
        self.assertFalse((self.scratch / "data").exists())

    def test_round_time_is_refused_where_ranks_share_cores(self):
        for engine in ({"oversubscribe": True}, {"pinning": "none"}):
            refused = self.invar("run", self.campaign_file(cells=self.cells[:1], engine=engine), "-o", "data", expect=USAGE)
            self.assertIn("round-time", refused.err)
            self.assertIn("barrier", refused.err)

    def test_oversubscribed_data_are_flagged_and_give_no_verdict(self):
        campaign, result = self.run_campaign(
            launches=2, rounds=2, repetitions=5, cells=self.cells, arms=self.arms(),
            engine={"oversubscribe": True, "pinning": "none", "sync": "barrier"})
        for launch in campaign.launches():
            self.assertTrue(all(timing.flags & OVERSUBSCRIBED for timing in launch.timings()))
            self.assertTrue(all(visit["canary_ps"] == [] for visit in launch.visits()), "no canary on shared cores")
            self.assertEqual(len(launch.environment()["map"]), self.ranks)
        self.invar("verify", "data", expect=DONE)
        compared = json.loads(self.invar("compare", "data", "--format", "json").out)
        self.assertEqual([(cell["verdict"], cell["p"], cell["p_adjusted"]) for cell in compared["cells"]],
                         [(None, None, None)])
        self.assertTrue(compared["sentence"].startswith("No verdicts: more ranks than cores"), compared["sentence"])
        for word in ("faster", "slower", "equivalent"):
            self.assertNotIn(word, compared["sentence"])
            self.assertNotIn(" is " + word, result.out)
        # Nothing to hang a gate on.
        self.invar("compare", "data", "--fail-on", "slower", "--undecided-exit", "125", expect=125)

    def test_ranks_that_are_not_pinned_give_no_verdict_either(self):
        campaign, _ = self.run_campaign(launches=2, rounds=2, repetitions=5,
                                        engine={"pinning": "none", "sync": "dissemination"})
        compared = json.loads(self.invar("compare", "data", "--format", "json").out)
        self.assertEqual({cell["verdict"] for cell in compared["cells"]}, {None})
        self.assertTrue(compared["sentence"].startswith("No verdicts: "), compared["sentence"])
        for launch in campaign.launches():
            self.assertEqual({rank["cpu"] for rank in launch.environment()["map"]}, {-1}, "bound to nothing")


if __name__ == "__main__":
    main()
