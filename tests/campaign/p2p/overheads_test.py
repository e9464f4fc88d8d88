"""What calls cost their ranks, from the campaign to the table: whose time counts, what a late receiver changes, what is spun between
the messages of a train, and that nothing is measured under the name of another call."""

import csv
import io
import json
import statistics

from support import DONE, USAGE, WARM_UP, Campaign, CampaignTest, main

HEADLINES = {"send": "sending", "isend": "posting", "ssend": "sending", "recv": "receiving", "train": "round trip", "wtime": "call",
             "test": "call", "iprobe": "call"}
# Long beside every call of these messages, and short beside a second.
LATE_NS = 500_000
LATE = "last-late:%dns" % LATE_NS
DELAY_NS = 100_000
SIZE = 64


class Overheads(CampaignTest):
    def cells(self):
        """Kinds of cells that a model of the network asks for."""
        def block(operation, size=SIZE, **levels):
            return dict({"operation": operation, "size": size}, **levels)
        return [block(["send", "isend", "ssend"], [SIZE, 65536], arrival=["none", LATE]),
                block("recv", arrival=LATE, receives=["in-call", "before"]),
                block("train", [SIZE, 65536], window=[1, 10], **{"train-delay": ["off", "%dns" % DELAY_NS]}),
                {"operation": ["wtime", "test", "iprobe"]}]

    def measure(self):
        # On a machine that does other things visits may end without a valid repetition (3).
        return self.measured_once(expect=None, cells=self.cells(), launches=1, rounds=2, repetitions=10, engine={"verification": 1})[0]

    def times(self, campaign):
        """Median over both libraries by operation, arrival, receives, window, delay and name of the time; ns."""
        cells = {int(row["cell"]): row for row in campaign.plan()}
        visits = {(launch.number, visit["visit"]): visit["cell"] for launch in campaign.launches() for visit in launch.visits()}
        found = {}
        for row in csv.DictReader(io.StringIO(self.invar("export", "data", "--to", "csv", expect=None).out)):
            if int(row["flags"]) & WARM_UP or row["size_bytes"] not in ("", str(SIZE)):
                continue
            cell = cells[visits[int(row["launch"]), int(row["visit"])]]
            key = (cell["operation"], cell["arrival"], cell["receives"], cell["window"], cell["train_delay"])
            for column, value in row.items():
                if value and column in ("sending_ns", "posting_ns", "receiving_ns", "round trip_ns", "call_ns"):
                    found.setdefault(key + (column[:-3],), []).append(float(value))
        return {key: statistics.median(values) for key, values in found.items()}

    def test_every_kind_is_measured_and_every_message_is_right(self):
        campaign = self.measure()
        self.assertEqual(campaign.manifest("failed_cell"), [])
        rows = campaign.plan()
        self.assertEqual({row["operation"] for row in rows}, set(HEADLINES))
        trains = {(row["window"], row["train_delay"]) for row in rows if row["operation"] == "train"}
        self.assertEqual(trains, {("1", "off"), ("10", "off"), ("10", "%dns" % DELAY_NS)}, "nothing is between one message")
        for launch in campaign.launches():
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
        self.invar("verify", "data", expect=DONE)

    def test_headlines_are_the_ranks_whose_call_it_is(self):
        self.measure()
        shown = json.loads(self.invar("show", "data", "--format", "json", expect=None).out)
        self.assertEqual({row["operation"]: row.get("time", "whole") for row in shown["groups"]}, HEADLINES)

    def test_what_waits_for_a_late_receiver_has_its_lateness_and_nothing_else_does(self):
        times = self.times(self.measure())

        def late(operation, time, receives="in-call"):
            return times[operation, LATE, receives, "1", "off", time] / LATE_NS
        self.assertGreater(late("ssend", "sending"), 0.8, "it is over when the receive has begun")
        self.assertLess(late("send", "sending"), 0.5, "the library takes a short message")
        self.assertLess(late("isend", "posting"), 0.5, "behind it the wait may last")
        # The message has come: what is left is not a wait.
        for receives in ("in-call", "before"):
            self.assertLess(late("recv", "receiving", receives), 0.5, receives)

    def test_the_delays_of_a_train_are_in_it(self):
        times = self.times(self.measure())
        together = times["train", "none", "in-call", "10", "off", "round trip"]
        apart = times["train", "none", "in-call", "10", "%dns" % DELAY_NS, "round trip"]
        self.assertGreater(apart - together, 0.8 * 9 * DELAY_NS, "nine of them between ten messages")

    def test_posting_ends_at_a_mark_of_the_sender(self):
        times = self.times(self.measure())
        key = ("isend", "none", "in-call", "1", "off")
        self.assertGreater(times[key + ("sending",)], times[key + ("posting",)], "the wait is behind it")

    def test_a_step_of_the_chain_is_written_down(self):
        for launch in self.measure().launches():
            self.assertGreater(launch.environment()["compute"]["chain"]["step_ps"], 0)

    def test_overheads_are_never_in_a_batch(self):
        cells = [{"operation": ["send", "isend", "ssend", "recv", "train"], "size": 8}, {"operation": ["wtime", "test", "iprobe"]}]
        file = self.campaign_file(cells=cells, launches=2, rounds=2, repetitions=5)
        self.invar("run", file, "-o", "data", expect=None)
        for row in Campaign(self.scratch / "data").plan():
            if row["operation"] not in ("wtime", "test", "iprobe"):
                self.assertEqual(row["calls"], "1", row["operation"])

    def refused(self, **cell):
        cells = [dict({"operation": "send", "size": 8}, **cell)]
        result = self.invar("run", self.campaign_file(cells=cells), "-o", "data", expect=USAGE)
        self.assertFalse((self.scratch / "data").exists())
        return result.err

    def test_what_a_call_is_not_is_refused_with_its_place(self):
        for levels in ({"form": "persistent"}, {"send-mode": "synchronous"}, {"packing": "hand", "datatype": "vector"}):
            self.assertIn("by calls that its cells choose", self.refused(**levels))
        self.assertIn("has a start and an end", self.refused(compute="10us"))
        self.assertIn("talk to more than one other", self.refused(pattern="ring", ranks=2))
        self.assertIn("that is a stream", self.refused(sync="none"))
        self.assertIn("spins between the messages of a window", self.refused(**{"train-delay": "10us"}))
        self.assertIn("a smaller window", self.refused(operation="train", window=1024, **{"train-delay": "1ms"}))
        self.assertIn("no delay between messages", self.refused(operation="train", **{"train-delay": "10"}))
        self.assertIn("needs more ranks than 1", self.invar("run", self.campaign_file(
            cells=[{"operation": "wtime", "ranks": 1}]), "-o", "data", expect=None).err)

    def test_with_ranks_that_share_cores_those_without_a_part_stand_by(self):
        cells = [{"operation": ["send", "isend", "ssend", "recv"], "size": 1024, "ranks": 3, "receives": ["in-call", "before"]},
                 {"operation": "train", "size": 1024, "ranks": 3, "window": 4, "pattern": ["distance:2", "matching:0:back"]},
                 {"operation": ["wtime", "test", "iprobe"], "ranks": 3}]
        campaign, _ = self.run_campaign(cells=cells, arms=self.sharing_arms(), launches=1, rounds=1, repetitions=3,
                                        engine=dict(self.SHARED_CORES, verification=1))
        self.assertEqual(campaign.manifest("failed_cell"), [])
        rows = {int(row["cell"]): row for row in campaign.plan()}
        members = {"distance:2": {0, 2}, "matching:0:back": {1, 2}}
        for launch in campaign.launches():
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            found = {}
            for tick in launch.rank_ticks():
                found.setdefault(cell_of[tick.visit], set()).add(tick.rank)
            for cell, ranks in found.items():
                self.assertEqual(ranks, members.get(rows[cell]["pattern"], {0, 1}), rows[cell])


if __name__ == "__main__":
    main()
