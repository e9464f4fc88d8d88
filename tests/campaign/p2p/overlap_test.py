"""Overlap under libraries whose truth is known: what completes by itself, half of it, and only while it is waited for."""

import json

from support import DONE, FAILED, USAGE, CampaignTest, main

TAKES_NS = 300_000
# Arms, and how much of their broadcast passes by itself (percent).
ARMS = {"by-itself": 100, "half": 50, "in-wait": 0}
DESIGN = 'together = ["compute"]\n\n[analysis]\nquestion = "overlap"\n'
LEVELS = ["off", "0.5x", "1x", "2x"]


def rows_of(table):
    """Rows as objects."""
    return [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]


class Overlap(CampaignTest):
    def answer(self, directory="data"):
        data = json.loads(self.invar("report", directory, "--format", "json", expect=None).out)
        campaign, = data["campaigns"]
        answer, = [one for one in campaign["answers"] if one["question"] == "overlap"]
        return answer, {table["id"]: rows_of(table) for table in answer["tables"] if table["id"]}

    def known_arms(self, **more):
        return [self.shimmed_arm(self.first, label, source="completes.c", SHIM_TAKES_NS=TAKES_NS, SHIM_BY_ITSELF=percent, **more)
                for label, percent in ARMS.items()]

    def test_known_overlaps_are_found(self):
        # On a machine that does other things visits may end without a valid repetition (3).
        campaign, said = self.run_campaign(expect=None, arms=self.known_arms(), design=DESIGN, launches=3, rounds=3, repetitions=8,
                                           cells=[{"operation": "ibcast", "size": 64, "compute": LEVELS}])
        self.assertIn(said.status, (DONE, FAILED), said.err)
        self.assertIn(" hides ", said.out, "`run` answers the question")
        answer, tables = self.answer()
        self.assertIn("by-itself hides ", answer["sentence"])
        found = {(row["arm"], row["computation"]): row for row in tables["overlap"]}
        self.assertEqual(len(found), 9, "three arms, three amounts")
        for (arm, level), row in found.items():
            with self.subTest(arm=arm, computation=level):
                multiple = float(level[:-1])
                self.assertAlmostEqual(row["comm_ns"] / TAKES_NS, 1, delta=0.1)
                self.assertAlmostEqual(row["compute_ns"] / TAKES_NS, multiple, delta=0.1 * multiple + 0.05,
                                       msg="multiples of the call without computation")
                # Half a call of computation fits into the half that passes by itself.
                truth = {"by-itself": 1, "half": 1 if level == "0.5x" else 0.5, "in-wait": 0}[arm]
                self.assertAlmostEqual(row["overlap"], truth, delta=0.12)
                # Where call and computation take as long, the formulas of other suites say the same.
                if level == "1x":
                    self.assertAlmostEqual(row["osu"], max(0, row["availability"]), delta=1e-9)
                    self.assertAlmostEqual(row["imb"], truth, delta=0.12)
        for knee in tables["knees"]:
            with self.subTest(arm=knee["arm"], knee=True):
                self.assertAlmostEqual(knee["knee_ns"] / TAKES_NS, ARMS[knee["arm"]] / 100, delta=0.12)
                self.assertAlmostEqual(knee["availability"], ARMS[knee["arm"]] / 100, delta=0.12)

        # All three are measured together, and how long a step of the computation takes is written down.
        plan = campaign.plan()
        self.assertEqual({row["compute"] for row in plan}, set(LEVELS) | {"only:" + level for level in LEVELS[1:]})
        self.assertEqual({row["family"] for row in plan}, {"together-1"})
        for launch in campaign.launches():
            self.assertGreater(launch.environment()["compute"]["chain"]["step_ps"], 100)
            self.assertNotIn("delay", launch.environment(), "nothing is planted")

    # This library makes no progress in calls, so that those of ours change nothing.
    def test_progress_calls_and_the_other_kernel_and_a_persistent_call(self):
        cells = [{"operation": "ibcast", "size": 64, "compute": ["off", "1x"], "progress-calls": 5, "compute-kernel": "memory"},
                 {"operation": "bcast_init", "size": 64, "compute": ["off", "1x"]}]
        arms = [self.known_arms()[1]]
        campaign, said = self.run_campaign(expect=None, arms=arms, design=DESIGN, launches=2, rounds=2, repetitions=5, cells=cells)
        self.assertIn(said.status, (DONE, FAILED), said.err)
        _, tables = self.answer()
        for row in tables["overlap"]:
            # Memory is shared with whatever else runs.
            self.assertAlmostEqual(row["overlap"], 0.5, delta=0.3, msg=str(row))
        self.assertIn("memory", campaign.launches()[0].environment()["compute"])

    def test_what_cannot_be_overlapped_is_refused_with_what_would_help(self):
        for cell, words in (({"operation": "bcast", "size": 64, "compute": "10us"}, "none of these operations has a start and an end"),
                            ({"operation": "ibcast", "size": 64, "compute": ["off", "10us"], "compute-side": "starts"},
                             "ibcast: all its ranks start, and none answers"),
                            ({"operation": "ibcast", "size": 64, "compute": "0.5x"}, "no cell beside it has that call alone")):
            with self.subTest(words):
                path = self.campaign_file(cells=[cell])
                self.assertIn(words, self.invar("run", path, "-o", "data", expect=USAGE).err)
        path = self.campaign_file(cells=[{"operation": "ibcast", "size": 64, "compute": ["off", "1x"]}],
                                  design='[analysis]\nquestion = "overlap"\n')
        self.assertIn('together = ["compute"]', self.invar("run", path, "-o", "data", expect=USAGE).err)


if __name__ == "__main__":
    main()
