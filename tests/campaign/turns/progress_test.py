"""What the ranks of an arm do while they wait (progress), which connections they have (connect), and what they measure on
(communicator): libraries that need to be called, ranks that stand by, and levels that cannot be."""

from support import DONE, FAILED, PROBED, USAGE, CampaignTest, main

LATE_COUNT = 33331  # of the shim's late messages
LIMIT = "5s"  # of a visit; on a loaded machine nothing else must look like a hang


class LibraryThatNeedsCalls(CampaignTest):
    """Its root has left a broadcast when the others still wait for what it has taken and not sent."""

    def keys(self, progress):
        needy = self.shimmed_arm(self.second, "needy", source="needs_calls.c", SHIM_LATE_COUNT=LATE_COUNT)
        return dict(launches=1, rounds=2, repetitions=10, arms=[{"library": self.first, "label": "good"}, needy],
                    cells=[{"operation": "bcast", "size": LATE_COUNT}], engine={"progress": progress, "visit-limit": LIMIT})

    def test_the_group_ends_and_its_repetitions_say_that_ranks_had_to_call(self):
        campaign, _ = self.run_campaign(**self.keys("probe"))
        needy = [launch for launch in campaign.launches() if launch.arm == "needy"]
        self.assertEqual(len(needy), 1)
        timings = needy[0].timings()
        self.assertGreaterEqual(len(timings), 2 * 10)
        flagged = sum(bool(timing.flags & PROBED) for timing in timings)
        self.assertGreater(flagged, 0.9 * len(timings))
        self.invar("verify", "data", expect=DONE)

    def test_without_progress_the_arm_is_named(self):
        campaign, result = self.run_campaign(expect=FAILED, **self.keys("none"))
        self.assertRegex(result.err, "group 1 failed: 'needy' hangs: nothing moved for .*bcast, %d B" % LATE_COUNT)
        self.assertTrue(all(line.get("arm") == "needy" for line in campaign.manifest("group") if not line["complete"]))
        self.assert_nothing_runs()


class StandingBy(CampaignTest):
    """Calls of one rank that last for milliseconds; the other rank of the launch is none of the cell's."""

    def alone(self, progress):
        campaign, _ = self.run_campaign("data-" + progress, launches=1, rounds=2, repetitions=10,
                                        cells=[{"operation": "allreduce", "size": "16MiB", "ranks": [1, 2]}],
                                        engine={"progress": progress, "verification": 1})
        self.invar("verify", campaign.path, expect=DONE)
        one_rank = {int(row["visit"]) for row in campaign.plan() if row["ranks"] == "1"}
        self.assertEqual(len(one_rank), 2 * 2)
        flags = []
        for launch in campaign.launches():
            for visit in launch.visits():
                self.assert_repetitions(visit, 10)
                self.assertTrue(visit["checked"])
            flags += [timing.flags for timing in launch.timings() if timing.visit in one_rank]
        return flags

    def test_who_stands_by_calls_its_library_and_the_repetitions_say_so(self):
        self.assertTrue(any(flag & PROBED for flag in self.alone("probe")))

    def test_without_progress_nobody_does(self):
        self.assertFalse(any(flag & PROBED for flag in self.alone("none")))


class Levels(CampaignTest):
    def test_every_way_to_connect_and_every_communicator_measures(self):
        """All of them right: every visit is checked. Topologies and barriers make communicators of their own."""
        for engine in ({"connect": "none", "communicator": "world"}, {"connect": "pattern", "communicator": "dup"},
                       {"connect": "all", "communicator": "world", "sync": "barrier"}):
            with self.subTest(**engine):
                directory = "data-" + "-".join(engine.values())
                campaign, _ = self.run_campaign(
                    directory, launches=1, rounds=2, repetitions=5, engine=dict(engine, verification=1),
                    cells=[{"operation": ["bcast", "alltoall", "neighbor_alltoall", "barrier"], "size": 65536}])
                self.assertEqual(campaign.manifest("failed_cell"), [])
                for launch in campaign.launches():
                    spec = (launch.path / "launch.spec").read_text()
                    for key in ("connect", "communicator"):
                        self.assertIn("\n%s = %s\n" % (key, engine[key]), spec)
                        self.assertEqual(launch.environment().get(key), engine[key], "metadata tell it")
                    self.assertEqual({visit["cell"] for visit in launch.visits()}, {0, 1, 2, 3})
                self.invar("verify", directory, expect=DONE)

    def test_a_world_of_fewer_ranks_than_the_launch_is_refused_where_it_is_asked_for(self):
        cells = [{"operation": "bcast", "size": 8, "ranks": 2}, {"operation": "allreduce", "size": 8, "ranks": 1}]
        path = self.campaign_file(cells=cells, engine={"communicator": "world"})
        line = 1 + [number for number, text in enumerate(path.read_text().splitlines()) if text == "ranks = 1"][0]
        refused = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertIn("campaign.toml:%d:9: communicator 'world' has all 2 ranks" % line, refused.err)
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
