"""What `make install` puts into a prefix is whole: `mpi list` and a race work from there, with no look at the checkout."""

import pathlib
import subprocess
import unittest
from unittest import mock

import support
from support import CampaignTest, main


class Installed(CampaignTest):
    def setUp(self):
        super().setUp()
        build = pathlib.Path(support.INVAR).parent
        prefix = self.scratch / "prefix"
        subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL)
        self.sources = prefix / "share" / "invar" / "engine"
        patch = mock.patch.object(support, "INVAR", str(prefix / "bin" / "invar"))
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_engine_is_built_from_the_same_sources(self):
        """An engine is known by the content of all its sources: one file less, and it would be built anew."""
        self.assertTrue((self.sources / "engine" / "main.cpp").is_file())
        listed = self.invar("mpi", "list")
        self.assertNotIn("building", listed.err)
        for name in self.profiles:
            self.assertIn(name, listed.out)

    def test_a_race_ends_with_its_answer(self):
        raced = self.invar("race", self.first, self.first, "--operation", "allreduce", "--size", "1KiB", "--budget", "8s")
        self.assertIn("allreduce", raced.out)
        self.assertIn("2 ranks, 1 host", raced.out.splitlines()[0])


if __name__ == "__main__":
    main()
