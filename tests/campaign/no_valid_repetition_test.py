"""Windows that are too short for what they should hold: no time is made up, and who reads the answer learns why."""

import json

from support import FAILED, CampaignTest, main, over_everything


class WindowsTooShort(CampaignTest):
    def test_a_cell_without_a_valid_repetition_has_no_time(self):
        path = self.campaign_file(cells=[{"operation": "alltoall", "size": "256KiB"}], launches=2, rounds=2, repetitions=5,
                                  engine={"sync": ["window", "round-time"], "window": "1us"})
        self.invar("run", path, "-o", "data", expect=FAILED)
        answer = json.loads(self.invar("compare", "data", "--format", "json", expect=FAILED).out)
        self.assertEqual([cell["factors"]["sync"] for cell in over_everything(answer)], ["round-time"], "no row of zeros")
        self.assertGreater(answer["cells"][0]["median_a_ns"], 1000)
        self.assertTrue(any("windows of 1.00 us are too short for it" in text for text in answer["warnings"]), answer["warnings"])
        self.assertIn("without a valid repetition", self.invar("show", "data", expect=FAILED).out)

    def test_a_campaign_without_any_has_no_answer(self):
        path = self.campaign_file(cells=[{"operation": "alltoall", "size": "256KiB"}], launches=2, rounds=2, repetitions=5,
                                  engine={"sync": "window", "window": "1us"})
        self.invar("run", path, "-o", "data", expect=FAILED)
        refused = self.invar("compare", "data", expect=FAILED)
        self.assertEqual(refused.out, "")
        self.assertIn("no valid repetition", refused.err)


if __name__ == "__main__":
    main()
