"""Windows that are too short for what they should hold: nothing is measured, or no time is made up and who reads the answer learns why."""

import json

from support import FAILED, USAGE, CampaignTest, main, over_everything

# Calls fit into the windows when they are tried, not when a rank begins so late.
LATE_RANK = {"window": "500us", "arrival": "first-late:2ms"}


class WindowsTooShort(CampaignTest):
    def test_a_window_shorter_than_the_call_is_refused_before_anything_runs(self):
        path = self.campaign_file(cells=[{"operation": ["alltoall", "allgather"], "size": ["8B", "256KiB"]}], launches=2, rounds=2,
                                  engine={"sync": ["window", "round-time"], "window": "1us"})
        refused = self.invar("run", path, "-o", "data", expect=USAGE)
        line = 1 + path.read_text().splitlines().index('window = "1us"')
        for operation in ("alltoall", "allgather"):
            for library in ("openmpi", "mpich"):
                self.assertRegex(refused.err, rf"campaign\.toml:{line}:\d+: .*1\.00 us is shorter than a call of {operation}, which takes "
                                              rf"[0-9.]+ [um]s here: .*256 KiB.* in '{library}'.*; at least [0-9.]+ [um]s")
        self.assertFalse((self.scratch / "data").exists(), "nothing half-written")

    def test_a_cell_without_a_valid_repetition_has_no_time(self):
        path = self.campaign_file(cells=[{"operation": "alltoall", "size": "1KiB"}], launches=2, rounds=2, repetitions=5,
                                  engine={"sync": ["window", "round-time"], **LATE_RANK})
        self.invar("run", path, "-o", "data", expect=FAILED)
        answer = json.loads(self.invar("compare", "data", "--format", "json", expect=FAILED).out)
        self.assertEqual([cell["factors"]["sync"] for cell in over_everything(answer)], ["round-time"], "no row of zeros")
        self.assertGreater(answer["cells"][0]["median_a_ns"], 1000)
        self.assertTrue(any("windows of 500 us are too short for it" in text for text in answer["warnings"]), answer["warnings"])
        self.assertIn("without a valid repetition", self.invar("show", "data", expect=FAILED).out)

    def test_a_campaign_without_any_has_no_answer(self):
        path = self.campaign_file(cells=[{"operation": "alltoall", "size": "1KiB"}], launches=2, rounds=2, repetitions=5,
                                  engine={"sync": "window", **LATE_RANK})
        self.invar("run", path, "-o", "data", expect=FAILED)
        refused = self.invar("compare", "data", expect=FAILED)
        self.assertEqual(refused.out, "")
        self.assertIn("no valid repetition", refused.err)


if __name__ == "__main__":
    main()
