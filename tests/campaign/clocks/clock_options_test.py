"""What is asked of `invar clocks` on a library is done, or refused: every option of every experiment, found in its help, so
that none is forgotten."""

import csv
import io
import json
import re
import socket

from support import DONE, FAILED, USAGE, CampaignTest, main

# They say where answers go or come from, which other tests look after.
EVERYWHERE = {"--help", "--format", "--verbose", "--from", "--output", "--library"}


class Options(CampaignTest):
    def options(self, experiment):
        text = self.invar("clocks", experiment, "--help", expect=DONE).out
        return set(re.findall(r"^ {2}(?:-\w,)?(--[a-z-]+)", text, re.M)) - EVERYWHERE

    def kept(self, experiment, *words):
        """Orders, rows and the manifest's first line."""
        kept = self.scratch / ("kept-%d" % len(list(self.scratch.iterdir())))
        self.invar("clocks", experiment, "--library", self.first, *words, "-o", kept, expect=DONE)
        pairs = (line.split(" = ", 1) for line in (kept / "clocks.spec").read_text().splitlines() if " = " in line)
        head = json.loads((kept / "manifest.jsonl").read_text().splitlines()[0])
        return dict(pairs), list(csv.DictReader(io.StringIO((kept / "clocks.csv").read_text()))), head

    def walk(self, experiment, asked, refused=()):
        """`asked`: option -> (its value, whether spec, rows and head show that it was done). All are asked for at once, but
        those that exclude each other."""
        self.assertEqual(self.options(experiment), set(asked) | set(refused), "an option without a test")
        words = [word for option, (value, _) in asked.items() if value is not None for word in (option, value)]
        spec, rows, head = self.kept(experiment, *words)
        for option, (value, is_done) in asked.items():
            with self.subTest(experiment=experiment, option=option, value=value):
                self.assertTrue(is_done(spec, rows, head), spec)

    def common(self, launches=True):
        asked = {
            "--ranks": (2, lambda spec, rows, head: head["ranks"] == [2]),
            "--hosts": ("localhost:2", lambda spec, rows, head: spec["hosts"] == "localhost:2"
                        and head["hosts"] == ["localhost"] and head["ranks_per_host"] == 2),
            "--pinning": ("none", lambda spec, rows, head: spec["pinning"] == "none"),
        }
        if launches:
            asked["--launches"] = (2, lambda spec, rows, head: {row["launch"] for row in rows} == {"1", "2"})
        return asked

    def test_drift(self):
        seconds = lambda rows: [float(row["seconds"]) for row in rows if row["launch"] == "1"]
        growth = lambda rows: (float(rows[4]["truth_ns"]) - float(rows[0]["truth_ns"])) / (seconds(rows)[4] - seconds(rows)[0])
        self.walk("drift", {
            **self.common(),
            "--clock": ("monotonic-raw", lambda spec, rows, head: spec["clock"] == "monotonic-raw"),
            "--duration": ("600ms", lambda spec, rows, head: 0.5 < seconds(rows)[-1] - seconds(rows)[0] < 2),
            "--interval": ("150ms", lambda spec, rows, head: len(seconds(rows)) == 5),
            "--virtual-skew": ("2e-5", lambda spec, rows, head: abs(growth(rows) - 20e3) < 20),
        }, refused={"--hostfile"})

    def test_barriers(self):
        repetitions = lambda rows: [row for row in rows if row["row"] == "repetition" and row["launch"] == "1"]
        self.walk("barriers", {
            **self.common(),
            "--clock": ("mpi-wtime", lambda spec, rows, head: spec["clock"] == "mpi-wtime" and any(float(row["sigma_ns"]) > 0 for row in rows)),
            "--duration": ("300ms", lambda spec, rows, head: spec["duration_s"] == "0.3"),
            "--repetitions": (30, lambda spec, rows, head: 0 < len(repetitions(rows)) <= 2 * 30 * 4 + 10),
        }, refused={"--hostfile"})

    def test_resolution(self):
        self.walk("resolution", {
            **self.common(launches=False),
            "--repetitions": (5000, lambda spec, rows, head: {float(row["value"]) for row in rows
                                                              if row["quantity"] == "reads"} == {5000}),
        }, refused={"--hostfile"})

    def test_runtime_over_time(self):
        barrier = lambda rows: [row for row in rows if row["sync"] == "MPI_Barrier" and row["launch"] == "1"]
        self.walk("runtime-over-time", {
            **self.common(),
            "--clock": ("monotonic-raw", lambda spec, rows, head: spec["clock"] == "monotonic-raw"),
            "--duration": ("3s", lambda spec, rows, head: 0.5 < max(float(row["seconds"]) for row in barrier(rows))),
            "--repetitions": (12, lambda spec, rows, head: len(barrier(rows)) == 12),
            "--bins": (3, lambda spec, rows, head: {row["bin"] for row in barrier(rows)} == {"0", "1", "2"}),
            "--virtual-skew": ("3e-5", lambda spec, rows, head: spec["virtual_skew"] == "3e-05"
                               and spec["virtual_where_possible"] == "no"),
            "--algorithms": ("hca:exchanges=7,skampi", lambda spec, rows, head: {row["sync"].split(":")[0].split(" ")[0]
                                                                                 for row in rows}
                             == {"MPI_Barrier", "hca", "skampi"}),
            "--sync-duration": ("50ms", lambda spec, rows, head: "duration=0.05" in spec["algorithms"]),
            "--operation": ("bcast", lambda spec, rows, head: spec["operation"] == "bcast"),
            "--size": ("256", lambda spec, rows, head: spec["size_bytes"] == "256"),
            # Longer than a call on a busy machine, else it is refused.
            "--window": ("50ms,adaptive", lambda spec, rows, head: {row["window_s"] for row in rows} == {"", "0.05"}),
        }, refused={"--hostfile"})

    def test_barriers_have_global_times_by_an_algorithm_with_a_skew(self):
        words = ("--ranks", 2, "--repetitions", 20, "--bins", 2, "--duration", "300ms", "--sync-duration", "50ms")
        _, rows, _ = self.kept("runtime-over-time", *words, "--algorithms", "skampi,hca")
        barrier = [row for row in rows if row["sync"] == "MPI_Barrier"]
        self.assertEqual({row["global_by"] for row in barrier}, {"hca:duration=0.05"})
        self.assertTrue(all(row["global_ns"] for row in barrier))
        _, rows, _ = self.kept("runtime-over-time", *words, "--algorithms", "hca,mesh")
        self.assertEqual({row["global_by"] for row in rows if row["sync"] == "MPI_Barrier"}, {"mesh:duration=0.05 tracked"})

    def test_a_host_file_is_read(self):
        (self.scratch / "hosts").write_text("# this one\nlocalhost slots=2\n")
        spec, rows, _ = self.kept("drift", "--hostfile", self.scratch / "hosts", "--duration", "200ms", "--interval", "100ms",
                                  "--virtual-skew", "0")
        self.assertEqual(spec["hosts"], "localhost:2")
        self.assertEqual({row["rank"] for row in rows}, {"1"}, "two ranks, as many as the host takes")

    def test_windows_are_refused_before_anything_is_measured(self):
        words = ("clocks", "runtime-over-time", "--library", self.first, "--ranks", 2)
        kept = self.scratch / "short"
        refused = self.invar(*words, "--operation", "alltoall", "--size", "1MiB", "--repetitions", 20, "--bins", 2, "--window",
                             "2us,adaptive", "-o", kept, expect=USAGE)
        self.assertIn("--window: 2.00 us is shorter than a call of alltoall, which takes", refused.err)
        self.assertFalse(kept.exists())
        for window, said in {"1ms,1ms": "is there twice", "0s": "is out of range", "2s": "is out of range", "x": "--window",
                             "100ms": "4000 repetitions and 100 before their bins in windows of 100 ms take 410 s for all algorithms"}.items():
            with self.subTest(window=window):
                self.assertIn(said, self.invar(*words, "--algorithms", "hca", "--window", window, expect=USAGE).err)

    def test_what_launches_cannot_do_is_refused(self):
        cases = {
            ("drift", "--hosts", socket.gethostname()): "read one clock, which cannot drift",
            ("barriers", "--hosts", "a,b", "--ranks", 3): "3 ranks are not as many on each of 2 hosts",
            ("barriers", "--hosts", "a,b,c", "--ranks", 2): "2 ranks are not as many on each of 3 hosts",
            ("barriers", "--hosts", "a:1,b:1", "--ranks", 4): "2 of them would be on a, which takes 1",
            ("barriers", "--hosts", "a,b", "--hostfile", "f"): "excludes",
            ("barriers", "--hostfile", "none-such"): "'none-such' cannot be read",
            ("barriers", "--ranks", "2,4"): "this experiment has one number of ranks",
            ("barriers", "--launches", 0): "--launches",
            ("barriers", "--launches", 1001): "at most 1000",
            ("barriers", "--hosts", "no-host-of-this-name.invalid,localhost"): "--hosts: with",
            ("resolution", "--launches", 2): "--launches",
            ("accuracy", "--hosts", "a,b", "--virtual-skew", "1e-5"): "whose real clocks differ",
            ("runtime-over-time", "--hosts", "a,b", "--virtual-skew", "1e-5"): "whose real clocks differ",
        }
        for (experiment, *words), refusal in cases.items():
            with self.subTest(experiment=experiment, words=words):
                refused = self.invar("clocks", experiment, "--library", self.first, *words, expect=USAGE)
                self.assertIn(refusal, refused.err)
        self.assertIn("--hosts requires --library", self.invar("clocks", "accuracy", "--hosts", "a,b", expect=USAGE).err)

    def test_real_messages_make_a_frontier(self):
        words = ("--ranks", 2, "--seeds", 2, "--launches", 2, "--algorithms", "hca:fit-points=20:exchanges=10,skampi",
                 "--after", "100ms", "--virtual-skew", "13e-6")
        spec, rows, head = self.kept("pareto", *words)
        names = list(dict.fromkeys(row["algorithm"] for row in rows))
        self.assertEqual(names, ["barrier", "hca:fit-points=20:exchanges=10", "skampi:exchanges=10", "skampi:exchanges=30",
                                 "skampi:exchanges=100", "skampi:exchanges=300"])
        exits = [float(row["error_ns"]) for row in rows if row["algorithm"] == "barrier"]
        self.assertEqual(len(exits), 2 * 2 * 2)
        self.assertTrue(all(one >= 0 for one in exits) and 0 in exits, "after the first one's")
        # Offset-only clocks are off by the skew.
        skampi = [abs(float(row["error_ns"])) for row in rows if row["algorithm"] == "skampi:exchanges=100" and row["rank"] == "1"]
        self.assertTrue(all(abs(one - 1300) < 600 for one in skampi), skampi)

    def test_scaling_of_a_library_is_a_launch_for_each_number_of_ranks(self):
        spec, rows, head = self.kept("scaling", "--seeds", 2, "--algorithms", "hca,skampi", "--duration", "50ms",
                                     "--ranks", 2, "--launches", 2)
        self.assertEqual((head["ranks"], head["ranks_per_host"]), ([2], 2))
        self.assertNotIn("hosts", head, "this one, which has another line")
        self.assertEqual({row["launch"] for row in rows}, {"1", "2"})
        self.assertEqual({row["after_s"] for row in rows}, {"0"})
        self.invar("clocks", "scaling", "--library", self.first, "--ranks", "2,64", "--algorithms", "skampi", expect=USAGE)

    def test_campaigns_of_clocks(self):
        for experiment, more in {"local-global": {}, "sync-bias": {"--runtime": "local"}}.items():
            asked = {"--operation": "bcast", "--size": "16", "--ranks": "2", "--sync": "window", "--dither": "2us",
                     "--budget": "6s", "--seed": "77"}
            self.assertEqual(self.options(experiment), set(asked) | set(more), "an option without a test")
            library = self.first if experiment == "local-global" else "%s,%s" % (self.first, self.first)
            words = [word for pair in {**asked, **more}.items() for word in pair]
            # On a busy machine the budget may be over before all is measured: these are the orders all the same.
            done = self.invar("clocks", experiment, "--library", library, *words, "-o", experiment, expect=None)
            self.assertIn(done.status, (DONE, FAILED), done.err)
            campaign = (self.scratch / experiment / "campaign.toml").read_text()
            for key in ('"bcast"', "16", "seed = 77", '"window"', "2us", "6s"):
                with self.subTest(experiment=experiment, key=key):
                    self.assertIn(key, campaign)


if __name__ == "__main__":
    main()
