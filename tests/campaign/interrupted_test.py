"""A driver that ends early loses at most the group under way, leaves no process, and its campaign can be finished."""

import os
import pathlib
import shutil
import signal
import socket

from support import DONE, INCOMPLETE, USAGE, Campaign, CampaignTest, main

GROUPS = 3


class Interrupted(CampaignTest):
    def start_campaign(self, launches=GROUPS, **keys):
        process = self.start("run", self.campaign_file(launches=launches, **keys), "-o", "data")
        return process, Campaign(self.scratch / "data")

    def assert_whole(self, campaign, groups=GROUPS):
        """Every planned visit is there once, and nothing else."""
        verified = self.invar("verify", campaign.path, expect=DONE)
        self.assertIn("complete and whole", verified.out)
        outcomes = campaign.outcomes()
        self.assertEqual(sorted(outcomes), list(range(1, groups + 1)))
        self.assertTrue(all(outcome["complete"] for outcome in outcomes.values()))
        planned = sorted((int(row["launch"]), int(row["visit"])) for row in campaign.plan())
        made = sorted((launch.number, visit["visit"]) for launch in campaign.launches() for visit in launch.visits())
        self.assertEqual(made, planned)

    def kill(self, process, campaign):
        """One that was halted: what it leaves is what it had when it was looked at."""
        self.assertEqual(campaign.manifest("end"), [], "the campaign is under way")
        finished = campaign.groups_finished()
        process.kill()
        self.assertEqual(process.wait(), -signal.SIGKILL)
        self.assert_nothing_runs()
        self.assertEqual(campaign.manifest("end"), [])
        self.assertEqual(campaign.groups_finished(), finished)

    def check_kill(self, moment, what):
        """Kills the driver at a moment, and goes on."""
        process, campaign = self.start_and_halt(self.start_campaign, moment, what)
        self.kill(process, campaign)
        self.invar("verify", "data", expect=INCOMPLETE)
        self.assertIn("invar run --resume -o data", self.invar("status", "data", expect=INCOMPLETE).out)
        resumed = self.invar("run", "--resume", "-o", "data", expect=DONE)
        self.assert_whole(campaign)
        self.assertEqual(self.invar("compare", "data").out, resumed.out, "the answer is that of the whole campaign")
        self.assert_nothing_runs(0)

    def test_sigkill_before_anything_is_measured(self):
        self.check_kill(lambda campaign: campaign.manifest("arm") and not campaign.manifest("launch"),
                        "the campaign's directory without a launch")

    def test_sigkill_while_the_first_ranks_start(self):
        self.check_kill(lambda campaign: campaign.groups_finished() == 0 and self.processes(ranks_only=True), "the first rank")

    def test_sigkill_in_the_middle_of_a_group(self):
        self.check_kill(lambda campaign: 1 <= campaign.groups_finished() < GROUPS and len(self.processes(ranks_only=True)) == 4,
                        "all ranks of a later group")

    def test_sigkill_between_the_seals_of_a_group(self):
        """Its launches are whole and only lack their seals: adopted, not measured again."""
        process, campaign = self.start_campaign(launches=1)
        self.finish(process)
        whole = campaign.manifest()
        # What a driver leaves that dies at this very moment: all lines from the second seal on are not written.
        seals = [line["line"] for line in whole if line["type"] == "launch"]
        for name in ("manifest.jsonl", "manifest.copy.jsonl"):
            path = campaign.path / name
            path.write_text("".join(path.read_text().splitlines(keepends=True)[:seals[1] - 1]))
        self.invar("verify", "data", expect=INCOMPLETE)
        resumed = self.invar("run", "--resume", "-o", "data")
        self.assertIn("adopted", resumed.err)
        self.assertFalse((campaign.path / "discarded").exists())
        self.assert_whole(campaign, groups=1)

    def killed_three_times(self):
        """The driver that goes on after the third kill, and its campaign; nothing if one came to its end before it was killed."""
        process, campaign = self.start_campaign()
        for kill in range(3):
            finished = campaign.groups_finished()
            if not self.halt_at(process, campaign, lambda campaign: finished <= campaign.groups_finished() < GROUPS and
                                len(self.processes(ranks_only=True)) >= 2, "ranks of kill %d" % (kill + 1)):
                shutil.rmtree(campaign.path)
                return None
            self.kill(process, campaign)
            process = self.start("run", "--resume", "-o", "data")
        return process, campaign

    def test_killed_again_and_again_it_still_comes_to_its_end(self):
        killed = None
        for attempt in range(3):
            killed = killed or self.killed_three_times()
        self.assertTrue(killed, "three campaigns ended before they were killed three times")
        process, campaign = killed
        self.assertEqual(self.finish(process).status, DONE)
        self.assert_whole(campaign)

    def test_sigint_ends_the_launches_and_names_the_command_that_goes_on(self):
        # Not in the last group: whatever the ranks have done meanwhile, something is left to go on with.
        process, campaign = self.start_and_halt(
            self.start_campaign,
            lambda campaign: 1 <= campaign.groups_finished() < GROUPS - 1 and self.processes(ranks_only=True), "a group")
        # In this order: the first thing that it does when it goes on is to take the signal.
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        result = self.finish(process)
        self.assertEqual(result.status, INCOMPLETE)
        self.assertIn("go on with: invar run --resume -o data", result.err)
        self.assert_nothing_runs()
        self.assertEqual(self.invar("run", "--resume", "-o", "data").status, DONE)
        self.assert_whole(campaign)

    def test_a_complete_campaign_has_nothing_to_resume(self):
        process, campaign = self.start_campaign(launches=1)
        first = self.finish(process)
        before = (campaign.path / "manifest.jsonl").read_bytes()
        # What other campaigns leave on this host is not part of this one's answer.
        regimes = pathlib.Path(os.environ["INVAR_HOME"]) / "regimes"
        regimes.mkdir(exist_ok=True)
        (regimes / socket.gethostname()).write_text("1s:2s\n")
        again = self.invar("run", "--resume", "-o", "data", expect=DONE)
        self.assertEqual(again.out, first.out)
        self.assertEqual((campaign.path / "manifest.jsonl").read_bytes(), before)

    def test_resume_follows_the_sealed_plan_and_takes_no_other_option(self):
        process, campaign = self.start_campaign(launches=1)
        self.finish(process)
        for words in (("campaign.toml",), ("--launches", "5"), ("--budget", "5s"), ("--arms", self.labels[0])):
            with self.subTest(words=words):
                refused = self.invar("run", "--resume", "-o", "data", *words, expect=USAGE)
                self.assertIn("follows the plan that was sealed", refused.err)


class OneDirectory(CampaignTest):
    def test_a_second_driver_is_refused_and_the_first_one_undisturbed(self):
        process = self.start("run", self.campaign_file(launches=GROUPS), "-o", "data")
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.groups_finished() >= 1, "the first group", process)
        refused = self.invar("run", "--resume", "-o", "data", expect=USAGE)
        self.assertIn("another driver is at work here (pid %d" % process.pid, refused.err)
        self.assertIn("pid %d" % process.pid, self.invar("status", "data", expect=None).out)
        self.assertEqual(self.finish(process).status, DONE)
        self.invar("verify", "data", expect=DONE)

    def test_the_lock_is_not_held_by_launches_that_outlive_their_driver(self):
        def begun():
            return self.start("run", self.campaign_file(launches=GROUPS), "-o", "data"), Campaign(self.scratch / "data")
        process, campaign = self.start_and_halt(
            begun, lambda campaign: campaign.groups_finished() == 0 and self.processes(ranks_only=True), "the first rank")
        self.assertEqual(campaign.manifest("end"), [], "the campaign is under way")
        process.kill()
        process.wait()
        # At once, whatever is still ending.
        self.invar("run", "--resume", "-o", "data", expect=DONE)

    def test_a_directory_that_holds_something_is_left_alone(self):
        (self.scratch / "mine").mkdir()
        self.write("mine/thesis.txt", "years of work")
        campaign = self.campaign_file(launches=1)
        for words in (("run", campaign, "-o", "mine"), ("plan", campaign, "-o", "mine"),
                      ("race", self.first, self.second, "-o", "mine")):
            refused = self.invar(*words, expect=USAGE)
            self.assertIn("mine: exists already", refused.err)
        self.assertEqual((self.scratch / "mine/thesis.txt").read_text(), "years of work")
        self.assertEqual([path.name for path in (self.scratch / "mine").iterdir()], ["thesis.txt"])

    def test_a_campaign_that_exists_is_not_begun_again(self):
        self.invar("run", self.campaign_file(launches=1), "-o", "data")
        before = {path: path.read_bytes() for path in (self.scratch / "data").rglob("*") if path.is_file()}
        refused = self.invar("run", self.campaign_file(launches=1), "-o", "data", expect=USAGE)
        self.assertIn("invar run --resume -o data", refused.err)
        self.assertEqual({path: path.read_bytes() for path in (self.scratch / "data").rglob("*") if path.is_file()}, before)

    def test_what_is_no_campaign_is_neither_resumed_nor_verified(self):
        (self.scratch / "empty").mkdir()
        for words in (("run", "--resume", "-o", "empty"), ("verify", "empty"), ("compare", "nowhere"),
                      ("run", "--resume", "-o", "nowhere")):
            self.invar(*words, expect=USAGE)
        self.assertEqual(list((self.scratch / "empty").iterdir()), [])
        self.assertFalse((self.scratch / "nowhere").exists())

    def test_a_campaign_may_be_moved(self):
        self.invar("run", self.campaign_file(launches=1), "-o", "data")
        shutil.move(self.scratch / "data", self.scratch / "elsewhere")
        self.invar("verify", "elsewhere")
        self.invar("compare", "elsewhere")


if __name__ == "__main__":
    main()
