"""What OSU, IMB and mpptest measure of messages between single ranks, in the same launches as ours, and what their own
programs print of it."""

import collections
import json

from support import USAGE, WARM_UP, Campaign, CampaignTest, main

SUITES = ("osu", "imb", "mpptest")
# How many visits more than rounds a suite has that measures points again.
AGAIN = 4

# Prints what IMB would; a round trip of 2.42 us is printed as 1.21.
IMB = """#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] || exit 0
cat <<'EOF'
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
#----------------------------------------------------------------
# Calling sequence was: 

# IMB-MPI1 %(called)s

# Minimum message length in bytes:   0
# Maximum message length in bytes:   8

#---------------------------------------------------
# Benchmarking %(benchmark)s
# #processes = 2 
#---------------------------------------------------
%(table)s
EOF
"""
PINGPONG = "       #bytes #repetitions      t[usec]   Mbytes/sec\n            8         1000         1.21         6.61"
UNIBAND = "       #bytes #repetitions   Mbytes/sec      Msg/sec\n            8         1000        51.20      6400000"


class MessagePresets(CampaignTest):
    def race(self, *more, operations="pingpong,stream", sizes="8,64,512", presets=",".join(SUITES), **keys):
        return self.invar("race", self.first, self.second, "--operation", operations, "--size", sizes, "--ranks", "2",
                          "--budget", "12s", "--seed", "5", "--presets", presets, "-o", "data", *more, **keys)

    def reports(self, suites=SUITES):
        """(operation, size, arm) -> suite -> its report."""
        answer = json.loads(self.invar("show", "data", "--as", ",".join(suites), "--format", "json").out)
        return {(row["operation"], row["size_bytes"], row["arm"]): {report["suite"]: report for report in row["reports"]}
                for row in answer["rows"]}

    def test_suites_measure_messages_their_way_beside_ours(self):
        self.race()
        campaign = Campaign(self.scratch / "data")
        rows = {int(row["visit"]): row for row in campaign.plan()}
        schemes = collections.defaultdict(set)
        rounds = collections.defaultdict(set)
        for row in rows.values():
            schemes[row["operation"]].add(row["scheme"])
            rounds[row["operation"], row["scheme"]].add(int(row["round"]))
        self.assertEqual(schemes["pingpong"], {"invar", "series", "batch", "batch-initiator"})
        self.assertEqual(schemes["stream"], {"invar", "series", "batch"}, "mpptest has no such benchmark")
        own = len(rounds["pingpong", "invar"])
        self.assertEqual(len(rounds["pingpong", "series"]), own)
        self.assertEqual(len(rounds["pingpong", "batch-initiator"]), own + AGAIN)

        reports = self.reports()
        self.assertEqual(len(reports), 2 * 3 * 2)
        for (operation, size, arm), by_suite in reports.items():
            with self.subTest(operation=operation, size=size, arm=arm):
                if operation == "stream":
                    self.assertEqual(by_suite["mpptest"]["missing"], "it has no benchmark of stream")
                    self.assertEqual(by_suite["osu"]["benchmark"], "osu_bw")
                    self.assertEqual(by_suite["imb"]["benchmark"], "Uniband")
                    for suite in ("osu", "imb"):
                        number = by_suite[suite]["numbers"][0]
                        self.assertAlmostEqual(number["mb_per_s"] * number["median_ns"] / (64 * size * 1e3), 1, delta=1e-6)
                    continue
                self.assertEqual([by_suite[suite]["benchmark"] for suite in SUITES],
                                 ["osu_latency", "PingPong", "mpptest -roundtrip"])
                for suite in SUITES:
                    self.assertIsNone(by_suite[suite]["missing"])
                    self.assertNotIn("mb_per_s", by_suite[suite]["numbers"][0])
                least, mean, largest = [number["median_ns"] for number in by_suite["mpptest"]["numbers"]]
                self.assertLessEqual(least, mean)
                self.assertLessEqual(mean, largest)
        text = " ".join(self.invar("show", "data", "--as", "osu,imb").out.split())
        self.assertIn("osu MB/s", text)
        self.assertIn("suites print half of what a call takes", text)

    def test_what_osu_and_imb_report_can_be_computed_from_the_raw_data(self):
        """Half of rank 0's mean, and half of the slower rank's mean, from ranks.bin alone."""
        self.race(operations="pingpong", sizes="8", presets="osu,imb")
        campaign = Campaign(self.scratch / "data")
        scheme = {int(row["visit"]): row["scheme"] for row in campaign.plan()}
        times = collections.defaultdict(list)
        for launch in campaign.launches():
            timings, ticks = launch.timings(), launch.rank_ticks()
            for visit in launch.visits():
                for i in range(visit["records"]):
                    if timings[visit["first_record"] + i].flags & WARM_UP:
                        continue
                    for tick in ticks[visit["first_rank_record"] + 2 * i:][:2]:
                        # Picoseconds: the ticks of MPI_Wtime.
                        times[scheme[visit["visit"]], launch.arm, launch.number, tick.rank].append(
                            (tick.end_ticks - tick.start_ticks) / 1000 / visit["calls"])

        def half_mean(*place):
            return sum(times[place]) / len(times[place]) / 2

        for (_, _, arm), by_suite in self.reports(("osu", "imb")).items():
            numbers = sorted({launch for _, label, launch, _ in times if label == arm})
            for suite, values in (("osu", [half_mean("series", arm, launch, 0) for launch in numbers]),
                                  ("imb", [max(half_mean("batch", arm, launch, rank) for rank in (0, 1))
                                           for launch in numbers])):
                headline = by_suite[suite]["numbers"][0]
                self.assertAlmostEqual(headline["low_ns"], min(values), delta=0.01 * min(values))
                self.assertAlmostEqual(headline["high_ns"], max(values), delta=0.01 * max(values))

    def test_osus_output_has_the_names_and_numbers_of_its_benchmarks(self):
        self.race(presets="osu", operations="pingpong,stream,bistream", sizes="8,16")
        self.invar("export", "data", "--to", "osu", "-o", "files")
        names = sorted(path.name for path in (self.scratch / "files").iterdir())
        self.assertEqual(names, sorted("osu_%s-%s.txt" % (benchmark, label) for benchmark in ("latency", "bw", "bibw")
                                       for label in self.labels))
        text = (self.scratch / "files" / ("osu_bw-%s.txt" % self.labels[0])).read_text()
        self.assertRegex(text, r"^\n# OSU MPI Bandwidth Test v7\.5\n# Datatype: MPI_CHAR\.\n"
                               r"# Size      Bandwidth \(MB/s\)\n8 +[\d.]+\n16 +[\d.]+\n$")

    def test_a_suite_without_such_a_benchmark_is_refused(self):
        refused = self.race(presets="imb", operations="halo", expect=USAGE)
        self.assertIn("imb has no benchmark of halo", refused.err)

    # Their own programs.

    def imb(self, called, benchmark, table):
        path = self.write("IMB-MPI1", IMB % {"called": called, "benchmark": benchmark, "table": table})
        path.chmod(0o755)
        return path

    def race_beside(self, program, words, operation, *more, **keys):
        return self.invar("race", self.first, "--exec", "%s %s" % (program, words), "--parse", "imb", "--operation",
                          operation, "--size", "8", "--ranks", "2", "--budget", "4s", "-o", "data", "--format", "json",
                          *more, **keys)

    def headline(self, result):
        cell, = [cell for cell in json.loads(result.out)["cells"] if cell["regime"] is None]
        return cell

    def test_half_a_round_trip_is_doubled_and_the_answer_says_so(self):
        program = self.imb("PingPong -npmin 2", "PingPong", PINGPONG)
        cell = self.headline(self.race_beside(program, "PingPong -npmin 2", "pingpong"))
        self.assertEqual(round(cell["median_b_ns"], 6), 2420)
        launch = [launch for launch in Campaign(self.scratch / "data").launches() if "+" in launch.arm][0]
        converted, = launch.environment()["converted"]
        self.assertEqual(converted["how"], "half a round trip, times 2")
        said = " ".join(self.invar("compare", "data", "--verbose").out.split())
        self.assertIn("prints is converted to the time of a call (half a round trip, times 2)", said)

    def test_a_rate_of_messages_becomes_the_time_of_a_window(self):
        words = "Uniband -window_size 64 -npmin 2"
        cell = self.headline(self.race_beside(self.imb(words, "Uniband", UNIBAND), words, "stream"))
        self.assertEqual(round(cell["median_b_ns"], 6), 10000, "64 messages at 6.4 million a second")

    def test_a_window_of_another_length_is_refused(self):
        program = self.imb("Uniband", "Uniband", UNIBAND)
        refused = self.race_beside(program, "Uniband", "stream", expect=USAGE)
        self.assertIn("sends 256 messages in a row, and the cell has window 64", refused.err)
        self.assertIn("-window_size 64", refused.err)


if __name__ == "__main__":
    main()
