"""invar tune on a real library: a bad algorithm that is forced is found, what is better is written and confirmed."""

import collections
import csv
import io
import json
import signal
import unittest

from support import DAMAGED, DONE, FAILED, INCOMPLETE, USAGE, Campaign, CampaignTest, main

BAD = {
    "openmpi": "OMPI_MCA_coll_tuned_use_dynamic_rules=1,OMPI_MCA_coll_tuned_bcast_algorithm=3,"
               "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=64",
    "mpich": "MPIR_CVAR_BCAST_INTRA_ALGORITHM=scatter_ring_allgather,MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0",
}
# Measured, or it could not be judged with these cores.
MEASURED = (DONE, FAILED)


class Tune(CampaignTest):
    def setUp(self):
        super().setUp()
        family = [name for name in BAD if self.first.startswith(name)]
        if not family:
            raise unittest.SkipTest("no bad algorithm of %s is known" % self.first)
        self.bad = "bad=%s:%s" % (self.first, BAD[family[0]])

    def tune(self, *words, sizes="8,4KiB,64KiB", budget="60s"):
        return self.invar("tune", self.bad, "--operation", "bcast", "--size", sizes, "--budget", budget, "-o", "data", *words,
                          expect=None)

    def test_a_forced_algorithm_is_raced_written_and_confirmed(self):
        raced = self.tune("--cells", "all", "--format", "json")
        self.assertIn(raced.status, MEASURED, raced.err)
        answer = json.loads(raced.out)
        self.assertFalse(answer["has_confirmation"])
        by_size = collections.defaultdict(dict)
        for row in answer["candidates"]:
            by_size[row["size_bytes"]][row["candidate"]] = row
        for size in (8, 4096, 65536):
            self.assertIn("default", by_size[size])
            self.assertIn("library-default", by_size[size])
            self.assertTrue(any(name.startswith("algorithm:") for name in by_size[size]), by_size[size])
            self.assertTrue(any(name.startswith("mockup:") for name in by_size[size]), by_size[size])
            self.assertTrue(any(name.startswith("reference:") for name in by_size[size]), by_size[size])
        # 64 KiB in pieces of 64 B: something is faster.
        self.assertEqual(sum(1 for row in by_size[65536].values() if row["winner"]), 1)
        self.assertFalse(by_size[65536]["default"]["winner"])
        self.assertTrue(by_size[65536]["default"]["beaten_by"])

        # A family is what races in a cell, one behind the other in every round.
        data = self.scratch / "data"
        rounds = collections.defaultdict(set)
        for row in Campaign(data).plan():
            self.assertTrue(row["family"])
            # Groups that are planned anew are read twice.
            rounds[row["group"], row["round"], row["family"]].add(int(row["visit"]))
        for visits in rounds.values():
            self.assertEqual(max(visits) - min(visits), len(visits) - 1)

        table = list(csv.DictReader(io.StringIO((data / "table.csv").read_text())))
        self.assertTrue(table)
        for entry in table:
            self.assertLessEqual(int(entry["to_bytes"]), 65536)
            self.assertGreaterEqual(int(entry["from_bytes"]), 8)
        self.assertIn("version", (data / "learned.csv").read_text())

        confirmed = self.invar("tune", "--confirm", "data", "--budget", "30s", "--format", "json", expect=None)
        self.assertIn(confirmed.status, MEASURED, confirmed.err)
        answer = json.loads(confirmed.out)
        rows = {(row["operation"], row["size_bytes"]): row for row in answer["confirmed"]}
        row = rows["bcast", 65536]
        self.assertEqual(row["effect"], "gains", row)
        self.assertGreater(row["gain_low"], 0.02)
        self.assertTrue([one for one in answer["variables"] if one["action"] == "set"])
        self.assertIn("session", answer)
        self.assertTrue((data / "tested-1").is_dir())
        # What is confirmed is what is written.
        kept = list(csv.DictReader(io.StringIO((data / "table.csv").read_text())))
        self.assertEqual([{key: str(value) for key, value in entry.items()} for entry in answer["entries"]], kept)
        for one in answer["confirmed"]:
            if one["effect"] != "gains":
                self.assertFalse([entry for entry in kept if entry["operation"] == one["operation"]
                                  and int(entry["from_bytes"]) <= one["size_bytes"] <= int(entry["to_bytes"])], one)

        # The file works for every operation, operator and count.
        words = []
        for one in answer["variables"]:
            if one["action"] == "set":
                words += ["--env", "%s=%s" % (one["variable"], one["value"])]
        self.invar("mpi", "run", self.first, "--ranks", "2", *words, "--", "--check", "--operations", "bcast", expect=DONE)
        self.assertTrue(self.invar("tune", "data", expect=None).out.startswith("The tuned file gains "))
        # Once more, from what stays.
        again = self.invar("tune", "--confirm", "data", "--budget", "20s", expect=None)
        self.assertIn(again.status, MEASURED, again.err)
        self.assertTrue((data / "confirm-2" / "manifest.jsonl").exists())
        # A confirmation with hardly any time takes nothing back that was confirmed.
        short = self.invar("tune", "--confirm", "data", "--budget", "3s", expect=None)
        self.assertIn(short.status, MEASURED, short.err)
        kept = list(csv.DictReader(io.StringIO((data / "table.csv").read_text())))
        self.assertTrue([entry for entry in kept if int(entry["from_bytes"]) <= 65536 <= int(entry["to_bytes"])], short.out)
        self.invar("report", "data", "-o", "page.html", expect=None)
        # By a link it is where it was.
        (self.scratch / "link").symlink_to(data)
        self.assertNotIn("were written for", self.invar("tune", "link", expect=None).err)
        # Who goes on with a confirmation has the files, however its directory is named.
        (data / "table.csv").unlink()
        self.invar("run", "--resume", "-o", "data/confirm-2/", expect=None)
        self.assertTrue((data / "table.csv").exists())
        # One that is damaged changes nothing, and is told by the status, too.
        # Of the short one no group may have ended in time.
        last = max(path.parent.parent.parent for path in data.glob("confirm-[23]/launches/*/timings.bin"))
        for path in last.glob("launches/*/timings.bin"):
            path.write_bytes(path.read_bytes()[:-1])
        damaged = self.invar("tune", "data", expect=DAMAGED)
        self.assertIn(last.name, damaged.err + damaged.out)

    def test_files_that_were_edited_are_refused_by_name_and_a_moved_directory_is_not(self):
        self.assertIn(self.tune("--cells", "all", sizes="64KiB", budget="25s").status, MEASURED)
        data = self.scratch / "data"
        written = [path for path in data.iterdir() if path.name in ("rules.conf", "tuned.json")]
        if not written:
            self.skipTest("nothing won that a file can say")
        path, table = written[0], data / "table.csv"
        before, rows = path.read_text(), table.read_text()

        def refused(*words):
            err = self.invar("tune", "--confirm", "data", expect=USAGE).err
            for text in words:
                self.assertIn(text, err)
            self.assertFalse((data / "confirm-1").exists())

        path.write_text(before + "\n")
        refused("data/%s: was edited since invar tune wrote it" % path.name, "put it back")
        path.unlink()
        refused("data/%s: is gone" % path.name)
        path.write_text(before)
        table.write_text(rows.rstrip("\n").rpartition(",")[0] + ",algorithm:bogus\n")
        refused("data/table.csv: was edited since invar tune wrote it", "algorithm:bogus' in it came neither from the race")
        table.write_text(rows)
        sealed = (data / "campaign.toml").read_text()
        (data / "campaign.toml").write_text(sealed + "\n# mine\n")
        refused("data/campaign.toml", "differs from what was sealed")
        (data / "campaign.toml").write_text(sealed)

        data.rename(self.scratch / "moved")
        confirmed = self.invar("tune", "--confirm", "moved", "--budget", "20s", expect=None)
        self.assertIn(confirmed.status, MEASURED, confirmed.err)
        self.assertIn("their paths are made anew", confirmed.err)
        self.assertNotIn("%s/" % data, (self.scratch / "moved" / "files.csv").read_text())
        # All of it once more, where somebody has spoilt it.
        (self.scratch / "moved" / "table.csv").unlink()
        self.assertIn(self.invar("tune", "moved", expect=None).status, MEASURED)
        self.assertTrue((self.scratch / "moved" / "table.csv").exists())

    def test_an_unfinished_race_is_not_confirmed_and_goes_on_as_it_began(self):
        process = self.start("tune", self.bad, "--operation", "bcast", "--size", "64KiB", "--cells", "all", "--budget", "120s",
                             "-o", "data")
        data = Campaign(self.scratch / "data")
        self.wait_for(lambda: data.groups_finished() >= 1, "the first group", process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, INCOMPLETE)
        refused = self.invar("tune", "--confirm", "data", expect=INCOMPLETE)
        self.assertIn("the race is not at its end", refused.err)
        self.assertIn("invar run --resume -o data", refused.err)
        self.assertFalse((self.scratch / "data" / "table.csv").exists())
        # Candidates that somebody has changed meanwhile.
        path = self.scratch / "data" / "campaign.toml"
        sealed = path.read_text()
        path.write_text(sealed.replace('is = "library-default"', 'is = "algorithm:of-nobody"', 1))
        self.assertNotEqual(path.read_text(), sealed)
        self.assertIn("campaign.toml", self.invar("run", "--resume", "-o", "data", expect=USAGE).err)
        path.write_text(sealed)
        # What was tried when it began holds: cells keep their numbers.
        cells = {row["cell"]: (row["operation"], row["algorithm"]) for row in data.plan()}
        gone_on = self.invar("run", "--resume", "-o", "data", expect=None)
        self.assertIn(gone_on.status, MEASURED, gone_on.err)
        self.assertNotIn("trying", gone_on.err)
        # What won is written by whoever ends the race.
        self.assertTrue((self.scratch / "data" / "table.csv").exists(), gone_on.err)
        for row in data.plan():
            if row["cell"] in cells:
                self.assertEqual(cells[row["cell"]], (row["operation"], row["algorithm"]))
        self.assertIn(self.invar("tune", "data", expect=None).status, MEASURED)
        self.assertTrue((self.scratch / "data" / "table.csv").exists())

    def test_a_tune_that_was_interrupted_among_the_guidelines_is_taken_up_by_the_same_command(self):
        words = ["tune", self.bad, "--operation", "bcast", "--size", "8,64KiB", "--budget", "90s", "-o", "data"]
        process = self.start(*words)
        guidelines = Campaign(self.scratch / "data-guidelines")
        self.wait_for(lambda: guidelines.groups_finished() >= 1, "the first group of the guidelines", process)
        process.send_signal(signal.SIGINT)
        interrupted = self.finish(process)
        self.assertEqual(interrupted.status, INCOMPLETE)
        self.assertIn("the same command once more, and -o data, which", interrupted.err)
        self.assertFalse((self.scratch / "data").exists())
        other = ["8" if word == "8,64KiB" else word for word in words]
        self.assertIn("has guidelines that another command has measured", self.invar(*other, expect=USAGE).err)
        gone_on = self.invar(*words, expect=None)
        self.assertIn(gone_on.status, MEASURED, gone_on.err)
        self.assertIn("going on with data-guidelines", gone_on.err)

    def test_bad_input_is_told_before_anything_is_measured(self):
        self.invar("run", self.campaign_file(launches=1), "-o", "other", expect=None)
        refused = self.invar("tune", "other", expect=USAGE)
        self.assertIn("was made for 'compare'", refused.err)
        refused = self.invar("tune", "other", "--size", "8", expect=USAGE)
        self.assertIn("--size: other is measured already", refused.err)
        refused = self.invar("tune", self.first, "--operation", "bcats", "-o", "data", expect=USAGE)
        self.assertIn("there is no operation 'bcats'", refused.err)
        self.assertFalse((self.scratch / "data").exists())


class NamedFiles(CampaignTest):
    """Rules files that the settings of an arm name, whoever wrote them."""

    def arm(self, rules):
        return {"library": self.open_mpi, "label": "ruled",
                "settings": {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                             "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(rules)}}

    def setUp(self):
        super().setUp()
        found = sorted(name for name in self.profiles if name.startswith("openmpi"))
        if not found:
            raise unittest.SkipTest("no Open MPI here")
        self.open_mpi = found[0]
        self.rules = self.scratch / "rules.conf"
        self.rules.write_text("1\n7\n1\n2\n1\n0 6 0 0\n")

    def campaign(self, launches):
        return self.campaign_file(launches=launches, arms=[{"library": self.open_mpi}, self.arm(self.rules)])

    def test_a_file_that_is_edited_between_groups_stops_the_campaign(self):
        process = self.start("run", self.campaign(6), "-o", "data")
        data = Campaign(self.scratch / "data")
        self.wait_for(lambda: data.groups_finished() >= 1, "the first group", process)
        self.rules.write_text("1\n7\n1\n2\n1\n0 1 0 0\n")
        result = self.finish(process)
        self.assertEqual(result.status, USAGE, result.err)
        self.assertIn("a file that the settings of 'ruled' name has changed since the campaign began: %s" % self.rules, result.err)

    def test_what_the_library_would_drop_is_told(self):
        self.rules.unlink()
        refused = self.invar("run", self.campaign(1), "-o", "data", expect=USAGE)
        self.assertIn("names %s, and there is no such file" % self.rules, refused.err)
        self.rules.write_text("1\n7\n1\n2\n1\n1024 6 0 0\n")
        refused = self.invar("run", self.campaign(1), "-o", "data", expect=USAGE)
        self.assertIn("%s:6: the first rule for 2 ranks begins at 1024 bytes" % self.rules, refused.err)
        if self.profiles[self.open_mpi]["short_version"].startswith("4."):
            self.rules.write_text("rule-file-version-2\n1\n7\n1\n2\n1\n0 6 0 0 0\n")
            refused = self.invar("run", self.campaign(1), "-o", "data", expect=USAGE)
            self.assertIn("ignores the file without a word", refused.err)
        self.assertFalse((self.scratch / "data").exists())


if __name__ == "__main__":
    main()
