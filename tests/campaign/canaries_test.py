"""What watches the machine at every visit: a cache line between two ranks, and a chain on one core where there is no second."""

from support import CampaignTest, main


class Canaries(CampaignTest):
    def test_one_rank_has_a_chain_and_two_have_both(self):
        """In the journal, and no visit more or less than planned has them."""
        # On a machine that does other things visits may end without a valid repetition (3).
        campaign, _ = self.run_campaign(expect=None, launches=2, rounds=3, repetitions=5,
                                        cells=[{"operation": "allreduce", "size": 65536, "ranks": [1, 2]}])
        ranks_of = {int(row["cell"]): int(row["ranks"]) for row in campaign.plan()}
        self.assertEqual(sorted(ranks_of.values()), [1, 2])
        for launch in campaign.launches():
            clock_ps = 1e12 / launch.end()["ticks_per_s"]
            for visit in launch.visits():
                ranks = ranks_of[visit["cell"]]
                self.assertEqual(len(visit["canary_ps"]), ranks - 1, "%d ranks" % ranks)
                self.assertEqual(len(visit["chain_ps"]), 1, "one host")
                # A thousand multiplications, none of which begins before the one before has ended.
                self.assertGreater(visit["chain_ps"][0], 100 * clock_ps)
                if ranks == 1:
                    self.assertNotIn("across_ps", visit)
                self.assertNotEqual(visit.get("across_ps"), [])

    def test_ranks_that_are_not_pinned_have_none(self):
        campaign, _ = self.run_campaign(expect=None, launches=1, rounds=2, repetitions=5,
                                        engine={"pinning": "none", "sync": "dissemination"})
        for launch in campaign.launches():
            for visit in launch.visits():
                self.assertEqual(visit["canary_ps"], [])
                self.assertNotIn("chain_ps", visit)
                self.assertNotIn("across_ps", visit)

    def test_one_rank_alone_is_told_of_its_chain(self):
        """The regimes rest on it: nobody says that there is no canary."""
        campaign, _ = self.run_campaign(expect=None, launches=2, rounds=3, repetitions=5,
                                        cells=[{"operation": "allreduce", "size": 65536, "ranks": 1}])
        for launch in campaign.launches():
            for visit in launch.visits():
                self.assertEqual((visit["canary_ps"], len(visit["chain_ps"])), ([], 1))
        shown = self.invar("env", "data", expect=None)
        self.assertRegex(shown.out, r"chain, median \[5 %, 95 %\] +\d+ ns")
        compared = self.invar("compare", "data", expect=None)
        self.assertNotIn("no canary", compared.out + compared.err)


if __name__ == "__main__":
    main()
