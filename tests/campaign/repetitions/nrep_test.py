"""How many repetitions are enough: measured by `nrep`, asked of other campaigns, and decided by a campaign's pilot group."""

import csv
import io
import json
import os
import signal

from support import DONE, USAGE, Campaign, CampaignTest, main

RULE = ["--method", "rse,cov-mean", "--rse", "5%", "--cov-mean", "0.05:20", "--range", "20:60:10"]
NUMBERS = [20, 30, 40, 50, 60]
PREDICT = '{ predict = "rse", rse = 0.9, range = "20:200:10" }'  # surely met at once


class Nrep(CampaignTest):
    def test_every_launch_measures_the_range_and_the_largest_number_counts(self):
        answer = json.loads(self.invar("nrep", self.first, "--operation", "allgather", "--size", 65536, "--ranks", 2, *RULE,
                                       "-o", "data", "--format", "json").out)
        self.assertIn("allgather", answer["sentence"])
        self.assertIn("RSE below 5 % and COV of the last 20 running means below 5 %", answer["sentence"])
        [row] = answer["repetitions"]
        launches = answer["launches"]
        self.assertEqual((row["launches"], len(launches)), (3, 3))
        needed = [launch["repetitions"] for launch in launches]
        self.assertEqual(row["repetitions"], None if None in needed else max(needed))
        for number in needed:
            self.assertIn(number, NUMBERS + [None])
        for visit in (visit for launch in Campaign(self.scratch / "data").launches() for visit in launch.visits()):
            self.assert_repetitions(visit, 60)

        # Whatever rule, the same data answer it; and the campaign's own is asked where none is named.
        again = json.loads(self.invar("nrep", "data", "--format", "json").out)
        self.assertEqual(again["repetitions"], answer["repetitions"])
        rows = list(csv.DictReader(io.StringIO(self.invar("nrep", "data", "--format", "csv", "--figure", "running").out)))
        self.assertEqual([int(row["n"]) for row in rows][:5], NUMBERS)
        self.assertEqual(len(rows), 3 * len(NUMBERS))
        other = json.loads(self.invar("nrep", "data", "--method", "invar", "--half-width", "0.9", "--format", "json").out)
        self.assertEqual(other["repetitions"][0]["repetitions"], 20)
        refused = self.invar("nrep", "data", "--method", "cov-mean", "--cov-mean", "0.05:2000", expect=USAGE)
        self.assertIn("never filled by at most 60 repetitions", refused.err)  # the campaign's range, not the usual one
        self.assertEqual(self.invar("verify", "data").status, DONE)
        self.assertIn("nrep", (self.scratch / "data" / "campaign.toml").read_text())

    def test_another_campaign_can_be_asked_and_takes_no_new_measurement(self):
        self.run_campaign(launches=3, rounds=2, repetitions=20)
        answer = json.loads(self.invar("nrep", "data", *RULE, "--format", "json").out)
        self.assertEqual(len(answer["repetitions"]), 4)
        self.assertEqual({row["observations"] for row in answer["launches"]} - set(range(20, 41)), set())
        result = self.invar("nrep", "data", "--launches", "5", "--size", "8", expect=USAGE)
        self.assertIn("--launches: data is measured already", result.err)
        self.assertIn("--size: data is measured already", result.err)


class PredictedRepetitions(CampaignTest):
    def planned(self, campaign):
        """Group -> repetitions of its visits, by what came into force last."""
        found = {}
        for line in campaign.manifest():
            if "csv" not in line:
                continue
            for row in csv.DictReader(io.StringIO(line["csv"])):
                found[int(row["group"])] = int(row["repetitions"])
        return found

    def test_the_pilot_group_decides_and_a_killed_driver_goes_on_with_the_same_plan(self):
        keys = dict(launches=3, rounds=2, repetitions=PREDICT)
        whole, _ = self.run_campaign("whole", **keys)
        [decided] = whole.manifest("decided")
        self.assertEqual(decided["decision"], "repetitions")
        self.assertEqual({one["launch"] for one in decided["fields"]["repetitions"]}, {20})
        self.assertEqual(self.planned(whole), {1: 100, 2: 10, 3: 10})

        process = self.start("run", self.campaign_file(**keys), "-o", "killed")
        killed = Campaign(self.scratch / "killed")
        self.wait_for(lambda: killed.groups_finished() >= 1, "the pilot group", process)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self.assert_nothing_runs()
        self.invar("run", "--resume", "-o", "killed")
        self.assertEqual(len(killed.manifest("decided")), 1)
        self.assertEqual(self.planned(killed), {1: 100, 2: 10, 3: 10})
        self.assertEqual(self.invar("verify", "killed").status, DONE)

    def test_a_plan_that_was_given_is_measured_as_it_stands(self):
        path = self.campaign_file(launches=2, rounds=2, repetitions=PREDICT)
        self.invar("plan", path, "-o", "plan")
        self.invar("run", "plan/plan.csv", "-o", "data")
        self.assertEqual(set(self.planned(Campaign(self.scratch / "data")).values()), {100})


if __name__ == "__main__":
    main()
