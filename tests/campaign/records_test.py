"""What one small campaign by turns leaves on the disk is what its plan said, and it agrees with itself."""

import collections

from support import APART, DONE, LATE, LOST, REPEATS_LATE, WARM_UP, CampaignTest, main

LAUNCHES, ROUNDS, REPETITIONS = 3, 4, 20


class Records(CampaignTest):
    """One campaign for all tests of this class."""

    QUICK_START = {}  # what is mapped is what the library maps by itself

    campaign = None

    def setUp(self):
        super().setUp()
        if Records.campaign is None:
            # Kept as what it left; the next test's scratch directory is another one.
            data, result = self.run_campaign(launches=LAUNCHES, rounds=ROUNDS, repetitions=REPETITIONS)
            Records.said = result
            Records.campaign = data
            Records.toml = (self.scratch / "campaign.toml").read_text()
            Records.plan = (data.path / "plan.csv").read_text()
            self.load(data)

    @classmethod
    def load(cls, data):
        cls.rows = data.plan()
        cls.launches = data.launches()
        cls.timings = {launch.number: launch.timings() for launch in cls.launches}
        cls.ticks = {launch.number: launch.rank_ticks() for launch in cls.launches}
        cls.visits = {launch.number: launch.visits() for launch in cls.launches}
        cls.environments = {launch.number: launch.environment() for launch in cls.launches}
        cls.ends = {launch.number: launch.end() for launch in cls.launches}
        cls.clocks = {launch.number: (launch.path / "clock.csv").read_text().splitlines() for launch in cls.launches}
        cls.arms = data.manifest("arm")
        cls.groups = data.manifest("group")
        cls.group_of = {int(row["launch"]): int(row["group"]) for row in cls.rows}

    def test_every_planned_visit_was_made_once_in_the_planned_order(self):
        for launch in self.launches:
            planned = [(int(row["visit"]), int(row["turn"]), int(row["cell"])) for row in self.rows
                       if int(row["launch"]) == launch.number]
            made = [(visit["visit"], visit["turn"], visit["cell"]) for visit in self.visits[launch.number]]
            self.assertEqual(made, planned)
        self.assertEqual(len(self.rows), LAUNCHES * ROUNDS * 2 * 2)
        self.assertEqual([line["complete"] for line in self.groups], [True] * LAUNCHES)

    def test_every_launch_tells_how_its_cells_came_to_rest(self):
        for launch in self.launches:
            settling = self.environments[launch.number]["settling"]
            self.assertEqual([entry["cell"] for entry in settling], [0, 1])
            for entry in settling:
                self.assertEqual(set(entry), {"cell", "calls", "page_faults", "duration_ns", "at_rest"})
                self.assertGreater(entry["duration_ns"], 0)
                if entry["at_rest"]:
                    self.assertGreaterEqual(entry["calls"], 10)
                else:
                    self.assertGreater(entry["page_faults"], 0)

    def test_every_visit_has_the_valid_repetitions_that_were_asked_for(self):
        """Warm-up and late repetitions are recorded, flagged, and come on top."""
        for launch in self.launches:
            by_visit = collections.defaultdict(list)
            for timing in self.timings[launch.number]:
                by_visit[timing.visit].append(timing)
            for visit in self.visits[launch.number]:
                timings = by_visit[visit["visit"]]
                self.assertEqual([timing.repetition for timing in timings], list(range(len(timings))))
                warm = [timing for timing in timings if timing.flags & WARM_UP]
                late = [timing for timing in timings if timing.flags & LATE and not timing.flags & WARM_UP]
                valid = [timing for timing in timings if not timing.flags & (WARM_UP | LATE)]
                self.assertEqual(timings[:len(warm)], warm, "warm-up comes first")
                self.assertGreaterEqual(len(warm), 3)
                lost = [timing for timing in valid if timing.flags & LOST]
                apart = [timing for timing in lost if timing.flags & APART]
                self.assertEqual((visit["records"], visit["warm_up"], visit["late"], visit["valid"]),
                                 (len(timings), len(warm), len(late), len(valid) - len(apart)))
                self.assertEqual((visit.get("lost", 0), visit.get("apart", 0)), (len(lost), len(apart)))
                if late or lost:
                    ranks, lates, losts = (visit["late_ranks"][i::3] for i in range(3))
                    self.assertEqual(len(ranks), len(set(ranks)))
                    self.assertLessEqual(max(lates), len(late))
                    self.assertGreater(sum(lates) + sum(losts), 0)
                self.assert_repetitions(visit, REPETITIONS)
                if visit["valid"] >= REPETITIONS:
                    repeats = [timing for timing in timings if timing.flags & REPEATS_LATE]
                    self.assertEqual(len(repeats), len(late) + len(apart), "one more for each that did not count")

    def test_start_times_increase_within_a_launch_and_nothing_takes_no_time(self):
        for timings in self.timings.values():
            starts = [timing.start_ps for timing in timings]
            self.assertEqual(starts, sorted(starts))
            self.assertEqual(len(set(starts)), len(starts))
            for timing in timings:
                self.assertGreaterEqual(timing.global_ps, timing.local_max_ps)
                # The mean is rounded once more.
                self.assertGreaterEqual(timing.local_max_ps + 1, timing.local_mean_ps)
                self.assertGreaterEqual(timing.local_mean_ps + 1, timing.local_min_ps)
                self.assertGreaterEqual(timing.local_min_ps, 0)
                self.assertGreater(timing.global_ps, 0)
                self.assertGreaterEqual(timing.start_skew_ps, 0)

    def test_turns_exclude_each_other(self):
        """Visits of a group, of both arms, follow each other as planned: none begins before the one before has ended."""
        for group in set(self.group_of.values()):
            visits = [visit for number, all_of in self.visits.items() if self.group_of[number] == group for visit in all_of]
            visits.sort(key=lambda visit: visit["turn"])
            self.assertEqual([visit["turn"] for visit in visits], list(range(len(visits))))
            for before, after in zip(visits, visits[1:]):
                self.assertLess(before["begin_ps"], before["end_ps"])
                self.assertLessEqual(before["end_ps"], after["begin_ps"], "turns %d and %d overlap" % (
                    before["turn"], after["turn"]))

    def test_repetitions_lie_within_their_visit(self):
        for launch in self.launches:
            bounds = {visit["visit"]: visit for visit in self.visits[launch.number]}
            for timing in self.timings[launch.number]:
                visit = bounds[timing.visit]
                self.assertLess(visit["begin_ps"], timing.start_ps)
                self.assertLess(timing.start_ps + timing.local_max_ps, visit["end_ps"] + timing.start_skew_ps + 10 ** 9)

    def test_arms_alternate_who_comes_first(self):
        firsts = collections.Counter()
        for row, after in zip(self.rows[::2], self.rows[1::2]):
            self.assertEqual((row["group"], row["block"], row["cell"]), (after["group"], after["block"], after["cell"]))
            self.assertNotEqual(row["arm"], after["arm"])
            firsts[row["arm"]] += 1
        self.assertEqual(set(firsts.values()), {len(self.rows) // 4})

    def test_every_visit_has_a_canary_and_every_round_the_empty_operation(self):
        for launch in self.launches:
            rounds_with_empty = []
            for visit in self.visits[launch.number]:
                self.assertEqual(len(visit["canary_ps"]), 1, "one host")
                self.assertGreater(visit["canary_ps"][0], 0)
                self.assertEqual(len(visit["chain_ps"]), 1, "the lowest rank's")
                self.assertGreater(visit["chain_ps"][0], 0)
                # Two sockets have a pair as well.
                self.assertIn(len(visit.get("across_ps", [])), (0, 1))
                if visit["empty_ps"] is not None:
                    rounds_with_empty.append(visit["round"])
            self.assertEqual(rounds_with_empty, list(range(ROUNDS)))

    def test_times_follow_from_the_raw_ticks_of_the_ranks(self):
        """Global = latest end - earliest start, local = each rank's own difference, at the launch's measured rate."""
        for launch in self.launches:
            picoseconds = 1e12 / self.ends[launch.number]["ticks_per_s"]
            ticks = collections.defaultdict(list)
            for one in self.ticks[launch.number]:
                ticks[one.visit, one.repetition].append(one)
            self.assertEqual(len(ticks), len(self.timings[launch.number]))
            for timing in self.timings[launch.number]:
                ranks = ticks[timing.visit, timing.repetition]
                self.assertEqual([one.rank for one in ranks], [0, 1])
                first = min(one.start_ticks for one in ranks)
                local = [one.end_ticks - one.start_ticks for one in ranks]
                for ps, expected in (
                        (timing.global_ps, max(one.end_ticks for one in ranks) - first),
                        (timing.local_max_ps, max(local)),
                        (timing.local_min_ps, min(local)),
                        (timing.local_mean_ps, sum(local) / 2),
                        (timing.start_skew_ps, max(one.start_ticks for one in ranks) - first)):
                    # The rate used when a segment was written may differ by 1 ppm from the final one.
                    self.assertAlmostEqual(ps, expected * picoseconds, delta=2 + 2e-6 * ps)

    def test_clock_is_calibrated_once_per_launch_against_the_kernels_clock(self):
        """A beginning, an end of the only segment, an end of the launch: not one per cell or visit. The rate is what the
        two clocks say, no constant (peers' mistakes 3 and 8)."""
        for number, lines in self.clocks.items():
            self.assertEqual(len(lines), 4, lines)
            self.assertEqual({line.split(",")[0] for line in lines[1:]}, {"tsc"} if "tsc" in lines[1] else {"monotonic-raw"})
            begin, end = (line.split(",")[1:] for line in (lines[1], lines[-1]))
            rate = (int(end[0]) - int(begin[0])) / (int(end[1]) - int(begin[1])) * 1e9
            self.assertAlmostEqual(self.ends[number]["ticks_per_s"] / rate, 1, delta=1e-6)

    def test_all_arms_of_a_group_have_the_same_rank_to_core_map(self):
        for group in set(self.group_of.values()):
            maps = [self.environments[number]["map"] for number in self.environments if self.group_of[number] == group]
            self.assertEqual(len(maps), 2)
            self.assertEqual(maps[0], maps[1])
            self.assertEqual([rank["rank"] for rank in maps[0]], [0, 1])
            self.assertEqual(len({rank["cpu"] for rank in maps[0]}), 2, "a core each")

    def test_environment_says_what_was_measured_and_with_what(self):
        """Peers' mistake 15: nothing recorded of hosts, CPU, pinning, version, compiler, environment, seed."""
        first_of = {}
        self.assertEqual({row["sync"] for row in self.rows}, {"round-time"})
        for launch in self.launches:
            environment = self.environments[launch.number]
            first_of.setdefault(launch.arm, environment)
            self.assertEqual(environment["seed"], 11)
            self.assertIn(environment["clock"]["source"], ("tsc", "monotonic-raw"))
            for key in ("step_ns", "resolution_ns", "cost_ns"):
                self.assertGreaterEqual(environment["clock"][key], 0)
            for host in environment["hosts"]:
                for key in ("boot_id", "host_name", "time_namespace", "processor", "kernel", "limits", "load", "network",
                            "environment", "mapped"):
                    self.assertIn(key, host)
                self.assertIn("model", host["processor"])
                self.assertIn("microcode", host["processor"])
                self.assertIn("command_line", host["kernel"])
                self.assertIn("INVAR_TEST_MARK", host["environment"])
                self.assertTrue(any("mpi" in path for path in host["mapped"]), "the MPI library is mapped")
        for arm in self.arms:
            environment = first_of[arm["label"]]
            first_line = " ".join(environment["library"]["version"].splitlines()[0].split())
            self.assertEqual(first_line, arm["library_version"])
            self.assertGreater(len(environment["library"]["variables"]), 100, "every control variable")
            self.assertGreater(len(arm["checksums"]), 0)
            self.assertEqual({file for file in arm["checksums"] if not file.endswith("/invar-engine")} -
                             set(environment["hosts"][0]["mapped"]), set(),
                             "checksums are of libraries that were really mapped")
            profile = arm["profile_json"]
            for word in ("compiler", "mpicxx"):
                self.assertIn(word, profile)


class Plans(CampaignTest):
    def test_the_same_campaign_gives_the_same_plan_to_the_byte(self):
        campaign = self.campaign_file(cells=[{"operation": ["bcast", "scan", "barrier"][:2], "size": [8, 64, 1024]}],
                                      launches=5)
        self.invar("plan", campaign, "-o", "one")
        self.invar("plan", campaign, "-o", "two")
        self.invar("plan", self.campaign_file("other.toml", seed=12, launches=5, cells=[
            {"operation": ["bcast", "scan"], "size": [8, 64, 1024]}]), "-o", "three")
        plans = [(self.scratch / name / "plan.csv").read_bytes() for name in ("one", "two", "three")]
        self.assertEqual(plans[0], plans[1])
        self.assertNotEqual(plans[0], plans[2])

    def test_a_run_follows_the_plan_that_was_shown_and_is_whole(self):
        campaign = self.campaign_file(launches=1, rounds=1)
        self.invar("plan", campaign, "-o", "shown")
        self.invar("run", campaign, "-o", "data")
        self.assertEqual((self.scratch / "shown/plan.csv").read_bytes(), (self.scratch / "data/plan.csv").read_bytes())
        self.assertEqual((self.scratch / "shown/campaign.toml").read_bytes(),
                         (self.scratch / "data/campaign.toml").read_bytes())
        verified = self.invar("verify", "data", expect=DONE)
        self.assertIn("complete and whole", verified.out)


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
