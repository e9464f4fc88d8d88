"""Foreign programs as arms: their one number a run is a measurement like any other, and what goes wrong is said."""

import json
import os
import signal
import time

from support import DAMAGED, DONE, FAILED, INCOMPLETE, USAGE, Campaign, CampaignTest, main

# A program of the test's own: every process prints, as rank 0 of an MPI program does, a time that depends on the size.
PROGRAM = """#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] || exit 0
echo "a benchmark of the test"
echo "time: $((%d + $1 / 8)).5 us"
"""
PARSE = "time: ([0-9.]+) us"


class Programs(CampaignTest):
    def program(self, name, text):
        path = self.write(name, text)
        path.chmod(0o755)
        return path

    def arm(self, path, words="{size}", **more):
        return dict({"program": "%s %s" % (path, words), "parse": PARSE}, **more)

    def two_programs(self):
        return [self.arm(self.program("fast", PROGRAM % 10)), self.arm(self.program("slow", PROGRAM % 20))]

    def campaign_of(self, arms, directory="data", expect=DONE, launches=3, operation="application", engine=None):
        return self.run_campaign(directory, expect=expect, launches=launches, rounds=4, arms=arms, engine=engine,
                                 cells=[{"operation": operation, "size": [80, 160]}])

    def test_programs_are_compared_like_libraries(self):
        campaign, result = self.campaign_of(self.two_programs(), launches=4)
        self.assertIn("programs take no turns", result.err)
        self.assertIn("paired by adjacent launches", " ".join(result.out.split()), "lines are broken anywhere")
        compared = json.loads(self.invar("compare", "data", "--format", "json").out)
        self.assertEqual([arm["label"] for arm in compared["arms"]], ["fast", "slow"])
        self.assertIn("slow {size}", compared["arms"][1]["program"])
        small = compared["cells"][0]
        self.assertEqual((round(small["median_a_ns"], 6), round(small["median_b_ns"], 6)), (20500, 30500))
        self.assertEqual(small["verdict"], "faster")
        self.assertEqual(len(campaign.launches()), 8)
        for launch in campaign.launches():
            self.assertEqual([visit["records"] for visit in launch.visits()], [1, 1])
            self.assertEqual(sorted(timing.local_max_ps for timing in launch.timings()),
                             [20500000, 30500000] if launch.arm == "fast" else [30500000, 40500000])
            said = (launch.path / ("%d.stdout" % launch.visits()[0]["visit"])).read_text()
            self.assertIn("a benchmark of the test", said)
            steps = launch.environment()["printed_steps"]
            self.assertEqual([step["step_ns"] for step in steps], [100, 100])
        # Everything else knows them, too.
        self.invar("verify", "data")
        self.invar("show", "data")
        self.invar("status", "data")
        self.assertIn("slow", self.invar("env", "data").out)
        rows = self.invar("export", "data", "--to", "csv").out.splitlines()
        self.assertEqual(len(rows), 1 + 4 * 2 * 2)
        arm = campaign.manifest("arm")[0]
        self.assertEqual(arm["program"]["file"], str(self.scratch / "fast"))
        self.assertIn(str(self.scratch / "fast"), arm["checksums"])

    def test_a_program_stands_beside_our_own_measurement(self):
        program = self.program("app", PROGRAM % 1)
        result = self.invar("race", self.first, "--exec", "%s {size}" % program, "--parse", PARSE, "--operation",
                            "allreduce", "--size", "8,16", "--ranks", "2", "--budget", "4s", "-o", "data",
                            "--format", "json", expect=None)
        self.assertIn(result.status, (DONE,), result.err)
        compared = json.loads(result.out)
        self.assertEqual([arm["label"] for arm in compared["arms"]], [self.first, self.first + "+app"])
        self.assertEqual([arm["program"] is None for arm in compared["arms"]], [True, False])
        headline = [cell for cell in compared["cells"] if cell["regime"] is None]
        self.assertEqual([round(cell["median_b_ns"], 6) for cell in headline], [2500, 3500])
        self.assert_nothing_runs()

    def test_with_two_libraries_only_the_program_is_measured(self):
        program = self.program("app", PROGRAM % 1)
        self.invar("race", self.first, self.second, "--exec", "%s 8" % program, "--parse", PARSE, "--ranks", "2",
                   "--budget", "3s", "-o", "data")
        compared = json.loads(self.invar("compare", "data", "--format", "json").out)
        self.assertTrue(all(arm["program"] for arm in compared["arms"]))
        self.assertEqual([cell["operation"] for cell in compared["cells"]], ["application"])
        self.assertIsNone(compared["cells"][0]["size_bytes"])

    def test_a_run_without_a_time_is_missing_and_the_others_count(self):
        """Every fourth run of one program fails, and there are two in a group: no cell fails twice in a row."""
        flaky = self.program("flaky", "#!/bin/sh\nn=$(cat %(n)s 2>/dev/null || echo 0)\necho $((n + 1)) > %(n)s\n"
                                      "[ $((n %% 4)) = 1 ] && { echo 'out of luck' >&2; exit 7; }\n"
                                      "echo 'time: 5.5 us'\n" % {"n": self.scratch / "count"})
        steady = self.program("steady", PROGRAM % 10)
        campaign, result = self.campaign_of([self.arm(steady), self.arm(flaky)], expect=FAILED, launches=6)
        self.assertIn("ended with exit status 7", result.err)
        self.assertIn("out of luck", result.err)
        self.assertIn("3 runs of flaky gave no time", result.out)
        self.assertEqual(campaign.manifest("failed_cell"), [])
        self.invar("verify", "data")
        missed = [line for launch in campaign.launches() for line in launch.journal() if line["type"] == "missed"]
        self.assertEqual(len(missed), 3)
        compared = json.loads(self.invar("compare", "data", "--format", "json", expect=FAILED).out)
        self.assertTrue(all(round(cell["median_b_ns"], 6) == 5500 for cell in compared["cells"]))

    def test_a_program_that_never_prints_a_time_is_given_up(self):
        for name, text, said in (("silent", "exit 0", "printed no time"), ("two", "echo time: 1 us; echo time: 2 us", "2 times"),
                                 ("nan", "echo time: nan us", "'nan'"), ("zero", "echo time: 0.00 us", "time of 0.00"),
                                 ("dead", "kill -9 $$", "9")):
            with self.subTest(name):
                bad = self.arm(self.program(name, "#!/bin/sh\n%s\n" % text), parse="time: (\\S+) us")
                good = self.arm(self.program("good", PROGRAM % 10))
                campaign, result = self.campaign_of([good, bad], directory="data-" + name, expect=FAILED, launches=30)
                self.assertIn(said, result.err)
                self.assertIn("all of its cells failed", result.err)
                self.assertEqual(len(campaign.manifest("group")), 2, "twice is enough")

    def test_where_all_programs_fail_that_is_the_answer(self):
        bad = [self.arm(self.program(name, "#!/bin/sh\necho sorry\n")) for name in ("one", "two")]
        _, result = self.campaign_of(bad, expect=FAILED)
        self.assertNotIn("another suite", result.err)
        compared = self.invar("compare", "data", expect=FAILED)
        self.assertIn("nothing gave a time", compared.err)

    def test_a_program_that_hangs_is_ended(self):
        hang = self.arm(self.program("hang", "#!/bin/sh\necho begun\nsleep 1000 &\nwait\n"))
        good = self.arm(self.program("good", PROGRAM % 10))
        _, result = self.campaign_of([good, hang], expect=FAILED, launches=1, engine={"visit-limit": "1s"})
        self.assertIn("did not end within", result.err)
        self.assertIn("begun", result.err)
        self.assert_nothing_runs()

    def test_a_program_that_hangs_costs_no_more_than_its_share_of_the_budget(self):
        hang = self.arm(self.program("hang", "#!/bin/sh\nexec sleep 1000\n"))
        good = self.arm(self.program("good", PROGRAM % 10))
        path = self.campaign_file(launches=3, arms=[good, hang], cells=[{"operation": "application", "size": 80}],
                                  design='budget = "20s"\n')
        result = self.invar("run", path, "-o", "data", expect=FAILED)
        self.assertIn("did not end within 10 s", result.err)
        self.assertIn("is dropped: none of its runs ended in time", result.err)
        self.assertEqual(len(Campaign(self.scratch / "data").manifest("dropped_arm")), 1)
        self.assertEqual(result.err.count("in 'hang' gave no time"), 1)
        self.assert_nothing_runs()

    def test_a_program_that_floods_its_output_is_ended(self):
        flood = self.arm(self.program("flood", "#!/bin/sh\nexec yes 'time: 5.5 us'\n"))
        good = self.arm(self.program("good", PROGRAM % 10))
        campaign, result = self.campaign_of([good, flood], expect=FAILED, launches=1)
        self.assertIn("printed more than 64 MiB", result.err)
        self.assertIn("last words", result.err)
        sizes = [path.stat().st_size for path in campaign.path.rglob("*.stdout")]
        self.assertEqual(max(sizes), 64 << 20)
        self.assert_nothing_runs()

    def make_cpus(self):
        """A made-up /sys in which all CPUs of this process can be told a governor."""
        sys = self.scratch / "sys"
        for cpu in os.sched_getaffinity(0):
            folder = sys / ("devices/system/cpu/cpu%d/cpufreq" % cpu)
            folder.mkdir(parents=True)
            for name, text in (("scaling_governor", "schedutil"), ("scaling_available_governors", "performance schedutil"),
                               ("scaling_min_freq", "800000"), ("scaling_max_freq", "3600000")):
                (folder / name).write_text(text + "\n")
        return {"INVAR_SYSFS_ROOT": str(sys)}, sys

    def governors(self, sys):
        return {path.read_text().strip() for path in sys.rglob("scaling_governor")}

    def test_a_program_runs_at_the_frequency_of_its_variant(self):
        """Its time says which governor it found, on every CPU that it may run on."""
        env, sys = self.make_cpus()
        program = self.program("app", "#!/bin/sh\ncase $(sort -u %s/devices/system/cpu/cpu*/cpufreq/scaling_governor) in\n"
                                      "schedutil) echo 'time: 2.0 us';; performance) echo 'time: 1.0 us';; esac\n" % sys)
        path = self.campaign_file(launches=3, rounds=1, arms=[self.arm(program)], cells=[{"operation": "application", "size": 8}],
                                  engine={"governor": ["default", "performance"], "pairing": "launches"})
        result = self.invar("run", path, "-o", "data", env=env, expect=None)
        self.assertIn(result.status, (DONE,), result.err)
        for launch in Campaign(self.scratch / "data").launches():
            expected = 1000000 if launch.arm.endswith("+performance") else 2000000
            self.assertEqual({timing.local_max_ps for timing in launch.timings()}, {expected}, launch.arm)
        self.assertEqual(self.governors(sys), {"schedutil"})
        self.assertEqual(list((self.scratch / "data").glob("settings.*")), [])

    def test_a_killed_driver_leaves_no_program_and_the_next_one_puts_frequencies_back(self):
        env, sys = self.make_cpus()
        slow = self.arm(self.program("slow", "#!/bin/sh\nsleep 0.3\necho time: 5.5 us\n"))
        other = self.arm(self.program("other", PROGRAM % 10))
        process = self.start("run", self.campaign_file(launches=2, arms=[slow, other], cells=[{"operation": "application", "size": 8}],
                                                       engine={"governor": "performance"}), "-o", "data", env=env)
        self.wait_for(lambda: any("sleep" in command for command in self.processes().values()), "the program", process)
        process.kill()
        self.finish(process)
        self.assert_nothing_runs()
        self.assertEqual(self.governors(sys), {"performance"}, "nobody could put it back")
        self.invar("run", "--resume", "-o", "data", env=env)
        self.assertEqual(self.governors(sys), {"schedutil"})
        self.assertEqual(list((self.scratch / "data").glob("settings.*")), [])
        self.invar("verify", "data")

    def test_the_next_start_of_anything_puts_settings_back(self):
        """Huge pages and NUMA balancing, of a driver that was killed, whatever is measured next."""
        sys, proc = self.scratch / "sys", self.scratch / "proc"
        pool = sys / "kernel/mm/hugepages/hugepages-2048kB"
        balancing = proc / "sys/kernel/numa_balancing"
        pool.mkdir(parents=True)
        balancing.parent.mkdir(parents=True)
        for name, text in (("nr_hugepages", "3"), ("free_hugepages", "0")):
            (pool / name).write_text(text + "\n")
        balancing.write_text("1\n")
        env = {"INVAR_SYSFS_ROOT": str(sys), "INVAR_PROCFS_ROOT": str(proc), "INVAR_HOME": str(self.scratch / "home")}
        slow = self.arm(self.program("slow", "#!/bin/sh\nsleep 0.3\necho time: 5.5 us\n"))
        other = self.arm(self.program("other", PROGRAM % 10))
        process = self.start("run", self.campaign_file(launches=2, arms=[slow, other], cells=[{"operation": "application", "size": 8}],
                                                       engine={"huge-pages": "16x2MiB", "numa-balancing": "off"}), "-o", "data", env=env)
        self.wait_for(lambda: any("sleep" in command for command in self.processes().values()), "the program", process)
        process.kill()
        self.finish(process)
        said = lambda: ((pool / "nr_hugepages").read_text().strip(), balancing.read_text().strip())
        self.assertEqual(said(), ("19", "0"), "nobody could put it back")
        self.invar("run", self.campaign_file(launches=2, arms=self.two_programs(), cells=[{"operation": "application", "size": 8}]),
                   "-o", "another", env=env)
        self.assertEqual(said(), ("3", "1"))
        self.assertEqual(list((self.scratch / "data").glob("settings.*")), [])

    def test_an_interrupted_campaign_goes_on(self):
        slow = [self.arm(self.program(name, "#!/bin/sh\nsleep 0.3\necho time: 5.5 us\n")) for name in ("one", "two")]
        process = self.start("run", self.campaign_file(launches=3, arms=slow, cells=[
            {"operation": "application", "size": [80, 160]}]), "-o", "data")
        self.wait_for(lambda: Campaign(self.scratch / "data").groups_finished() >= 1, "the first group", process)
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, INCOMPLETE)
        self.assert_nothing_runs()
        self.invar("run", "--resume", "-o", "data")
        self.assertEqual(len(Campaign(self.scratch / "data").launches()), 6)

    def test_damage_is_found(self):
        campaign, _ = self.campaign_of(self.two_programs(), launches=3)
        with open(campaign.launches()[2].path / "timings.bin", "r+b") as file:
            file.seek(24)
            file.write(b"\1")
        self.invar("verify", "data", expect=DAMAGED)
        self.invar("run", "--resume", "-o", "data")
        self.invar("verify", "data")

    def test_a_program_that_changes_stops_the_campaign(self):
        arms = self.two_programs()
        slow = self.program("slow", "#!/bin/sh\nsleep 0.2\necho time: 5.5 us\n")
        process = self.start("run", self.campaign_file(launches=8, arms=arms, cells=[
            {"operation": "application", "size": 80}]), "-o", "data")
        self.wait_for(lambda: Campaign(self.scratch / "data").groups_finished() >= 1, "the first group", process)
        with open(slow, "a") as file:
            file.write("# another one\n")
        result = self.finish(process)
        self.assertEqual(result.status, FAILED)
        self.assertIn("'slow' has changed since the campaign began", result.err)

    def test_what_cannot_be_run_is_refused_before_anything_is_measured(self):
        good = self.arm(self.program("good", PROGRAM % 10))
        missing = self.run_campaign(expect=USAGE, arms=[good, self.arm("no-such-program")],
                                    cells=[{"operation": "application", "size": 8}])[1]
        self.assertIn("there is no program 'no-such-program' on PATH", missing.err)
        power = self.run_campaign(expect=USAGE, arms=[good, self.arm(self.scratch / "good", "{log2size}", label="b")],
                                  cells=[{"operation": "application", "size": [8, 12]}])[1]
        self.assertIn("12 B", power.err)
        self.assertIn("power of two", power.err)
        same = self.run_campaign(expect=USAGE, arms=[good, self.arm(self.scratch / "good", "8", label="b")],
                                 cells=[{"operation": "application", "size": [8, 16]}])[1]
        self.assertIn("would run the same command for two cells", same.err)
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
