"""Ranks that start late on purpose: the records say by how much they really were."""

import statistics

from support import LATE, LOST, USAGE, WARM_UP, CampaignTest, main

AMPLITUDE_NS = 50_000
RANDOM = "random:%dns" % AMPLITUDE_NS
LEVELS = ["none", RANDOM] + [level % AMPLITUDE_NS for level in ("first-late:%dns", "last-late:%dns", "last-late:%dns:probing", "linear:%dns")]


class ArrivalPatterns(CampaignTest):
    def test_ranks_are_late_by_what_was_asked_for(self):
        # On a machine that does other things visits may end without a valid repetition (3).
        campaign, _ = self.run_campaign(expect=None, launches=1, rounds=4, repetitions=30, engine={"sync": ["round-time", "window"]},
                                        cells=[{"operation": "allreduce", "size": 8, "arrival": LEVELS}])
        pattern_of = {int(row["cell"]): (row["sync"], row["arrival"]) for row in campaign.plan()}
        self.assertEqual(len(pattern_of), 2 * len(LEVELS))
        for launch in campaign.launches():
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            ticks_per_ns = launch.end()["ticks_per_s"] / 1e9
            starts = {}
            for record in launch.rank_ticks():
                starts.setdefault((record.visit, record.repetition), {})[record.rank] = record.start_ticks / ticks_per_ns
            later, said = {}, {}  # rank 1 than rank 0, by pattern
            for timing in launch.timings():
                if timing.flags & (WARM_UP | LATE | LOST):
                    continue
                at = starts[timing.visit, timing.repetition]
                key = pattern_of[cell_of[timing.visit]]
                later.setdefault(key, []).append(at[1] - at[0])
                said.setdefault(key, []).append(timing.start_skew_ps / 1e3 - abs(at[1] - at[0]))
            for (sync, pattern), values in later.items():
                with self.subTest(sync=sync, pattern=pattern, launch=launch.number):
                    expected = {"none": 0, "first-late": -1, "last-late": 1, "linear": 1, "random": 0}[pattern.split(":")[0]]
                    # What the amplitude is large against: a start that is late by less than a microsecond counts.
                    self.assertAlmostEqual(statistics.median(values) / AMPLITUDE_NS, expected,
                                           delta=0.45 if pattern == RANDOM else 0.1)
                    self.assertLess(max(map(abs, said[sync, pattern])), 100, "the record has the skew")
            for sync in ("round-time", "window"):
                spread = max(later[sync, RANDOM]) - min(later[sync, RANDOM])
                self.assertGreater(spread / AMPLITUDE_NS, 0.7, "drawn anew for every repetition")

    def test_only_where_starts_are_agreed(self):
        path = self.campaign_file(engine={"sync": "barrier", "arrival": "linear:5us"})
        result = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertIn("ranks can only be late on purpose where all know when a repetition starts", result.err)

    def test_what_is_no_pattern_is_refused_where_it_is_written(self):
        path = self.campaign_file(engine={"arrival": ["linear", "first:5us", "random:2s", "random:x"]})
        result = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertEqual(result.err.count("no arrival pattern"), 3, result.err)
        self.assertIn("is later than 1 s", result.err)


if __name__ == "__main__":
    main()
