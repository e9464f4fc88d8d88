"""An own operation that sends messages between single ranks (operations/pairs.cpp): who takes part in a cell follows from its
pattern, and so do records, times, buffers and columns. Behaviour: its three ranks share two cores."""

import csv
import io
import json
import os
import pathlib
import re
import subprocess

from support import DONE, GLOBAL_INVALID, USAGE, Campaign, CampaignTest, main, over_everything

OPERATIONS = pathlib.Path(__file__).resolve().parent.parent / "operations"
RANKS, SIZE = 3, 1000
# A name that no user's profile has.
NAME = "test-pairs-"
# Who sends to whom in a cell of three ranks.
PAIRS = {"distance:2": {(0, 2)}, "matching:0": {(1, 2)}, "matching:0:back": {(2, 1)}, "ring": {(0, 1), (1, 2), (2, 0)}}


def invar(*words):
    subprocess.run([os.environ.get("INVAR", "build/invar"), *words], check=True, stdout=subprocess.DEVNULL)


class DescribedPairs(CampaignTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Of one library: an engine with own operations is compiled anew.
        profile = cls.profiles[cls.first]
        cls.own = NAME + cls.first
        invar("mpi", "add", cls.own, "--mpicxx", profile["mpicxx"], "--mpirun", profile["mpirun"], "--ops", str(OPERATIONS))

    @classmethod
    def tearDownClass(cls):
        invar("mpi", "remove", cls.own)

    def keys(self, patterns, record="per-rank", **more):
        preload = os.environ.get("INVAR_YIELD_PRELOAD")
        arms = [{"library": self.own, "settings": {"env:LD_PRELOAD": preload} if "mpich" in self.own and preload else {}}]
        return dict(cells=[dict({"operation": "pairs", "size": SIZE, "ranks": RANKS, "pattern": patterns}, **more)], arms=arms,
                    rounds=2, repetitions=5, launches=1,
                    engine={"oversubscribe": True, "pinning": "none", "sync": "dissemination", "record": record, "verification": 1})

    def measure(self):
        return self.measured_once(**self.keys(list(PAIRS)))[0]

    def patterns(self, campaign):
        return {int(row["cell"]): row["pattern"] for row in campaign.plan()}

    def test_only_the_ranks_of_its_pairs_have_records(self):
        campaign = self.measure()
        patterns = self.patterns(campaign)
        self.assertEqual(set(patterns.values()), set(PAIRS))
        self.assertEqual(campaign.manifest("failed_cell"), [])
        for launch in campaign.launches():
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
            recorded = {}
            for tick in launch.rank_ticks():
                recorded.setdefault(patterns[cell_of[tick.visit]], set()).add(tick.rank)
            self.assertEqual(recorded, {pattern: {rank for pair in pairs for rank in pair} for pattern, pairs in PAIRS.items()})
        self.invar("verify", "data", expect=DONE)

    def test_buffers_are_those_of_the_plan_on_all_ranks(self):
        campaign = self.measure()
        planned = self.invar("plan", self.campaign_file(**self.keys(list(PAIRS)))).out
        largest = re.search(r"  buffers +(\d+) B on a rank, (\d+) B on all: pairs", planned)
        for launch in campaign.launches():
            for buffers in launch.environment()["buffers"]:
                # A slot to send from and one to receive into, also on ranks that stand by.
                self.assertEqual((buffers["most_bytes"], buffers["all_bytes"]), (2 * SIZE, RANKS * 2 * SIZE))
                self.assertEqual([int(number) for number in largest.groups()], [buffers["most_bytes"], buffers["all_bytes"]])

    def test_times_are_those_of_its_pairs(self):
        campaign = self.measure()
        rows = list(csv.DictReader(io.StringIO(self.invar("export", "data", "--to", "csv", expect=DONE).out)))
        by_key = {(row["launch"], row["visit"], row["repetition"]): row for row in rows}
        self.assertEqual({row["pattern"] for row in rows}, set(PAIRS))
        patterns = self.patterns(campaign)
        for launch in campaign.launches():
            rates = [row for row in csv.DictReader((launch.path / "clock.csv").open()) if row["ticks_per_s"]]
            tick_ns = 1e9 / float(rates[-1]["ticks_per_s"])
            # Where the clock is coarse they are timed in batches.
            calls_of = {visit["visit"]: visit["calls"] for visit in launch.visits()}
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            ticks = {(tick.visit, tick.repetition, tick.rank): tick for tick in launch.rank_ticks()}
            for timing in launch.timings():
                row = by_key[str(launch.number), str(timing.visit), str(timing.repetition)]
                pairs = PAIRS[patterns[cell_of[timing.visit]]]
                ns = tick_ns / calls_of[timing.visit]
                at = {rank: ticks[timing.visit, timing.repetition, rank] for pair in pairs for rank in pair}
                sending = max(at[sender].end_ticks - at[sender].start_ticks for sender, _ in pairs)
                self.assertAlmostEqual(float(row["sending_ns"]), sending * ns, delta=0.01)
                pair = max(at[receiver].end_ticks - at[sender].start_ticks for sender, receiver in pairs)
                self.assertFalse(timing.flags & GLOBAL_INVALID)
                self.assertAlmostEqual(float(row["pair_ns"]), pair * ns, delta=0.01)

    def test_single_pairs_are_asked_for_by_their_number(self):
        self.measure()
        # Of the cells that have a second sender.
        self.assertIn("ring", self.invar("show", "data", "--time", "sending#2", expect=DONE).out)
        compared = json.loads(self.invar("compare", "data", "--against", "pattern", "--format", "json", expect=DONE).out)
        self.assertTrue(over_everything(compared))

    def test_a_pattern_that_the_ranks_do_not_have_is_refused_with_what_helps(self):
        for pattern, words in (("bisection", "pairs: pattern 'bisection' needs an even number of ranks, not 3; write 2 or 4 ranks"),
                               ("hypercube:0", "needs a power of two of ranks, not 3"),
                               ("distance:3", "needs a rank 3, and 3 ranks are 0 to 2"),
                               ("grid:1", "has ranks that exchange with several others")):
            refused = self.invar("run", self.campaign_file(**self.keys(pattern)), "-o", "data", expect=USAGE)
            self.assertIn(words, refused.err)
            self.assertFalse((self.scratch / "data").exists())

    def test_an_operation_that_has_one_way_to_call_is_not_measured_under_the_name_of_another(self):
        for level in ({"form": "persistent"}, {"send-mode": "synchronous"}, {"receives": "before"}):
            refused = self.invar("run", self.campaign_file(**self.keys("ring", **level)), "-o", "data", expect=USAGE)
            self.assertIn("none of these operations sends messages between single ranks", refused.err)
            self.assertFalse((self.scratch / "data").exists())

    def test_an_operation_without_messages_gets_no_columns_of_them(self):
        keys = self.keys("ring")
        keys["cells"] = [{"operation": "handover", "size": SIZE, "ranks": RANKS}]
        self.invar("run", self.campaign_file(**keys), "-o", "data", expect=DONE)
        self.assertNotIn("pattern", Campaign(self.scratch / "data").plan()[0])
        self.assertNotIn("pattern", self.invar("export", "data", "--to", "csv", expect=DONE).out.splitlines()[0])


if __name__ == "__main__":
    main()
