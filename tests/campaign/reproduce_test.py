"""`invar reproduce`: a campaign made again and again, by our method and by other suites', each in campaigns of its own."""

import csv
import io
import json
import signal
import unittest

from support import DONE, INCOMPLETE, USAGE, Campaign, CampaignTest, main, over_everything

CELLS = [{"operation": ["bcast", "allreduce"], "size": 8}]
RANGE = "{ min = 2, max = 30 }"


class Reproduce(CampaignTest):
    def file(self, **keys):
        arms = [{"library": self.first, "label": "a"}, {"library": self.second, "label": "b"}]
        return self.campaign_file(**dict({"launches": RANGE, "rounds": 3, "repetitions": 10, "cells": CELLS, "arms": arms}, **keys))

    def reproduce(self, *more, budget="3s", presets="osu,mpptest,reprompi", **keys):
        return self.invar("reproduce", self.file(), "--times", "2", "--budget", budget, "--presets", presets, "-o", "data", *more,
                          **keys)

    def answer(self, *words, **keys):
        return json.loads(self.invar("reproduce", *words, "--format", "json", **keys).out)

    def test_every_method_gets_whole_campaigns_of_its_own(self):
        made = self.reproduce("--format", "json")
        self.assertIn("2 repeats of 3 methods (invar, osu, mpptest), 3.0 s each: about 18 s in all", made.err)
        self.assertRegex(made.err, r"repeat 2 of 2, (invar|osu|mpptest), about ")
        self.assertNotIn("group 1 of", made.err, "the campaigns' own progress stays out of a log")

        plan = json.loads((self.scratch / "data" / "reproduce.json").read_text())
        self.assertEqual((plan["times"], plan["budget_s"], plan["methods"], plan["computed"]),
                         (2, 3, ["invar", "osu", "mpptest"], ["reprompi"]))
        self.assertNotEqual(plan["repeats"][0]["seed"], plan["repeats"][1]["seed"])
        schemes = {"invar": "invar", "osu": "barrier", "mpptest": "batch"}
        for number, repeat in enumerate(plan["repeats"], 1):
            self.assertEqual(sorted(repeat["order"]), sorted(plan["methods"]))
            for method in plan["methods"]:
                directory = self.scratch / "data" / ("%02d" % number) / method
                self.invar("verify", directory, expect=DONE)
                rows = Campaign(directory).plan()
                self.assertEqual({row["scheme"] for row in rows}, {schemes[method]})
                self.assertIn("seed = %d\n" % repeat["seed"], (directory / "campaign.toml").read_text())
                if method == "osu":
                    self.assertEqual({row["repetitions"] for row in rows}, {"1000"})
                if method == "mpptest":
                    self.assertEqual({(row["calls"], row["repetitions"]) for row in rows}, {("50", "1")})
                    self.assertEqual(len({row["round"] for row in rows}), 29)  # -sample_reps 30 makes 29
        shown = json.loads(self.invar("show", "data/01/osu", "--as", "osu", "--format", "json").out)
        self.assertEqual(len(shown["rows"]), 4)
        compared = json.loads(self.invar("compare", "data/01/osu", "--format", "json").out)
        self.assertEqual([cell["verdict"] for cell in compared["cells"]], [None, None])
        refused = self.invar("show", "data/01/osu", expect=USAGE)
        self.assertIn("holds no visits of our own", refused.err)

        answer = json.loads(made.out)
        again = self.answer("data")
        self.assertEqual(again, answer, "the report needs no measuring")
        self.assertEqual([(one["method"], one["number"]) for one in answer["methods"]],
                         [("invar", "answer"), ("osu", "one-run"), ("osu", "same-time"), ("mpptest", "one-run"),
                          ("mpptest", "same-time"), ("reprompi", "one-run"), ("reprompi", "same-time")])
        self.assertEqual([one["shares_time"] for one in answer["methods"]], [False] * 5 + [True] * 2)
        for one in answer["methods"]:
            self.assertEqual(len(one["machine_s"]), 2)
            self.assertEqual(len(one["cells"]), 4, "two operations of two arms")
            for cell in one["cells"]:
                self.assertIsNone(cell["missing"])
                self.assertEqual(min(cell["normalised_times"]), 1)
                self.assertAlmostEqual(max(cell["times_ns"]) / min(cell["times_ns"]) - 1, cell["time_ns"]["spread"])
                self.assertEqual(cell["ratio"] is None, cell["arm"] == "a")
            self.assertEqual(one["comparisons"], 2)
        # Ours is what compare prints.
        own = json.loads(self.invar("compare", "data/02/invar", "--format", "json").out)
        for compared in over_everything(own):
            row = [cell for cell in answer["methods"][0]["cells"]
                   if cell["operation"] == compared["operation"] and cell["arm"] == "b"][0]
            self.assertEqual((row["ratios"][1], row["times_ns"][1], row["verdicts"][1]),
                             (compared["ratio"], compared["median_b_ns"], compared["verdict"]))

        rows = list(csv.DictReader(io.StringIO(self.invar("reproduce", "data", "--format", "csv").out)))
        self.assertEqual(len(rows), 4 * 7)
        self.assertEqual({row["repeats"] for row in rows}, {"2"})
        table = self.invar("reproduce", "data", "--cells").out
        self.assertRegex(" ".join(table.split()), "^Between 2 repeats invar's times differ by ")
        self.assertIn("winner changes", table)

        # Finished campaigns, named one by one: no other campaign, none twice.
        two = self.answer("data/01/invar", "data/02/invar")
        self.assertEqual(two["methods"][0]["cells"], answer["methods"][0]["cells"])
        self.assertEqual(sorted({one["method"] for one in two["methods"]}), ["invar", "pgmpi", "reprompi"])
        refused = self.invar("reproduce", "data/01/invar", "data/02/osu", expect=USAGE)
        self.assertIn("is another campaign than data/01/invar: [analysis] method is", refused.err)
        self.assertIn("is named twice", self.invar("reproduce", "data/01/invar", "data/01/../01/invar", expect=USAGE).err)
        refused = self.invar("reproduce", "data/01/invar", "data/02/invar", "--presets", "osu", expect=USAGE)
        self.assertIn("--presets: osu: not measured its way", refused.err)
        self.assertIn("exists already", self.reproduce(expect=USAGE).err)

    def test_a_killed_one_goes_on_where_it_was_unless_its_campaign_was_edited(self):
        process = self.start("reproduce", self.file(), "--times", "2", "--budget", "3s", "--presets", "osu", "-o", "data")
        plan = self.scratch / "data" / "reproduce.json"
        self.wait_for(plan.exists, "reproduce.json", process)
        order = json.loads(plan.read_text())["repeats"][0]["order"]
        first, second = (Campaign(self.scratch / "data" / "01" / method) for method in order)
        self.wait_for(lambda: second.groups_finished() >= 1, "a group of the second campaign", process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        finished = first.manifest()
        begun = second.manifest("group")
        refused = self.invar("reproduce", "data", expect=INCOMPLETE)
        self.assertIn("a spread needs two; go on with: invar reproduce --resume data", refused.err)

        resumed = self.invar("reproduce", "data", "--resume", "--format", "json", expect=DONE)
        self.assertEqual(first.manifest(), finished, "what was finished is kept")
        self.assertEqual(second.manifest("group")[0], begun[0], "what was interrupted goes on")
        self.assertEqual(json.loads(resumed.out)["repeats"], 2)
        self.assertIn("repeat 2 of 2", resumed.err)
        again = self.invar("reproduce", "--resume", "data", "--format", "json")
        self.assertEqual(again.out, resumed.out)
        self.assertNotIn("repeat 2 of 2", again.err, "nothing is left to measure")

        file = self.scratch / "data" / "campaign.toml"
        text = file.read_text()
        file.write_text(text.replace("rounds =", "# edited\nrounds ="))
        refused = self.invar("reproduce", "--resume", "data", expect=USAGE)
        self.assertIn("data/campaign.toml: was edited since the first repeat was measured by it", refused.err)
        file.write_text(text)
        self.invar("reproduce", "--resume", "data")

    def test_run_resume_goes_on_with_it_and_ends_with_its_answer(self):
        process = self.start("reproduce", self.file(), "--times", "2", "--budget", "8s", "--presets", "osu", "-o", "data")
        self.wait_for(lambda: list(self.scratch.glob("data/01/*/manifest.jsonl")), "a campaign", process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        refused = self.invar("run", "--resume", "-o", "data", "--budget", "3s", "--junit", "junit.xml", expect=USAGE)
        self.assertIn("--budget cannot be given", refused.err)
        self.assertIn("--junit: a test case is a comparison of arms, and data holds repeats", refused.err)

        resumed = self.invar("run", "--resume", "-o", "data", "--markdown", "answer.md", expect=DONE)
        self.assertIn("repeat 2 of 2", resumed.err)
        self.assertEqual(resumed.out, self.invar("reproduce", "data").out)
        self.assertIn("Between 2 repeats", (self.scratch / "answer.md").read_text())

    def test_an_interrupt_says_how_to_go_on(self):
        process = self.start("reproduce", self.file(), "--times", "2", "--budget", "3s", "--presets", "osu", "-o", "data")
        self.wait_for(lambda: list(self.scratch.glob("data/01/*/manifest.jsonl")), "a campaign", process)
        process.send_signal(signal.SIGINT)
        ended = self.finish(process)
        self.assertEqual(ended.status, INCOMPLETE, ended.err)
        self.assertIn("invar: interrupted; go on with: invar reproduce --resume data", ended.err)

    def test_what_cannot_be_measured_is_refused_before_anything_is(self):
        words = ("--times", "2", "--budget", "3s", "-o", "data")
        short = self.invar("reproduce", self.file(), "--times", "2", "--budget", "20ms", "-o", "data", expect=USAGE)
        for method in ("invar", "osu", "imb", "skampi", "mpptest"):
            self.assertRegex(short.err, r"--budget: %s: the least of \d groups? takes about" % method)
        program = [{"label": "app", "program": "echo {operation}{size} 1 us", "parse": "([0-9]+) us"}]
        path = self.file(arms=program + [{"library": self.first}])
        refused = self.invar("reproduce", path, "--presets", "osu", *words, expect=USAGE)
        self.assertIn("--presets: another suite cannot measure a program its way: 'app'", refused.err)
        path = self.file(engine={"cache": "cold-flush"})
        refused = self.invar("reproduce", path, "--presets", "osu", *words, expect=USAGE)
        self.assertIn("measured as osu does: osu can measure none of these cells its way", refused.err)
        path = self.write("method.toml", self.file().read_text() + '\n[analysis]\nmethod = "osu"\n')
        self.assertIn("is another suite's", self.invar("reproduce", path, *words, expect=USAGE).err)
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
