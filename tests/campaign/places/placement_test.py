"""Ranks take the cores that the campaign says, and two campaigns do not take the same ones."""

import pathlib
import signal

from support import DONE, INCOMPLETE, USAGE, Campaign, CampaignTest, main

# Before a rank: what a task of Flux's sees that starts a launch, and nothing of the launcher's own.
INSIDE_FLUX = """#!/bin/sh
for name in OMPI_COMM_WORLD MPI MV2_COMM_WORLD PALS JSM_NAMESPACE PMI; do
  unset ${name}_LOCAL_RANK ${name}_LOCAL_SIZE ${name}_LOCALRANKID ${name}_LOCALNRANKS ${name}_LOCAL_RANKID
done
FLUX_TASK_LOCAL_ID=0 exec "$@"
"""
SMALL = dict(launches=1, rounds=2, repetitions=10)
LONG = dict(launches=4, rounds=20, repetitions=200)
UNPINNED = {"pinning": "none", "sync": "dissemination"}


def numa_nodes():
    return len([path for path in pathlib.Path("/sys/devices/system/node").glob("node*") if path.name[4:].isdigit()])


def locks_of(pid):
    """The files by which this process has cores, as the kernel's list of locks tells."""
    rows = [line.split() for line in pathlib.Path("/proc/locks").read_text().splitlines()]
    inodes = {int(row[5].split(":")[2]) for row in rows if len(row) == 8 and row[4] == str(pid)}
    files = [file for folder in ("/run/lock", "/tmp") for file in pathlib.Path(folder).glob("invar-core-*.lock")]
    return {file for file in files if file.stat().st_ino in inodes}


class Placement(CampaignTest):
    def test_ranks_take_the_cores_of_their_placement_and_say_where_these_are(self):
        campaign, _ = self.run_campaign(engine={"pairing": "launches", "placement-in-host": ["packed", "spread"]}, **SMALL)
        found = {}
        for launch in campaign.launches():
            environment = launch.environment()
            level = environment.get("placement_in_host", "packed")
            self.assertEqual(level, "spread" if launch.arm.endswith("+placed-spread") else "packed")
            cpus = [place["cpu"] for place in environment["map"]]
            self.assertEqual(len(set(cpus)), len(cpus), "a core for each rank")
            self.assertEqual(found.setdefault(level, cpus), cpus, "every launch of a level has the same cores")
            self.assertRegex((launch.path / "launch.spec").read_text(), r"(?m)^cpus_host = \S", "they are claimed here")
            told = {}
            for place in environment["map"]:
                if numa_nodes():
                    self.assertIn("numa_node", place["place"])
                told.setdefault((place["host"], place["place"].get("numa_node")), []).append("network" in place["place"])
                for device in place["place"].get("network", []):
                    self.assertTrue(device["device"])
            for which in told.values():
                self.assertEqual(which, [True] + [False] * (len(which) - 1), "the lowest rank of a node tells of the devices")
        self.assertEqual(set(found), {"packed", "spread"})
        self.invar("verify", campaign.path, expect=DONE)

    def test_ranks_that_inherit_one_number_take_cores_of_their_own(self):
        inside = self.write("inside", INSIDE_FLUX)
        inside.chmod(0o755)
        home = {"INVAR_HOME": str(self.scratch / "home")}
        template = "%s -n {ranks} {env} %s {program} {args}" % (self.profiles[self.first]["mpirun"], inside)
        self.invar("mpi", "add", "inside", "--mpicxx", self.ready_wrapper(self.first), "--launch", template, env=home)
        self.invar("race", "inside", "inside", "--operation", "allreduce", "--size", "64KiB", "--ranks", "2", "--budget", "6s",
                   "-o", "data", env=home)
        for launch in Campaign(self.scratch / "data").launches():
            environment = launch.environment()
            cpus = [place["cpu"] for place in environment["map"]]
            self.assertEqual(len(set(cpus)), 2, "a core for each rank")
            self.assertNotIn(-1, cpus)
            self.assertTrue(environment["bound_after_init"])

    def test_a_placement_without_numa_is_refused_where_it_is_written(self):
        if numa_nodes() > 1:
            self.skipTest("this host has NUMA nodes")
        path = self.campaign_file(engine={"placement-in-host": "numa"}, **SMALL)
        refused = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertRegex(refused.err, r'campaign.toml:\d+:\d+: placement-in-host "numa" needs two NUMA nodes')
        self.assertFalse((self.scratch / "data").exists())

    def test_arms_that_take_turns_cannot_sit_elsewhere(self):
        path = self.campaign_file(engine={"placement-in-host": ["packed", "spread"]}, **SMALL)
        self.assertIn('write pairing = "launches"', self.invar("run", path, "-o", "data", expect=USAGE).err)


class TwoCampaigns(CampaignTest):
    def test_the_second_one_is_refused_and_told_who_has_the_cores(self):
        process = self.start("run", self.campaign_file("one.toml", **dict(LONG, launches=200)), "-o", "one")
        one = Campaign(self.scratch / "one")
        self.wait_for(lambda: one.groups_finished() >= 1, "the first group", process)
        second = self.campaign_file("two.toml", **SMALL)
        refused = self.invar("run", second, "-o", "two", expect=USAGE)
        self.assertRegex(refused.err, r"cores? [0-9, ]+ of this host (is|are) measured on by another campaign \(pid %d\)" % process.pid)
        self.assertIn("wait until it has ended", refused.err)
        self.assertFalse((self.scratch / "two").exists())
        clocks = ("clocks", "drift", "--library", self.first, "--ranks", 2, "--duration", "200ms", "--interval", "100ms",
                  "--virtual-skew", "0")
        self.assertIn("measured on by another campaign", self.invar(*clocks, expect=USAGE).err)
        # What binds no rank takes no core from anybody.
        self.invar("run", self.campaign_file("three.toml", engine=UNPINNED, **SMALL), "-o", "three", expect=None)
        for launch in Campaign(self.scratch / "three").launches():
            self.assertRegex((launch.path / "launch.spec").read_text(), r"(?m)^cpus_host = *$", "nothing is claimed")
        self.assertTrue(Campaign(self.scratch / "three").groups_finished())
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, INCOMPLETE)
        self.invar("run", second, "-o", "two", expect=DONE)

    def test_a_lock_that_was_cleaned_away_is_made_anew_before_the_next_group(self):
        process = self.start("run", self.campaign_file("one.toml", **dict(LONG, launches=200)), "-o", "one")
        one = Campaign(self.scratch / "one")
        self.wait_for(lambda: one.groups_finished() >= 1, "the first group", process)
        locks = locks_of(process.pid)
        self.assertTrue(locks)
        for lock in locks:
            lock.unlink()
        self.wait_for(lambda: locks_of(process.pid) == locks, "the same locks again", process)
        refused = self.invar("run", self.campaign_file("two.toml", **SMALL), "-o", "two", expect=USAGE)
        self.assertIn("(pid %d)" % process.pid, refused.err)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, INCOMPLETE)

    def test_of_two_that_begin_at_once_one_measures(self):
        # Long enough that the one that measures has not ended when the other one begins, however late that is.
        running = {name: self.start("run", self.campaign_file(name + ".toml", **dict(LONG, launches=200)), "-o", name)
                   for name in ("one", "two")}
        refused = self.wait_for(lambda: [name for name in running if running[name].poll() is not None], "one of them to be refused")
        self.assertEqual(len(refused), 1)
        self.assertEqual(self.finish(running.pop(refused[0])).status, USAGE)
        (name, process), = running.items()
        self.wait_for(lambda: Campaign(self.scratch / name).groups_finished() >= 1, "a group of the other one", process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, INCOMPLETE)

    def test_a_driver_that_is_killed_has_its_cores_no_more(self):
        process = self.start("run", self.campaign_file("one.toml", **dict(LONG, launches=200)), "-o", "one")
        self.wait_for(lambda: Campaign(self.scratch / "one").groups_finished() >= 1, "the first group", process)
        process.kill()
        process.wait()
        # At once: whatever of its launch is still about to end has no lock of it.
        self.invar("run", self.campaign_file("two.toml", **SMALL), "-o", "two", expect=DONE)


if __name__ == "__main__":
    main()
