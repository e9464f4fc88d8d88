"""A launcher that allows one launch at a time: turns are refused before anything is measured, launches one after the
other are not."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "campaign"))

from support import Campaign, CampaignTest, DONE, INVAR, USAGE, main  # noqa: E402

HOME = str(pathlib.Path(os.environ.get("INVAR_HOME", "build/invar-home")).resolve().parent / "one-launch-home")


class OneLaunchAtATimeTest(CampaignTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("flock") is None:
            raise unittest.SkipTest("no program flock here")
        profile = cls.profiles[cls.first]
        cls.lock = os.path.join(HOME, "busy")
        shutil.rmtree(HOME, ignore_errors=True)
        # With the engines that are built already: the new profile takes what they have in common.
        shutil.copytree(os.environ["INVAR_HOME"], HOME, symlinks=True)
        template = "flock -n %s %s -n {ranks} {env} {program} {args}" % (cls.lock, profile["mpirun"])
        words = [INVAR, "mpi", "add", "lone", "--mpicxx", profile["mpicxx"], "--launch", template]
        subprocess.run(words, env=dict(os.environ, INVAR_HOME=HOME), check=True, stdout=subprocess.DEVNULL)

    def environment(self, extra=None):
        return super().environment(dict({"INVAR_HOME": HOME}, **(extra or {})))

    def arms(self):
        return [{"library": "lone", "label": "a"}, {"library": "lone", "label": "b"}]

    def test_turns_are_refused_where_they_are_written(self):
        path = self.campaign_file(arms=self.arms(), engine={"pairing": "turns"})
        line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if text.startswith("pairing"))
        result = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertIn("campaign.toml:%d:" % line, result.err)
        self.assertIn('pairing = "launches"', result.err)
        self.assertFalse((self.scratch / "data").exists())
        self.assert_nothing_runs()

    def test_launches_one_after_the_other_are_measured(self):
        self.campaign_file(arms=self.arms(), engine={"pairing": "launches"})
        result = self.invar("run", "campaign.toml", "-o", "data", expect=None)
        self.assertIn(result.status, (DONE, 1), result.err)
        self.assertEqual(len(Campaign(self.scratch / "data").launches()), 6)
        self.invar("verify", "data")

    def test_doctor_says_so(self):
        self.assertIn("by turns: no with lone", self.invar("doctor").out)


if __name__ == "__main__":
    main()
