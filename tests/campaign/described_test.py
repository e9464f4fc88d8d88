"""An operation that says everything of itself (operations/handover.cpp): rank 0 stands by, rank 1 gives, rank 2 takes, with
two marks, two requests, scratch, and as many blocks as ranks. Built from a user's folder under every library."""

import collections
import csv
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

from support import BATCH, DAMAGED, DONE, FAILED, GLOBAL_INVALID, USAGE, CampaignTest, Campaign, main, over_everything

HERE = pathlib.Path(__file__).resolve().parent
RANKS, SIZE = 3, 1000
GIVER, TAKER = 1, 2
POSTED, WAITED = 0, 1
# Engines are built with each wrapper once; a name that no user's profile has.
NAME = "test-described-"

MarkTicks = collections.namedtuple("MarkTicks", "visit repetition rank mark start_ticks mark_ticks")


def marks_of(launch):
    return [MarkTicks(*fields) for fields in struct.iter_unpack("<IIIIqq", (launch.path / "marks.bin").read_bytes())]


class Described(CampaignTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.own = []
        for library in sorted({cls.first, cls.second}):
            profile = cls.profiles[library]
            subprocess.run([os.environ.get("INVAR", "build/invar"), "mpi", "add", NAME + library, "--mpicxx", profile["mpicxx"],
                            "--mpirun", profile["mpirun"], "--ops", str(HERE / "operations")], check=True,
                           stdout=subprocess.DEVNULL)
            cls.own.append(NAME + library)

    @classmethod
    def tearDownClass(cls):
        for name in cls.own:
            subprocess.run([os.environ.get("INVAR", "build/invar"), "mpi", "remove", name], stdout=subprocess.DEVNULL)

    def arms(self):
        """MPICH never gives up its core while it waits; the tests bring what mends that (tests/mpi)."""
        preload = os.environ.get("INVAR_YIELD_PRELOAD")
        return [{"library": name, "settings": {"env:LD_PRELOAD": preload} if "mpich" in name and preload else {}}
                for name in self.own]

    def keys(self, operation="handover", **engine):
        return dict(cells=[{"operation": operation, "size": SIZE, "ranks": RANKS}], arms=self.arms(), rounds=2, repetitions=5,
                    launches=2, engine=dict({"oversubscribe": True, "pinning": "none", "sync": "barrier"}, **engine))

    def campaign(self, *operation, **engine):
        return self.campaign_file(**self.keys(*operation, **engine))

    def measure(self, **engine):
        return self.measured_once(**self.keys(**engine))[0]

    def assert_marks(self, launch):
        marks = marks_of(launch)
        timings = launch.timings()
        # The giver posts, the taker posts and waits; who stands by has nothing.
        self.assertEqual(collections.Counter((mark.rank, mark.mark) for mark in marks),
                         {(GIVER, POSTED): len(timings), (TAKER, POSTED): len(timings), (TAKER, WAITED): len(timings)})
        for mark in marks:
            self.assertLess(mark.start_ticks, mark.mark_ticks)
        at = {(mark.visit, mark.repetition, mark.mark): mark.mark_ticks for mark in marks if mark.rank == TAKER}
        for timing in timings:
            self.assertLessEqual(at[timing.visit, timing.repetition, POSTED], at[timing.visit, timing.repetition, WAITED])
        self.assertEqual(sum(visit["mark_records"] for visit in launch.visits()), len(marks))
        self.assertIn("marks.bin", launch.end()["files"])
        return marks

    def test_bystanders_have_no_records_and_rank_0_may_be_one(self):
        campaign = self.measure(record="per-rank")
        self.assertEqual(len(campaign.launches()), 2 * len(self.own))
        for launch in campaign.launches():
            ticks = launch.rank_ticks()
            self.assertEqual({tick.rank for tick in ticks}, {GIVER, TAKER})
            self.assertEqual(len(ticks), 2 * len(launch.timings()))
            starts = {(tick.visit, tick.repetition, tick.rank): tick for tick in ticks}
            for mark in self.assert_marks(launch):
                tick = starts[mark.visit, mark.repetition, mark.rank]
                self.assertEqual(mark.start_ticks, tick.start_ticks)
                self.assertLessEqual(mark.mark_ticks, tick.end_ticks)
            for timing in launch.timings():
                # Two ranks are timed, not three.
                self.assertAlmostEqual(timing.local_mean_ps, (timing.local_min_ps + timing.local_max_ps) / 2, delta=2)
                self.assertGreater(timing.local_min_ps, 0)
            self.assertTrue(all("scratch_offset_bytes" in visit for visit in launch.visits()))
        self.invar("verify", "data", expect=DONE)

    def test_only_the_extent_is_recorded_beside_the_marks(self):
        for launch in self.measure(record="extent").launches():
            self.assertFalse((launch.path / "ranks.bin").exists())
            self.assert_marks(launch)

    def test_buffers_have_the_bytes_that_the_operation_says(self):
        for launch in self.measure().launches():
            buffers, = launch.environment()["buffers"]
            blocks = 3 * RANKS  # as many in send, recv and scratch
            self.assertEqual(buffers, {"cell": 0, "most_bytes": blocks * SIZE, "all_bytes": RANKS * blocks * SIZE,
                                       "scratch_bytes": RANKS * RANKS * SIZE})

    def test_plan_estimates_the_bytes_that_are_allocated(self):
        largest = re.search(r"  buffers +(\d+) B on a rank, (\d+) B on all: handover", self.invar("plan", self.campaign()).out)
        for launch in self.measure().launches():
            buffers, = launch.environment()["buffers"]
            self.assertEqual([int(number) for number in largest.groups()], [buffers["most_bytes"], buffers["all_bytes"]])

    def test_cold_buffers_move_on_with_their_scratch(self):
        for launch in self.measure(cache="cold-cycle").launches():
            self.assert_marks(launch)

    def test_calls_go_into_batches(self):
        self.invar("plan", self.campaign(), "-o", "plan")
        plan = self.scratch / "plan" / "plan.csv"
        rows = [line.split(",") for line in plan.read_text().splitlines()]
        for row in rows[1:]:
            row[rows[0].index("calls")] = "4"
        plan.write_text("".join(",".join(row) + "\n" for row in rows))
        self.invar("run", plan, "-o", "data", expect=DONE)
        for launch in Campaign(self.scratch / "data").launches():
            self.assertTrue(all(timing.flags & BATCH for timing in launch.timings()))
            self.assert_marks(launch)

    def test_damaged_marks_are_found_and_measured_again(self):
        campaign = self.measure()
        marks = campaign.launches()[0].path / "marks.bin"
        content = bytearray(marks.read_bytes())
        content[40] ^= 1
        marks.write_bytes(bytes(content))
        self.assertIn("marks.bin", "".join(self.invar("verify", "data", expect=DAMAGED)[1:]))
        self.invar("run", "--resume", "-o", "data", expect=DONE)
        self.invar("verify", "data", expect=DONE)
        for launch in campaign.launches():
            self.assert_marks(launch)

    def times_of(self, *options, expect=DONE):
        """Rows of `invar show` by arm and time."""
        shown = json.loads(self.invar("show", "data", "--format", "json", *options, expect=expect).out)
        return {(row["arm"], row.get("time", "whole")): row for row in shown["groups"]}

    def test_every_time_that_it_states_is_shown(self):
        campaign = self.measure(record="per-rank")
        rows = self.times_of("--time", "all")
        # More ranks than cores have no cores of their own. Of one host they read one clock all the same: the kernel says so.
        self.assertFalse(any(timing.flags & GLOBAL_INVALID for launch in campaign.launches() for timing in launch.timings()))
        told = {"whole", "posting", "waiting", "one way"}
        self.assertEqual({time for _, time in rows}, told)
        for arm in {arm for arm, _ in rows}:
            whole, posting, waiting = (rows[arm, time] for time in ("whole", "posting", "waiting"))
            # The same repetitions, but for those whose clocks cannot be compared.
            self.assertEqual(posting["observations"], waiting["observations"])
            self.assertGreater(posting["min_ns"], 0)
            self.assertGreaterEqual(waiting["min_ns"], 0)
            # A part of the call of one rank is not longer than the whole. A way from one rank to another may be, where these
            # share a core and `show` has the slowest rank's own time.
            for part in (posting, waiting):
                self.assertLessEqual(part["median_ns"], whole["median_ns"] * 1.5)
        # The headline is the whole, and no name is needed for it.
        self.assertEqual({time for _, time in self.times_of()}, {"whole"})
        self.assertEqual({time for _, time in self.times_of("--time", "posting")}, {"posting"})

    def test_times_are_those_of_the_raw_ticks(self):
        campaign = self.measure(record="per-rank")
        observed = list(csv.DictReader(io.StringIO(self.invar("export", "data", "--to", "csv", expect=DONE).out)))
        by_key = {(row["launch"], row["visit"], row["repetition"]): row for row in observed}
        for launch in campaign.launches():
            rates = [row for row in csv.DictReader((launch.path / "clock.csv").open()) if row["ticks_per_s"]]
            ns_per_tick = 1e9 / float(rates[-1]["ticks_per_s"])
            ticks = {(tick.visit, tick.repetition, tick.rank): tick for tick in launch.rank_ticks()}
            marks = {(mark.visit, mark.repetition, mark.rank, mark.mark): mark for mark in marks_of(launch)}
            for timing in launch.timings():
                at = timing.visit, timing.repetition
                row = by_key[(str(launch.number),) + tuple(str(number) for number in at)]
                giver, taker = ticks[at + (GIVER,)], ticks[at + (TAKER,)]
                posted, waited = marks[at + (GIVER, POSTED)], marks[at + (TAKER, WAITED)]
                for name, first, last in (("posting_ns", giver.start_ticks, posted.mark_ticks),
                                          ("waiting_ns", marks[at + (TAKER, POSTED)].mark_ticks, waited.mark_ticks),
                                          ("one way_ns", giver.start_ticks, taker.end_ticks)):
                    self.assertAlmostEqual(float(row[name]), (last - first) * ns_per_tick, delta=0.01)

    def test_times_are_compared_between_arms_and_with_each_other(self):
        self.measure(record="per-rank")
        arms = json.loads(self.invar("compare", "data", "--time", "posting", "--format", "json", expect=DONE).out)
        self.assertEqual(arms["time"], "posting")
        self.assertEqual({row["time"] for row in over_everything(arms)}, {"posting"})
        times = json.loads(self.invar("compare", "data", "--against", "time", "--format", "json", expect=DONE).out)
        self.assertEqual(times["against"], "time")
        pairs = {(row["in_arm"], row["time"], row["time_b"]) for row in over_everything(times)}
        self.assertTrue({(arm["label"], "whole", other) for arm in times["arms"] for other in ("posting", "waiting")} <= pairs)
        for row in over_everything(times):
            if row["time_b"] == "posting":
                self.assertLess(row["ratio"], 1.5)

    def test_what_was_not_recorded_and_what_does_not_exist_is_refused_in_words(self):
        self.measure(record="extent")
        # Starts stand beside marks, ends do not.
        self.assertEqual({time for _, time in self.times_of("--time", "posting")}, {"posting"})
        for command in ("show", "compare"):
            refused = self.invar(command, "data", "--time", "one way", expect=USAGE)
            self.assertIn("single ranks' ends were not recorded", refused.err)
            unknown = self.invar(command, "data", "--time", "two ways", expect=USAGE)
            self.assertIn("known: whole, one way, posting, waiting", unknown.err)

    def test_a_headline_that_is_not_the_whole_is_what_answers_are_about(self):
        refused = self.invar("run", self.campaign("giving", record="extent"), "-o", "data", expect=USAGE)
        self.assertIn("the headline 'giving' of 'giving' is made of single ranks' ticks", refused.err)
        campaign = self.measure(operation="giving")
        self.assertTrue((campaign.launches()[0].path / "ranks.bin").exists())
        self.assertEqual({time for _, time in self.times_of()}, {"giving"})
        compared = json.loads(self.invar("compare", "data", "--format", "json", expect=DONE).out)
        self.assertEqual({row["time"] for row in over_everything(compared)}, {"giving"})
        self.invar("report", "data", "-o", "page.html", expect=DONE)
        page = json.loads(self.invar("report", "data", "--format", "json", expect=DONE).out)
        self.assertEqual({row["time"] for row in page["campaigns"][0]["times"]}, {"giving"})

    def test_nothing_but_the_call_stands_between_the_clock_reads(self):
        home = pathlib.Path(os.environ["INVAR_HOME"])
        done = subprocess.run([sys.executable, "-B", str(HERE.parent / "mpi" / "timed_region_test.py")] +
                              [str(home / "profiles" / name / "invar-engine") for name in self.own],
                              stdout=subprocess.PIPE, universal_newlines=True)
        self.assertIn(done.returncode, (0, 77), done.stdout)
        if done.returncode == 0:
            self.assertEqual(len(re.findall(r"\d+ timed regions", done.stdout)), len(self.own))

    def doorbell_file(self, *cells):
        """The operation of operations/doorbell.cpp, which writes down what is done around its communicator."""
        return self.campaign_file(cells=list(cells), arms=self.arms(), rounds=2, repetitions=5, launches=1,
                                  engine={"oversubscribe": True, "pinning": "none", "sync": "barrier"})

    def assert_rung(self, launch, *told):
        """What every launch's first rank has told."""
        said = (launch / "stdout").read_text()
        self.assertEqual(re.findall(r"doorbell: (.*)", said), list(told), said)

    def test_hooks_are_there_while_their_communicator_is_made_and_undone_behind_it(self):
        # Cells of an operation with a hook share a communicator; no other cell of these ranks has it, not even an earlier one.
        self.invar("run", self.doorbell_file({"operation": "allreduce", "size": 1024},
                                             {"operation": "doorbell", "size": [1024, 2048]}), "-o", "data", expect=DONE)
        launches = Campaign(self.scratch / "data").launches()
        self.assertEqual(len(launches), len(self.own))
        for launch in launches:
            self.assert_rung(launch.path,
                             "hook", "communicator", "undone",    # that of the calls; of the barriers it has no part
                             "hook", "undone", "hook", "undone")  # what single cells make

    def test_ranks_agree_by_no_message_on_the_operations_communicator(self):
        self.invar("run", self.doorbell_file({"operation": "doorbell", "size": [1024, 2048]}), "-o", "data", expect=DONE)
        for launch in Campaign(self.scratch / "data").launches():
            self.assertNotIn("a message of the engine", (launch.path / "stderr").read_text())

    def test_hooks_are_undone_after_an_error_too(self):
        failed = self.invar("run", self.doorbell_file({"operation": "doorbell", "size": 13}), "-o", "data", expect=FAILED)
        self.assertIn("13 bytes are unlucky", failed.err)
        launches = list((self.scratch / "data").glob("*/*-%s*" % NAME))
        self.assertTrue(launches)
        for launch in launches:
            self.assert_rung(launch, "hook", "communicator", "undone")


if __name__ == "__main__":
    main()
