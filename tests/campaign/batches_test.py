"""Calls that are too short for the clock are timed in batches, alike by all arms of a cell, decided once after the pilot
group. The clock is made coarse by INVAR_TEST_CLOCK_STEP_NS, which marks the data as a test."""

import collections
import statistics

from support import BATCH, DONE, WARM_UP, LATE, PAST_WINDOW, Campaign, CampaignTest, main

STEP_NS = 10_000
LEAST_STEPS = 20
GROUPS = 2
CELLS = [{"operation": "allreduce", "size": [8, 1 << 23]}]
SHORT, LONG = 0, 1
COARSE = {"INVAR_TEST_CLOCK_STEP_NS": str(STEP_NS)}
KEYS = dict(launches=GROUPS, rounds=2, repetitions=10, cells=CELLS, engine={"clock": "monotonic-raw", "sync": "barrier"})


def times_ns(launch, cell):
    """Times per call of a launch's valid repetitions, and the numbers of calls they rest on."""
    visits = {visit["visit"]: visit for visit in launch.visits() if visit["cell"] == cell}
    values = [record.local_max_ps / 1e3 for record in launch.timings()
              if record.visit in visits and not record.flags & (WARM_UP | LATE | PAST_WINDOW)]
    return values, {visit["calls"] for visit in visits.values()}


class Batches(CampaignTest):
    def launches_by_group(self, campaign):
        group_of = {line["launch"]: line["group"] for line in campaign.manifest("launch")}
        groups = collections.defaultdict(list)
        for launch in campaign.launches():
            groups[group_of[launch.number]].append(launch)
        return groups

    def check_batched(self, campaign):
        (decision,) = campaign.manifest("batches")
        self.assertEqual([batch["cell"] for batch in decision["calls"]], [SHORT])
        calls = decision["calls"][0]["calls"]
        groups = self.launches_by_group(campaign)
        self.assertEqual(sorted(groups), [1, 2, 3], "one group more than asked for: the pilot does not count")
        for number, launches in groups.items():
            self.assertEqual(len(launches), 2)
            for launch in launches:
                values, made = times_ns(launch, SHORT)
                self.assertEqual(made, {1 if number == 1 else calls})
                if number > 1:
                    # A quarter: the machine may have become faster since the pilot group decided (regimes differ by up
                    # to four times), and a resumed campaign is measured later still. Single calls give none or one step. Five whole
                    # steps may be read as a little less.
                    self.assertGreater(statistics.median(values) * calls, (LEAST_STEPS / 4 - 0.5) * STEP_NS)
                self.assertEqual(times_ns(launch, LONG)[1], {1})
                flags = {bool(record.flags & BATCH) for record in launch.timings()}
                self.assertEqual(flags, {False} if number == 1 else {False, True})
        return calls

    def test_the_short_cell_is_batched_by_both_arms_and_the_long_one_by_none(self):
        campaign, result = self.measured_once(env=COARSE, **KEYS)
        self.check_batched(campaign)
        self.assertIn("timed in batches: allreduce, 8 B, 2 ranks", result.err)
        self.invar("verify", "data", expect=DONE)
        compared = self.invar("compare", "data", "--verbose", expect=DONE)
        self.assertIn("timed in batches, because single calls are too short for the clock: allreduce, 8 B", compared.out)
        self.assertIn("4 visits with fewer calls left out", compared.out)
        self.assertIn("a test, no measurement", compared.out)
        for launch in campaign.launches():
            self.assertEqual(launch.environment()["clock"]["test_step_ns"], STEP_NS)

    def test_the_time_per_call_is_that_of_a_fine_clock_within_the_resolution(self):
        coarse, _ = self.measured_once("coarse", env=COARSE, **KEYS)
        fine = self.run_campaign("fine", **KEYS)[0]
        calls = self.check_batched(coarse)
        for launch in self.launches_by_group(coarse)[2]:
            batch = {entry["cell"]: entry for entry in launch.environment()["batch_calls"]}
            # What the same calls take in a batch on a clock without steps.
            others = [entry["call_ns"] for other in fine.launches() if other.arm == launch.arm
                      for entry in other.environment()["batch_calls"] if entry["cell"] == SHORT]
            median = statistics.median(times_ns(launch, SHORT)[0])
            self.assertLess(median, 20 * max(others), "a time per call, not per batch of %d" % calls)
            self.assertGreater(median, min(others) / 20)
            self.assertGreater(batch[SHORT]["call_ns"], 0)

    def test_a_fine_clock_needs_no_batches(self):
        campaign, _ = self.run_campaign(**dict(KEYS, cells=[{"operation": "allreduce", "size": 1 << 20}]))
        (decision,) = campaign.manifest("batches")
        self.assertEqual(decision["calls"], [])
        self.assertEqual(len(campaign.manifest("plan")), 1)
        self.assertEqual(sorted(campaign.outcomes()), [1, 2])

    def test_a_driver_that_is_killed_after_the_pilot_leaves_the_decision_to_the_next_one(self):
        """Cut where a kill could: before the decision, after it, and after the new plan."""
        campaign, _ = self.measured_once(env=COARSE, **KEYS)
        whole = campaign.manifest()
        calls = campaign.manifest("batches")[0]["calls"]
        decided = next(line["line"] for line in whole if line["type"] == "batches")
        for last in (decided - 1, decided, decided + 1):
            with self.subTest(last=last):
                copy = self.scratch / ("cut-%d" % last)
                self.invar_copy(campaign.path, copy, last)
                self.invar("run", "--resume", "-o", copy, env=COARSE, expect=DONE)
                resumed = Campaign(copy)
                again = self.check_batched(resumed)
                if last >= decided:
                    self.assertEqual(resumed.manifest("batches")[0]["calls"], calls)
                    self.assertEqual(again, calls[0]["calls"])
                self.invar("verify", copy, expect=DONE)

    def invar_copy(self, source, target, last):
        """A campaign as a driver leaves it that dies after line `last` of the manifest."""
        import shutil
        shutil.copytree(source, target)
        for name in ("manifest.jsonl", "manifest.copy.jsonl"):
            lines = (target / name).read_text().splitlines(keepends=True)
            (target / name).write_text("".join(lines[:last]))
        sealed = {line["dir"] for line in Campaign(target).manifest("launch")}
        for launch in (target / "launches").iterdir():
            if "launches/" + launch.name not in sealed:
                shutil.rmtree(launch)
        plans = {line["file"] for line in Campaign(target).manifest("plan")}
        for plan in target.glob("plan*.csv"):
            if plan.name not in plans:
                plan.unlink()

    def test_a_plan_that_was_given_stays_as_it_is(self):
        campaign = self.campaign_file(**KEYS)
        self.invar("plan", campaign, "-o", "planned")
        self.invar("run", "planned/plan.csv", "-o", "data", env=COARSE)
        data = Campaign(self.scratch / "data")
        self.assertEqual(data.manifest("batches")[0]["why"], "the plan was given")
        self.assertEqual({row["calls"] for row in data.plan()}, {"1"})

    def test_a_step_that_is_no_number_is_refused(self):
        result = self.invar("run", self.campaign_file(**KEYS), "-o", "data", expect=None,
                            env={"INVAR_TEST_CLOCK_STEP_NS": "coarse"})
        self.assertNotEqual(result.status, DONE)
        self.assertIn("INVAR_TEST_CLOCK_STEP_NS", result.err)


if __name__ == "__main__":
    main()
