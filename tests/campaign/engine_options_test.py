"""Every way of measuring that [engine] offers gives a whole campaign whose records say how it was measured."""

import csv
import io

from support import GLOBAL_INVALID, LATE, USAGE, CampaignTest, main

SMALL = dict(launches=1, rounds=2, repetitions=10)


class EngineOptions(CampaignTest):
    def measured(self, **engine):
        """A small campaign with these keys of [engine]; its launches."""
        campaign, _ = self.run_campaign(engine=engine, **SMALL)
        launches = campaign.launches()
        self.assertEqual(len(launches), 2)
        for launch in launches:
            for visit in launch.visits():
                self.assert_repetitions(visit, 10)
        self.invar("verify", campaign.path)
        return launches

    def observations(self):
        return list(csv.DictReader(io.StringIO(self.invar("export", "data", "--to", "csv").out)))

    def test_synchronisations_other_than_round_time_have_no_late_repetitions(self):
        """Nothing is agreed between repetitions, so that there are exactly as many as planned."""
        for sync in ("barrier", "dissemination", "double-barrier", "none"):
            with self.subTest(sync=sync):
                campaign, _ = self.run_campaign("data-" + sync, engine={"sync": sync}, **SMALL)
                for launch in campaign.launches():
                    self.assertEqual({row["sync"] for row in campaign.plan()}, {sync})
                    for visit in launch.visits():
                        self.assertEqual((visit["valid"], visit["late"], visit["slack_ps"]), (10, 0, 0))
                        self.assertEqual(visit["records"], 10 + visit["warm_up"])
                    self.assertFalse(any(timing.flags & LATE for timing in launch.timings()))

    def test_pairing_launches_runs_one_launch_after_the_other(self):
        """Each launch is a group of processes of its own: one page, its own time 0, the whole machine for itself."""
        campaign, result = self.run_campaign(engine={"pairing": "launches"}, launches=2, rounds=2, repetitions=10)
        self.assertIn("one after the other", result.err)
        orders = []
        for group in (1, 2):
            order = []
            for row in campaign.plan():
                if int(row["group"]) == group and row["arm"] not in order:
                    order.append(row["arm"])
            orders.append(order)
        self.assertEqual(orders[0], orders[1][::-1], "A B, then B A")
        for launch in campaign.launches():
            spec = (launch.path / "launch.spec").read_text()
            self.assertIn("\narms = %s\n" % launch.arm, spec, "it takes turns with nobody")
            self.assertEqual(len(launch.visits()), 4)
        self.assertEqual(len(campaign.launches()), 4)
        self.invar("verify", "data")

    def test_monotonic_raw_counts_nanoseconds(self):
        for launch in self.measured(clock="monotonic-raw"):
            self.assertEqual(launch.environment()["clock"]["source"], "monotonic-raw")
            self.assertAlmostEqual(launch.end()["ticks_per_s"], 1e9, delta=1e3)
            self.assertFalse(any(timing.flags & GLOBAL_INVALID for timing in launch.timings()))

    def test_mpi_wtime_has_local_times_only(self):
        """Its ranks cannot be compared: no global time, no skew, and the flag says so."""
        for launch in self.measured(clock="mpi-wtime", sync="barrier"):
            self.assertEqual(launch.environment()["clock"]["source"], "mpi-wtime")
            for timing in launch.timings():
                self.assertTrue(timing.flags & GLOBAL_INVALID)
                self.assertEqual((timing.global_ps, timing.start_skew_ps), (0, 0))
                self.assertGreater(timing.local_max_ps, 0)
        rows = self.observations()
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assertEqual((row["global_ns"], row["start_skew_ns"]), ("", ""), "what does not exist is empty, not 0")
            self.assertGreater(float(row["local_ns"]), 0)
        self.assertIn("times: of the rank that took longest", self.invar("compare", "data").out)

    def test_mpi_wtime_cannot_keep_a_common_deadline(self):
        refused = self.invar("run", self.campaign_file(engine={"clock": "mpi-wtime"}), "-o", "data", expect=USAGE)
        self.assertRegex(refused.err, r"campaign\.toml:\d+:\d+: .*mpi-wtime")
        self.assertFalse((self.scratch / "data").exists(), "nothing half-written")

    def test_dither_can_be_switched_off(self):
        for launch in self.measured(dither="off"):
            self.assertEqual({row["dither_ns"] for row in csv.DictReader((launch.path / "visits.csv").open())}, {"0"})

    def test_record_extent_keeps_no_ticks_of_single_ranks(self):
        for launch in self.measured(record="extent"):
            self.assertFalse((launch.path / "ranks.bin").exists())
            self.assertTrue(all(visit["rank_records"] == 0 for visit in launch.visits()))
            self.assertGreater(len(launch.timings()), 0)


if __name__ == "__main__":
    main()
