"""Regression tests for mistakes seen in other suites that only a whole run can show (docs/peers-mistakes.md)."""

import re
import unittest

from support import DONE, HERE, CampaignTest, main

ROOT = HERE.parent.parent


class EveryMistake(unittest.TestCase):
    """docs/peers-mistakes.md names for each a test that exists, or the part that it waits for."""

    def setUp(self):
        lines = (ROOT / "docs/peers-mistakes.md").read_text().splitlines()
        self.rows = [line for line in lines if re.match(r"\| \d+ \|", line)]

    def test_all_are_there_with_a_test_or_a_part(self):
        # 21 to 25, 28 and 29 are of parts to come: they come with these.
        self.assertEqual([int(row.split("|")[1]) for row in self.rows], [*range(1, 21), 26, 27, *range(30, 42)])
        for row in self.rows:
            tests = row.split("|")[4]
            self.assertTrue("`" in tests or "later part" in tests, row)

    def test_every_test_that_is_named_exists(self):
        paths = [*(ROOT / "tests").rglob("*_test.*"), *(ROOT / "tests/ops").glob("*.cpp")]
        # Two rooms may have a test file of one name; those that are named here are not among them.
        sources = {path.name: path.read_text() for path in paths}
        google = set()
        for text in (path.read_text() for path in paths):
            google |= {"%s.%s" % names for names in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", text, re.M)}
        for row in self.rows:
            file = None
            for name in re.findall(r"`([^`]+)`", row.split("|")[4]):
                if name.endswith((".py", ".cpp")):
                    file = name
                    self.assertIn(file, sources)
                elif re.fullmatch(r"[A-Z]\w*\.\w+", name):
                    self.assertIn(name, google)
                elif re.fullmatch(r"[a-z]\w*_\w+", name):
                    self.assertTrue(re.search(r"\b%s\(" % name, sources[file]), "%s has no %s" % (file, name))


class NoCallBetweenRepetitions(CampaignTest):
    """Mistake 20: a barrier of the library under test before every repetition decides the result. With round-time there
    is no MPI call between repetitions but the operation itself, so that the number of others does not depend on how many
    repetitions there are."""

    def calls(self, repetitions, sync):
        """Calls of barriers, and of other collectives and messages, by rank 0 of one launch. The operation is none of
        those that are counted."""
        calls = {}
        for library in (self.first, self.second):
            calls[library] = self.scratch / ("calls-%s-%s-%d" % (library, sync, repetitions))
        arms = [self.shimmed_arm(library, library, SHIM_CALLS=path) for library, path in calls.items()]
        self.run_campaign("data-%s-%d" % (sync, repetitions), engine={"sync": sync}, launches=1, rounds=2,
                          repetitions=repetitions, arms=arms, cells=[{"operation": "alltoall", "size": 256}], expect=DONE)
        return {library: dict((words[0], int(words[1])) for words in map(str.split, path.read_text().splitlines()))
                for library, path in calls.items()}

    def test_round_time_makes_none(self):
        few, many = self.calls(10, "round-time"), self.calls(60, "round-time")
        # How soon a library comes to rest before its first visit is not always the same: some calls. A call a repetition
        # would be a hundred more.
        for library, calls in few.items():
            for kind, number in calls.items():
                self.assertLess(abs(many[library][kind] - number), 20, (library, kind, few, many))
        for calls in few.values():
            self.assertGreater(calls["barriers"], 0, "between visits there are some: the shim counts")

    def test_sync_barrier_makes_one_a_repetition(self):
        """The counter sees them where they are asked for."""
        few, many = self.calls(10, "barrier"), self.calls(60, "barrier")
        for library in few:
            # Two rounds; the number of warm-up repetitions may differ a little.
            self.assertGreaterEqual(many[library]["barriers"] - few[library]["barriers"], 2 * 50 - 2 * 47)
            self.assertGreater(many[library]["barriers"], 2 * 60)


class OneSynchronisationOfClocks(CampaignTest):
    def test_calibration_does_not_depend_on_how_much_is_measured(self):
        """Mistake 8: clocks synchronised anew for every operation and size."""
        lines = []
        for name, sizes, rounds in (("few", [8], 1), ("many", [8, 64, 512, 4096], 3)):
            campaign, _ = self.run_campaign(name, launches=1, rounds=rounds, repetitions=5,
                                            cells=[{"operation": ["bcast", "allreduce"], "size": sizes}])
            lines.append({len((launch.path / "clock.csv").read_text().splitlines()) for launch in campaign.launches()})
        self.assertEqual(lines[0], lines[1])


if __name__ == "__main__":
    main()
