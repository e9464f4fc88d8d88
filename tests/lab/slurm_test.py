"""Campaigns inside a job of Slurm: the hosts are the job's, and srun starts the ranks."""

import json
import os
import re

from lab_support import LabTest, SETTINGS
from slurm import Slurm, why_not
from support import Campaign, DONE, main


class SlurmJobTest(LabTest):
    HOSTS = 2
    WHY_NOT = LabTest.WHY_NOT + (why_not,)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.slurm = Slurm(cls.lab, os.path.join(os.environ.get("INVAR_LAB", "/tmp/invar-lab"), "slurm"))
        cls.addClassCleanup(cls.slurm.close)

    def environment(self, extra=None):
        return super().environment(dict(self.slurm.environment(), **(extra or {})))

    def in_job(self, *words, job):
        return self.finish(self.start(*words, before=["salloc", "--quiet"] + job))

    def check_campaign(self, name, places):
        campaign = Campaign(self.scratch / name)
        for launch in campaign.launches():
            self.assertEqual([place["host"] for place in launch.environment()["map"]], places)
        self.assertEqual({launch.number for launch in campaign.launches()}, {int(row["launch"]) for row in campaign.plan()})
        self.invar("verify", name, expect=DONE)
        return campaign

    def test_srun_starts_both_libraries_by_turns_on_the_hosts_of_the_job(self):
        path = self.hosts_campaign([{"operation": "allreduce", "size": [8, 1024], "nodes": 2, "ppn": 1}],
                                   engine={"hosts": None, "launcher": "srun"})
        result = self.in_job("run", path, "-o", "data", job=["--nodes=2", "--ntasks-per-node=1"])
        self.assertIn(result.status, (DONE, 1), result.err)
        self.assertIn("2 ranks, 2 hosts", result.err)
        self.check_campaign("data", ["node1", "node2"])

    def test_srun_starts_intel_mpi(self):
        if "intel" not in self.profiles:
            self.skipTest("Intel MPI is not installed (invar mpi install intel)")
        path = self.hosts_campaign([{"operation": "allreduce", "size": [8, 1024], "nodes": 2, "ppn": 1}], launches=1,
                                   engine={"hosts": None, "launcher": "srun"}, arms=self.arms("intel"))
        result = self.in_job("run", path, "-o", "data", job=["--nodes=2", "--ntasks-per-node=1"])
        self.assertIn(result.status, (DONE, 1), result.err)
        self.check_campaign("data", ["node1", "node2"])

    def test_slots_are_the_tasks_of_the_job(self):
        path = self.hosts_campaign([{"operation": "bcast", "size": 8}], engine={"hosts": None, "launcher": "srun"}, launches=1)
        result = self.in_job("run", path, "-o", "data", job=["--nodes=2", "--ntasks-per-node=2", "--overcommit"])
        self.assertIn(result.status, (DONE, 1), result.err)
        self.check_campaign("data", ["node1", "node1", "node2", "node2"])

    def test_the_libraries_own_launchers_take_the_hosts_of_the_job_as_well(self):
        path = self.hosts_campaign([{"operation": "bcast", "size": 8, "nodes": 2, "ppn": 1}], engine={"hosts": None},
                                   launches=1)
        result = self.in_job("run", path, "-o", "data", job=["--nodes=2", "--ntasks-per-node=1"])
        self.assertIn(result.status, (DONE, 1), result.err)
        self.check_campaign("data", ["node1", "node2"])

    def test_doctor_tries_what_run_would_do_on_the_hosts_of_the_job(self):
        # Nobody but the lab's own settings tells the libraries their network here.
        settings = {}
        for name in self.names:
            settings.update({key.split(":")[-1]: value for key, value in SETTINGS[name].items()})
        # Every library that is ready is tried; those from PyPI are not told the lab's network.
        profiles = self.scratch / "home" / "profiles"
        profiles.mkdir(parents=True)
        for name in self.names:
            (profiles / name).symlink_to(os.path.join(os.environ["INVAR_HOME"], "profiles", name))
        settings["INVAR_HOME"] = str(profiles.parent)
        process = self.start("doctor", "--format", "json", env=settings,
                             before=["salloc", "--quiet", "--nodes=2", "--ntasks-per-node=1"])
        result = self.finish(process)
        self.assertEqual(result.status, DONE, result.err)
        able = next(what for what in json.loads(result.out)["healthy"] if "by turns: yes" in what)
        self.assertIn("on node1, node2", able)
        for name in self.names:
            self.assertRegex(able, r"[(, ]%s[,)]" % re.escape(name), result.out)
            self.assertIn(name + " by srun", able, result.out)


if __name__ == "__main__":
    main()
