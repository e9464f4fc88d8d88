"""Campaigns on simulated machines (SimGrid): times are what the platform's file says, twice the same, whatever this machine
does meanwhile; and what a simulation cannot do is refused with the reason."""

import json
import subprocess
import unittest

from support import FAILED, GLOBAL_INVALID, USAGE, WARM_UP, CampaignTest, libraries, main

# A look at the clock.
WTIME_S = 1e-8
# Of the cluster below: a route crosses two links of it.
LATENCY_S, BANDWIDTH_B_S = 2 * 5e-6, 1.25e9
# From so many bytes on a send waits for its receive.
DETACHED_B = 65536

# Section: the sizes above it have the overheads a + b s, of sends and of receives; factors of bandwidth and latency hold from
# 16 bytes above it, the envelope of a message.
SECTIONS = [(0, (1.0e-6, 2.0e-10), (1.5e-6, 3.0e-10), 0.4, 1.5), (1420, (2.5e-6, 1.0e-10), (3.5e-6, 2.0e-10), 0.5, 2.5),
            (33000, (9e-6, 1.3e-10), (7e-6, 2.3e-10), 0.7, 3.5)]
ENVELOPE_B = 16

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config id="General">
    <prop id="smpi/async-small-thresh" value="4096"/>
    <prop id="smpi/send-is-detached-thresh" value="%d"/>
    <prop id="smpi/wtime" value="%r"/>
    <prop id="smpi/os" value="%s"/>
    <prop id="smpi/ois" value="%s"/>
    <prop id="smpi/or" value="%s"/>
    <prop id="smpi/bw-factor" value="%s"/>
    <prop id="smpi/lat-factor" value="%s"/>
  </config>
  <zone id="world" routing="Full">
    <cluster id="c" prefix="node-" suffix=".x" radical="0-%d" speed="1Gf" bw="1.25GBps" lat="5us" sharing_policy="SPLITDUPLEX"/>
  </zone>
</platform>
"""


def platform_text(hosts=8, wtime_s=WTIME_S):
    sends = ";".join("%d:%r:%r" % (above, *send) for above, send, _, _, _ in SECTIONS)
    receives = ";".join("%d:%r:%r" % (above, *receive) for above, _, receive, _, _ in SECTIONS)

    def factors(which):
        return ";".join("%d:%r" % (one[0] and one[0] + ENVELOPE_B, one[which]) for one in SECTIONS)

    return PLATFORM % (DETACHED_B, wtime_s, sends, sends, receives, factors(3), factors(4), hosts - 1)


def section_of(size, envelope=0):
    return [one for one in SECTIONS if size + envelope > one[0] + (envelope if one[0] else 0) or one[0] == 0][-1]


def half_round_trip_s(size):
    """What a message takes on that platform (SimGrid's SMPI, read in its source): eager with both overheads, else without."""
    _, send, receive, bandwidth, latency = section_of(size)
    travel = LATENCY_S * latency + (size + ENVELOPE_B) / (BANDWIDTH_B_S * bandwidth)
    if size >= DETACHED_B:
        return travel
    return send[0] + send[1] * size + travel + receive[0] + receive[1] * size


class SimulatorTest(CampaignTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        simulators = libraries(simulators=True)
        if not simulators:
            raise unittest.SkipTest("SimGrid is not installed")
        cls.simulator = sorted(simulators)[0]
        cls.wrapper = simulators[cls.simulator]["mpicxx"]

    def platform(self, name="platform.xml", **keys):
        return self.write(name, platform_text(**keys))

    def arm(self, label=None, **settings):
        arm = {"library": self.simulator, "settings": settings}
        return dict(arm, label=label) if label else arm


class Times(SimulatorTest):
    def test_a_ping_pong_takes_what_the_platform_says(self):
        # Around every boundary, and where a section has none near. A rank that came too early waits for the other one: the
        # shortest is that of ranks that came together. Long messages would show every start that is not common.
        sizes = [1, 64, 1024, 1420, 1421, 4095, 4096, 20000, 33000, 33001, 65535, 65536, 1048576]
        campaign, _ = self.run_campaign(
            launches=1, rounds=2, repetitions=5, arms=[self.arm(platform=str(self.platform()))],
            cells=[{"operation": "pingpong", "size": [size for size in sizes if size < DETACHED_B], "sync": "none"},
                   {"operation": "pingpong", "size": [size for size in sizes if size >= DETACHED_B], "sync": "round-time"}])
        size_of = {int(row["cell"]): int(row["size_bytes"]) for row in campaign.plan()}
        self.assertEqual(sorted(size_of.values()), sizes)
        shortest_ps = {}
        for launch in campaign.launches():
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            for timing in launch.timings():
                size = size_of[cell_of[timing.visit]]
                shortest_ps[size] = min(shortest_ps.get(size, timing.local_max_ps), timing.local_max_ps)
                self.assertEqual(timing.flags & GLOBAL_INVALID, 0, "all ranks read one clock")
        self.assertEqual(sorted(shortest_ps), sizes)
        for size, found_ps in shortest_ps.items():
            expected_ps = 1e12 * (2 * half_round_trip_s(size) + WTIME_S)
            self.assertAlmostEqual(found_ps / expected_ps, 1, delta=1e-6, msg="%d bytes" % size)

    def test_the_same_campaign_takes_the_same_times(self):
        arms = [self.arm(platform=str(self.platform()))]
        cells = [{"operation": ["bcast", "allreduce", "oneway", "empty"], "size": [8, 65536], "ranks": [2, 5, 8]}]
        runs = [self.run_campaign("data%d" % i, launches=2, rounds=2, repetitions=4, arms=arms, cells=cells)[0] for i in range(2)]
        times = [[(launch.number, launch.timings()) for launch in run.launches()] for run in runs]
        self.assertGreater(len(times[0][0][1]), 100)
        self.assertEqual(times[0], times[1])
        # Launches of one campaign are alike, too, wherever their buffers lie.
        by_cell = [{}, {}]
        for launch, found in zip(runs[0].launches(), by_cell):
            cell_of = {visit["visit"]: visit["cell"] for visit in launch.visits()}
            for timing in launch.timings():
                if not timing.flags & WARM_UP:
                    found.setdefault(cell_of[timing.visit], set()).add(timing.local_max_ps)
        self.assertEqual(by_cell[0].keys(), by_cell[1].keys())

    def test_ranks_are_on_the_hosts_of_the_platform(self):
        named = ["node-3.x:2", "node-1.x:2"]
        campaign, _ = self.run_campaign(launches=1, rounds=1, repetitions=2, arms=[self.arm(platform=str(self.platform()))],
                                        engine={"hosts": named}, cells=[{"operation": "allreduce", "size": 8, "ranks": 4}])
        placed = [one["host"] for one in campaign.launches()[0].environment()["map"]]
        self.assertEqual(placed, ["node-3.x", "node-3.x", "node-1.x", "node-1.x"])
        # As many as the platform has where nobody says more: not as many as this machine has cores.
        path = self.write("all.toml", 'schema = 1\nname = "all"\nseed = 1\n[design]\nlaunches = 1\nrounds = 1\nrepetitions = 2\n'
                          '[[cells]]\noperation = "barrier"\n[[arm]]\nlibrary = "%s"\nsettings = { platform = "platform.xml" }\n'
                          % self.simulator)
        self.invar("run", path, "-o", "all")
        launch = next((self.scratch / "all" / "launches").iterdir())
        self.assertEqual(len(json.loads((launch / "env.json").read_text())["map"]), 8)


class Races(SimulatorTest):
    def test_two_algorithms_of_a_collective_race(self):
        platform = str(self.platform())
        arms = ["%s=%s:platform=%s,smpi/bcast=%s" % (label, self.simulator, platform, algorithm)
                for label, algorithm in (("flat", "flattree"), ("tree", "binomial_tree"))]
        self.invar("race", *arms, "--operation", "bcast", "--size", "8", "--ranks", "8", "--fixed", "--budget", "20s", "-o", "data")
        answer = json.loads(self.invar("compare", "data", "--format", "json").out)
        # Seven overheads of 1 us and one way of 15 us; three ways, one behind the other.
        self.assertEqual([(cell["arm_a"], cell["verdict"]) for cell in answer["cells"] if cell["regime"] is None],
                         [("flat", "faster")])


class Refusals(SimulatorTest):
    def refused(self, *reasons, arms=None, **keys):
        platform = str(self.platform())
        path = self.campaign_file(arms=arms or [self.arm(platform=platform)], **keys)
        result = self.invar("run", path, "-o", "data", expect=USAGE)
        for reason in reasons:
            self.assertIn(reason, result.err)

    def test_what_no_simulation_can_do(self):
        self.refused("simulated ranks begin together by messages", "simulated ranks live in the time of MPI_Wtime",
                     "a simulated machine has no caches", "in a simulation computing takes no time",
                     "is a matter of processes and hosts", engine={"sync": "barrier", "clock": "tsc", "aslr": "off"},
                     cells=[{"operation": "allreduce", "size": 8, "cache": "cold-flush"},
                            {"operation": "iallreduce", "size": 8, "compute": "1us"}])

    def test_settings_that_are_none(self):
        platform = str(self.platform())
        self.refused("has no control variable 'smpi/bcats'", "smpi/bcast", arms=[self.arm(**{"platform": platform, "smpi/bcats": "x"})])
        self.refused("smpi/np is what every launch says itself", arms=[self.arm(**{"platform": platform, "smpi/np": "3"})])
        self.refused("nothing says which machine is simulated", arms=[self.arm()])
        self.refused("there is no such file", arms=[self.arm(platform="elsewhere.xml")])
        self.refused("has no algorithm 'by_pigeon'", arms=[self.arm(**{"platform": platform, "smpi/bcast": "by_pigeon"})])

    def test_time_that_stands_still(self):
        still = self.platform("still.xml", wtime_s=0.0)
        self.refused("a look at the clock takes no time", arms=[self.arm(platform=str(still))])

    def test_real_and_simulated_arms(self):
        self.refused("runs on real hosts and other arms are simulated",
                     arms=[{"library": self.first}, self.arm(platform=str(self.platform()))])
        self.refused("no arm is one", arms=[{"library": self.first}], engine={"pinning": "simulated"})

    def test_hosts_that_the_platform_lacks(self):
        self.refused("has no host 'node-9.x'", engine={"hosts": ["node-9.x", "node-1.x"]})
        self.refused("9 ranks need more cores than the 8 of 8 hosts", cells=[{"operation": "barrier", "ranks": 9}])


class Failures(SimulatorTest):
    def test_a_deadlock_is_a_failed_launch(self):
        source = self.write("stuck.cpp", "#include <mpi.h>\nint main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n"
                            "  MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                            "  MPI_Finalize();\n}\n")
        program = self.scratch / "stuck"
        subprocess.run([self.wrapper, "-std=c++20", str(source), "-o", str(program)], check=True)
        result = self.invar("mpi", "run", self.simulator, "--", program, expect=FAILED)
        self.assertIn("Deadlock detected", result.err)

    def test_operations_are_right(self):
        for ranks in (2, 5):
            result = self.invar("mpi", "run", self.simulator, "--ranks", str(ranks), "--", "--check", "--counts", "0,1,3,1024")
            self.assertNotIn("wrong", result.out)


if __name__ == "__main__":
    main()
