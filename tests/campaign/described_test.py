"""An operation that says everything of itself (operations/handover.cpp): rank 0 stands by, rank 1 gives, rank 2 takes, with
two marks, two requests, scratch, and as many blocks as ranks. Built from a user's folder under every library."""

import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

from support import BATCH, DAMAGED, DONE, CampaignTest, Campaign, main

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

    def campaign(self, **engine):
        return self.campaign_file(cells=[{"operation": "handover", "size": SIZE, "ranks": RANKS}], arms=self.arms(),
                                  rounds=2, repetitions=5, launches=2,
                                  engine=dict({"oversubscribe": True, "pinning": "none", "sync": "barrier"}, **engine))

    def measure(self, **engine):
        self.invar("run", self.campaign(**engine), "-o", "data", expect=DONE)
        return Campaign(self.scratch / "data")

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

    def test_nothing_but_the_call_stands_between_the_clock_reads(self):
        home = pathlib.Path(os.environ["INVAR_HOME"])
        done = subprocess.run([sys.executable, "-B", str(HERE.parent / "mpi" / "timed_region_test.py")] +
                              [str(home / "profiles" / name / "invar-engine") for name in self.own],
                              stdout=subprocess.PIPE, universal_newlines=True)
        self.assertIn(done.returncode, (0, 77), done.stdout)
        if done.returncode == 0:
            self.assertEqual(len(re.findall(r"\d+ timed regions", done.stdout)), len(self.own))


if __name__ == "__main__":
    main()
