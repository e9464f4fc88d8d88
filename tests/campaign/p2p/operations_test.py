"""Messages between single ranks, from the campaign to the table: every operation and every level of its factors is measured and
checked in every visit, has its columns and times, and what makes no sense is refused beforehand. With three to five ranks, which
share cores, only who takes part is looked at."""

import csv
import io
import json

from support import DONE, USAGE, Campaign, CampaignTest, main

OPERATIONS = ["pingpong", "oneway", "exchange", "stream", "bistream", "halo", "memcpy"]
HEADLINES = {"pingpong": "round trip", "oneway": "one way", "exchange": "whole", "stream": "span", "bistream": "whole",
             "halo": "whole", "memcpy": "copying"}
FORMS = ["blocking", "non-blocking", "persistent", "sendrecv", "matched-probe"]


class Operations(CampaignTest):
    def cells(self):
        """Each level of each factor once."""
        def block(operation, size=1024, **levels):
            return dict({"operation": operation, "size": size}, **levels)
        return [block(OPERATIONS, [8, 65536]),
                block(["pingpong", "oneway", "exchange", "halo"], form=FORMS),
                block(["stream", "bistream"], form=FORMS, window=[1, 16]),
                block(["pingpong", "stream"], **{"send-mode": ["synchronous", "buffered"]}),
                block(["oneway", "halo"], 65536, **{"send-mode": "buffered"}),
                block(["pingpong", "exchange", "stream"], receives="before", **{"send-mode": ["standard", "ready"]}),
                block(["pingpong", "halo"], 2048, source=["specific", "any"], tag=["specific", "any"]),
                block(["pingpong", "oneway"], pending=["same:3", "any:300", "other:3"]),
                block(["pingpong", "oneway"], unexpected=["same:300", "other:3"]),
                block(["pingpong", "exchange"], datatype=["vector", "indexed", "struct"], packing=["type", "hand", "mpi"]),
                block("memcpy", datatype=["indexed", "struct"]),
                block("pingpong", cache="cold-flush", **{"cold-side": ["sender", "receiver"]}),
                block("oneway", cache="cold-cycle", pattern=["distance:1", "distance:1:back"])]

    def measure(self):
        return self.measured_once(cells=self.cells(), launches=1, rounds=1, repetitions=5, engine={"verification": 1})[0]

    def test_every_level_is_measured_and_every_result_is_right(self):
        campaign = self.measure()
        self.assertEqual(campaign.manifest("failed_cell"), [])
        rows = campaign.plan()
        levels = {column: {row[column] for row in rows} for column in rows[0]}
        self.assertEqual(levels["form"], set(FORMS))
        self.assertEqual(levels["send_mode"], {"standard", "synchronous", "ready", "buffered"})
        self.assertEqual(levels["pending"], {"none", "same:3", "any:300", "other:3"})
        self.assertEqual(levels["packing"], {"type", "hand", "mpi"})
        self.assertEqual(levels["window"], {"1", "16", "64"})
        self.assertEqual(levels["pattern"], {"distance:1", "distance:1:back", "grid:1"})
        for launch in campaign.launches():
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
            self.assertEqual(len(launch.visits()), len({row["cell"] for row in rows}))
        self.invar("verify", "data", expect=DONE)

    def test_headlines_are_what_each_operation_is_about(self):
        self.measure()
        shown = json.loads(self.invar("show", "data", "--format", "json", expect=DONE).out)
        found = {row["operation"]: row.get("time", "whole") for row in shown["groups"]}
        self.assertEqual(found, HEADLINES)

    def test_a_round_trip_is_read_on_the_clock_of_the_rank_that_starts(self):
        campaign = self.measure()
        cells = {int(row["cell"]): row for row in campaign.plan()}
        rows = csv.DictReader(io.StringIO(self.invar("export", "data", "--to", "csv", expect=DONE).out))
        by_key = {(row["launch"], row["visit"], row["repetition"]): row for row in rows}
        looked_at = 0
        for launch in campaign.launches():
            rates = [row for row in csv.DictReader((launch.path / "clock.csv").open()) if row["ticks_per_s"]]
            ns = 1e9 / float(rates[-1]["ticks_per_s"])
            visits = {visit["visit"]: visit for visit in launch.visits()}
            ticks = {(tick.visit, tick.repetition, tick.rank): tick for tick in launch.rank_ticks()}
            for timing in launch.timings():
                visit = visits[timing.visit]
                if cells[visit["cell"]]["operation"] != "pingpong":
                    continue
                tick = ticks[timing.visit, timing.repetition, 0]
                row = by_key[str(launch.number), str(timing.visit), str(timing.repetition)]
                own = (tick.end_ticks - tick.start_ticks) * ns / visit.get("calls", 1)
                self.assertAlmostEqual(float(row["round trip_ns"]), own, delta=0.01)
                looked_at += 1
        self.assertGreater(looked_at, 100)

    def test_times_beside_the_headline_are_asked_for_by_name(self):
        self.measure()
        sending = json.loads(self.invar("show", "data", "--time", "sending", "--format", "json", expect=DONE).out)
        self.assertEqual({row["operation"] for row in sending["groups"]}, {"oneway"})
        whole = json.loads(self.invar("show", "data", "--time", "whole", "--format", "json", expect=DONE).out)
        self.assertEqual({row["operation"] for row in whole["groups"]}, {"pingpong", "exchange", "bistream", "halo"})

    def test_calls_that_nothing_keeps_together_are_never_in_a_batch(self):
        cells = [{"operation": ["oneway", "pingpong"], "size": 8}, {"operation": "pingpong", "size": 8, "receives": "before"}]
        file = self.campaign_file(cells=cells, launches=2, rounds=2, repetitions=5)
        self.invar("run", file, "-o", "data", expect=DONE)
        for row in Campaign(self.scratch / "data").plan():
            if row["operation"] == "oneway" or row["receives"] == "before":
                self.assertEqual(row["calls"], "1")
        self.invar("plan", file, "-o", "planned", expect=DONE)
        plan = self.scratch / "planned" / "plan.csv"
        rows = list(csv.DictReader(io.StringIO(plan.read_text())))
        for operation, words in (("oneway", "oneway says that its calls cannot be timed together"),
                                 ("pingpong", "and receives before needs each by itself")):
            text = io.StringIO()
            out = csv.DictWriter(text, rows[0], lineterminator="\n")
            out.writeheader()
            for row in rows:
                chosen = row["operation"] == operation and (operation == "oneway" or row["receives"] == "before")
                out.writerow(dict(row, calls="4" if chosen else row["calls"]))
            plan.write_text(text.getvalue())
            self.assertIn(words, self.invar("run", plan, "-o", "batched", expect=USAGE).err)

    def test_a_usual_cell_has_no_columns_of_messages_but_its_pattern(self):
        self.run_campaign(cells=[{"operation": ["pingpong", "halo"], "size": 1024}], launches=1, rounds=1, repetitions=5)
        columns = Campaign(self.scratch / "data").plan()[0].keys()
        self.assertIn("pattern", columns)
        for column in ("form", "send_mode", "source", "receives", "pending", "window", "packing"):
            self.assertNotIn(column, columns)

    def refused(self, **cell):
        cells = [dict({"operation": "pingpong", "size": 8}, **cell)]
        result = self.invar("run", self.campaign_file(cells=cells), "-o", "data", expect=USAGE)
        self.assertFalse((self.scratch / "data").exists())
        return result.err

    def test_what_mpi_calls_erroneous_is_refused_with_what_would_help(self):
        ready = {"send-mode": "ready"}
        self.assertIn('write receives = "before"', self.refused(**ready))
        self.assertIn("a rank may begin before a late one has posted it", self.refused(receives="before", sync="none", **ready))
        self.assertIn('unexpected = "other:4"', self.refused(tag="any", unexpected="same:4"))
        self.assertIn("has the standard mode alone", self.refused(form="sendrecv", **{"send-mode": "synchronous"}))
        self.assertIn("has no gaps", self.refused(packing="hand"))
        self.assertIn("that is a stream", self.refused(operation="oneway", sync="none"))
        self.assertIn("needs a rank 2, and 2 ranks are 0 to 1", self.refused(pattern="distance:2"))
        self.assertIn("a smaller window", self.refused(operation="stream", size="1GiB", window=1024))

    def shared(self, ranks, blocks):
        return self.run_campaign("data-%d" % ranks, cells=[dict(block, size=1024, ranks=ranks) for block in blocks], arms=self.sharing_arms(),
                                 launches=1, rounds=1, repetitions=3, engine=dict(self.SHARED_CORES, verification=1))[0]

    def test_who_takes_part_follows_from_the_pattern(self):
        fans = {"operation": ["oneway", "stream"], "source": ["specific", "any"]}
        members = {3: {"distance:1": {0, 1}, "ring": {0, 1, 2}, "fan-in:2": {0, 1, 2}, "matching:0": {1, 2}},
                   4: {"bisection": {0, 1, 2, 3}, "distance:2:back": {0, 2}, "fan-out:2": {0, 1, 2}, "shift:3": {0, 1, 2, 3}},
                   5: {"random:7": None, "fan-in:4": {0, 1, 2, 3, 4}, "doubling:1": {0, 1, 2, 3}}}
        for ranks, patterns in members.items():
            campaign = self.shared(ranks, [dict(fans, pattern=list(patterns)), {"operation": "halo", "form": FORMS}])
            self.assertEqual(campaign.manifest("failed_cell"), [])
            cells = {int(row["cell"]): row for row in campaign.plan()}
            for launch in campaign.launches():
                self.assertTrue(all(visit["checked"] for visit in launch.visits()))
                cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
                recorded = {}
                for tick in launch.rank_ticks():
                    recorded.setdefault(cell_of[tick.visit], set()).add(tick.rank)
                for cell, found in recorded.items():
                    pattern = cells[cell]["pattern"]
                    if pattern == "random:7":
                        self.assertEqual(len(found), 4, "of five ranks one stands by")
                    else:
                        self.assertEqual(found, patterns.get(pattern, set(range(ranks))), (ranks, pattern))


if __name__ == "__main__":
    main()
