"""Launches of a clock experiment that fail, that end badly after all is written, and that somebody else's template places: a
launcher around the library's own does what is asked by variables."""

import csv
import io

from support import DONE, FAILED, USAGE, CampaignTest, Campaign, main

# Fails at the starts whose numbers FAILING names; AFTERWARDS is what it ends with when all went well.
LAUNCHER = """#!/bin/sh
starts=%(folder)s/starts
number=$(($(cat $starts 2>/dev/null || echo 0) + 1))
echo $number > $starts
for word in "$@"; do [ -f "$word/clocks.spec" ] && cp "$word/clocks.spec" %(folder)s/orders; done
case " $FAILING " in *" $number "*) echo "no slots are free" >&2; exit 9 ;; esac
%(mpirun)s "$@" && exit ${AFTERWARDS:-0}
"""


class Launches(CampaignTest):
    def home(self, *words):
        """A home of its own with one profile, `wrapped`, which is the first one's with our launcher."""
        launcher = self.write("launcher", LAUNCHER % {"folder": self.scratch, "mpirun": self.profiles[self.first]["mpirun"]})
        launcher.chmod(0o755)
        home = {"INVAR_HOME": str(self.scratch / "home")}
        self.invar("mpi", "add", "wrapped", "--mpicxx", self.ready_wrapper(self.first), *(words or ("--mpirun", launcher)), env=home)
        (self.scratch / "starts").unlink()
        return home

    def starts(self):
        return int((self.scratch / "starts").read_text())

    def drift(self, *words, expect, **env):
        return self.invar("clocks", "drift", "--library", "wrapped", "--ranks", 2, "--duration", "200ms", "--interval", "100ms",
                          "--virtual-skew", "0", *words, env={**self.home_of, **env}, expect=expect)

    def kept(self):
        return list(csv.DictReader(io.StringIO((self.scratch / "kept" / "clocks.csv").read_text())))

    def test_a_launch_that_fails_once_is_started_again(self):
        self.home_of = self.home()
        done = self.drift("--launches", 2, "-o", "kept", expect=DONE, FAILING="2")
        self.assertIn("launch 2 (2 ranks): ", done.err)
        self.assertIn("no slots are free; it is started once more", done.err)
        self.assertEqual(self.starts(), 3)
        self.assertEqual({row["launch"] for row in self.kept()}, {"1", "2"})

    def test_ranks_are_told_whose_cores_were_claimed(self):
        self.home_of = self.home()
        self.drift("-o", "kept", expect=DONE)
        self.assertRegex((self.scratch / "orders").read_text(), r"(?m)^cpus_host = \S")
        self.assertRegex((self.scratch / "kept" / "clocks.spec").read_text(), r"(?m)^cpus_host = *$", "no name of a host")
        self.drift("--pinning", "none", expect=DONE)
        self.assertRegex((self.scratch / "orders").read_text(), r"(?m)^cpus_host = *$", "nothing is claimed")

    def test_the_others_are_kept_where_a_launch_fails_twice(self):
        self.home_of = self.home()
        failed = self.drift("--launches", 3, "-o", "kept", expect=FAILED, FAILING="2 3")
        self.assertIn("invar: launch 2 (2 ranks): ", failed.err)
        self.assertIn("The clock of rank 1 drifts by", failed.out)
        self.assertEqual({row["launch"] for row in self.kept()}, {"1", "3"})
        self.invar("verify", "kept", expect=DONE)
        # Whoever reads it later is told the same.
        again = self.invar("show", "kept", expect=FAILED)
        self.assertEqual(again.out, failed.out)
        self.assertIn("launch 2 (2 ranks): ", again.out)
        lines = Campaign(self.scratch / "kept").manifest("clock_failed")
        self.assertEqual([(line["launch"], line["ranks"]) for line in lines], [(2, 2)])
        self.assertIn("launch 2 (2 ranks): ", self.invar("status", "kept", expect=DONE).out)
        rows = self.invar("export", "kept", "--to", "csv", expect=FAILED)
        self.assertIn("launch 2 (2 ranks): ", rows.err)
        self.assertEqual(rows.out, (self.scratch / "kept" / "clocks.csv").read_text())
        self.invar("export", "kept", "--to", "r", "-o", "figures", expect=FAILED)
        self.assertNotIn("complete", (self.scratch / "figures" / "README.txt").read_text().split("State of the campaign")[1][:30])
        self.invar("report", "kept", "-o", "page.html", expect=FAILED)

    def test_where_none_is_whole_nothing_is_kept(self):
        self.home_of = self.home()
        failed = self.drift("--launches", 9, "-o", "kept", expect=FAILED, FAILING="1 2 3 4 5 6 7 8 9")
        self.assertIn("no slots are free", failed.err)
        self.assertEqual(self.starts(), 4, "two launches, each twice")
        self.assertFalse((self.scratch / "kept").exists())

    def test_a_launch_that_ends_badly_after_its_rows_is_a_warning(self):
        self.home_of = self.home()
        done = self.drift(expect=DONE, AFTERWARDS="7")
        self.assertIn("ended with 7 after all its rows were written", done.err)

    def test_a_bad_grace_is_refused_before_anything_is_started(self):
        self.home_of = self.home()
        refused = self.drift("-o", "kept", expect=USAGE, INVAR_FINALIZE_GRACE_S="soon")
        self.assertIn("INVAR_FINALIZE_GRACE_S: 'soon' is not a number of seconds", refused.err)
        self.assertFalse((self.scratch / "starts").exists())
        self.assertFalse((self.scratch / "kept").exists())

    def test_a_template_places_the_ranks(self):
        self.home_of = self.home("--launch", "%s -n {ranks} {env} {program} {args}" % (self.scratch / "launcher"))
        refused = self.drift("--pinning", "core", expect=USAGE)
        self.assertIn("--pinning: the launch template of 'wrapped' decides where its ranks run", refused.err)
        self.assertFalse((self.scratch / "starts").exists())
        self.drift("-o", "kept", expect=DONE)
        self.assertIn("pinning = none\n", (self.scratch / "kept" / "clocks.spec").read_text())
        head = Campaign(self.scratch / "kept").manifest("clocks")[0]
        self.assertNotIn("ranks_per_host", head, "only its ranks know")
        self.assertNotIn("hosts", head)


if __name__ == "__main__":
    main()
