"""What ranks do that stand by, in whole campaigns: whatever it is, those that measure are the same, every result is right, and the
visit's end is theirs, too. More ranks than cores: no time means anything."""

from support import CampaignTest, main

LEVELS = ["asleep", "receiving", "computing", "traffic"]


class Bystanders(CampaignTest):
    def test_every_level_measures_the_same_ranks_and_every_result_is_right(self):
        # Receives from anybody, posted before, and pending ones would take what others send on their communicator.
        blocks = [{"operation": ["oneway", "stream"], "others": LEVELS, "receives": ["in-call", "before"], "source": "any", "tag": "any",
                   "pending": "any:3"},
                  {"operation": "pingpong", "others": LEVELS, "pattern": "distance:2:back", "size": [0, 1024]}]
        cells = [dict({"size": 1024, "ranks": 4}, **block) for block in blocks]
        campaign = self.run_campaign(cells=cells, arms=self.sharing_arms(), launches=1, rounds=2, repetitions=3,
                                     engine=dict(self.SHARED_CORES, verification=1))[0]
        self.assertEqual(campaign.manifest("failed_cell"), [])
        plan = {int(row["cell"]): row for row in campaign.plan()}
        self.assertEqual({row["others"] for row in plan.values()}, set(LEVELS))
        for launch in campaign.launches():
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            recorded = {}
            for tick in launch.rank_ticks():
                recorded.setdefault(cell_of[tick.visit], set()).add(tick.rank)
            self.assertEqual(set(recorded), set(plan))
            for cell, found in recorded.items():
                self.assertEqual(found, {0, 2} if plan[cell]["pattern"] == "distance:2:back" else {0, 1}, plan[cell]["others"])

    def test_an_odd_one_out_has_nobody_to_talk_to(self):
        cells = [{"operation": "oneway", "size": 64, "ranks": 5, "others": ["traffic", "asleep"]}]
        campaign = self.run_campaign(cells=cells, arms=self.sharing_arms(), launches=1, rounds=2, repetitions=3,
                                     engine=dict(self.SHARED_CORES, verification=1))[0]
        self.assertEqual(campaign.manifest("failed_cell"), [])


if __name__ == "__main__":
    main()
