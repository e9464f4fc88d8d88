"""The factor `algorithm`: the library's own algorithms race inside a launch, each with a communicator of its own or told before its
visits; what does not work, or is another one in silence, is left out and said; what really ran is named by its messages."""

import json

from support import DONE, USAGE, CampaignTest, main, over_everything

RULES = "OMPI_MCA_coll_tuned_use_dynamic_rules"
SLOW = "algorithm:pipeline:segment=64"
SIZE = 65536


def levels_of(campaign):
    """What the manifest says of each level, (operation, level, ranks, size) -> row."""
    arm, = campaign.manifest("arm")
    return {(row["operation"], row["level"], row["ranks"], row["size_bytes"]): row for row in arm.get("levels", [])}


class Switching(CampaignTest):
    def open_mpi(self):
        if "openmpi" not in self.profiles:
            self.skipTest("Open MPI is not here")
        return [{"library": "openmpi", "settings": {RULES: "1"}}]

    def test_a_slow_algorithm_is_slower_inside_one_launch(self):
        campaign, _ = self.run_campaign(cells=[{"operation": "bcast", "size": SIZE, "algorithm": ["default", SLOW]}], launches=3, rounds=3,
                                        repetitions=10, arms=self.open_mpi(), design='together = ["algorithm"]\n',
                                        engine={"verification": 1})
        self.assertEqual(campaign.manifest("failed_cell"), [])
        self.assertEqual({row["algorithm"] for row in campaign.plan()}, {"default", SLOW})
        row, = over_everything(json.loads(self.invar("compare", "data", "--against", "algorithm", "--format", "json", expect=DONE).out))
        self.assertEqual((row["arm_a"], row["arm_b"]), ("default", SLOW))
        self.assertGreater(row["ratio"], 2, "1024 messages of 64 bytes instead of one")
        spec = (campaign.launches()[0].path / "launch.spec").read_text()
        self.assertIn("coll_tuned_bcast_algorithm=3", spec)
        self.assertIn("at-making", spec)

    def test_race_against_algorithm_needs_no_campaign(self):
        self.open_mpi()
        raced = self.invar("race", "openmpi:%s=1" % RULES, "--against", "algorithm", "--operation", "bcast", "--size", str(SIZE),
                           "--with", "algorithm=default,%s" % SLOW, "--budget", "20s", "-o", "raced")
        self.assertIn("algorithm:pipeline", raced.out)

    def test_levels_of_the_same_messages_are_measured_once(self):
        """With two ranks and whole messages, a chain is a linear broadcast."""
        cells = [{"operation": "bcast", "size": 8, "algorithm": ["algorithm:linear", "algorithm:pipeline", "algorithm:binomial"]}]
        campaign, ran = self.run_campaign(cells=cells, launches=1, rounds=2, repetitions=5, arms=self.open_mpi())
        self.assertEqual({row["algorithm"] for row in campaign.plan()}, {"algorithm:linear"})
        self.assertEqual(levels_of(campaign)["bcast", "algorithm:pipeline", 2, 8]["same_as"], "algorithm:linear")
        self.assertIn("its messages are those of 'algorithm:linear'", " ".join((ran.out + ran.err).split()))

    def test_what_really_ran_is_named_or_unknown_and_never_wrong(self):
        may_be = {("allreduce", "algorithm:recursive-doubling"): {"messages as of allreduce@recursive-doubling"},
                  ("allreduce", "algorithm:ring"): {"messages as of allreduce@ring"},
                  ("bcast", "algorithm:pipeline:segment=1024"): {"messages as of bcast@chain in segments of 1024 B"},
                  ("bcast", "algorithm:binomial"): {"unknown"},
                  ("alltoall", "algorithm:pairwise"): {"messages as of alltoall@pairwise or alltoall@spread"},
                  ("alltoall", "algorithm:bruck"): {"messages as of alltoall@bruck"}}
        for ranks in (4, 8):
            cells = [{"operation": operation, "size": 8192, "ranks": ranks, "algorithm": ["default", level]} for operation, level in may_be]
            campaign, _ = self.run_campaign("ran%d" % ranks, cells=cells, launches=1, rounds=1, repetitions=3, arms=self.open_mpi(),
                                            engine={"oversubscribe": True, "sync": "dissemination"})
            found = levels_of(campaign)
            for (operation, level), names in may_be.items():
                self.assertIn(found[operation, level, ranks, 8192]["ran"], names | {"unknown"}, (operation, level, ranks))

    def test_without_dynamic_rules_open_mpi_4_says_what_it_needs(self):
        self.open_mpi()
        if not self.profiles["openmpi"]["short_version"].startswith("4.1.4"):
            self.skipTest("this Open MPI can switch its rules on later")
        refused = self.invar("race", "openmpi", "--against", "algorithm", "--operation", "bcast", "--size", "8", "--with",
                             "algorithm=default,algorithm:linear", "-o", "refused", expect=USAGE)
        said = " ".join(refused.err.split())
        self.assertIn("was started with %s=1" % RULES, said)
        self.assertIn("openmpi:%s=1" % RULES, said)

    def test_a_name_that_nobody_has_is_a_usage_error_with_its_place(self):
        path = self.campaign_file(cells=[{"operation": "bcast", "size": 8, "algorithm": ["default", "algorithm:pipelin"]}],
                                  arms=self.open_mpi())
        refused = self.invar("plan", path, expect=USAGE)
        said = " ".join(refused.err.split())
        self.assertIn("has no algorithm 'pipelin' of bcast", said)
        self.assertIn("pipeline", said)

    def test_mpich_is_told_before_each_visit(self):
        if "mpich" not in self.profiles:
            self.skipTest("MPICH is not here")
        cells = [{"operation": "bcast", "size": [8, SIZE], "algorithm": ["default", "algorithm:binomial", "algorithm:scatter-allgather"]}]
        campaign, _ = self.run_campaign(cells=cells, launches=1, rounds=3, repetitions=5, arms=[{"library": "mpich"}],
                                        engine={"verification": 1})
        self.assertEqual(campaign.manifest("failed_cell"), [])
        spec = (campaign.launches()[0].path / "launch.spec").read_text()
        self.assertIn("MPIR_CVAR_BCAST_INTRA_ALGORITHM=", spec)
        self.assertIn("MPIR_CVAR_COLLECTIVE_FALLBACK=", spec)
        self.assertIn("at-calls", spec)
        self.assertIn("algorithm:binomial", {row["algorithm"] for row in campaign.plan()})


if __name__ == "__main__":
    main()
