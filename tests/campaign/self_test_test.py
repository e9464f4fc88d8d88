"""invar self-test on a real library: delays are planted, found again, and the data say that they are no measurement."""

import csv
import json
import statistics

from support import DONE, FAILED, USAGE, Campaign, CampaignTest, main


class SelfTest(CampaignTest):
    def test_planted_delays_are_as_long_as_they_should_be(self):
        # Large ones, because this machine may do other things meanwhile.
        path = self.campaign_file(cells=[{"operation": "allreduce", "size": 8, "delay": ["off", "5us"]}],
                                  arms=[{"library": self.first}, {"library": self.first}], launches=3, rounds=6, repetitions=20)
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

    def test_self_test_judges_and_judges_again(self):
        first = self.invar("self-test", "--library", self.first, "--operation", "allreduce", "--size", "8,1KiB", "--budget",
                           "15s", "-o", "data", "--format", "json", expect=None)
        self.assertIn(first.status, (DONE, FAILED))
        answer = json.loads(first.out)
        self.assertGreaterEqual(answer["groups"], 9)
        self.assertEqual([len(cell["planted"]) for cell in answer["cells"]], [5, 5])
        self.assertEqual({tables["pairing"] for tables in answer["tables"]}, {"turns", "rounds"})
        self.assertIn('together = ["delay"]', (self.scratch / "data" / "campaign.toml").read_text(), "compared cells are neighbours")
        self.assertEqual(answer["holds"], first.status == DONE)
        for launch in Campaign(self.scratch / "data").launches():
            # The pilot had them, and the measurement proper has them still.
            self.assertRegex((launch.path / "launch.spec").read_text(), r"(?m)^cpus_host = \S")
        again = self.invar("self-test", "--from", "data", "--format", "csv", expect=first.status)
        rows = list(csv.DictReader(again.out.splitlines()))
        self.assertEqual(len({row["level"] for row in rows}), 6)

    def test_sigkill_in_the_middle_and_the_resume_ends_with_its_own_answer(self):
        process = self.start("self-test", "--library", self.first, "--operation", "allreduce", "--size", "1KiB", "--budget", "15s",
                             "-o", "data")
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.groups_finished() >= 2 and len(self.processes(ranks_only=True)) == 4,
                      "all ranks of a later group", process)
        process.kill()
        process.wait()
        self.assert_nothing_runs()
        before = campaign.groups_finished()
        resumed = self.invar("run", "--resume", "-o", "data", expect=None)
        self.assertIn(resumed.status, (DONE, FAILED), resumed.err)
        self.assertGreater(campaign.groups_finished(), before)
        asked = self.invar("self-test", "--from", "data", "--format", "json", expect=resumed.status)
        self.assertEqual(resumed.out.splitlines()[0], json.loads(asked.out)["sentence"], "the sentence first")
        self.assertEqual(resumed.out, self.invar("self-test", "--from", "data", expect=resumed.status).out)

    def test_other_campaigns_are_no_self_test(self):
        path = self.campaign_file(cells=[{"operation": "bcast", "size": 8}], launches=1, rounds=1)
        self.invar("run", path, "-o", "data", expect=None)
        refused = self.invar("self-test", "--from", "data", expect=USAGE)
        self.assertIn("is no self-test", refused.err)


if __name__ == "__main__":
    main()
