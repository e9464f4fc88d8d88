"""`invar race` and `invar compare`: one command, one answer, and an exit status that a script can rely on."""

import json
import unittest

from support import DONE, FOUND, INCOMPLETE, USAGE, CampaignTest, main, over_everything

# Open MPI's pipelined broadcast in 64-byte pieces: about 19 times slower for 64 KiB.
SLOW_BCAST = ("OMPI_MCA_coll_tuned_use_dynamic_rules=1,OMPI_MCA_coll_tuned_bcast_algorithm=3,"
              "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=64")

CELL_KEYS = ["operation", "size_bytes", "ranks", "factors", "regime", "arm_a", "arm_b", "median_a_ns", "low_a_ns",
             "high_a_ns", "median_b_ns", "low_b_ns", "high_b_ns", "ratio", "ratio_low", "ratio_high", "launches", "p",
             "p_adjusted", "verdict", "look", "doubt", "estimate"]


class Race(CampaignTest):
    def test_the_same_arm_twice_is_an_a_a_test(self):
        """Without -o a directory is chosen, and printed before anything else."""
        raced = self.invar("race", self.first, self.first, "--operation", "allreduce", "--size", "1KiB", "--budget", "8s",
                           "--fixed", "--format", "json")
        answer = json.loads(raced.out)
        self.assertEqual(set(answer), {"schema", "sentence", "scope", "method", "runtime", "alpha", "min_effect", "correction", "reference",
                                       "arms", "cells", "warnings", "regimes", "detail", "regimes_missing", "diagnosis",
                                       "perturbations", "health"})
        self.assertEqual(answer["schema"], 1)
        self.assertEqual([arm["label"] for arm in answer["arms"]], [self.first + "#1", self.first + "#2"])
        cell, = over_everything(answer)
        self.assertEqual(sorted(cell), sorted(CELL_KEYS))
        self.assertEqual((cell["operation"], cell["size_bytes"], cell["ranks"]), ("allreduce", 1024, 2))
        self.assertEqual((cell["arm_a"], cell["arm_b"]), (self.first + "#1", self.first + "#2"))
        self.assertIn(cell["verdict"], ("faster", "slower", "equivalent", "undecided"))
        self.assertLess(cell["ratio_low"], cell["ratio"])
        self.assertLess(cell["ratio"], cell["ratio_high"])
        self.assertGreaterEqual(cell["p_adjusted"], cell["p"])
        self.assertGreaterEqual(cell["launches"], 3)
        self.assertIsNone(cell["regime"])
        for words in ("2 ranks", "1 host", "shared memory", "this session"):
            self.assertIn(words, answer["sentence"])

        directory, = [path.name for path in self.scratch.iterdir() if path.is_dir()]
        self.assertRegex(directory, r"^invar-race-\d{8}-\d{4}")
        self.assertEqual(raced.err.splitlines()[0], "data: " + directory)
        # The data hold what is needed to ask again.
        again = self.invar("compare", directory, "--format", "json")
        self.assertEqual(json.loads(again.out), answer)
        self.assertIn("again: invar run %s/campaign.toml" % directory, self.invar("compare", directory).out)

    def test_a_planted_slow_arm_is_found_and_fails_a_gate(self):
        if "openmpi" not in self.profiles:
            self.skipTest("the planted slowness is one of Open MPI")
        words = ("race", "openmpi", "slow=openmpi:" + SLOW_BCAST, "--operation", "bcast", "--size", "64KiB", "--budget",
                 "20s", "--fail-on", "slower", "-o", "data")
        raced = self.invar(*words, expect=FOUND)
        self.assertRegex(raced.out.splitlines()[0], r"openmpi is [\d.]+ times faster for 64 KiB")
        self.assertEqual(raced.err.splitlines()[-1], "gate: slower in 1 cell: bcast 64 KiB (exit 1)")
        cell, = over_everything(json.loads(self.invar("compare", "data", "--format", "json").out))
        self.assertEqual(cell["verdict"], "faster")
        self.assertGreater(cell["ratio_low"], 2)
        arms = json.loads(self.invar("compare", "data", "--format", "json").out)["arms"]
        self.assertIn("OMPI_MCA_coll_tuned_bcast_algorithm", json.dumps(arms[1]["settings"]))
        # The gate asks whether an arm is slower than the reference, not whether it is faster.
        self.invar("compare", "data", "--fail-on", "slower", expect=FOUND)
        self.invar("compare", "data", "--fail-on", "slower", "--arms", "slow,openmpi", expect=DONE)

    def test_a_gate_with_a_margin_is_the_question_of_its_campaign(self):
        both = (self.first, self.first)
        raced = self.invar("race", *both, "--operation", "allreduce", "--size", "1KiB", "--budget", "20s", "--sequential",
                           "--fail-on", "slower:900%", "--junit", "race.xml", "--markdown", "race.md", "-o", "data",
                           "--format", "json", expect=DONE)
        self.assertIn("gate: no arm is more than 900 % slower than the reference", raced.err)
        cell, = over_everything(json.loads(raced.out))
        self.assertEqual((cell["verdict"], cell["look"]), ("pass", 1))
        self.assertIn('fail-on = "slower:900%"', (self.scratch / "data" / "campaign.toml").read_text())
        self.assertIn('<testcase classname="%s#2" name="allreduce 1 KiB"><system-out>' % self.first,
                      (self.scratch / "race.xml").read_text())
        self.assertIn("| pass |", (self.scratch / "race.md").read_text())
        again = self.invar("compare", "data", "--format", "json", expect=DONE)
        self.assertEqual(json.loads(again.out), json.loads(raced.out))
        for words in (("--fail-on", "slower:5%"), ("--fail-on", "slower"), ("--arms", "%s#2,%s#1" % both)):
            refused = self.invar("compare", "data", *words, expect=USAGE)
            self.assertIn("the looks of this campaign asked", refused.err)

    def test_levels_of_a_factor_race_inside_of_one_arm(self):
        """A flushed cache costs more than the call itself."""
        words = ("race", self.first, "--operation", "allreduce", "--size", "8,1KiB", "--against", "cache", "--with",
                 "cache=warm,cold-flush", "--budget", "20s", "-o", "data")
        planned = self.invar(*words, "--dry-run")
        self.assertIn("families       together-1: 2 cells, together-2: 2 cells", planned.out)
        self.assertFalse((self.scratch / "data").exists())
        raced = self.invar(*words, "--format", "json")
        answer = json.loads(raced.out)
        self.assertEqual(answer["against"], "cache")
        rows = over_everything(answer)
        self.assertEqual([(row["size_bytes"], row["arm_a"], row["arm_b"], row["verdict"]) for row in rows],
                         [(8, "warm", "cold-flush", "faster"), (1024, "warm", "cold-flush", "faster")])
        self.assertEqual(json.loads(self.invar("compare", "data", "--format", "json").out), answer)
        self.assertIn("warm is ", self.invar("run", "--resume", "-o", "data").out)
        # The same cells that follow each other in every round.
        self.assertIn('together = ["cache"]', (self.scratch / "data" / "campaign.toml").read_text())
        self.assertIn("compared levels of 'cache'", self.invar("compare", "data", "--against", "size", expect=USAGE).err)

    def test_what_acts_without_being_written_is_in_the_scope(self):
        if "openmpi" not in self.profiles:
            self.skipTest("what is chosen is one of Open MPI")
        self.QUICK_START = {}
        raced = self.invar("race", "openmpi", "openmpi", "--operation", "bcast", "--size", "64KiB", "--budget", "12s", "-o", "data",
                           env={"OMPI_MCA_btl": "tcp,self"})
        scope = raced.out.splitlines()[0]
        self.assertIn("with OMPI_MCA_btl=tcp,self set outside", scope)
        self.assertRegex(scope, r"\(pml ob1, btl tcp, coll tuned\)")
        self.assertRegex(self.invar("env", "data").out, r"chosen coll +tuned")
        resumed = self.invar("run", "--resume", "-o", "data")
        self.assertIn("OMPI_MCA_btl=tcp,self", resumed.out.splitlines()[0], "what it was measured with")

    def test_what_a_budget_cannot_decide_has_a_status_of_its_own(self):
        """git bisect skips at 125."""
        campaign = self.campaign_file(launches=1, rounds=2, repetitions=5)
        self.invar("run", campaign, "-o", "data", expect=DONE)
        self.invar("compare", "data", "--undecided-exit", "125", expect=125)
        compared = self.invar("compare", "data", "--fail-on", "slower", "--undecided-exit", "125", expect=125)
        self.assertIn("yields no verdict", compared.out.splitlines()[0])
        cell = json.loads(self.invar("compare", "data", "--format", "json").out)["cells"][0]
        self.assertEqual((cell["verdict"], cell["p"], cell["p_adjusted"]), ("undecided", None, None))
        for words in (("--undecided-exit", "256"), ("--undecided-exit", "12x"), ("--fail-on", "slow")):
            self.invar("compare", "data", *words, expect=USAGE)

    def test_what_cannot_be_raced_is_refused_before_anything_is_measured(self):
        both = [self.first, self.second]
        for words, said in ((["race", self.first], "nobody to race against"),
                            (["race"] + both + ["--operation", "allredcue"], "allreduce"),
                            (["race"] + both + ["--size", "8x"], "8x"),
                            (["race"] + both + ["--operation", "allreduce", "--size", "6"], "multiple"),
                            (["race"] + both + ["--ranks", "1e3"], "1e3"),
                            (["race"] + both + ["--budget", "20ms"], "the first look of a sequential campaign needs 3 launch groups"),
                            (["race"] + both + ["--budget", "20ms", "--fixed"], "an answer needs 3 launch groups, about "),
                            (["race"] + both + ["--fixed", "--sequential"], "--sequential"),
                            (["race"] + both + ["--against", "opration"], "did you mean 'operation'?"),
                            (["race"] + both + ["--against", "sync"], "has one level"),
                            (["race"] + both + ["--with", "cash=warm"], "names no factor with levels"),
                            (["race"] + both + ["--budget", "60"], "60"),
                            (["race"] + both + ["--budgte", "60s"], "--budget"),
                            (["race"] + both + ["--undecided-exit", "never"], "never"),
                            (["race"] + both + ["--size", "8", "--size", "64"], "--size"),
                            (["run", "nowhere.toml", "-o", "data"], "nowhere.toml"),
                            (["race", self.first, "opnempi"], "opnempi"),
                            (["race", self.first, self.first + ":HOME=/"], "env:")):
            with self.subTest(words=words):
                refused = self.invar(*words, expect=USAGE)
                self.assertIn(said, refused.err)
                self.assertEqual([path for path in self.scratch.iterdir() if path.is_dir()], [])


class TwoCampaigns(CampaignTest):
    def test_two_campaigns_compare_and_say_what_that_is_worth(self):
        cells = [{"operation": "bcast", "size": [64, 1024]}]
        self.run_campaign("monday", cells=cells)
        self.run_campaign("tuesday", cells=cells, seed=12)
        compared = self.invar("compare", "monday", "tuesday")
        self.assertIn("includes the machine's change", compared.out)
        for label in self.labels:
            self.assertIn("%s@monday" % label, compared.out)
            self.assertIn("%s@tuesday" % label, compared.out)
        refused = self.invar("compare", "monday", "tuesday", "--fail-on", "slower", expect=USAGE)
        self.assertIn("race", refused.err, "the form for a gate is a race")

    def test_campaigns_without_common_cells_cannot_be_compared(self):
        keys = dict(launches=1, rounds=1, repetitions=5)
        self.run_campaign("small", cells=[{"operation": "bcast", "size": 64}], **keys)
        self.run_campaign("large", cells=[{"operation": "bcast", "size": 65536}], **keys)
        refused = self.invar("compare", "small", "large", expect=USAGE)
        self.assertEqual(refused.out, "")
        self.assertIn("common", refused.err)


class Progress(CampaignTest):
    def test_a_log_gets_a_line_per_group_and_stdout_only_the_result(self):
        _, result = self.run_campaign(launches=3)
        lines = [line for line in result.err.splitlines() if line.startswith("  group ")]
        self.assertEqual([line.split("   ")[0].strip() for line in lines], ["group %d of 3" % n for n in (1, 2, 3)])
        for line in lines:
            self.assertRegex(line, r"canary \d+ ns")
        self.assertNotIn("\x1b", result.err + result.out)
        self.assertNotIn("group 1 of", result.out)

    def test_env_and_show_read_what_was_measured(self):
        self.measured_once(launches=1, rounds=1, repetitions=5)
        shown = self.invar("show", "data", "--format", "json")
        self.assertEqual({group["arm"] for group in json.loads(shown.out)["groups"]}, set(self.labels))
        self.assertIn("kernel", self.invar("env", "data").out)

    def test_status_of_a_campaign_that_ended(self):
        self.measured_once(launches=1, rounds=1, repetitions=5)
        self.assertIn("1 of 1 launch group done, the campaign has ended", self.invar("status", "data").out)


if __name__ == "__main__":
    main()
