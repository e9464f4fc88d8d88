"""`invar p2p`: one command for messages, from words to the sentence, the tables, the page and files for papers; and the same of a
campaign that measured some."""

import csv
import io
import json
import re

from support import DONE, FAILED, INCOMPLETE, USAGE, Campaign, CampaignTest, main


def rows_of(table):
    """Rows as objects; the levels of a cell stand among them."""
    rows = []
    for row in table["rows"]:
        found = {}
        for column, value in zip(table["columns"], row):
            if column["kind"] == "cell":
                found.update(value)
            else:
                found[column["name"]] = value
        rows.append(found)
    return rows


class Messages(CampaignTest):
    # Few sizes: a launch group takes a second, and a budget of seconds is enough.
    SIZES = "0,8,64,512,4KiB"

    def measure(self, directory="data", sizes=SIZES, budget="15s", arms=None, *more):
        result = self.invar("p2p", *(arms or [self.first, self.second]), "--size", sizes, "--budget", budget, "--seed", "5",
                            "-o", directory, *more, expect=None)
        # On a busy machine a visit may end without a valid repetition.
        self.assertIn(result.status, (DONE, FAILED), result.err)
        return Campaign(self.scratch / directory), result

    def answer(self, directory):
        page = json.loads(self.invar("report", directory, "--format", "json", expect=None).out)
        campaign, = page["campaigns"]
        answer, = [one for one in campaign["answers"] if one["question"] == "p2p"]
        return answer, {table["id"]: rows_of(table) for table in answer["tables"] if table["id"]}

    def look_at_the_answer(self, said):
        self.assertRegex(said.out.splitlines()[0],
                         r"^%s: latency [0-9.]+ [nu]s.*, bandwidth [0-9.e+]+ GB/s.*; %s: latency " % tuple(
                             re.escape(label) for label in self.labels))
        answer, tables = self.answer("data")
        self.assertEqual(said.out.splitlines()[0], answer["sentence"])
        for row in tables["latency"]:
            with self.subTest(row=row):
                if row["round_trip_ns"] is not None:
                    self.assertAlmostEqual(row["half_round_trip_ns"] / row["round_trip_ns"], 0.5)
                if row["there_ns"] is not None and row["back_ns"] is not None:
                    told = row["asymmetry_ns"] is not None
                    self.assertEqual(row["asymmetry_missing"] is None, told, "either it is told, or why not")
        self.assertTrue(any(row["there_ns"] for row in tables["latency"]), "one host has one clock")
        for row in tables["bandwidth"]:
            with self.subTest(row=row):
                window = row["factors"].get("window", 1)
                messages = 2 if row["operation"] == "pingpong" else int(window)
                if row["size_bytes"] == 0:
                    self.assertIsNone(row["bandwidth_gb_s"])
                else:
                    self.assertAlmostEqual(row["bandwidth_gb_s"] * row["time_ns"] / (messages * row["size_bytes"]), 1, delta=1e-6)
                self.assertAlmostEqual(row["message_rate_per_s"] * row["time_ns"] / (messages * 1e9), 1, delta=1e-6)
                if row["time_low_ns"] is not None:
                    # Ends exchanged: the shortest time is the highest rate.
                    self.assertAlmostEqual(row["message_rate_per_s_high"] * row["time_low_ns"] / (messages * 1e9), 1, delta=1e-6)
        kinds = {(row["arm"], row["kind"]) for row in tables["queues"]}
        self.assertEqual(len(kinds), 2 * 5, kinds)
        for row in tables["queue_costs"]:
            self.assertEqual(row["most"], 4096)
            self.assertLess(row["most_per_entry_ns"], 1000)
            # A slope is told only of what is a line.
            self.assertEqual(row["per_entry_ns"] is None, row["line"] is False)
        summary = {row["arm"]: row for row in tables["summary"]}
        self.assertEqual(set(summary), set(self.labels))
        for row in summary.values():
            self.assertGreater(row["bandwidth_gb_s"], 0)
            self.assertEqual(row["latency_size_bytes"], 0)

    def figure(self, name):
        return list(csv.DictReader(io.StringIO((self.scratch / "figures" / "data" / (name + ".csv")).read_text())))

    def look_at_other_formats(self):
        # The same answer from the directory, as CSV: the table of arms.
        printed = self.invar("p2p", "data", "--format", "csv", expect=None).out
        rows = list(csv.DictReader(io.StringIO(printed)))
        self.assertEqual([row["arm"] for row in rows], self.labels)
        self.assertGreater(float(rows[0]["latency_ns"]), 0)
        whole = json.loads(self.invar("p2p", "data", "--format", "json", expect=None).out)
        for table in ("summary", "latency", "bandwidth", "queues", "queue_costs", "steps", "curves"):
            self.assertIn(table, whole)
        self.invar("report", "data", "-o", "page.html", expect=None)
        self.assertIn("half_round_trip_ns", (self.scratch / "page.html").read_text())
        self.invar("export", "data", "--to", "r", "-o", "figures", expect=None)
        for name in ("latency", "bandwidth", "queues", "steps"):
            self.assertTrue(self.figure(name), name)
            self.assertTrue((self.scratch / "figures" / (name + ".R")).exists(), name)
        # Of queues all counts of a kind are one line, and an axis of counts has no place for none.
        queues = self.figure("queues")
        self.assertEqual(len({row["panel"] for row in queues}), 1)
        self.assertEqual(len({row["series"] for row in queues}), 2 * 5)
        self.assertEqual({row["x"] for row in queues}, {"1", "16", "256", "4096"})

    def test_one_command_measures_and_answers(self):
        _, said = self.measure()
        self.look_at_the_answer(said)
        self.look_at_other_formats()
        self.invar("verify", "data", expect=DONE)

    def test_sizes_are_chosen_and_steps_told(self):
        _, said = self.measure(sizes="adaptive:0:4KiB:30%", budget="25s", arms=[self.first])
        self.assertIn("adaptive sizes (pingpong begins with", said.err)
        answer, tables = self.answer("data")
        self.assertRegex(answer["sentence"], r", (no step|a step |steps )")
        sizes = {row["size_bytes"] for row in tables["curves"] if row["place"].startswith("pingpong")}
        self.assertTrue({0, 1, 2, 4096} <= sizes, sizes)
        # What shows a protocol is not a row of any table.
        for table in ("latency", "bandwidth"):
            self.assertFalse([row for row in tables[table] if "late" in str(row["factors"])])

    def test_a_killed_one_goes_on_and_ends_with_the_same_question(self):
        process = self.start("p2p", self.first, "--size", self.SIZES, "--budget", "15s", "--seed", "5", "-o", "data")
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.groups_finished() >= 1, "the first group", process)
        process.kill()
        process.wait()
        self.assert_nothing_runs()
        self.invar("verify", "data", expect=INCOMPLETE)
        resumed = self.invar("run", "--resume", "-o", "data", expect=None)
        self.assertIn(resumed.status, (DONE, FAILED), resumed.err)
        self.assertIn("%s: latency " % self.first, resumed.out.splitlines()[0])

    def test_a_race_of_messages_can_be_asked_too(self):
        self.run_campaign(cells=[{"operation": "pingpong", "size": [8, 64, 512]}], launches=2, rounds=2, repetitions=5, expect=None)
        asked = self.invar("p2p", "data", expect=None)
        self.assertIn(": latency ", asked.out.splitlines()[0])
        answer, _ = self.answer("data")
        self.assertEqual(answer["sentence"], asked.out.splitlines()[0], "its page has the section")

    def test_more_ranks_than_cores_are_behaviour(self):
        cells = [{"operation": "pingpong", "size": 8, "ranks": 4}, {"operation": "stream", "size": 64, "ranks": 4}]
        self.run_campaign(cells=cells, arms=[{"library": self.first}], launches=1, rounds=1, repetitions=3, expect=None,
                          engine={"oversubscribe": True, "sync": "dissemination"},
                          design='\n[analysis]\nquestion = "p2p"\n')
        asked = self.invar("p2p", "data", expect=None)
        if "oversubscribed" in asked.out:  # not on a machine with four cores
            self.assertIn("No figures: ", asked.out.splitlines()[0])
            self.assertNotIn("latency", asked.out.splitlines()[0])

    def test_what_makes_no_sense_is_refused_before_anything_is_measured(self):
        def refused(*words):
            return self.invar("p2p", self.first, *words, "-o", "data", expect=USAGE).err
        self.assertIn("pingpong: pattern 'ring' has ranks that talk to more than one other",
                      refused("--with", "pattern=ring"))
        self.assertIn("the largest that MPI's calls take", refused("--size", "8,4GiB"))
        self.assertIn("is about ranks that stand by", refused("--with", "others=computing"))
        self.assertFalse((self.scratch / "data").exists())
        planned = self.invar("p2p", self.first, "--dry-run", "--size", "adaptive:0:1KiB:20%", expect=DONE)
        self.assertIn("pingpong", planned.out)
        self.assertIn("adaptive sizes (pingpong begins with", planned.out)

    def test_a_campaign_without_messages_says_what_measures_some(self):
        self.run_campaign(cells=[{"operation": "bcast", "size": 65536}], launches=1, rounds=1, repetitions=3, expect=None)
        self.assertIn("no cell sends messages between single ranks; invar p2p ARM... measures some",
                      self.invar("p2p", "data", expect=USAGE).err)


if __name__ == "__main__":
    main()
