"""A budget is a limit: what would not end in time is not begun, what does not end is dropped, and what can be said is said."""

import json
import re
import time

from support import DONE, FAILED, Campaign, CampaignTest, main

PARSE = "time: ([0-9.]+) us"

# Launches that are only tried, and measure nothing, take long.
SLOW_TO_TRY = """#!/bin/sh
case "$*" in *--meet*) sleep 4;; esac
exec %s -n "$@"
"""


class Budget(CampaignTest):
    def timed(self, *words, **keys):
        begin = time.monotonic()
        result = self.invar(*words, **keys)
        return result, time.monotonic() - begin

    def program(self, name, text):
        path = self.write(name, "#!/bin/sh\n" + text)
        path.chmod(0o755)
        return {"program": str(path), "parse": PARSE}

    def test_a_group_that_does_not_end_is_dropped_and_nobodys_failure(self):
        """The first program is quick in two groups and then takes far longer than the budget."""
        slow = self.program("slow", "echo >> %(n)s; [ $(wc -l < %(n)s) -gt 2 ] && sleep 60\necho 'time: 20.5 us'\n" %
                            {"n": self.scratch / "count"})
        quick = self.program("quick", "echo 'time: 10.5 us'\n")
        path = self.campaign_file(launches=4, arms=[slow, quick], cells=[{"operation": "application", "size": 80}],
                                  design='budget = "5s"\n')
        result, took_s = self.timed("run", path, "-o", "data", expect=DONE)
        self.assertLess(took_s, 30, "half of what the program would take")
        self.assertIn("the budget of 5.0 s is over", result.err)
        self.assertIn("group 3 did not end in time and was dropped", result.err)
        self.assertRegex(result.err, "only 2 of the 4 launch groups asked for are complete; a budget of about .* would be enough")
        self.assert_nothing_runs()
        campaign = Campaign(self.scratch / "data")
        self.assertEqual([outcome["complete"] for outcome in campaign.outcomes().values()], [True, True])
        self.assertEqual([line["reason"] for line in campaign.manifest("discarded")], ["did not end within the budget of 5.0 s"])
        self.assertEqual(campaign.manifest("dropped_arm") + campaign.manifest("failed_cell"), [])
        self.invar("verify", "data", expect=DONE)
        self.assertIn("2 of 2 launch groups done, the campaign has ended", self.invar("status", "data").out)
        compared = self.invar("compare", "data", "--format", "json", expect=DONE)
        self.assertEqual(json.loads(compared.out)["health"]["failed_groups"], 0)
        self.assertIn("did not end in time", compared.out)
        # There is nothing to go on with.
        self.assertEqual(self.invar("run", "--resume", "-o", "data", expect=DONE).out, result.out)
        self.assertEqual(campaign.groups_finished(), 2)

    def test_what_was_lost_is_measured_again_when_the_budget_is_spent(self):
        """It is asked for again by whoever resumes: the budget said how many groups there are, and they were planned."""
        later = self.scratch / "later"
        napping = self.program("napping", "sleep 0.4; [ -e %s ] && sleep 4\necho 'time: 20.5 us'\n" % later)
        other = self.program("other", "sleep 0.4\necho 'time: 10.5 us'\n")
        path = self.campaign_file(launches=40, arms=[napping, other], cells=[{"operation": "application", "size": 80}],
                                  design='budget = "6s"\n')
        self.invar("run", path, "-o", "data", expect=DONE)
        campaign = Campaign(self.scratch / "data")
        groups = campaign.groups_finished()
        self.assertGreater(groups, 2)
        lost = next(line for line in campaign.manifest("launch") if line["group"] == 2)
        (campaign.path / lost["dir"] / "journal.jsonl").write_text("")
        later.write_text("longer than what is left of the budget")
        result, took_s = self.timed("run", "--resume", "-o", "data", expect=DONE)
        self.assertLess(took_s, 20)
        self.assertEqual([line["group"] for line in campaign.manifest("launch")[-2:]], [2, 2], "sealed once more")
        outcomes = Campaign(self.scratch / "data").outcomes()
        self.assertEqual([outcome["complete"] for outcome in outcomes.values()], [True] * groups)
        self.invar("verify", "data", expect=DONE)
        self.assertNotIn("is over", result.err)

    def test_a_first_group_that_does_not_end_names_a_budget_that_is_enough(self):
        path = self.campaign_file(launches=3, rounds=400, repetitions=200, cells=[{"operation": "allreduce", "size": "4MiB"}],
                                  design='budget = "3s"\n')
        result, took_s = self.timed("run", path, "-o", "data", expect=FAILED)
        enough = re.search("no launch group is complete; a budget of about (.*) would be enough", result.err)
        self.assertIsNotNone(enough, result.err)
        self.assertIn("group 1 did not end in time and was dropped", result.err)
        minutes = re.match(r"(\d+) min|\d+ h", enough.group(1))
        self.assertTrue(minutes, "a group alone takes minutes, and it is told by how far it came: " + result.err)
        self.assertLess(took_s, 30)
        self.assert_nothing_runs()
        self.assertEqual(Campaign(self.scratch / "data").outcomes(), {})
        self.invar("verify", "data", expect=DONE)
        again = self.invar("compare", "data", expect=FAILED)
        self.assertIn("would be enough", again.err)

    def test_a_group_that_would_not_end_in_time_is_not_begun(self):
        """Also of a number of launches that was written; this one would take ten times as long."""
        napping = self.program("napping", "sleep 0.5\necho 'time: 20.5 us'\n")
        other = self.program("other", "sleep 0.5\necho 'time: 10.5 us'\n")
        path = self.campaign_file(launches=40, arms=[napping, other], cells=[{"operation": "application", "size": 80}],
                                  design='budget = "6s"\n')
        result, took_s = self.timed("run", path, "-o", "data", expect=DONE)
        self.assertLess(took_s, 20)
        self.assertIn("the 40 groups asked for would take about", result.err)
        self.assertRegex(result.err, "the budget of 6.0 s is over after .*: another group takes about")
        campaign = Campaign(self.scratch / "data")
        self.assertLess(campaign.groups_finished(), 20)
        self.assertGreaterEqual(campaign.groups_finished(), 1)
        self.assertEqual(campaign.manifest("discarded"), [], "nothing was measured in vain")
        self.invar("verify", "data", expect=DONE)
        self.assertIn("\"6.0 s\"".strip('"'), self.invar("compare", "data", expect=DONE).out)

    def slow_profile(self, *words):
        """A profile in a home of its own whose engine takes 8 s to build from now on."""
        later = self.scratch / "later"
        wrapper = self.ready_wrapper(self.second, before="[ -e %s ] && sleep 8" % later)
        home = {"INVAR_HOME": str(self.scratch / "home")}
        self.invar("mpi", "add", "slow", "--mpicxx", wrapper, *words, env=home)
        later.write_text("")
        return home

    def race_against_itself(self, home):
        result, took_s = self.timed("race", "slow", "slow", "--operation", "allreduce", "--size", "64KiB", "--ranks", "2",
                                    "--budget", "6s", "-o", "data", env=home, expect=DONE)
        self.assertGreaterEqual(Campaign(self.scratch / "data").groups_finished(), 1)
        return result, took_s

    def test_an_engine_that_is_built_first_is_no_part_of_it(self):
        home = self.slow_profile("--mpirun", self.profiles[self.second]["mpirun"])
        for engine in self.scratch.glob("home/**/invar-engine"):
            engine.unlink()
        result, took_s = self.race_against_itself(home)
        self.assertIn("building the engine", result.err)
        self.assertGreater(took_s, 8)

    def test_launches_that_are_tried_first_are_no_part_of_it(self):
        launcher = self.write("launcher", SLOW_TO_TRY % self.profiles[self.second]["mpirun"])
        launcher.chmod(0o755)
        _, took_s = self.race_against_itself(self.slow_profile("--launch", "%s {ranks} {env} {program} {args}" % launcher))
        self.assertGreater(took_s, 8, "one alone, then two at once")

    def test_a_sequential_race_keeps_it_too(self):
        result, took_s = self.timed("race", self.first, self.second, "--sequential", "--operation", "alltoall", "--size", "4MiB",
                                    "--budget", "4s", "-o", "data", expect=None)
        self.assertIn(result.status, (DONE, FAILED))
        self.assertLess(took_s, 20)
        self.assertTrue(Campaign(self.scratch / "data").manifest("end"))
        self.assert_nothing_runs()


if __name__ == "__main__":
    main()
