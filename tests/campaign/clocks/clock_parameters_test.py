"""What is asked of `invar clocks` is done, or refused by name: every parameter of every algorithm in every command."""

import csv
import io

from support import DONE, USAGE, CampaignTest, main

# A value that must change something, where neither end of the range is affordable or reaches far enough.
OTHER = {
    "exchanges": 7, "fit-points": 5, "duration": 0.05, "patience": 3, "least-exchanges": 2, "good-enough-us": 2.5,
    "intercept-exchanges": 3, "burst": 5, "duty": 0.001, "cycles": 24, "most-cycles": 12, "matchings": 2, "sigma-ns": 500,
    "asymmetry": 0.5, "gate": 0.5, "wander": 1e-6,
}
# Parameters that act only beside another one, or where something is known not to hold.
BESIDE = {
    ("skampi", "least-exchanges"): "good-enough-us=100",
    ("skampi", "good-enough-us"): "exchanges=50",
    ("jk", "least-exchanges"): "offset-by-bounds=1",
    ("hca", "least-exchanges"): "offset-by-bounds=1",
    ("hca2", "least-exchanges"): "offset-by-bounds=1",
    ("hca3", "least-exchanges"): "offset-by-bounds=1",
    ("hca3", "intercept-exchanges"): "recompute-intercept=1",
    ("h2hca", "intercept-exchanges"): "recompute-intercept=1",
    ("jk", "fit-points"): "duration=2",
    ("hca", "fit-points"): "duration=2",
    ("hca2", "fit-points"): "duration=2",
    ("hca3", "fit-points"): "duration=2",
    ("h2hca", "fit-points"): "duration=2",
    ("mesh", "cycles"): "duty=0.001",
    ("mesh", "most-cycles"): "cycles=4",
    ("mesh", "scatter"): "matchings=2",
    ("mesh", "sigma-ns"): "noise=0",
    ("mesh", "wander"): "fit-wander=0",
}
# These weigh paths by what loops of the graph show of them: they act on stated errors, of which accuracy has only the share that holds.
UNSEEN = {("mesh", "asymmetry"), ("mesh", "bias")}
# Paths that are longer in one direction, then others: on a perfect machine parts of mesh have nothing to do, and no network
# has work for all of them.
NETWORKS = ("detour", "lan", "quiet")


class Parameters(CampaignTest):
    def listed(self, kind):
        text = self.invar("clocks", "list", "--format", "csv", expect=DONE).out
        return [row for row in csv.DictReader(io.StringIO(text)) if row["kind"] == kind]

    def numbers(self, experiment, algorithm, *words, network=NETWORKS[0]):
        """What was measured, without names; or the refusal."""
        result = self.invar("clocks", experiment, "--algorithms", algorithm, "--network", network, "--virtual-skew", "5e-5",
                            *words, "--format", "csv", expect=None)
        if result.status == USAGE:
            return None, result.err
        self.assertEqual(result.status, DONE, result.err)
        rows = list(csv.DictReader(io.StringIO(result.out)))
        return [[value for name, value in row.items() if name not in ("algorithm", "settings")] for row in rows], ""

    def other(self, parameter):
        if parameter["parameter"] in OTHER:
            return OTHER[parameter["parameter"]]
        return 1 - int(parameter["default"]) if parameter["most"] == "1" else 2

    def test_every_parameter_changes_what_is_run_or_is_refused(self):
        commands = {
            "accuracy": ("--ranks", 6, "--seeds", 1, "--after", "0s"),
            "pareto": ("--ranks", 6, "--seeds", 1, "--after", "0s"),
            "scaling": ("--ranks", 6, "--seeds", 1),
            "tracking": ("--ranks", 6, "--seeds", 1, "--duration", "6s", "--interval", "500ms"),
        }
        parameters = self.listed("parameter")
        self.assertGreater(len(parameters), 40)
        for experiment, words in commands.items():
            for parameter in parameters:
                algorithm, name = parameter["name"], parameter["parameter"]
                if experiment == "tracking" and algorithm != "mesh" or (algorithm, name) in UNSEEN:
                    continue
                # The usual value is said, not left to the command, which has a duration of its own.
                beside = BESIDE.get((algorithm, name), "")
                usual = ":".join(filter(None, [algorithm, beside, f"{name}={parameter['default']}"]))
                other = ":".join(filter(None, [algorithm, beside, f"{name}={self.other(parameter)}"]))
                with self.subTest(experiment=experiment, asked=other):
                    for network in NETWORKS:
                        before, refused = self.numbers(experiment, usual, *words, network=network)
                        after, refusal = self.numbers(experiment, other, *words, network=network)
                        if after is None or before != after:
                            break
                    if after is None:
                        self.assertIn(f"{algorithm}'s {name} does nothing", refusal)
                    else:
                        self.assertIsNotNone(before, refused)
                        self.assertNotEqual(before, after)

    def test_a_duration_of_0_is_as_long_as_the_exchanges(self):
        for experiment in ("accuracy", "scaling", "pareto"):
            words = () if experiment == "scaling" else ("--after", "0s")
            rows, _ = self.numbers(experiment, "jk:duration=0:fit-points=20:exchanges=10", "--ranks", 4, "--seeds", 1, *words)
            # 20 x 10 round trips of some 2.5 us with each of three ranks, not a second.
            self.assertTrue(any(0 < float(value) < 0.01 for value in rows[-1] if "." in value), rows)

    def test_pareto_runs_the_tuples_it_is_given_and_sweeps_what_has_none(self):
        result = self.invar("clocks", "pareto", "--ranks", 4, "--seeds", 1, "--algorithms",
                            "jk:fit-points=100:exchanges=30,hca:fit-points=50:exchanges=10,skampi", "--format", "csv",
                            expect=DONE)
        settings = [row["settings"] for row in csv.DictReader(io.StringIO(result.out))]
        self.assertEqual(settings, ["barrier", "jk:fit-points=100:exchanges=30", "hca:fit-points=50:exchanges=10",
                                    "skampi:exchanges=10", "skampi:exchanges=30", "skampi:exchanges=100",
                                    "skampi:exchanges=300"])
        # Also where what was asked is the default.
        result = self.invar("clocks", "pareto", "--ranks", 4, "--seeds", 1, "--algorithms",
                            "hca:fit-points=1000:exchanges=100", "--format", "csv", expect=DONE)
        settings = [row["settings"] for row in csv.DictReader(io.StringIO(result.out))]
        self.assertEqual(settings, ["barrier", "hca:fit-points=1000:exchanges=100"])

    def test_options_that_nothing_takes_are_refused(self):
        cases = {
            ("accuracy", "--algorithms", "skampi,netgauge", "--duration", "1s"): "--duration: none of the algorithms takes it",
            ("accuracy", "--algorithms", "jk:duration=0", "--duration", "1s"): "--duration: none of the algorithms takes it",
            ("accuracy", "--ranks", "2,4"): "--ranks: this experiment has one number of ranks",
            ("pareto", "--ranks", "2,4"): "--ranks: this experiment has one number of ranks",
            ("accuracy", "--interval", "2s"): "--interval requires --library",
            ("accuracy", "--library", self.first, "--ranks-per-host", 2): "excludes",
            ("accuracy", "--library", self.first, "--algorithms", "jk", "--interval", "2s"): "--interval: only mesh is tracked",
            ("accuracy", "--algorithms", "jk,jk"): "is there twice",
            ("accuracy", "--algorithms", "jk:offset-by-bounds=0,jk"): "is there twice",
            ("scaling", "--algorithms", "jk:duration=1,jk", "--duration", "1s"): "is there twice",
            ("accuracy", "--algorithms", "mesh:gate=3"): "mesh's gate does nothing before clocks are tracked",
            ("runtime-over-time", "--library", self.first, "--algorithms", "skampi", "--sync-duration", "1s"):
                "--sync-duration: none of the algorithms takes it",
        }
        for words, refusal in cases.items():
            with self.subTest(words=words):
                self.assertIn(refusal, self.invar("clocks", *words, expect=USAGE).err)

    def test_a_duration_below_its_exchanges_is_refused(self):
        cases = [
            ("accuracy", "--ranks", 32, "--algorithms", "jk:fit-points=100:exchanges=30:duration=0.1"),
            ("accuracy", "--ranks", 32, "--algorithms", "jk:fit-points=1000"),
            ("scaling", "--ranks", "8,512", "--algorithms", "jk", "--duration", "20ms"),
            ("pareto", "--ranks", 32, "--algorithms", "hca:duration=1e-3"),
            ("tracking", "--ranks", 32, "--algorithms", "mesh:duration=1e-3"),
            ("accuracy", "--library", self.first, "--algorithms", "jk:duration=1e-6"),
            ("runtime-over-time", "--library", self.first, "--algorithms", "jk", "--sync-duration", "1us"),
        ]
        for words in cases:
            with self.subTest(words=words):
                self.assertIn("its exchanges take", self.invar("clocks", *words, expect=USAGE).err)
        # The papers' own numbers of exchanges need no duration.
        self.invar("clocks", "accuracy", "--ranks", 4, "--seeds", 1, "--algorithms", "jk:fit-points=100:duration=0", expect=DONE)

    def test_one_clock_is_not_asked_for_drift(self):
        refused = self.invar("clocks", "drift", "--library", self.first, "--ranks", 2, expect=USAGE).err
        self.assertIn("read one clock, which cannot drift", refused)
        self.assertIn("--virtual-skew 13e-6", refused)

    def test_recorded_orders_are_those_that_were_given(self):
        kept = self.scratch / "kept"
        self.invar("clocks", "runtime-over-time", "--library", self.first, "--ranks", 2, "--repetitions", 103, "--bins", 5,
                   "--duration", "500ms", "--algorithms", "jk:fit-points=20:exchanges=5:duration=0,skampi:exchanges=7",
                   "--virtual-skew", "2e-5", "-o", kept, expect=DONE)
        spec = (kept / "clocks.spec").read_text()
        for word in ("jk:fit-points=20:exchanges=5", "skampi:exchanges=7", "103", "2e-05"):
            self.assertIn(word, spec)
        rows = list(csv.DictReader((kept / "clocks.csv").open()))
        # All repetitions are there, though 5 bins do not divide them.
        barrier = [row for row in rows if row["sync"] == "MPI_Barrier"]
        self.assertEqual(len(barrier), 103)

if __name__ == "__main__":
    main()
