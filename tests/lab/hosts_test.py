"""Campaigns on three hosts, for what they do; how long things take says nothing where hosts share cores."""

import json
import os
import pathlib
import re
import signal
import statistics
import subprocess

from lab_support import LabTest, SETTINGS
from support import Campaign, DONE, ERROR_UNSTATED, FAILED, GLOBAL_INVALID, INVAR, LATE, LOST, PROBED, USAGE, WARM_UP, main


class SeveralHostsTest(LabTest):
    def measured(self, path, expect=DONE):
        result = self.invar("run", path, "-o", "data", expect=expect)
        return Campaign(self.scratch / "data"), result

    def test_ranks_are_on_the_hosts_that_the_campaign_names(self):
        path = self.hosts_campaign([{"operation": ["allreduce", "bcast"], "size": [8, 1024], "nodes": [1, 2, 3], "ppn": 1}])
        campaign, result = self.measured(path)
        self.assertIn("3 ranks, 3 hosts", result.err)
        self.assertIn("3 ranks, 3 hosts", result.out)
        self.assertNotIn("shared memory", result.out)
        for launch in campaign.launches():
            environment = launch.environment()
            self.assertEqual([place["host"] for place in environment["map"]], self.lab.hosts)
            self.assertEqual(environment["hosts_count"], 3)
            self.assertEqual(len(environment["hosts"]), 3, "metadata of every host")
            self.assertEqual(len(environment["network_during"]), 3)
            self.assertEqual(launch.end()["type"], "end")
        self.assertEqual({launch.number for launch in campaign.launches()},
                         {int(row["launch"]) for row in campaign.plan()})
        self.invar("verify", "data")

    def test_cells_take_parts_of_the_hosts_in_the_order_that_they_ask_for(self):
        path = self.hosts_campaign([{"operation": "allreduce", "size": 64, "nodes": [1, 2, 3], "ppn": [1, 2],
                                     "mapping": ["packed", "round-robin"]}], launches=1, rounds=2, repetitions=5,
                                   engine={"sync": "dissemination"})
        campaign, _ = self.measured(path)
        cells = {}
        for row in campaign.plan():
            cells[int(row["cell"])] = row
        self.assertEqual({(int(row["nodes"]), int(row["ppn"])) for row in cells.values()},
                         {(n, p) for n in (1, 2, 3) for p in (1, 2)})
        for launch in campaign.launches():
            self.assertEqual([place["host"] for place in launch.environment()["map"]],
                             [host for host in self.lab.hosts for _ in range(2)])
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            ranks = {}
            for record in launch.rank_ticks():
                ranks.setdefault(cell_of[record.visit], set()).add(record.rank)
            for cell, row in cells.items():
                self.assertEqual(len(ranks[cell]), int(row["ranks"]), row)
            # No common clock: neither global run-times nor skews are claimed between hosts.
            for timing in launch.timings():
                several = int(cells[cell_of[timing.visit]]["nodes"]) > 1
                self.assertTrue(not several or timing.flags & GLOBAL_INVALID)
        self.invar("verify", "data")

    def test_every_way_to_connect_measures_with_hosts_that_stand_by_and_on_the_world(self):
        """Hosts without a member get the word that a visit is over, whatever was connected before."""
        for number, (nodes, engine) in enumerate((([1, 3], {"connect": "pattern"}), ([1, 3], {"connect": "none", "progress": "none"}),
                                                  (3, {"connect": "pattern", "communicator": "world"}))):
            path = self.hosts_campaign([{"operation": ["allreduce", "bcast"], "size": 1024, "nodes": nodes, "ppn": 1}],
                                       engine=dict(engine, verification=1), launches=1, rounds=2, repetitions=5)
            campaign = Campaign(self.scratch / ("data-%d" % number))
            self.invar("run", path, "-o", campaign.path, expect=DONE)
            for launch in campaign.launches():
                planned = [int(row["visit"]) for row in campaign.plan() if int(row["launch"]) == launch.number]
                self.assertEqual([visit["visit"] for visit in launch.visits()], planned)
                self.assertTrue(all(visit["checked"] for visit in launch.visits()))
            self.invar("verify", campaign.path)

    def arm_with_handover(self):
        """An arm whose engine has the operation of tests/campaign/operations: rank 1 gives, rank 2 takes, all others stand by."""
        library = self.names[0]
        name = "test-standing-" + library
        profile = self.profiles[library]
        operations = pathlib.Path(__file__).resolve().parent.parent / "campaign" / "operations"
        self.addCleanup(subprocess.run, [INVAR, "mpi", "remove", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([INVAR, "mpi", "add", name, "--mpicxx", profile["mpicxx"], "--mpirun", profile["mpirun"], "--ops",
                        str(operations)], check=True, stdout=subprocess.DEVNULL)
        return {"library": name, "label": "own", "settings": SETTINGS[library]}

    def test_hosts_of_several_ranks_without_a_member_stand_by_and_are_checked(self):
        """The first rank of such a host gets the word that a visit is over, and wakes the other. Of handover's ranks on node3,
        which stand by, every visit is checked as well."""
        arm = self.arm_with_handover()
        for progress in ("probe", "none"):
            path = self.hosts_campaign([{"operation": "allreduce", "size": 1024, "nodes": 1, "ppn": 1},
                                        {"operation": ["allreduce", "handover"], "size": 1024, "nodes": 3, "ppn": 2}],
                                       engine={"progress": progress, "verification": 1, "oversubscribe": True}, arms=[arm],
                                       launches=1, rounds=3, repetitions=5)
            campaign = Campaign(self.scratch / ("standing-" + progress))
            self.invar("run", path, "-o", campaign.path, expect=DONE)
            self.assertEqual(campaign.manifest("failed_cell"), [])
            for launch in campaign.launches():
                self.assertEqual([place["host"] for place in launch.environment()["map"]],
                                 [host for host in self.lab.hosts for _ in range(2)])
                planned = [int(row["visit"]) for row in campaign.plan() if int(row["launch"]) == launch.number]
                self.assertEqual([visit["visit"] for visit in launch.visits()], planned)
                self.assertTrue(all(visit["checked"] for visit in launch.visits()))
                self.assertEqual(launch.environment().get("progress"), progress)
                if progress == "none":
                    self.assertFalse(any(timing.flags & PROBED for timing in launch.timings()), "to look for the word is not a flag")
            self.invar("verify", campaign.path)

    def test_traffic_on_hosts_without_a_member_ends_with_the_visit(self):
        """Reversed, the first rank of such a host, which gets the word that a visit is over, is the one of its pair that the other
        one tells when to end; and that one knows it from the first."""
        path = self.hosts_campaign([{"operation": "pingpong", "size": 64, "nodes": 3, "ppn": 2, "rank-order": ["natural", "reversed"],
                                     "others": ["traffic", "receiving"]}],
                                   engine={"verification": 1, "oversubscribe": True, "sync": "dissemination"}, launches=1, rounds=2,
                                   repetitions=5)
        # Nobody compares clocks where ranks share cores, so that a round trip which another host reads has no unit (3).
        campaign, result = self.measured(path, expect=None)
        self.assertIn(result.status, (DONE, FAILED), result.err)
        self.assertEqual(campaign.manifest("failed_cell"), [])
        for launch in campaign.launches():
            planned = [int(row["visit"]) for row in campaign.plan() if int(row["launch"]) == launch.number]
            self.assertEqual([visit["visit"] for visit in launch.visits()], planned)

    def test_a_host_without_a_member_tells_that_it_called_its_library(self):
        """No member sees it: calls that last for milliseconds, by one rank, whose host has no other."""
        for progress in ("probe", "none"):
            path = self.hosts_campaign([{"operation": "allreduce", "size": "16MiB", "nodes": 1, "ppn": 1},
                                        {"operation": "bcast", "size": 8, "nodes": 3, "ppn": 1}],
                                       engine={"progress": progress}, launches=1, rounds=2, repetitions=5)
            campaign = Campaign(self.scratch / ("calls-" + progress))
            self.invar("run", path, "-o", campaign.path, expect=DONE)
            alone = {int(row["visit"]) for row in campaign.plan() if row["nodes"] == "1"}
            for launch in campaign.launches():
                flags = [timing.flags & PROBED for timing in launch.timings() if timing.visit in alone]
                self.assertGreaterEqual(len(flags), 2 * 5)
                self.assertEqual(any(flags), progress == "probe")

    def test_on_no_host_do_two_arms_measure_at_the_same_time(self):
        path = self.hosts_campaign([{"operation": ["allreduce", "barrier"], "size": 1024, "nodes": 3, "ppn": 1}], rounds=4,
                                   launches=1)
        campaign, _ = self.measured(path)
        spans = {}  # host -> (begin, end, arm, turn); the hosts of a lab share the TSC
        for launch in campaign.launches():
            places = [place["host"] for place in launch.environment()["map"]]
            turn_of = {visit["visit"]: visit["turn"] for visit in launch.visits()}
            visits = {}
            for record in launch.rank_ticks():
                begin, end = visits.get((places[record.rank], record.visit), (record.start_ticks, record.end_ticks))
                visits[places[record.rank], record.visit] = min(begin, record.start_ticks), max(end, record.end_ticks)
            for (host, visit), (begin, end) in visits.items():
                spans.setdefault(host, []).append((begin, end, launch.arm, turn_of[visit]))
        self.assertEqual(sorted(spans), self.lab.hosts)
        for host, visits in spans.items():
            visits.sort()
            for (_, end, arm, turn), (begin, _, next_arm, next_turn) in zip(visits, visits[1:]):
                self.assertLess(end, begin, "%s: %s is not over when %s begins" % (host, arm, next_arm))
                self.assertLess(turn, next_turn, host)
            self.assertGreater(sum(a[2] != b[2] for a, b in zip(visits, visits[1:])), len(visits) // 3)

    def test_a_host_file_names_the_hosts_as_well(self):
        self.write("nodes", "# two of three\nnode2\n\nnode3 slots=1 max_slots=2\n")
        path = self.hosts_campaign([{"operation": "bcast", "size": 8}], engine={"hosts": None, "hostfile": "nodes"},
                                   launches=1)
        text = path.read_text().replace("hostfile", 'oversubscribe = true\nhostfile')
        path.write_text(text)
        campaign, result = self.measured(path)
        self.assertRegex(result.err, r"\d ranks?, 2 hosts")
        self.assertEqual({p["host"] for p in campaign.launches()[0].environment()["map"]}, {"node2", "node3"})
        # What is kept needs the file no longer.
        self.assertIn('hosts = ["node2", "node3:1"]', (campaign.path / "campaign.toml").read_text())

    def test_settings_of_an_arm_reach_all_hosts(self):
        arms = self.arms("plain=openmpi", "set=openmpi") if "openmpi" in self.names else self.arms("plain=mpich", "set=mpich")
        arms[1]["settings"] = dict(arms[1]["settings"], **{"env:INVAR_TEST_SETTING": "with space, comma; and = sign"})
        path = self.hosts_campaign([{"operation": "bcast", "size": 8, "nodes": 3, "ppn": 1}], arms=arms, launches=1)
        self.measured(path)  # every rank compares its environment with the arm's

    def test_virtual_clocks_on_several_hosts_are_refused(self):
        path = self.hosts_campaign([{"operation": "bcast", "size": 8, "nodes": 3, "ppn": 1}])
        path.write_text(path.read_text() + "\n[clock.virtual]\nskew = 1e-5\n")
        result = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertIn("[clock.virtual] is for ranks of one host", result.err)
        self.assertFalse((self.scratch / "data").exists())

    def test_clocks_of_hosts_that_are_seconds_apart_make_one_time(self):
        """Each host has a time namespace of its own: CLOCK_MONOTONIC_RAW differs by 1000 s and more."""
        path = self.hosts_campaign([{"operation": "allreduce", "size": 8, "nodes": 3, "ppn": 1}], launches=1, rounds=4,
                                   engine={"clock": "monotonic-raw"})
        campaign, _ = self.measured(path)
        for launch in campaign.launches():
            models = launch.clock_models()
            self.assertEqual({model["rank"] for model in models}, {"0", "1", "2"})
            offsets_s = [abs(int(model["offset_ps"])) / 1e12 for model in models if model["rank"] != "0"]
            # What the launches' own origins, which are as far apart, leave of it.
            self.assertLess(max(offsets_s), 100)
            for timing in launch.timings():
                if timing.flags & GLOBAL_INVALID:
                    continue
                self.assertLess(0, timing.global_ps)
                self.assertLess(timing.global_ps, 1e12, "clocks are in one time")
        self.invar("verify", "data")

    def test_a_rank_that_dies_on_one_host_takes_the_launches_on_all_hosts_along(self):
        for library in self.names:
            with self.subTest(library=library):
                self.end_one_rank(library)

    def end_one_rank(self, library):
        path = self.hosts_campaign([{"operation": "allreduce", "size": 8, "nodes": 3, "ppn": 1}],
                                   arms=self.arms("one=" + library, "two=" + library), launches=1, rounds=3000,
                                   repetitions=50)
        process = self.start("run", path, "-o", "dies-" + library)
        launches = self.scratch / ("dies-" + library) / "launches"
        ended = set()
        for _ in ("its own try", "the one that the run gives a group that failed"):
            ranks = self.wait_for(lambda: self.measuring_ranks(launches, ended), "six ranks that measure", process)
            victim = next(pid for pid in ranks if self.host_of(pid) == self.time_of("node3"))
            os.kill(victim, signal.SIGKILL)
            ended.update(ranks)
        result = self.finish(process)
        self.assertEqual(result.status, FAILED, result.err)
        self.assert_nothing_runs()
        pages = [name for name in os.listdir("/dev/shm") if re.match(r"invar-[0-9a-f]{8}-%d-" % process.pid, name)]
        self.assertEqual(pages, [])

    def measuring_ranks(self, launches, ended):
        """The ranks of both launches once both measure and none of an earlier try is left; None before."""
        measuring = [path for path in launches.glob("*/journal.jsonl") if path.stat().st_size > 0]
        ranks = set(self.processes(ranks_only=True))
        return ranks if len(measuring) == 2 and len(ranks) == 6 and not ranks & ended else None

    def host_of(self, pid):
        return os.readlink("/proc/%d/ns/time" % pid)

    def time_of(self, host):
        return self.host_of(int((self.lab.directory / (host + ".pid")).read_text()))


class TwoHostsWithACoreEachTest(LabTest):
    HOSTS = 2

    def setUp(self):
        super().setUp()
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("two hosts need two cores")
        self.cpus = cpus[:2]
        self.lab.give_cores(self.cpus)

    def test_each_host_binds_to_what_it_may_use_and_the_comparison_answers(self):
        path = self.hosts_campaign([{"operation": ["allreduce", "bcast"], "size": [8, 4096], "nodes": 2, "ppn": 1}],
                                   engine={"pinning": "core"}, launches=4, rounds=6, repetitions=30)
        result = self.invar("run", path, "-o", "data", expect=None)
        self.assertIn(result.status, (0, 1), result.err)
        for launch in Campaign(self.scratch / "data").launches():
            self.assertEqual([(place["host"], place["cpu"]) for place in launch.environment()["map"]],
                             [("node1", self.cpus[0]), ("node2", self.cpus[1])])
        self.assertIn("2 ranks, 2 hosts", result.out)
        print(result.out)

    def test_round_time_and_windows_start_both_hosts_at_one_time(self):
        path = self.hosts_campaign([{"operation": "allreduce", "size": 8, "nodes": 2, "ppn": 1}], launches=1, rounds=3,
                                   repetitions=30, engine={"pinning": "core", "sync": ["round-time", "window", "barrier"]})
        campaign = Campaign(self.scratch / "data")
        self.invar("run", path, "-o", "data", expect=DONE)
        sync_of = {int(row["cell"]): row["sync"] for row in campaign.plan()}
        skews_ns, times_ns = {}, []
        for launch in campaign.launches():
            ticks_per_ns = launch.end()["ticks_per_s"] / 1e9
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            begins = {}
            for record in launch.rank_ticks():  # the hosts of a lab share the TSC
                begins.setdefault((record.visit, record.repetition), []).append(record.start_ticks)
            for timing in launch.timings():
                if timing.flags & (WARM_UP | LATE | LOST):
                    continue
                ticks = begins[timing.visit, timing.repetition]
                skews_ns.setdefault(sync_of[cell_of[timing.visit]], []).append((max(ticks) - min(ticks)) / ticks_per_ns)
                times_ns.append(timing.local_max_ps / 1e3)
        # Clocks differ by what messages take longer one way than back: by less than a message between the hosts takes.
        for sync in ("round-time", "window"):
            self.assertLess(statistics.median(skews_ns[sync]), statistics.median(times_ns) / 2, sync)

    def test_other_algorithms_give_global_times_near_the_truth(self):
        path = self.hosts_campaign([{"operation": "allreduce", "size": 8, "nodes": 2, "ppn": 1}], launches=1, rounds=3,
                                   repetitions=30, engine={"pinning": "core", "sync": ["round-time", "barrier"],
                                                           "clock-sync": ["hca3:duration=0.5:exchanges=10", "h2hca:duration=0.5"]})
        campaign = Campaign(self.scratch / "data")
        self.invar("run", path, "-o", "data", expect=DONE)
        arms = set()
        for launch in campaign.launches():
            arms.add(launch.arm)
            ticks_per_ps = launch.end()["ticks_per_s"] / 1e12
            begins, ends = {}, {}
            for record in launch.rank_ticks():  # the hosts of a lab share the TSC
                begins.setdefault((record.visit, record.repetition), []).append(record.start_ticks)
                ends.setdefault((record.visit, record.repetition), []).append(record.end_ticks)
            errors_ps, times_ps = [], []
            for timing in launch.timings():
                if timing.flags & (WARM_UP | LATE):
                    continue
                self.assertEqual(timing.flags & (GLOBAL_INVALID | ERROR_UNSTATED), ERROR_UNSTATED)
                place = timing.visit, timing.repetition
                truth_ps = (max(ends[place]) - min(begins[place])) / ticks_per_ps
                errors_ps.append(abs(timing.global_ps - truth_ps))
                times_ps.append(timing.local_max_ps)
            # As for starts. The origins of the hosts' clocks are milliseconds and more apart.
            self.assertLess(statistics.median(errors_ps), statistics.median(times_ps) / 2, launch.arm)
            self.assertEqual({model["rank"] for model in launch.clock_models()}, {"0", "1"})
        self.assertTrue(any("clock-h2hca" in arm for arm in arms), arms)
        self.invar("verify", "data")

    def test_without_synchronised_clocks_hosts_do_not_start_together(self):
        path = self.hosts_campaign([{"operation": "allreduce", "size": 8, "nodes": 2, "ppn": 1}], launches=1,
                                   engine={"pinning": "core", "sync": "round-time", "clock-sync": "none"})
        refused = self.invar("run", path, "-o", "data", expect=USAGE)
        self.assertRegex(refused.err, r"campaign.toml:\d+:\d+: with clock-sync \"none\", ranks that do not read one clock have no common time")
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
