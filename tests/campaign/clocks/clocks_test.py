"""`invar clocks` on a real library: every experiment runs, and says what it must say."""

import csv
import io
import json

from support import DAMAGED, DONE, FAILED, USAGE, CampaignTest, main


class Clocks(CampaignTest):
    def rows(self, *words):
        """CSV of an experiment on two ranks as dictionaries."""
        result = self.invar("clocks", *words, "--library", self.first, "--ranks", 2, "--format", "csv", expect=DONE)
        return list(csv.DictReader(io.StringIO(result.out)))

    def test_resolution_of_every_clock(self):
        rows = {row["clock"]: row for row in self.rows("resolution", "--repetitions", 20000)}
        self.assertLessEqual({"monotonic-raw", "mpi-wtime", "monotonic", "realtime", "gettimeofday"}, set(rows))
        for name, row in rows.items():
            self.assertGreater(float(row["cost_median_ns"]), 0, name)
            self.assertLessEqual(float(row["cost_q1_ns"]), float(row["cost_q3_ns"]), name)
            self.assertEqual(row["reads"], "20000")
        self.assertEqual(rows["monotonic-raw"]["backwards"], "0")
        self.assertEqual(rows["monotonic-raw"]["shared"], "yes")
        self.assertGreaterEqual(float(rows["gettimeofday"]["step_ns"]), 900, "microseconds")

    def test_drift_of_virtual_clocks_is_found(self):
        rows = self.rows("drift", "--duration", "1s", "--interval", "250ms", "--virtual-skew", "50e-6")
        self.assertEqual(len(rows), 5)
        for row in rows:
            self.assertEqual(row["rank"], "1")
            offset, truth, half_width = (float(row[name]) for name in ("offset_ns", "truth_ns", "half_width_ns"))
            # Messages cannot arrive before they are sent: the bounds hold on any machine.
            self.assertLessEqual(abs(offset - truth), half_width + 20)
        growth = float(rows[-1]["truth_ns"]) - float(rows[0]["truth_ns"])
        seconds = float(rows[-1]["seconds"]) - float(rows[0]["seconds"])
        self.assertAlmostEqual(growth / seconds, 50e3, delta=50)

    def test_barriers_of_all_kinds(self):
        rows = self.rows("barriers", "--repetitions", 20, "--duration", "200ms")
        self.assertEqual({row["method"] for row in rows},
                         {"MPI_Barrier", "double MPI_Barrier", "dissemination", "round-time", "window"})
        for row in rows:
            self.assertEqual(row["sigma_ns"], "0", "one clock")
            self.assertGreater(int(row["repetitions"]) + int(row["left_out"]), 0)

    def test_barriers_without_a_common_clock_use_mesh(self):
        rows = self.rows("barriers", "--repetitions", 20, "--duration", "200ms", "--clock", "mpi-wtime")
        self.assertNotIn("round-time", {row["method"] for row in rows})
        self.assertGreater(float(rows[0]["sigma_ns"]), 0)

    def run_times(self, *words):
        """Rows of runtime-over-time by synchronisation, without its parameters. A bin ends when its share of the time is over,
        whatever it has by then (docs/clocks.md): a machine that does other things may leave a synchronisation without bins,
        so what needs some is measured again, twice at most."""
        for _ in range(3):
            of = {}
            for row in self.rows("runtime-over-time", *words):
                name, _, parameters = row["sync"].partition(":")
                of.setdefault(name + " tracked" * parameters.endswith(" tracked"), []).append(row)
            if len(of) == 4 and min(map(len, of.values())) >= 3:
                return of
        self.fail("too few bins, three times: %s" % {name: len(rows) for name, rows in of.items()})

    def test_run_time_grows_with_clocks_that_drift(self):
        skew = 2e-4
        of = self.run_times("--repetitions", 60, "--bins", 6, "--duration", "3s", "--algorithms", "skampi,mesh",
                            "--sync-duration", "100ms", "--virtual-skew", skew)
        self.assertEqual(set(of), {"MPI_Barrier", "skampi", "mesh", "mesh tracked"})
        self.assertEqual({row["time"] for row in of["MPI_Barrier"]}, {"local"})
        self.assertEqual({row["time"] for row in of["skampi"]}, {"global"})
        # A fifth of a millisecond a second; what the operation takes is far below that.
        drifting = of["skampi"]
        growth = float(drifting[-1]["median_ns"]) - float(drifting[0]["median_ns"])
        seconds = float(drifting[-1]["seconds"]) - float(drifting[0]["seconds"])
        self.assertAlmostEqual(growth / seconds, 1e9 * skew, delta=0.3e9 * skew)

    def test_run_time_of_an_operation_that_is_none(self):
        result = self.invar("clocks", "runtime-over-time", "--library", self.first, "--operation", "alreduce",
                            expect=USAGE)
        self.assertIn("did you mean 'allreduce'", result.err)

    def test_accuracy_has_a_tracked_row(self):
        rows = self.rows("accuracy", "--algorithms", "mesh", "--duration", "100ms", "--after", "0s,500ms", "--interval",
                         "100ms", "--seeds", 1, "--virtual-skew", "13e-6")
        names = {row["algorithm"].split(" ")[-1] for row in rows if " " in row["algorithm"]}
        self.assertEqual(names, {"tracked", "smoothed"})

    def test_tracking_says_what_it_costs(self):
        rows = self.rows("tracking", "--duration", "1s", "--interval", "200ms", "--virtual-skew", "13e-6")
        self.assertEqual({row["clock"] for row in rows}, {"first-model", "predicted", "smoothed"})
        for row in rows:
            self.assertTrue(0 < float(row["tracking_share"]) < 1, row)

    def test_virtual_clocks_need_a_known_truth(self):
        result = self.invar("clocks", "drift", "--library", self.first, "--ranks", 2, "--duration", "1s", "--clock",
                            "mpi-wtime", "--virtual-skew", "13e-6", expect=USAGE)
        self.assertIn("MPI_Wtime", result.err)


    def test_what_is_kept_is_sealed_and_reported(self):
        kept = self.scratch / "drift"
        measured = self.invar("clocks", "drift", "--library", self.first, "--ranks", 2, "--duration", "600ms", "--interval",
                              "200ms", "--virtual-skew", "0", "-o", kept, expect=DONE)
        self.assertIn("The clock of rank 1 drifts by", measured.out.splitlines()[0])
        again = self.invar("clocks", "drift", "--from", kept, expect=DONE)
        self.assertEqual(measured.out, again.out)
        page = json.loads(self.invar("report", kept, "--format", "json", expect=DONE).out)
        self.assertEqual([answer["question"] for answer in page["answers"]], ["drift"])
        self.assertEqual(page["sentence"], measured.out.splitlines()[0])
        points = page["answers"][0]["tables"][0]
        self.assertEqual((points["id"], len(points["rows"])), ("points", 4))
        rows = kept / "clocks.csv"
        content = bytearray(rows.read_bytes())
        content[-3] ^= 1
        rows.write_bytes(content)
        # As JSON, which needs no built page.
        for words in (["show"], ["verify"], ["report", "--format", "json"]):
            result = self.invar(*words, kept, expect=DAMAGED)
            self.assertIn("clocks.csv: does not match its checksum", result.out + result.err)

    def test_what_fails_leaves_no_directory(self):
        kept = self.scratch / "failed"
        broken = {"OMPI_MCA_pml": "none-such", "UCX_TLS": "none-such"}
        self.invar("clocks", "barriers", "--library", self.first, "--ranks", 2, "--duration", "100ms", "-o", kept,
                   env=broken, expect=FAILED)
        self.assertFalse(kept.exists())


if __name__ == "__main__":
    main()
