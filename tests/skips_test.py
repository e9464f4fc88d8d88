"""What scripts/test-results makes of CTest's results: python3 tests/skips_test.py REPOSITORY"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()

PASSED = '<testcase name="%s" status="run"><system-out>%s</system-out></testcase>'
SKIPPED = '<testcase name="%s" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>%s</system-out></testcase>'
FAILED = '<testcase name="%s" status="fail"><failure message=""/><system-out>%s</system-out></testcase>'
UNABLE = '<testcase name="%s" status="notrun"><skipped message="Unable to find executable"/><system-out>%s</system-out></testcase>'


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def counted(self, *tests, allowed="", status=0):
        (self.folder / "list").write_text(allowed)
        (self.folder / "results.xml").write_text("<testsuite>%s</testsuite>" % "".join(tests))
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts" / "test-results"), "results.xml", "list"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.splitlines()

    def test_what_passed_and_what_failed_is_counted(self):
        self.assertEqual(self.counted(PASSED % ("a", ""), PASSED % ("b", ""), FAILED % ("c", "")), ["2 1 0"])

    def test_what_could_not_be_started_is_no_skip(self):
        self.assertEqual(self.counted(UNABLE % ("a", ""), allowed="* Unable\n"), ["0 1 0"])

    def test_a_skip_is_a_failure_unless_the_list_has_its_name_and_its_reason(self):
        skip = SKIPPED % ("lab.hosts", "skipped: no namespaces here\n")
        told = "must not be skipped (tests/may-be-skipped): lab.hosts: no namespaces here"
        self.assertEqual(self.counted(skip), ["0 1 0", told])
        self.assertEqual(self.counted(skip, allowed="lab.* no network\n"), ["0 1 0", told])
        self.assertEqual(self.counted(skip, allowed="other.* no namespaces\n"), ["0 1 0", told])
        self.assertEqual(self.counted(skip, allowed="# why\nlab.* no namespaces\n"),
                         ["0 0 1", "skipped: lab.hosts: no namespaces here"])

    def test_a_part_that_a_passing_program_leaves_out_is_a_skip_too(self):
        script = PASSED % ("hardening", "ok\nskipped: PowerCut.test_x: only root mounts\n")
        program = PASSED % ("arms_live", "/src/tests/mpi/arms_live.cpp:38: Skipped\nno Open MPI here\n")
        self.assertEqual(self.counted(script, program, allowed="hardening/* only root\n"),
                         ["2 1 1", "skipped: hardening/PowerCut.test_x: only root mounts",
                          "must not be skipped (tests/may-be-skipped): arms_live/arms_live.cpp:38: no Open MPI here"])

    def test_results_that_cannot_be_read_are_an_error(self):
        self.assertEqual(self.counted("<", status=1), [])


if __name__ == "__main__":
    unittest.main()
