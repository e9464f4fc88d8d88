"""Mock-ups in campaigns: measured, checked in every visit, sealed with what they emulate and by which parts, compared with it;
and what would overflow inside of one is refused beforehand."""

import json

from support import DONE, USAGE, CampaignTest, main, over_everything

SIZE = 1024
MOCKUPS = {"allreduce=reduce+bcast": "allreduce", "bcast=scatter+allgather": "bcast", "gather=reduce": "gather",
           "scan=exscan+reduce_local": "scan", "reduce=hierarchical": "reduce", "allgather=full-lane": "allgather"}


class Mockups(CampaignTest):
    def known(self, operation):
        rows = json.loads(self.invar("ops", "--format", "json").out)["operations"]
        return next(row for row in rows if row["operation"] == operation and row["library"] == self.first)

    def test_they_are_measured_and_every_result_is_right(self):
        campaign, _ = self.run_campaign(cells=[{"operation": list(MOCKUPS), "size": [0, SIZE]}], launches=2, rounds=2, repetitions=5,
                                        engine={"verification": 1})
        self.assertEqual(campaign.manifest("failed_cell"), [])
        self.assertEqual({row["operation"] for row in campaign.plan()}, set(MOCKUPS))
        for launch in campaign.launches():
            self.assertTrue(all(visit["checked"] for visit in launch.visits()))
        for arm in campaign.manifest("arm"):
            self.assertEqual({known["name"]: known["emulates"] for known in arm["operations"]}, MOCKUPS)
        sealed = {known["name"]: known.get("parts") for known in campaign.manifest("arm")[0]["operations"]}
        self.assertEqual(sealed["bcast=scatter+allgather"],
                         [{"operation": "scatter", "size": "n/p"}, {"operation": "allgather", "size": "n/p"}])
        self.assertIn("bcast=scatter+allgather", self.invar("export", "data", "--to", "csv").out)

    def test_scratch_is_memory_that_is_told(self):
        campaign, _ = self.run_campaign(cells=[{"operation": ["gather=reduce", "gather"], "size": SIZE, "ranks": 2}], launches=1,
                                        rounds=1, repetitions=5)
        operation_of = {int(row["cell"]): row["operation"] for row in campaign.plan()}
        scratch = {operation_of[buffers["cell"]]: buffers["scratch_bytes"] for launch in campaign.launches()
                   for buffers in launch.environment()["buffers"]}
        self.assertEqual(scratch, {"gather=reduce": 2 * 2 * SIZE + 2 * SIZE, "gather": 0})
        self.assertEqual(self.known("gather=reduce")["scratch"], "p*n, 2*p*n on the root")

    def test_one_races_against_what_it_emulates(self):
        raced = self.invar("race", self.first, "--operation", "allreduce,allreduce=reduce+bcast", "--against", "operation", "--size",
                           str(SIZE), "--budget", "10s", "--fixed", "--format", "json", "-o", "data", expect=DONE)
        row, = over_everything(json.loads(raced.out))
        self.assertEqual((row["arm_a"], row["arm_b"]), ("allreduce", "allreduce=reduce+bcast"))
        self.invar("report", "data", "-o", "page.html")
        self.assertIn("allreduce=reduce+bcast", (self.scratch / "page.html").read_text())

    def test_counts_that_overflow_inside_are_refused_with_their_place(self):
        cells = [{"operation": "allgather=allreduce", "size": 1 << 30, "ranks": 2}]
        refused = self.invar("plan", self.campaign_file(cells=cells), expect=USAGE)
        self.assertRegex(refused.err, r"campaign\.toml:\d+:\d+: ")
        self.assertIn("needs a count of 2147483648", refused.err.replace("\n", " "))
        self.assertIn("did you mean 'allreduce=reduce+bcast'?",
                      self.invar("plan", self.campaign_file(cells=[{"operation": "allreduce=reduce+bcats", "size": 8}]), expect=USAGE).err)


if __name__ == "__main__":
    main()
