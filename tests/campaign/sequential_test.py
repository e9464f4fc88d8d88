"""Sequential campaigns: decided cells leave the plan, every look is written down, and a driver that ends early goes on as if
it had not."""

import json
import re
import shutil
import signal

from support import DONE, INCOMPLETE, USAGE, Campaign, CampaignTest, main, over_everything

SEQUENTIAL = 'stopping = "looks"\n'


class Sequential(CampaignTest):
    def sequential_file(self, name="campaign.toml", launches=None, design="", **keys):
        path = self.campaign_file(name=name, design=SEQUENTIAL + design, **keys)
        text = path.read_text()
        written = "" if launches is None else "launches = { max = %d }\n" % launches
        # Whatever the machine does is one regime here, so that every group counts towards the looks.
        text += '\n[analysis]\nquestion = "compare"\nregime = "1ns:1ms"\n'
        path.write_text(re.sub("launches = 3\n", written, text))
        return path

    def different_arms(self):
        """The first is surely slower for large broadcasts and hardly differs elsewhere."""
        if "openmpi" not in self.profiles:
            self.skipTest("needs Open MPI's algorithms")
        chain = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_bcast_algorithm": "3",
                 "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize": "64"}
        return [{"library": "openmpi", "label": "plain"}, {"library": "openmpi", "label": "chain64", "settings": chain}]

    CELLS = [{"operation": "bcast", "size": 65536}, {"operation": "allreduce", "size": [8, 64]}]

    def looks_of(self, campaign):
        return [{key: line[key] for key in ("look", "groups", "decided", "open", "undecided")}
                for line in campaign.manifest("look")]

    def cells_by_group(self, campaign):
        found = {}
        for row in campaign.plan():
            found.setdefault(int(row["group"]), set()).add(int(row["cell"]))
        return found

    def test_decided_cells_leave_the_plan_and_the_answer_says_so(self):
        path = self.sequential_file(launches=5, arms=self.different_arms(), cells=self.CELLS)
        result = self.invar("run", path, "-o", "data", expect=DONE)
        campaign = Campaign(self.scratch / "data")
        looks = campaign.manifest("look")
        # Where the clock is so coarse that calls are measured in batches, the pilot group may not count: one more.
        self.assertIn(looks[0]["groups"], ([1, 2, 3], [2, 3, 4], [1, 2, 3, 4]))
        # The chain takes many times as long: three groups tell, five on a machine that is busy.
        index, verdict = next((i, one["verdict"]) for i, look in enumerate(looks) for one in look["decided"]
                              if one["cell"] == 0)
        self.assertEqual(verdict, "faster")
        self.assertNotIn(0, looks[index]["open"])
        self.assertIn("look 1 after %d launch groups" % len(looks[0]["groups"]), result.err)
        if len(looks) > index + 1:
            cells, last = self.cells_by_group(campaign), max(looks[index]["groups"])
            self.assertIn(0, cells[last])
            self.assertNotIn(0, cells[last + 1])
            self.assertEqual(cells[last + 1], set(looks[index]["open"]))
        answer = json.loads(self.invar("compare", "data", "--format", "json").out)
        self.assertIn("sequential", answer["sentence"])
        cell = next(cell for cell in over_everything(answer) if cell["operation"] == "bcast")
        self.assertEqual((cell["look"], cell["launches"], cell["verdict"]),
                         (index + 1, len(looks[index]["groups"]), "faster"))
        self.assertEqual([look["launches"] for look in answer["looks"]], [len(look["groups"]) for look in looks])
        status = self.invar("status", "data").out
        self.assertIn("look 1 after %d groups" % len(looks[0]["groups"]), status)
        self.invar("verify", "data", expect=DONE)
        # The same decisions again and again.
        self.assertEqual(self.invar("compare", "data").out, result.out)
        self.assertEqual(self.invar("run", "--resume", "-o", "data").out, result.out)

    def cut(self, source, target, lines):
        """What a driver leaves that dies after this many lines of the manifest."""
        shutil.copytree(source, target)
        for name in ("manifest.jsonl", "manifest.copy.jsonl"):
            text = (source / name).read_text().splitlines(keepends=True)
            (target / name).write_text("".join(text[:lines]))

    def test_killed_at_any_moment_around_a_look_it_comes_to_the_same_look(self):
        path = self.sequential_file(launches=3, arms=self.different_arms(), cells=self.CELLS)
        self.invar("run", path, "-o", "data", expect=DONE)
        whole = Campaign(self.scratch / "data")
        looks = self.looks_of(whole)
        answer = self.invar("compare", "data").out.split("data:")[0]
        last_group = [line["line"] for line in whole.manifest("group")][-1]
        for lines in range(last_group, len(whole.manifest()) + 1):
            with self.subTest(lines=lines):
                target = self.scratch / ("cut-%d" % lines)
                self.cut(whole.path, target, lines)
                self.invar("run", "--resume", "-o", target, expect=DONE)
                again = Campaign(target)
                self.assertEqual(self.looks_of(again), looks)
                # Where the machine was in several regimes the answer names a command with its directory.
                found = self.invar("compare", target).out.replace(str(target), "data")
                self.assertEqual(found.split("data:")[0], answer)

    def test_sigkill_after_the_first_look_goes_on_with_its_plan(self):
        path = self.sequential_file(launches=5, arms=self.different_arms(), cells=self.CELLS, seed=3)
        process = self.start("run", path, "-o", "data")
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.manifest("look") or campaign.manifest("end"), "the first look", process)
        process.kill()
        process.wait()
        first = self.looks_of(campaign)[0]
        self.invar("run", "--resume", "-o", "data", expect=DONE)
        self.assertEqual(self.looks_of(campaign)[0], first)
        self.assertEqual(len([look for look in self.looks_of(campaign) if look["look"] == 1]), 1)
        self.invar("verify", "data", expect=DONE)

    def test_an_edited_plan_or_campaign_is_not_resumed(self):
        path = self.sequential_file(launches=3, arms=self.different_arms(), cells=self.CELLS)
        process = self.start("run", path, "-o", "data")
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.groups_finished() >= 1, "a group", process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, INCOMPLETE)
        for name, old, new in (("plan.csv", ",1,20,", ",1,21,"), ("campaign.toml", "max = 3", "max = 5")):
            with self.subTest(name=name):
                original = (campaign.path / name).read_text()
                self.assertIn(old, original)
                (campaign.path / name).write_text(original.replace(old, new, 1))
                refused = self.invar("run", "--resume", "-o", "data", expect=USAGE)
                self.assertIn(name, refused.err)
                (campaign.path / name).write_text(original)
        self.invar("run", "--resume", "-o", "data", expect=DONE)

    def test_what_cannot_be_sequential_is_refused_before_anything_is_measured(self):
        race = ("race", self.first, self.first, "--operation", "bcast", "--size", "8", "--sequential", "-o", "data")
        self.assertIn("first look", self.invar(*race, "--budget", "20ms", expect=USAGE).err)
        for launches, complaint in (("7", "looks after 3, 5, 8"), ("{ min = 5, max = 12 }", "looks after 3, 5, 8")):
            path = self.campaign_file(launches=launches, design=SEQUENTIAL)
            self.assertIn(complaint, self.invar("run", path, "-o", "data", expect=USAGE).err)
        path = self.sequential_file()
        self.assertIn("looks decide", self.invar("run", path, "-o", "data", "--launches", "4", expect=USAGE).err)
        self.invar("plan", path, "-o", "planned")
        refused = self.invar("run", "planned/plan.csv", "-o", "data", expect=USAGE)
        self.assertIn('stopping = "fixed"', refused.err)
        self.assertFalse((self.scratch / "data").exists())

    def test_identical_arms_race_until_the_budget_or_the_last_look(self):
        result = self.invar("race", self.first, self.first, "--operation", "bcast", "--size", "8,1KiB", "--sequential",
                            "--budget", "10s", "-o", "data", expect=None)
        self.assertIn(result.status, (DONE,))
        campaign = Campaign(self.scratch / "data")
        looks = campaign.manifest("look")
        self.assertGreaterEqual(len(looks), 1)
        self.assertEqual([look["look"] for look in looks], list(range(1, len(looks) + 1)))
        self.assertTrue(campaign.manifest("end"))


if __name__ == "__main__":
    main()
