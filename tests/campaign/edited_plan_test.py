"""A plan may be edited before it runs; what it then says is checked, and exactly that is measured."""

import csv
import io

from support import DONE, USAGE, Campaign, CampaignTest, main


class EditedPlan(CampaignTest):
    def setUp(self):
        super().setUp()
        self.invar("plan", self.campaign_file(launches=3, rounds=2), "-o", "plan")
        self.plan = self.scratch / "plan/plan.csv"
        self.lines = self.plan.read_text().splitlines(keepends=True)

    def test_rows_that_were_taken_out_are_not_measured(self):
        """Here the third group and everything but the first cell."""
        kept = [line for line in self.lines[1:] if line.split(",")[0] != "3" and line.split(",")[6] == "0"]
        rows = list(csv.DictReader(io.StringIO(self.lines[0] + "".join(kept))))
        turns = {}
        for row in rows:  # turns count from 0 in every group
            row["turn"] = turns.setdefault(row["group"], 0)
            turns[row["group"]] += 1
            row["repetitions"] = "7"
        out = io.StringIO()
        writer = csv.DictWriter(out, self.lines[0].strip().split(","), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        self.plan.write_text(out.getvalue())
        self.invar("run", self.plan, "-o", "data", expect=DONE)
        self.assertEqual((self.scratch / "data/plan.csv").read_text(), out.getvalue(), "sealed as it was given")
        launches = Campaign(self.scratch / "data").launches()
        visits = [visit for launch in launches for visit in launch.visits()]
        self.assertEqual(sorted(visit["visit"] for visit in visits), sorted(int(row["visit"]) for row in rows))
        for visit in visits:
            self.assert_repetitions(visit, 7)
        self.invar("verify", "data", expect=DONE)

    def check_refused(self, old, new, line, said):
        """`line`: the first one that has `old`, counted from 1."""
        self.assertEqual([old in text for text in self.lines].index(True), line - 1)
        self.plan.write_text("".join(self.lines).replace(old, new))
        refused = self.invar("run", self.plan, "-o", "data", expect=USAGE)
        self.assertRegex(refused.err, r"plan/plan\.csv:%d\b" % line)
        self.assertIn(said, refused.err)
        self.assertFalse((self.scratch / "data").exists())

    def test_a_cell_that_does_not_exist_is_refused_with_its_line(self):
        line = next(number for number, text in enumerate(self.lines, 1) if ",allreduce," in text)
        self.check_refused(",allreduce,65536", ",allreduce,2048", line, "the campaign has no cell with operation allreduce, size_bytes 2048")

    def test_an_arm_that_does_not_exist_is_refused_with_its_line(self):
        arm = self.lines[1].split(",")[7]
        self.check_refused(",%s," % arm, ",nobody,", 2, "nobody")

    def test_a_number_that_is_none_is_refused_with_its_line(self):
        self.check_refused(",20,", ",2e1,", 2, "2e1")

    def test_options_that_contradict_an_edited_plan_are_refused(self):
        for words in (("--launches", "2"), ("--budget", "10s"), ("--arms", self.labels[0])):
            self.invar("run", self.plan, "-o", "data", *words, expect=USAGE)
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
