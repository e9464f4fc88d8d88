"""Other suites' ways of measuring, in the same launches as ours: `--presets`, `show --as`, `compare --method`, and
OSU's own output."""

import csv
import json
import re
import unittest

from support import BATCH, DONE, USAGE, WARM_UP, Campaign, CampaignTest, main, over_everything

SUITES = ["osu", "imb", "imb-root-shift", "imb-papers", "skampi", "mpptest", "phloem-barriers", "mpiblib-global"]


class Presets(CampaignTest):
    def race(self, *more, presets="osu,imb", operations="bcast,allreduce", **keys):
        return self.invar("race", self.first, self.second, "--operation", operations, "--size", "8", "--ranks", "2",
                          "--budget", "8s", "--seed", "5", "--presets", presets, "-o", "data", *more, **keys)

    def test_suites_measure_their_way_beside_ours(self):
        raced = self.race("--format", "json", presets=",".join(SUITES))
        cells = over_everything(json.loads(raced.out))
        self.assertEqual(sorted(cell["operation"] for cell in cells), ["allreduce", "bcast"], "no verdicts about theirs")
        self.assertEqual({cell["factors"]["scheme"] for cell in cells}, {"invar"})

        campaign = Campaign(self.scratch / "data")
        rows = {int(row["visit"]): row for row in campaign.plan()}
        self.assertEqual({row["scheme"] for row in rows.values()},
                         {"invar", "barrier", "barrier-rotating", "barrier-global", "batch", "batch-rotating",
                          "batch-barriers", "window"})
        for launch in campaign.launches():
            timings = launch.timings()
            self.assertTrue(launch.rank_ticks(), "suites look at single ranks")
            for visit in launch.visits():
                row = rows[visit["visit"]]
                batch = row["scheme"].startswith("batch")
                if row["scheme"] != "invar":  # ours are batches where the clock is too coarse
                    self.assertEqual(visit["calls"] > 1, batch)
                self.assertEqual((row["root"] == "rotating"), row["scheme"].endswith("-rotating"))
                records = timings[visit["first_record"]:visit["first_record"] + visit["records"]]
                kept = [record for record in records if not record.flags & WARM_UP]
                if batch:
                    self.assertEqual(len(kept), 1, "one batch a visit")
                    self.assertEqual(len(records), 2, "and one before it to warm up")
                    self.assertTrue(kept[0].flags & BATCH)

        answer = json.loads(self.invar("show", "data", "--as", ",".join(SUITES + ["reprompi"]), "--format", "json").out)
        self.assertEqual([suite["name"] for suite in answer["suites"]], SUITES + ["reprompi"])
        self.assertEqual(len(answer["rows"]), 4, "two operations of two arms")
        for row in answer["rows"]:
            self.assertGreater(row["invar_ns"], 0)
            for report in row["reports"]:
                self.assertIsNone(report["missing"], report)
                headline = report["numbers"][0]
                self.assertLessEqual(headline["low_ns"], headline["median_ns"])
                self.assertLessEqual(headline["median_ns"], headline["high_ns"])
                # Nothing takes a tenth or ten times as long, whoever measures it.
                self.assertGreater(headline["median_ns"], row["invar_ns"] / 50)

        table = " ".join(self.invar("show", "data", "--as", "osu,mpptest").out.split())
        self.assertRegex(table, r"^What 2 suites would report of 4 rows")
        self.assertIn("least of rank 0's times of a batch", table)
        self.assertEqual(len(list(csv.reader(self.invar("show", "data", "--as", "osu", "--format", "csv").out.splitlines()))),
                         1 + 4 * 3)

    def test_what_osu_reports_can_be_computed_from_the_raw_data(self):
        """Mean over ranks of each rank's mean, from ranks.bin alone."""
        self.race(presets="osu", operations="allreduce")
        answer = json.loads(self.invar("show", "data", "--as", "osu", "--format", "json").out)
        campaign = Campaign(self.scratch / "data")
        osu = {row["visit"] for row in campaign.plan() if row["scheme"] == "barrier"}
        values = {}
        for launch in campaign.launches():
            timings, ticks, times = launch.timings(), launch.rank_ticks(), {0: [], 1: []}
            for visit in launch.visits():
                if str(visit["visit"]) not in osu:
                    continue
                for i in range(visit["records"]):
                    if timings[visit["first_record"] + i].flags & WARM_UP:
                        continue
                    for tick in ticks[visit["first_rank_record"] + 2 * i:][:2]:
                        # Picoseconds: the ticks of MPI_Wtime.
                        times[tick.rank].append((tick.end_ticks - tick.start_ticks) / 1000)
            means = [sum(rank) / len(rank) for rank in times.values()]
            values.setdefault(launch.arm, []).append(sum(means) / 2)
        for row in answer["rows"]:
            numbers = row["reports"][0]["numbers"][0]
            ours = sorted(values[row["arm"]])
            self.assertAlmostEqual(numbers["low_ns"], ours[0], delta=0.01 * ours[0])
            self.assertAlmostEqual(numbers["high_ns"], ours[-1], delta=0.01 * ours[-1])

    def test_osus_output_is_read_by_what_reads_osu(self):
        self.race(presets="osu", operations="allreduce,barrier")
        self.invar("export", "data", "--to", "osu", "-o", "files")
        names = sorted(path.name for path in (self.scratch / "files").iterdir())
        self.assertEqual(names, sorted("osu_%s-%s.txt" % (operation, label) for operation in ("allreduce", "barrier")
                                       for label in self.labels))
        text = (self.scratch / "files" / ("osu_allreduce-%s.txt" % self.labels[0])).read_text()
        self.assertIn("# OSU MPI Allreduce Latency Test v7.5\n# Datatype: MPI_INT.\n# Size ", text)
        found = re.findall(r"^(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)$", text, re.M)
        self.assertEqual([line[0] for line in found], ["8"])
        self.assertLessEqual(float(found[0][2]), float(found[0][1]))
        self.assertLessEqual(float(found[0][1]), float(found[0][3]))
        self.assertEqual(self.invar("export", "data", "--to", "osu").out.count("# OSU MPI"), 4)
        refused = self.invar("export", "data", "--to", "osu", "-o", "files", expect=USAGE)
        self.assertIn("exists already", refused.err)

        answer = json.loads(self.invar("compare", "data", "--method", "osu", "--format", "json").out)
        for cell in answer["cells"]:
            self.assertGreater(cell["ratio"], 0)
            self.assertEqual((cell["verdict"], cell["p"], cell["ratio_low"]), (None, None, None))
        self.assertIn("without any test", answer["sentence"])
        for method in ("reprompi", "pgmpi"):
            self.assertIn("(preset %s)" % method, self.invar("compare", "data", "--method", method).out)

    def test_without_its_visits_a_suite_says_how_to_get_them(self):
        self.run_campaign()
        for words in (("show", "data", "--as", "osu"), ("compare", "data", "--method", "osu"),
                      ("export", "data", "--to", "osu")):
            refused = self.invar(*words, expect=USAGE)
            self.assertIn("not measured its way", refused.err)
            self.assertIn('race --presets osu, or presets = ["osu"] in [analysis]', refused.err)
        shown = self.invar("show", "data", "--as", "osu,reprompi", expect=DONE)
        self.assertIn("osu was not measured its way", " ".join(shown.out.split()))


if __name__ == "__main__":
    main()
