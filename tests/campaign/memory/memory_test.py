"""Memory without any MPI library: the answer, times of one pass whatever number of passes there were, and settings of the host that
come back even after a SIGKILL."""

import json
import pathlib
import signal
import unittest

from support import DONE, USAGE, Campaign, CampaignTest, main

ALONE = [{"library": "none"}]
HUGE_PAGES = pathlib.Path("/proc/sys/vm/nr_hugepages")


def reserves_huge_pages():
    """Whether the kernel lets us have some, which are given back at once."""
    before = HUGE_PAGES.read_text()
    try:
        HUGE_PAGES.write_text("%d\n" % (int(before) + 4))
        got = int(HUGE_PAGES.read_text()) - int(before)
        HUGE_PAGES.write_text(before)
    except OSError:
        return False
    return got == 4


class Memory(CampaignTest):
    def answer(self, directory, *words):
        return json.loads(self.invar("memory", directory, "--format", "json", *words).out)

    def test_the_command_answers_without_a_library(self):
        result = self.invar("memory", "--budget", "20s", "-o", "data", expect=DONE)
        self.assertRegex(result.out.splitlines()[0], r"^(L1|up to|beyond|memory).* GB/s.*: 1 rank, 1 host, this ")
        answer = self.answer("data")
        caches = [row["cache"] for row in answer["hierarchy"]]
        self.assertEqual(caches, sorted(caches))
        pitfalls = {row["pitfall"]: row for row in answer["pitfalls"]}
        self.assertEqual(list(pitfalls), ["narrow elements", "few passes", "competitor", "pages of a launch"])
        for row in answer["pitfalls"]:
            self.assertIn(row["found"], ("yes", "no", "not judged"))
            self.assertTrue(row["seen"])
        # Every kernel was measured, and none is faster than its loads and stores let it be by more than a clock moves.
        kernels = {"read", "write", "write_nt", "copy", "copy_nt", "triad", "triad_nt"}
        self.assertLessEqual(kernels, {row["operation"] for row in answer["bandwidth"]})
        for limit in answer["limits"]:
            if limit["limit"] == "ports":
                self.assertLess(limit["reached"], 1.1)

    def test_a_time_is_that_of_one_pass(self):
        path = self.campaign_file(arms=ALONE, rounds=2, repetitions=10,
                                  cells=[{"operation": "read", "size": 65536, "ranks": 1, "loops": ["16", "64", "256", "auto"]}])
        self.invar("run", path, "-o", "data")
        campaign = Campaign(self.scratch / "data")
        passes = {}
        for launch in campaign.launches():
            for line in launch.journal():
                if "loops" in line:
                    passes.setdefault(line["cell"], set()).add(line["loops"])
        self.assertEqual([passes[0], passes[1], passes[2]], [{16}, {64}, {256}])
        # One number for the whole campaign, a power of two.
        self.assertEqual(len(passes[3]), 1)
        self.assertEqual(bin(*passes[3]).count("1"), 1)
        medians = [row["median_ns"] for row in json.loads(self.invar("show", "data", "--format", "json").out)["groups"]]
        # 16 passes take 16 times as long as one, and 256 as many; what a repetition costs is in all.
        self.assertLess(max(medians) / min(medians), 4)
        answer = self.answer("data")
        few = {row["pitfall"]: row for row in answer["pitfalls"]}["few passes"]
        self.assertIn("takes", few["seen"])

    def test_more_ranks_than_a_process_are_refused(self):
        result = self.invar("memory", "--ranks", "2", "-o", "data", expect=USAGE)
        self.assertIn("2 ranks need an MPI library", result.err)
        path = self.campaign_file(arms=ALONE, cells=[{"operation": "bcast", "size": 8, "ranks": 1}])
        result = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertIn("there is no MPI", result.err)

    @unittest.skipUnless(reserves_huge_pages(), "this user cannot reserve huge pages here")
    def test_reserved_huge_pages_are_used_and_given_back_even_after_a_sigkill(self):
        before = HUGE_PAGES.read_text()
        path = self.campaign_file(arms=ALONE, rounds=30, repetitions=20, engine={"huge-pages": "12x2MiB"},
                                  cells=[{"operation": "read", "size": 1048576, "ranks": 1, "pages": ["4KiB", "2MiB"]}])
        process = self.start("run", path, "-o", "data")
        journal = self.scratch / "data"
        self.wait_for(lambda: any(journal.glob("launches/*/journal.jsonl")), "a launch", process)
        self.assertNotEqual(HUGE_PAGES.read_text(), before)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assert_nothing_runs()
        self.invar("run", "--resume", "-o", "data")
        self.assertEqual(HUGE_PAGES.read_text(), before)
        shares = {row["place"]: row["huge_share"] for row in self.answer("data")["variance"]}
        self.assertEqual(shares, {"pages 4KiB": 0, "pages 2MiB": 1})


if __name__ == "__main__":
    main()
