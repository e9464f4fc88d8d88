"""A decision between launch groups may add cells, also of an operation that the campaign does not name, give groups cells of
their own and name groups that do not judge. A driver that is killed around it goes on as if it had not been. half_way_campaign is a driver with such a decision."""

import json
import os
import shutil
import subprocess

from support import DONE, INCOMPLETE, Campaign, CampaignTest, main, over_everything

DRIVER = os.path.abspath(os.environ.get("HALF_WAY_CAMPAIGN", "build/tests/campaign/half_way_campaign"))
LEAST = 3
GROUPS = 2 + 1 + LEAST  # that choose, that measures the new cell alone, that judge everything


class AddedCell(CampaignTest):
    def campaign(self):
        return self.campaign_file(launches=LEAST, rounds=2, repetitions=10, arms=[{"library": self.first, "label": label} for label in ("one", "two")],
                                  cells=[{"operation": "bcast", "size": [8192, 65536]}])

    def drive(self, *words):
        process = subprocess.Popen([DRIVER] + [str(word) for word in words], cwd=self.scratch, env=self.environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish_driving(self, process):
        error = process.communicate(timeout=300)[1]
        self.assertEqual(process.returncode, DONE, error)

    def plans(self, campaign):
        """Texts of all plans, and what was decided."""
        lines = [line for line in campaign.manifest() if "csv" in line]
        return [(line["file"], line["csv"]) for line in lines], [
            {key: line[key] for key in ("decision", "why", "not_judging", "added", "fields", "planned_groups")}
            for line in campaign.manifest("decided")]

    def measured(self, campaign):
        """Group -> its cells."""
        found = {}
        for line in campaign.manifest("launch"):
            journal = (campaign.path / line["dir"] / "journal.jsonl").read_text().splitlines()
            visits = [json.loads(text) for text in journal]
            found.setdefault(line["group"], set()).update(one["cell"] for one in visits if one["type"] == "visit")
        return found

    def check(self, campaign):
        self.assertEqual(self.measured(campaign), {1: {0, 1}, 2: {0, 1}, 3: {2, 3}, 4: {0, 1, 2, 3}, 5: {0, 1, 2, 3}, 6: {0, 1, 2, 3}})
        self.invar("verify", campaign.path, expect=DONE)
        self.assertIn("%d of %d launch groups done" % (GROUPS, GROUPS), self.invar("status", campaign.path, expect=DONE).out)
        answer = json.loads(self.invar("compare", campaign.path, "--format", "json", expect=None).out)
        self.assertEqual({cell["size_bytes"]: cell["launches"] for cell in over_everything(answer)},
                         {8192: LEAST, 36864: 1 + LEAST, 65536: LEAST, None: 1 + LEAST})
        self.assertTrue(any("'half-way' was made from them" in warning for warning in answer["warnings"]), answer["warnings"])

    def test_it_is_measured_and_judged_and_planned_the_same_wherever_the_driver_was_killed(self):
        self.finish_driving(self.drive(self.campaign(), "data"))
        whole = Campaign(self.scratch / "data")
        self.check(whole)
        decided = whole.manifest("decided")[0]["line"]
        for kept in (decided - 1, decided):
            with self.subTest(lines=kept):
                target = self.scratch / ("cut-%d" % kept)
                shutil.copytree(whole.path, target)
                for launch in (target / "launches").iterdir():
                    # What was not measured yet, as the plan numbers its launches.
                    if int(launch.name.split("-", 1)[0]) > 2 * 2:
                        shutil.rmtree(launch)
                for name in ("manifest.jsonl", "manifest.copy.jsonl"):
                    text = (whole.path / name).read_text().splitlines(keepends=True)
                    (target / name).write_text("".join(text[:kept]))
                self.finish_driving(self.drive("--resume", target))
                again = Campaign(target)
                self.assertEqual(self.plans(again), self.plans(whole))
                self.check(again)

    def test_sigkill_in_the_group_that_measures_it_alone(self):
        process = self.drive(self.campaign(), "data")
        campaign = Campaign(self.scratch / "data")
        self.wait_for(lambda: campaign.manifest("decided") and self.processes(ranks_only=True), "the added cell", process)
        process.kill()
        process.wait()
        self.assert_nothing_runs()
        before = self.plans(campaign)
        self.invar("verify", "data", expect=INCOMPLETE)
        # `invar` itself goes on with the plan that was decided: its own table need not have the decision.
        self.invar("run", "--resume", "-o", "data", expect=None)
        self.assertEqual(self.plans(campaign), before)
        self.check(campaign)


if __name__ == "__main__":
    main()
