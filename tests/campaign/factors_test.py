"""Factors of a launch: ranks really run as asked, what cannot be had is refused, and `factors` answers."""

import csv
import io
import json

from support import DONE, FAILED, USAGE, Campaign, CampaignTest, main


class Factors(CampaignTest):
    def test_ranks_are_as_each_variant_asks_and_the_answer_names_the_factors(self):
        path = self.campaign_file(
            launches=3, rounds=2, repetitions=15, arms=[{"library": self.first}],
            cells=[{"operation": "bcast", "size": 1024, "placement": ["fixed:0", "fixed:64"]}],
            engine={"aslr": ["on", "off"], "environment-size": [0, 4096], "sync": ["barrier", "round-time"],
                    "pinning": ["core", "none"]})
        result = self.invar("factors", path, "-o", "data", "--format", "json", expect=None)
        self.assertIn(result.status, (DONE, FAILED), result.err)
        answer = json.loads(result.out)
        names = [factor["factor"] for factor in answer["targets"][0]["factors"]]
        self.assertEqual(names, ["pinning", "aslr", "environment_size", "placement", "sync", "launch", "visit", "repetition"])
        shares = sum(factor["share"] for factor in answer["targets"][0]["factors"]) + (answer["targets"][0]["interactions"] or 0)
        self.assertAlmostEqual(shares, 1)
        self.assertTrue(answer["figures"]["histograms"])

        campaign = Campaign(self.scratch / "data")
        bytes_of = {}
        for launch in campaign.launches():
            found = launch.environment()
            self.assertEqual(found["conditions"]["randomized"], "aslr-off" not in launch.arm, launch.arm)
            self.assertEqual(found["pinning"], "none" if "pinning-none" in launch.arm else "core")
            bytes_of.setdefault("env-4096" in launch.arm, []).append(found["conditions"]["environment_bytes"])
            for visit in launch.visits():
                row = next(row for row in campaign.plan() if int(row["visit"]) == visit["visit"])
                self.assertEqual(visit["send_offset_bytes"] % 4096, int(row["placement"].split(":")[1]))
        self.assertGreater(min(bytes_of[True]), max(bytes_of[False]) + 3000)

        # Nobody is told apart by a second start of the program.
        for spec in (self.scratch / "data" / "launches").glob("*/launch.spec"):
            self.assertIn("starts_again=yes", spec.read_text().replace(" ", ""))

        table = self.invar("factors", "data", expect=None)
        self.assertIn("bcast, 1 KiB:", table.out)
        rows = list(csv.DictReader(io.StringIO(self.invar("factors", "data", "--format", "csv", expect=None).out)))
        self.assertEqual(len(rows), 8)
        bins = self.invar("factors", "data", "--format", "csv", "--figure", "histograms", expect=None).out
        self.assertTrue(bins.startswith("operation,size_bytes,factor,level,low_ns"))
        # Data of mixed pinning are for `factors`: verdicts of arms are not given.
        self.assertIn("no verdict", self.invar("compare", "data", expect=None).out)

    def test_a_frequency_that_cannot_be_set_is_refused_before_anything_is_measured(self):
        path = self.campaign_file(engine={"governor": "performance"})
        result = self.invar("factors", path, "-o", "data", expect=USAGE, env={"INVAR_SYSFS_ROOT": str(self.scratch)})
        self.assertIn("cannot be controlled", result.err)
        self.assertIn("virtual machine", result.err)
        self.assertFalse((self.scratch / "data").exists())

    def test_a_campaign_that_looks_end_is_refused_before_anything_is_measured(self):
        path = self.campaign_file(launches="{ min = 3, max = 30 }", design='stopping = "looks"\n')
        result = self.invar("factors", path, "-o", "data", expect=USAGE)
        self.assertIn('write stopping = "fixed"', result.err)
        self.assertFalse((self.scratch / "data").exists())

    def test_wrong_words_are_refused(self):
        result = self.invar("factors", "nowhere", "--figure", "histogram", expect=USAGE)
        self.assertIn("did you mean 'histograms'?", result.err)


if __name__ == "__main__":
    main()
