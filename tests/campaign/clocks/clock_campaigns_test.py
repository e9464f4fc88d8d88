"""`invar clocks local-global` and `sync-bias`: a campaign of the usual kind behind each, which can be kept and asked again."""

import csv
import io
import json
import os
import pathlib
import shutil
import tempfile

from support import DONE, USAGE, CampaignTest, main, over_everything

SYNCS = ["barrier", "window", "round-time"]


class Clocks(CampaignTest):
    def test_sync_bias_has_a_row_for_every_way_and_its_campaign_gives_the_same_ratios(self):
        words = ("clocks", "sync-bias", "--library", "%s,%s" % (self.first, self.first), "--sync", ",".join(SYNCS),
                 "--budget", "6s", "-o", "data", "--format", "json")
        answer = json.loads(self.invar(*words, expect=DONE).out)
        ways = [(cell["factors"]["sync"], cell["factors"]["dither_ns"]) for cell in over_everything(answer)]
        self.assertEqual(sorted(ways), sorted((sync, dither) for sync in SYNCS for dither in (0, 1000)))
        self.assertEqual(answer["runtime"], "local", "barriers agree on no start")
        for cell in answer["cells"]:
            for arm in "ab":
                self.assertGreaterEqual(cell["visits_" + arm], 3)
                self.assertGreaterEqual(cell["modes_" + arm], 1)
                self.assertGreater(cell["sd_log_repetitions_" + arm], 0)
        self.assertIn("the synchronisation", answer["sentence"])
        # One family of tests, the same as compare's.
        compared = json.loads(self.invar("compare", "data", "--format", "json").out)
        for ours, theirs in zip(over_everything(answer), over_everything(compared)):
            self.assertEqual({key: ours[key] for key in theirs}, theirs)
        self.invar("verify", "data", expect=DONE)
        again = self.invar("clocks", "sync-bias", "--from", "data")
        self.assertEqual(again.out.splitlines()[0], answer["sentence"])

    def test_local_global_keeps_nothing_unless_it_is_told_to(self):
        # Names of sockets are short: a longer one would not be taken.
        temporary = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
        self.addCleanup(shutil.rmtree, temporary, ignore_errors=True)
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = str(temporary)
        try:
            shown = self.invar("clocks", "local-global", "--library", self.first, "--size", "8", "--budget", "6s",
                               "--format", "csv", expect=DONE)
        finally:
            if before is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = before
        rows = list(csv.DictReader(io.StringIO(shown.out)))
        self.assertEqual(sorted(row["sync"] for row in rows), sorted(SYNCS))
        for row in rows:
            self.assertEqual((row["arm"], row["arm_a"], row["arm_b"]), (self.first, "local", "global"))
            self.assertGreater(float(row["median_a_ns"]), 0)
            self.assertGreaterEqual(float(row["skew_ns"]), 0)
        self.assertIn("lobal run-time", " ".join(shown.err.split()))
        self.assertEqual(list(temporary.glob("invar-*")), [])
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_data_without_what_is_asked_for_are_refused(self):
        (pathlib.Path(self.scratch) / "empty").mkdir()
        self.invar("clocks", "local-global", "--from", "empty", expect=USAGE)


if __name__ == "__main__":
    main()
