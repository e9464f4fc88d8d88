"""libinvar-tuned.so, preloaded: what it needs of a process, what a program gets under it, what it says.

    INVAR=build/invar INVAR_HOME=build/invar-home python3 tests/shim/preload_test.py LIBRARY [-v]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY = sys.argv.pop(1)
INVAR = os.path.abspath(os.environ.get("INVAR", "build/invar"))
HERE = pathlib.Path(__file__).resolve().parent

HEADER = "operation,ranks,from_bytes,to_bytes,candidate\n"
TABLE = (HEADER + "allreduce,2,4,4,mockup:allreduce=reduce+bcast\n"
         "bcast,2,8,1024,reference:bcast@binomial\n"
         "barrier,2,0,0,mockup:barrier=allreduce\n")
EXPORTED = {"MPI_" + name for name in (
    "Init Init_thread Finalize Allgather Allreduce Alltoall Barrier Bcast Exscan Gather Reduce Reduce_scatter "
    "Reduce_scatter_block Scan Scatter").split()}


def command(*words, environment=None, status=0):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          env={**os.environ, **(environment or {})}, timeout=300)
    if status is not None and done.returncode != status:
        raise AssertionError("%s: exit status %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return done


def profile_of(name):
    profiles = json.loads(command(INVAR, "mpi", "list", "--format", "json", status=None).stdout)["profiles"]
    return next((one for one in profiles if one["name"] == name and one["state"].startswith("ready")), None)


class Preload(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = profile_of(LIBRARY)
        if cls.profile is None:
            print("skipped: %s is not installed" % LIBRARY)
            sys.exit(77)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.shim = cls.folder / "libinvar-tuned.so"
        command(INVAR, "mpi", "shim", LIBRARY, "-o", cls.shim)
        cls.program = cls.built("preloaded.cpp", "program")
        cls.table = cls.folder / "table.csv"
        cls.table.write_text(TABLE)

    @classmethod
    def built(cls, source, name, *options):
        out = cls.folder / name
        environment = {key: os.path.expandvars(value) for key, value in cls.profile["environment"].items()}
        command(cls.profile["mpicxx"], "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", HERE / source, *options,
                "-o", out, environment=environment)
        return out

    def run_under(self, *program, table=None, ranks=2, report="1", more=()):
        words = [INVAR, "mpi", "run", LIBRARY, "--ranks", ranks, "--limit", 120, "--env", "LD_PRELOAD=%s" % self.shim]
        for name, value in (("INVAR_TUNED_TABLE", table), ("INVAR_TUNED_REPORT", report), *more):
            if value is not None:
                words += ["--env", "%s=%s" % (name, value)]
        return command(*words, "--", *program)

    def test_no_name_of_an_mpi_library_must_be_there(self):
        undefined = command("nm", "-D", "--undefined-only", self.shim).stdout.splitlines()
        needed = [line.split() for line in undefined if re.search(r"\b(P?MPIX?_|ompi_)", line)]
        self.assertTrue(needed, "no function of the library is called")
        for kind, name in needed:
            self.assertIn(kind, ("w", "v"), "%s must be there when the shim is loaded" % name)
            self.assertFalse(re.match("MPI_", name), "%s would come back to the shim: src/shim/library/functions.def" % name)
        # A linker does not ask for what a shared library lacks.
        self.assertEqual([line for line in undefined if "invar" in line], [])
        libraries = command("readelf", "-d", self.shim).stdout
        self.assertNotRegex(libraries, r"NEEDED.*mpi")

    def test_programs_see_nothing_but_functions_of_mpi(self):
        defined = command("nm", "-D", "--defined-only", self.shim).stdout.splitlines()
        names = {line.split()[-1] for line in defined}
        self.assertEqual(names, EXPORTED)

    def test_what_knows_no_mpi_is_left_in_peace(self):
        for words in (["/bin/true"], ["/bin/sh", "-c", "exit 0"], [sys.executable, "-c", ""]):
            done = command(*words, environment={"LD_PRELOAD": str(self.shim), "INVAR_TUNED_TABLE": str(self.table)})
            self.assertEqual(done.stderr, "")

    def test_calls_are_replaced_where_the_table_says_so_and_reported(self):
        done = self.run_under(self.program, 10, table=self.table)
        self.assertIn("30 calls, 0 wrong", done.stdout)
        # The first call of a communicator is the library's.
        for line in ("%s, what rank 0 of 2 called:" % self.table,
                     "allreduce, 2 ranks, 4 B: mockup:allreduce=reduce+bcast: 9 calls replaced; passed on: 1 (the first on its "
                     "communicator)",
                     "barrier, 2 ranks, 0 B: mockup:barrier=allreduce: 10 calls replaced",
                     "bcast, 2 ranks, 8 B to 1 KiB: reference:bcast@binomial: 0 calls replaced\n"):
            self.assertIn(line, done.stderr)

    def test_nothing_is_said_unless_it_is_asked_for(self):
        done = self.run_under(self.program, 3, table=self.table, report=None)
        self.assertIn("9 calls, 0 wrong", done.stdout)
        self.assertNotIn("invar-tuned", done.stderr)

    def test_without_a_table_everything_is_the_librarys(self):
        done = self.run_under(self.program, 3)
        self.assertIn("9 calls, 0 wrong", done.stdout)
        self.assertIn("invar-tuned: INVAR_TUNED_TABLE is not set: nothing is replaced", done.stderr)

    def test_a_table_with_a_fault_is_told_and_not_followed(self):
        wrong = self.folder / "wrong.csv"
        wrong.write_text(TABLE + "scan,2,0,8,mockup:scan=nothing\n")
        done = self.run_under(self.program, 3, table=wrong, report=None)
        self.assertIn("9 calls, 0 wrong", done.stdout)
        self.assertIn("invar-tuned: %s: scan, 2 ranks, 0 B to 8 B: mockup:scan=nothing: 'scan=nothing' does not stand for scan "
                      "here" % wrong, done.stderr)
        self.assertIn("nothing is replaced, because of 1 fault", done.stderr)
        wrong.write_text(HEADER + "allreduce,two,0,8,default\n")
        self.assertIn("%s:2: ranks is 'two'" % wrong, self.run_under(self.program, 1, table=wrong).stderr)

    def test_a_table_that_is_not_there_is_told(self):
        done = self.run_under(self.program, 3, table=self.folder / "none.csv", report=None)
        self.assertIn("9 calls, 0 wrong", done.stdout)
        self.assertIn("none.csv: cannot read this table", done.stderr)

    def test_a_report_is_asked_for_by_yes_or_no(self):
        done = self.run_under(self.program, 1, table=self.table, report="perhaps")
        self.assertIn("INVAR_TUNED_REPORT: 'perhaps' is neither 1 nor 0", done.stderr)

    def test_programs_that_load_their_library_late_run_on(self):
        library = self.built("preloaded.cpp", "libpreloaded.so", "-shared", "-fPIC")
        late = self.folder / "late"
        compiler = os.environ.get("CXX", "c++")
        command(compiler, HERE / "late.cpp", "-ldl", "-o", late)
        done = self.run_under(late, library, 5, table=self.table)
        self.assertIn("15 calls, 0 wrong", done.stdout)
        # Open MPI's datatypes are addresses that were looked up when there were none.
        if self.profile["version"].startswith("Open MPI"):
            self.assertIn("has loaded its MPI library after its start", done.stderr)
        else:
            self.assertIn("mockup:barrier=allreduce: 5 calls replaced", done.stderr)

    def test_what_measures_runs_under_it(self):
        engine = pathlib.Path(self.profile["engine"])
        done = self.run_under(engine, "--check", "--operations", "allreduce,bcast,barrier", "--counts", "0,1,7", table=self.table)
        self.assertIn(" 0 failed", done.stdout)
        self.assertRegex(done.stderr, r"mockup:allreduce=reduce\+bcast: [1-9][0-9]* calls? replaced")


if __name__ == "__main__":
    unittest.main()
