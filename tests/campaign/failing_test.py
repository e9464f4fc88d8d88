"""Ranks that die, arms that crash and results that are wrong: what failed is named, everything else is measured, and the
exit status says that a measurement failed."""

import json
import os
import signal

from support import DONE, FAILED, USAGE, Campaign, CampaignTest, main

GROUPS = 3
# Calls so long that no clock needs batches of them: a pilot group would be one more group than these tests count.
OTHER_BYTES = 65536
BAD_COUNT = 33333  # of the shim's victim
BAD_BYTES = 4 * BAD_COUNT  # allreduce of int32


class KilledRank(CampaignTest):
    def check_kill(self, victim_of, again):
        """again: a rank is killed also when its group is tried once more."""
        # Large messages, so that a group lasts long enough to be hit.
        process = self.start("run", self.campaign_file(launches=GROUPS, rounds=6, cells=[
            {"operation": "allreduce", "size": "2MiB"}]), "-o", "data")
        campaign = Campaign(self.scratch / "data")
        arm = self.labels[victim_of]

        def kill_after(groups):
            def all_ranks():
                """Once all of them are there: the others wait for a turn that will not come."""
                ranks = self.processes(ranks_only=True)
                return ranks if campaign.groups_finished() == groups and len(ranks) == 4 else None

            ranks = self.wait_for(all_ranks, "four ranks", process)
            os.kill(max(pid for pid, launch in ranks.items() if launch.endswith("-" + arm)), signal.SIGKILL)

        kill_after(1)
        if again:
            kill_after(3)
        result = self.finish(process)
        self.assertRegex(result.err, "group 2 failed: '%s' (ended with|was killed by|lost a rank|hangs)" % arm)
        self.assert_nothing_runs()
        outcomes = campaign.outcomes()
        self.assertEqual(outcomes[2]["tries"], 2)
        self.assertEqual([line["group"] for line in campaign.manifest("group")], [1, 2, 3, 2], "at the end of the run")
        if not again:
            self.assertEqual(result.status, DONE, result.err)
            self.assertEqual([outcomes[group]["complete"] for group in (1, 2, 3)], [True] * 3)
            self.invar("verify", "data", expect=DONE)
            compared = self.invar("compare", "data", expect=DONE)
            self.assertRegex(compared.out, "group 2 failed and was whole when it was measured again: '%s'" % arm)
            self.assertEqual({launch.path.name for launch in campaign.launches()},
                             {"%04d-%s" % (int(row["launch"]), row["arm"]) for row in campaign.plan()})
            return
        self.assertEqual(result.status, FAILED, result.err)
        self.assertEqual([outcomes[group]["complete"] for group in (1, 2, 3)], [True, False, True])
        self.assertIn("'%s'" % arm, outcomes[2]["reason"])
        self.assertEqual(self.invar("verify", "data").status, DONE, "a failed group counts as done")
        self.assertEqual({launch.path.name for launch in campaign.launches()},
                         {"%04d-%s" % (int(row["launch"]), row["arm"]) for row in campaign.plan() if row["group"] != "2"})
        resumed = self.invar("run", "--resume", "-o", "data", expect=DONE)
        self.assertIn("group 2 failed before", resumed.err)
        outcomes = campaign.outcomes()
        self.assertEqual([outcomes[group]["complete"] for group in (1, 2, 3)], [True] * 3)
        self.assertEqual(outcomes[2]["tries"], 3)
        self.invar("verify", "data", expect=DONE)

    def test_sigkill_of_a_rank_costs_one_more_group_and_no_failure(self):
        self.check_kill(0, again=False)

    def test_two_sigkills_of_the_reference_fail_their_group_only(self):
        self.check_kill(0, again=True)

    def test_two_sigkills_of_the_other_arm_fail_their_group_only(self):
        self.check_kill(1, again=True)


class FailingCell(CampaignTest):
    """An operation that gives a wrong result, or an error, in one arm."""

    def check_fault(self, fault, words):
        arms = [{"library": self.first, "label": "good"},
                self.shimmed_arm(self.second, "bad", SHIM_FAULT=fault, SHIM_COUNT=BAD_COUNT)]
        cells = [{"operation": "allreduce", "size": [OTHER_BYTES, BAD_BYTES, 4 * OTHER_BYTES]},
                 {"operation": "bcast", "size": OTHER_BYTES}]
        campaign, result = self.run_campaign(arms=arms, cells=cells, rounds=3, expect=FAILED)
        failed = campaign.manifest("failed_cell")
        self.assertEqual([line["arm"] for line in failed], ["bad"])
        self.assertIn(words, failed[0]["reason"])
        self.assertIn("fails in 'bad'", result.err)
        rows = campaign.plan()
        bad = {row["cell"] for row in rows if row["size_bytes"] == str(BAD_BYTES)}
        self.assertEqual(bad, {str(failed[0]["cell"])})
        self.assertEqual([outcome["complete"] for outcome in campaign.outcomes().values()], [True] * GROUPS)
        for launch in campaign.launches():
            planned = [row for row in rows if int(row["launch"]) == launch.number]
            if launch.arm == "bad":
                planned = [row for row in planned if row["cell"] not in bad]
            self.assertEqual([visit["visit"] for visit in launch.visits()], [int(row["visit"]) for row in planned])
            for visit in launch.visits():
                # What comes after a failed cell inherits nothing from it (peers' mistake 7): the synchronisation is
                # still round-time, with all its repetitions and its own warm-up.
                self.assertGreater(visit["slack_ps"], 0)
                self.assertGreaterEqual(visit["warm_up"], 3)
                self.assert_repetitions(visit, 20)
        self.invar("verify", "data", expect=DONE)
        compared = self.invar("compare", "data", expect=FAILED)
        self.assertEqual(compared.out, result.out)
        self.assertIn("1 cell of bad failed and is not compared", compared.out)
        table = [line.split() for line in compared.out.splitlines()]
        self.assertEqual(sum(line[:1] in (["allreduce"], ["bcast"]) for line in table), 3, compared.out)

    def two_bad_arms(self):
        return [self.shimmed_arm(library, "bad%d" % number, SHIM_FAULT="corrupt", SHIM_COUNT=BAD_COUNT)
                for number, library in enumerate((self.first, self.second))]

    def test_where_every_arm_fails_everything_the_run_ends_after_a_group_with_the_wrong_byte(self):
        campaign, result = self.run_campaign(arms=self.two_bad_arms(), launches=5, rounds=3, expect=FAILED,
                                             cells=[{"operation": "allreduce", "size": BAD_BYTES}])
        self.assertEqual(campaign.groups_finished(), 1)
        self.assertEqual([line["arm"] for line in campaign.manifest("dropped_arm")], ["bad0", "bad1"])
        self.assertIn("is dropped: all of its cells failed", result.err)
        self.assertRegex(result.err, r"nothing gave a time \(bad0: wrong result \(rank 1 .*byte \d+")
        self.invar("verify", "data", expect=DONE)
        self.assertIn("wrong result", self.invar("compare", "data", expect=FAILED).err)

    def test_a_cell_that_every_arm_fails_ends_and_the_others_go_on(self):
        campaign, _ = self.run_campaign(arms=self.two_bad_arms(), launches=3, rounds=3, expect=FAILED,
                                        cells=[{"operation": "allreduce", "size": [OTHER_BYTES, BAD_BYTES]}])
        self.assertEqual(campaign.groups_finished(), 3)
        self.assertEqual(campaign.manifest("dropped_arm"), [])
        good = {int(row["cell"]) for row in campaign.plan() if row["size_bytes"] == str(OTHER_BYTES)}
        for launch in campaign.launches():
            self.assertEqual({visit["cell"] for visit in launch.visits()}, good)

    def test_a_wrong_result_fails_that_cell_of_that_arm(self):
        self.check_fault("corrupt", "wrong result (rank 1")

    def test_an_mpi_error_fails_that_cell_of_that_arm(self):
        self.check_fault("error", "MPI error")

    def test_a_persistent_request_that_one_rank_does_not_get_in_a_visit(self):
        """Nobody calls in that visit: the rank without a request would end the job, the other one would wait for it."""
        rows = json.loads(self.invar("ops", "--format", "json").out)["operations"]
        lacking = {row["library"] for row in rows if row["operation"] == "allreduce_init" and row["missing"]}
        if lacking & {self.first, self.second}:
            self.skipTest("not both libraries here have persistent collectives")
        # That of the check, and those of two visits of four.
        arms = [{"library": self.first, "label": "good"},
                self.shimmed_arm(self.second, "bad", SHIM_FAULT="no-request", SHIM_COUNT=BAD_COUNT, SHIM_AFTER=3)]
        cells = [{"operation": "allreduce_init", "size": BAD_BYTES}, {"operation": "bcast", "size": OTHER_BYTES}]
        campaign, result = self.run_campaign(arms=arms, cells=cells, rounds=4, expect=FAILED)
        failed = campaign.manifest("failed_cell")
        self.assertEqual([line["arm"] for line in failed], ["bad"])
        self.assertRegex(failed[0]["reason"], r"^MPI error \(rank 1.*returned error")
        self.assertEqual([outcome["complete"] for outcome in campaign.outcomes().values()], [True] * GROUPS)
        first = next(launch for launch in campaign.launches() if launch.arm == "bad")
        visits = [visit for visit in first.visits() if visit["cell"] == failed[0]["cell"]]
        self.assertEqual([visit["valid"] > 0 for visit in visits[:2]], [True, True], result.err)
        self.assertFalse(any(visit.get("checked") for visit in visits[2:]), "there is nothing to look at")
        self.invar("verify", "data", expect=DONE)


class CrashingArm(CampaignTest):
    def arms(self):
        return [{"library": self.first, "label": "good"}, {"library": self.second, "label": "other"},
                self.shimmed_arm(self.second, "bad", SHIM_FAULT="abort", SHIM_COUNT=BAD_COUNT)]

    def test_an_arm_that_crashes_in_three_groups_is_dropped_and_the_others_go_on(self):
        campaign, result = self.run_campaign(arms=self.arms(), launches=5, rounds=2, expect=FAILED,
                                             cells=[{"operation": "allreduce", "size": BAD_BYTES}])
        outcomes = campaign.outcomes()
        self.assertEqual([(line["group"], line["complete"]) for line in campaign.manifest("group")],
                         [(1, False), (2, False), (3, False), (4, True), (5, True), (1, True), (2, True), (3, True)],
                         "what failed is measured again without it")
        for line in campaign.manifest("group")[:3]:
            self.assertIn("'bad'", line["reason"])
        self.assertEqual(sorted(outcomes), [1, 2, 3, 4, 5])
        self.assertEqual([line["arm"] for line in campaign.manifest("dropped_arm")], ["bad"])
        self.assertIn("'bad' is dropped: it failed 3 groups", result.err)
        self.assertEqual({launch.arm for launch in campaign.launches()}, {"good", "other"})
        self.assertRegex(result.out, r"(?s)look at:.*'bad'")
        self.assertNotIn("bad is", result.out.splitlines()[0], "nothing is claimed about what was not measured")
        self.invar("verify", "data", expect=DONE)

    def test_of_two_arms_none_is_left_to_compare_with_and_the_sentence_says_so(self):
        campaign, result = self.run_campaign(arms=self.arms()[::2], launches=5, rounds=2, expect=FAILED,
                                             cells=[{"operation": "allreduce", "size": BAD_BYTES}])
        self.assertEqual(campaign.groups_finished(), 3, "a fourth group would have nobody to compare")
        sentence = result.out.split("\n\n")[0]
        for word in ("faster", "slower", "equivalent"):
            self.assertNotIn(word, sentence)
        self.assertEqual(self.invar("compare", "data", expect=FAILED).out, result.out)

    def test_an_arm_that_cannot_start_is_refused_before_anything_is_measured(self):
        arms = [{"library": self.first, "label": "good"},
                {"library": self.second, "label": "bad", "settings": {"env:LD_PRELOAD": str(self.dying_shim())}}]
        refused = self.invar("run", self.campaign_file(arms=arms), "-o", "data", expect=USAGE)
        self.assertIn("arm 'bad'", refused.err)
        self.assertFalse((self.scratch / "data").exists())

    def dying_shim(self):
        source = self.write("dying.c", "#include <stdlib.h>\nint MPI_Init(int* c, char*** v) { abort(); }\n")
        path = self.scratch / "dying.so"
        os.spawnlp(os.P_WAIT, "cc", "cc", "-shared", "-fPIC", "-o", str(path), str(source))
        return path


if __name__ == "__main__":
    main()
