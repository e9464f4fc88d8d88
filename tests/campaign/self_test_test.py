"""invar self-test on a real library: delays are planted, found again, and the data say that they are no measurement."""

import csv
import json
import statistics

from support import DONE, FAILED, USAGE, Campaign, CampaignTest, main


class SelfTest(CampaignTest):
    def assert_agrees(self, answer, status):
        """Whether the verdicts hold here is the machine's business (tests/golden/campaigns/refuted_test.py has data that are the
        same every time); that answer, its reasons and the exit status say the same is ours."""
        health = answer["health"]
        self.assertEqual((health["damaged"], health["unfinished"]), (0, 0))
        self.assertEqual(status, FAILED if any(health.values()) else DONE, health)
        self.assertEqual(health["refuted"], not answer["holds"])
        self.assertEqual(answer["problems"] != [], not answer["holds"])
        self.assertEqual("do not hold on this machine" in answer["sentence"], not answer["holds"])
        # What speaks against them, from the numbers that stand beside it.
        false_verdicts = [tables for tables in answer["tables"] if tables["tables_wrong"] > tables["tables_limit"]]
        said = " ".join(answer["problems"])
        self.assertEqual(said.count("have a false verdict"), len(false_verdicts))
        self.assertEqual("planted delays were" in said, abs(answer["delay_check"] - 1) > 0.1)
        self.assertEqual(len(answer["problems"]), len(false_verdicts) + said.count("planted delays were") +
                         said.count("a difference of"), "no other reason is known")

    def test_planted_delays_are_as_long_as_they_should_be_and_large_ones_are_found(self):
        # Large ones, because this machine may do other things meanwhile. Two tables of five groups: a pilot, after which calls are
        # timed in batches, would be in none.
        path = self.campaign_file(cells=[{"operation": "allreduce", "size": 8, "delay": ["off", "5us", "50us"], "batches": "never"}],
                                  arms=[{"library": self.first}, {"library": self.first}], launches=10, rounds=2, repetitions=20)
        self.invar("run", path, "-o", "data", expect=None)
        campaign = Campaign(self.scratch / "data")
        delay_of = {int(row["visit"]): (row["arm"], row["delay_ns"]) for row in campaign.plan()}
        times = {}
        for launch in campaign.launches():
            delay = launch.environment()["delay"]
            self.assertEqual(delay["planted"], launch.arm == self.first + "#2")
            self.assertGreater(delay["step_ps"], 100)
            for timing in launch.timings():
                if not timing.flags & 3:
                    times.setdefault(delay_of[timing.visit], []).append(timing.local_max_ps / 1e3)
        medians = {key: statistics.median(values) for key, values in times.items()}
        planted = medians[self.first + "#2", "5000"] - medians[self.first + "#2", "0"]
        self.assertTrue(4000 < planted < 7000, "%s ns planted of 5000" % planted)
        self.assertLess(abs(medians[self.first + "#1", "5000"] - medians[self.first + "#1", "0"]), 1000,
                        "the first arm plants nothing")
        answer = self.invar("compare", "data", "--format", "json", expect=None)
        self.assertIn("a test, no measurement", answer.out)
        judged = self.invar("self-test", "--from", "data", "--format", "json", expect=None)
        answer = json.loads(judged.out)
        self.assert_agrees(answer, judged.status)
        self.assertEqual([tables["tables"] for tables in answer["tables"]], [2, 2], "by turns, and inside a launch")
        for tables in answer["tables"]:
            # A call that takes ten times as long and more: whoever misses that once does not look.
            self.assertEqual(tables["power"][-1]["found"], 1, "every time, by %s" % tables["pairing"])

    def test_self_test_judges_and_judges_again(self):
        first = self.invar("self-test", "--library", self.first, "--operation", "allreduce", "--size", "8,1KiB", "--budget",
                           "15s", "-o", "data", "--format", "json", expect=None)
        self.assertIn(first.status, (DONE, FAILED), first.err)
        answer = json.loads(first.out)
        self.assert_agrees(answer, first.status)
        self.assertGreaterEqual(answer["groups"], 9)
        self.assertEqual([len(cell["planted"]) for cell in answer["cells"]], [5, 5])
        self.assertEqual({tables["pairing"] for tables in answer["tables"]}, {"turns", "rounds"})
        self.assertIn('together = ["delay"]', (self.scratch / "data" / "campaign.toml").read_text(), "compared cells are neighbours")
        for launch in Campaign(self.scratch / "data").launches():
            # The pilot had them, and the measurement proper has them still.
            self.assertRegex((launch.path / "launch.spec").read_text(), r"(?m)^cpus_host = \S")
        again = self.invar("self-test", "--from", "data", "--format", "csv", expect=first.status)
        rows = list(csv.DictReader(again.out.splitlines()))
        self.assertEqual(len({row["level"] for row in rows}), 6)

    def test_sigkill_in_the_middle_and_the_resume_ends_with_its_own_answer(self):
        def begun():
            return self.start("self-test", "--library", self.first, "--operation", "allreduce", "--size", "1KiB", "--budget", "15s",
                              "-o", "data"), Campaign(self.scratch / "data")
        process, campaign = self.start_and_halt(
            begun, lambda campaign: campaign.groups_finished() >= 2 and len(self.processes(ranks_only=True)) == 4,
            "all ranks of a later group")
        self.assertEqual(campaign.manifest("end"), [], "the campaign is under way")
        process.kill()
        process.wait()
        self.assert_nothing_runs()
        before = campaign.groups_finished()
        resumed = self.invar("run", "--resume", "-o", "data", expect=None)
        self.assertIn(resumed.status, (DONE, FAILED), resumed.err)
        self.assertGreater(campaign.groups_finished(), before)
        asked = self.invar("self-test", "--from", "data", "--format", "json", expect=resumed.status)
        answer = json.loads(asked.out)
        self.assert_agrees(answer, resumed.status)
        self.assertEqual(resumed.out.splitlines()[0], answer["sentence"], "the sentence first")
        self.assertEqual(resumed.out, self.invar("self-test", "--from", "data", expect=resumed.status).out)

    def test_other_campaigns_are_no_self_test(self):
        path = self.campaign_file(cells=[{"operation": "bcast", "size": 8}], launches=1, rounds=1)
        self.invar("run", path, "-o", "data", expect=None)
        refused = self.invar("self-test", "--from", "data", expect=USAGE)
        self.assertIn("is not a self-test", refused.err)


if __name__ == "__main__":
    main()
