"""`invar clocks` on three hosts: ranks are where they were asked for, and what is known of their clocks holds."""

import csv
import io
import os
import pathlib

from lab_support import LabTest, SETTINGS
from support import DONE, USAGE, Campaign, main

# As settings of an arm, but of the environment: experiments with clocks have no arms.
VARIABLES = {key.split(":")[-1]: value for name in ("openmpi", "mpich") for key, value in SETTINGS[name].items()}


class ClocksOnHostsTest(LabTest):
    def environment(self, extra=None):
        return super().environment({**VARIABLES, **(extra or {})})

    def hosts(self):
        return ",".join(self.lab.hosts)

    def clocks(self, experiment, *words, library=None, expect=DONE):
        # Three hosts of one machine share its cores.
        words = ("clocks", experiment, "--library", library or self.names[0], "--hosts", self.hosts(), "--pinning", "none",
                 *words)
        return self.finish(self.start(*words)) if expect is None else self.invar(*words, expect=expect)

    def rows(self, experiment, *words, **more):
        kept = self.scratch / ("kept-%d" % len(list(self.scratch.iterdir())))
        self.clocks(experiment, *words, "-o", kept, **more)
        self.invar("verify", kept, expect=DONE)
        head = Campaign(kept).manifest("clocks")[0]
        self.assertEqual(head["hosts"], list(self.lab.hosts), "where the ranks were, whoever started them")
        self.assertEqual(head["ranks_per_host"], 1)
        return list(csv.DictReader(io.StringIO((kept / "clocks.csv").read_text())))

    def test_hosts_of_one_machine_are_not_asked_for_drift(self):
        kept = self.scratch / "kept"
        refused = self.clocks("drift", "--duration", "1s", "-o", kept, expect=USAGE).err
        self.assertIn("--hosts: node1, node2, node3 are one machine (one boot id), whose one clock cannot drift", refused)
        self.assertIn("--virtual-skew 13e-6", refused)
        self.assertFalse(kept.exists())
        left = [path for path in pathlib.Path(os.environ["INVAR_HOME"]).glob("profiles/*/invar-*") if path.is_dir()]
        self.assertEqual(left, [], "what the ranks read and wrote is taken away")

    def test_drift_of_hosts_is_measured(self):
        """Each host says that it is a machine of its own. In truth they have one clock, shown with an offset of 1000 s."""
        self.lab.give_boot_ids()
        self.addCleanup(self.lab.give_boot_ids, False)
        for library in self.names:
            with self.subTest(library=library):
                rows = self.rows("drift", "--duration", "2s", "--interval", "500ms", "--clock", "monotonic-raw", library=library)
                self.assertEqual({row["rank"] for row in rows}, {"1", "2"}, "one a host")
                self.assertEqual({row["truth_ns"] for row in rows}, {""}, "nobody knows it between hosts")
                for row in rows:
                    # Messages cannot arrive before they are sent.
                    self.assertLess(0, float(row["half_width_ns"]))
                for rank in "12":
                    own = [row for row in rows if row["rank"] == rank]
                    first = float(own[0]["offset_ns"])
                    for row in own:
                        apart = abs(float(row["offset_ns"]) - first)
                        self.assertLess(apart, float(row["half_width_ns"]) + float(own[0]["half_width_ns"]) + 1000, row)

    def test_errors_are_bounded_by_ping_pongs(self):
        for library in self.names:
            with self.subTest(library=library):
                rows = self.rows("accuracy", "--algorithms", "h2hca:fit-points=20,skampi", "--duration", "200ms", "--after", "0s",
                                 "--seeds", 2, "--launches", 2, library=library)
                self.assertEqual({row["rank"] for row in rows}, {"0", "1", "2"})
                self.assertEqual({row["launch"] for row in rows}, {"1", "2"})
                for row in rows:
                    if row["rank"] != "0":
                        self.assertGreater(float(row["half_width_ns"]), 0)

    def test_pareto_has_exits_from_a_barrier_between_hosts(self):
        rows = self.rows("pareto", "--algorithms", "skampi:exchanges=10", "--after", "0s", "--seeds", 1)
        exits = [row for row in rows if row["algorithm"] == "barrier"]
        self.assertEqual([row["rank"] for row in exits], ["0", "1", "2"])
        self.assertEqual(min(float(row["error_ns"]) for row in exits), 0)

    def test_numbers_of_ranks_are_launches_on_as_many_hosts(self):
        rows = self.rows("scaling", "--algorithms", "skampi", "--seeds", 1, "--ranks", "2,3")
        self.assertEqual([(row["ranks"], row["rank"]) for row in rows],
                         [("2", "0"), ("2", "1"), ("3", "0"), ("3", "1"), ("3", "2")])

    def test_fewer_ranks_than_hosts_are_refused(self):
        refused = self.clocks("barriers", "--ranks", 2, expect=USAGE).err
        self.assertIn("--ranks: 2 ranks are not as many on each of 3 hosts; name 3 or a multiple of it, or as many hosts", refused)

    def test_barriers_and_run_times(self):
        rows = self.rows("barriers", "--repetitions", 20, "--duration", "200ms")
        self.assertEqual({row["number"] for row in rows if row["row"] == "rank"}, {"0", "1", "2"})
        self.assertNotIn("round-time", {row["method"] for row in rows})
        # Longer than a call takes where three hosts share two cores.
        rows = self.rows("runtime-over-time", "--algorithms", "hca", "--sync-duration", "200ms", "--repetitions", 10, "--bins", 2,
                         "--duration", "6s", "--window", "300ms,adaptive")
        self.assertEqual({row["window_s"] for row in rows if row["sync"] != "MPI_Barrier"}, {"", "0.3"})

    def test_ranks_are_bound_to_cores_that_their_host_allows(self):
        cores = sorted(os.sched_getaffinity(0))
        self.lab.give_cores([cores[i % len(cores)] for i in range(len(self.lab.hosts))])
        self.addCleanup(self.lab.give_cores, None)
        words = ("clocks", "accuracy", "--library", self.names[0], "--hosts", "node1,node2", "--algorithms", "skampi", "--after",
                 "0s", "--seeds", 1)
        self.invar(*words, expect=DONE)
        refused = self.invar(*words[:4], "--hosts", "node1:2,node2:2", *words[6:], expect=None)
        self.assertNotEqual(refused.status, DONE)
        self.assertIn("ranks", refused.err)


if __name__ == "__main__":
    main()
