"""Campaigns inside a job of Slurm: the hosts are the job's, and srun starts the ranks."""

import os
import unittest

from lab_support import LabTest
from slurm import Slurm, why_not
from support import Campaign, DONE


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


if __name__ == "__main__":
    unittest.main()
