"""A library that changes while it is being measured (a `make install` next door) stops the campaign: two libraries must
not be mixed in one arm. An own operation that is edited meanwhile changes nothing: its engine is built anew afterwards."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

from support import DONE, FAILED, HERE, INVAR, USAGE, Campaign, CampaignTest, main


class ChangedLibrary(CampaignTest):
    def setUp(self):
        super().setUp()
        # A home of its own: the other tests' profiles stay as they are.
        self.home = self.scratch / "home"
        profile = self.profiles[self.first]
        self.copy = self.copied_library(profile["engine"])
        self.with_home("mpi", "add", "copied", "--mpicxx", self.ready_wrapper(self.first), "--mpirun", profile["mpirun"], "--env",
                       "LD_LIBRARY_PATH=%s" % self.copy.parent)

    def with_home(self, *words, **keys):
        return self.invar(*words, env={"INVAR_HOME": str(self.home)}, **keys)

    def copied_library(self, engine):
        """Copies the MPI library that the engine maps, under the name by which the engine asks for it."""
        mapped = subprocess.run(["ldd", engine], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
        for words in map(str.split, mapped.splitlines()):
            if words[0].startswith("libmpi") and len(words) > 2:
                (self.scratch / "lib").mkdir()
                return pathlib.Path(shutil.copy(os.path.realpath(words[2]), self.scratch / "lib" / words[0]))
        self.fail("the engine maps no libmpi")

    def change_library(self):
        """A byte more at its end: it works as before, but it is another file."""
        with open(self.copy, "ab") as library:
            library.write(b"\n")

    def test_a_library_that_changes_under_way_stops_the_campaign(self):
        campaign = self.campaign_file(launches=6, arms=[{"library": "copied"}, {"library": "copied"}])
        process = self.start("run", campaign, "-o", "data", env={"INVAR_HOME": str(self.home)})
        data = Campaign(self.scratch / "data")
        self.wait_for(lambda: data.groups_finished() >= 1, "the first group", process)
        self.change_library()
        result = self.finish(process)
        self.assertEqual(result.status, FAILED, result.err)
        self.assertIn("the library of 'copied#1' has changed since the campaign began: %s" % self.copy, result.err)
        self.assertNotRegex(result.out, r" is [\d.]* ?(times )?faster")
        finished = data.groups_finished()
        self.assertIn(finished, (1, 2, 3), "at most the group under way was brought to its end")
        # It is not resumed with the other library either.
        resumed = self.with_home("run", "--resume", "-o", "data", expect=FAILED)
        self.assertIn("has changed since the campaign began", resumed.err)
        self.assertEqual(data.groups_finished(), finished)
        self.assert_nothing_runs()

    def test_what_was_measured_while_it_changed_does_not_count(self):
        campaign = self.campaign_file(launches=2, rounds=20, arms=[{"library": "copied"}, {"library": "copied"}])
        process = self.start("run", campaign, "-o", "data", env={"INVAR_HOME": str(self.home)})
        data = Campaign(self.scratch / "data")
        self.wait_for(lambda: list(self.scratch.glob("data/launches/*/journal.jsonl")), "a launch", process)
        self.assertEqual(data.groups_finished(), 0, "it is under way")
        self.change_library()
        result = self.finish(process)
        self.assertEqual(result.status, FAILED, result.err)
        self.assertEqual(data.groups_finished(), 0)
        self.assertEqual([line["reason"] for line in data.manifest("discarded")], ["what is measured changed meanwhile"])

    def test_a_library_that_is_changed_back_is_the_same_again(self):
        before = self.copy.read_bytes()
        campaign = self.campaign_file(launches=3, arms=[{"library": "copied"}, {"library": "copied"}])
        process = self.start("run", campaign, "-o", "data", env={"INVAR_HOME": str(self.home)})
        data = Campaign(self.scratch / "data")
        self.wait_for(lambda: data.groups_finished() >= 1, "the first group", process)
        self.change_library()
        self.assertEqual(self.finish(process).status, FAILED)
        self.copy.write_bytes(before)
        self.with_home("run", "--resume", "-o", "data", expect=DONE)
        self.with_home("verify", "data", expect=DONE)

    def test_an_engine_that_measures_is_not_built_anew(self):
        """`mpi list`, `mpi show` or another campaign in another shell, after an upgrade."""
        campaign = self.campaign_file(launches=12, arms=[{"library": "copied"}, {"library": "copied"}])
        process = self.start("run", campaign, "-o", "data", env={"INVAR_HOME": str(self.home)})
        data = Campaign(self.scratch / "data")
        self.wait_for(lambda: data.groups_finished() >= 1, "the first group", process)
        engine = self.home / "profiles/copied/invar-engine"
        before = engine.stat()
        os.utime(self.scratch / "wrapper")
        refused = self.with_home("mpi", "show", "copied", expect=USAGE)
        self.assertIn("something measures with its engine", " ".join(refused.err.split()))
        self.assertEqual((engine.stat().st_ino, engine.stat().st_mtime_ns), (before.st_ino, before.st_mtime_ns))
        result = self.finish(process)
        self.assertEqual(result.status, DONE, result.err)
        self.assertEqual(data.groups_finished(), 12)
        self.with_home("mpi", "show", "copied", expect=DONE)
        self.assertNotEqual(engine.stat().st_ino, before.st_ino, "now it is")

    def test_a_library_that_is_gone_is_missed_before_anything_is_measured(self):
        self.with_home("mpi", "remove", "copied")
        refused = self.with_home("run", self.campaign_file(arms=[{"library": "copied"}]), "-o", "data", expect=USAGE)
        self.assertIn("library 'copied'", refused.err)
        self.assertFalse((self.scratch / "data").exists())


class EditedOperation(CampaignTest):
    """A user who goes on with the source of an own operation while a campaign with it runs."""

    NAME = "edited-operation-test"
    GROUPS = 8

    def setUp(self):
        super().setUp()
        folder = self.scratch / "own"
        shutil.copytree(HERE.parent.parent / "docs/examples/own-operations", folder)
        self.source = folder / "allreduce_doubling.cpp"
        profile = self.profiles[self.first]
        self.remove()
        self.addCleanup(self.remove)
        # In the home of the other tests: what their engines are made of need not be compiled again.
        self.invar("mpi", "add", self.NAME, "--mpicxx", profile["mpicxx"], "--mpirun", profile["mpirun"], "--ops", folder)
        self.engine = pathlib.Path(self.listed()["engine"])

    def remove(self):
        subprocess.run([INVAR, "mpi", "remove", self.NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listed(self):
        """The profile as `invar mpi list` tells it, which builds every engine that is not what its sources are."""
        profiles = json.loads(self.invar("mpi", "list", "--format", "json").out)["profiles"]
        return next(profile for profile in profiles if profile["name"] == self.NAME)

    def which_engine(self):
        """Another one has another inode: it is renamed into its place."""
        status = self.engine.stat()
        return status.st_ino, status.st_mtime_ns, self.engine.read_bytes()

    def test_the_campaign_goes_on_with_the_engine_that_it_began_with(self):
        campaign = self.campaign_file(launches=self.GROUPS, cells=[{"operation": "allreduce_doubling", "size": 65536}],
                                      arms=[{"library": self.NAME}, {"library": self.NAME}])
        before = self.which_engine()
        # Halted, so that it is under way for as long as the other shell looks; its ranks go on.
        process, data = self.start_and_halt(
            lambda: (self.start("run", campaign, "-o", "data"), Campaign(self.scratch / "data")),
            lambda data: 1 <= data.groups_finished() < self.GROUPS - 1, "a group with others to come")
        begun = data.groups_finished()
        self.source.write_text(self.source.read_text() + "// edited\n")
        listed = self.listed()
        self.assertEqual(listed["state"], "does not work")
        self.assertIn("something measures with its engine", listed["problem"])
        self.assertEqual(self.which_engine(), before, "it is not built under the campaign")
        os.kill(process.pid, signal.SIGCONT)
        result = self.finish(process)
        self.assertEqual(result.status, DONE, result.err)
        self.assertNotIn("has changed", result.err)
        self.assertEqual(self.which_engine(), before)
        # Not a group is lost, and those after the edit are of the same engine.
        self.assertLess(begun, self.GROUPS)
        self.assertEqual([line["complete"] for line in data.manifest("group")], [True] * self.GROUPS)
        self.assertEqual(data.manifest("discarded"), [])
        self.assertNotIn("has changed", json.dumps(data.manifest("warning")))
        for arm in data.manifest("arm"):
            self.assertIn(str(self.engine), arm["checksums"])
            self.assertIn(str(self.source.resolve()), arm["checksums"])
        self.assertIn("complete and whole", self.invar("verify", "data", expect=DONE).out)
        self.assert_nothing_runs()
        # Now that nothing measures with it, the same command builds it.
        listed = self.listed()
        self.assertEqual((listed["state"], listed["problem"]), ("ready", ""))
        self.assertNotEqual(self.which_engine()[:2], before[:2])


if __name__ == "__main__":
    main()
