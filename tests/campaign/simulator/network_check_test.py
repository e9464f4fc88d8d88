"""A network's model as files for a simulator, and these against the machine that they were made of: `invar network ARM`,
`--check`, `invar export --to simgrid`. On a budget so small that no number means anything: what is written, what is refused, what is
said."""

import json
import pathlib
import shutil
import unittest

from support import USAGE, CampaignTest, libraries, main

FILES = ["platform.cpp", "platform.cpp.hosts", "platform.csv", "platform.hosts", "platform.xml"]


class NetworkCheckTest(CampaignTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not libraries(simulators=True):
            raise unittest.SkipTest("SimGrid is not installed")

    def measure(self):
        # On a machine that does other things visits may end without a valid repetition (3).
        return self.invar("network", self.first, "--sizes", "1:64KiB", "--budget", "8s", "--seed", "3", "-o", "n", expect=None)

    def files(self, directory="n"):
        return sorted(path.name for path in (self.scratch / directory).iterdir() if path.name.startswith("platform"))

    def test_a_platform_is_written_checked_and_known_when_it_is_another(self):
        self.measure()
        self.assertEqual(self.files(), FILES)
        xml = (self.scratch / "n" / "platform.xml").read_text()
        self.assertIn("smpirun -np", xml)
        self.assertNotIn("what several pairs reach together", xml)
        answer = json.loads(self.invar("network", "n", "--format", "json", expect=None).out)
        self.assertEqual(sorted(pathlib.Path(name).name for name in answer["platform"]["files"]),
                         [name for name in FILES if name != "platform.csv"])
        self.assertEqual([row["size_bytes"] for row in answer["shared"]], [4096, 16384, 65536])
        for row in answer["shared"]:
            self.assertGreater(row["bandwidth_gb_s"], 0)
            self.assertEqual((row["pairs"], row["flows"]), (1, 2))
        self.assertIsNone(answer["checked"])

        # The same engine on the platform.
        checked = json.loads(self.invar("network", "n", "--check", "--budget", "6s", "--format", "json", expect=None).out)
        errors = {(row["operation"], row["held_out"]): row for row in checked["check_errors"]}
        for operation in ("round-trip", "send", "isend", "late-receive", "bcast", "allreduce", "halo"):
            row = errors[operation, False]
            if row["elsewhere"] > 0:
                # The machine was another one meanwhile: there is nothing to compare.
                self.assertIn(operation, ("bcast", "allreduce", "halo"))
                self.assertIn("in another regime", checked["sentence"] + "".join(checked["warnings"]))
                continue
            self.assertGreater(row["sizes"], 0, operation)
            self.assertIsNotNone(row["median_error"], operation)
            # SimGrid's own sends and receives may take nothing.
            if operation not in ("send", "isend", "late-receive"):
                self.assertIsNotNone(row["defaults_median_error"], operation)
            self.assertEqual(row["calibrated"], operation not in ("bcast", "allreduce", "halo"))
        held_out = any(row["series"] == "round-trip" for row in answer["held_out"])
        self.assertEqual(("round-trip", True) in errors, held_out, "sizes that no fit saw stand apart")
        # Half round trips are what they were fitted to: a platform that is another gives other ones.
        fitted = errors["round-trip", False]
        self.assertLess(fitted["median_error"], fitted["defaults_median_error"])
        times = {(row["operation"], row["size_bytes"]): row for row in checked["check"]}
        for row in times.values():
            if not row["in_regime"]:
                self.assertIsNone(row["error"])
                continue
            self.assertAlmostEqual(row["error"], row["simulated_ns"] / row["measured_ns"] - 1, places=9)

        # It is kept: campaigns of their own, and reductions cost what they cost here.
        for name in ("measured", "simulated"):
            self.invar("verify", "n/check/" + name)
        self.assertIn("INVAR_SIMULATED_REDUCTION", (self.scratch / "n/check/simulated/campaign.toml").read_text())
        answer = json.loads(self.invar("network", "n", "--format", "json", expect=None).out)
        self.assertTrue(answer["checked"]["current"])
        self.assertEqual(answer["check_errors"], checked["check_errors"])
        again = self.invar("network", "n", "--check", expect=USAGE)
        self.assertIn("was checked already", again.err)

        # What is measured stays measured, although one of its manifests is lost and a start of the simulation was killed.
        check = self.scratch / "n" / "check"
        (check / "measured" / "manifest.jsonl").unlink()
        before = sorted(path.name for path in (check / "measured" / "launches").iterdir())
        shutil.rmtree(check / "simulated")
        (check / "simulated" / "launches").mkdir(parents=True)
        for name in ("lock", "campaign.toml", "plan.csv"):
            (check / "simulated" / name).write_text("")
        (check / "platforms" / "notes").write_text("mine")
        again = self.invar("network", "n", "--check", "--budget", "3s", "--format", "json", expect=None)
        self.assertIn("--budget has no say", again.err)
        self.assertEqual(sorted(path.name for path in (check / "measured" / "launches").iterdir()), before)
        self.assertEqual([row["median_error"] for row in json.loads(again.out)["check_errors"] if row["operation"] == "bcast"],
                         [row["median_error"] for row in checked["check_errors"] if row["operation"] == "bcast"],
                         "the simulator gives the same times again")
        self.assertTrue((check / "platforms" / "notes").exists())
        shutil.copy(check / "measured" / "manifest.copy.jsonl", check / "measured" / "manifest.jsonl")

        # Files that somebody has edited are left alone, and no check takes them for the measured ones.
        platform = self.scratch / "n" / "platform.xml"
        platform.write_text(xml.replace("smpi/os", "smpi/or"))
        self.assertIn("was edited", self.invar("network", "n", expect=None).out)
        answer = json.loads(self.invar("network", "n", "--format", "json", expect=None).out)
        self.assertFalse(answer["checked"]["current"])
        # Taken away, all are written as they were.
        (self.scratch / "n" / "platform.csv").unlink()
        self.invar("network", "n", expect=None)
        self.assertEqual(platform.read_text(), xml)

        # Made from other data: said, and made anew.
        manifest = self.scratch / "n" / "platform.csv"
        lines = manifest.read_text().splitlines()
        manifest.write_text("\n".join(line[:-8] + "00000000" if ",manifest.jsonl," in line else line for line in lines) + "\n")
        self.assertIn("made from other data", self.invar("network", "n", expect=None).out)
        self.assertNotIn("made from other data", self.invar("network", "n", expect=None).out)

        # The same files for whoever has the data alone.
        self.invar("export", "n", "--to", "simgrid", "-o", "files", expect=None)
        self.assertEqual((self.scratch / "files" / "platform.xml").read_text(), xml)
        self.assertIn("exists already", self.invar("export", "n", "--to", "simgrid", "-o", "files", expect=USAGE).err)

    def test_an_import_that_gives_no_platform_says_why_and_writes_nothing(self):
        # Reading the clock takes longer than an MPI_Isend: no such call is left.
        folder = self.scratch / "calibration"
        folder.mkdir()
        sizes = [1 << (i % 16) for i in range(320)]
        lines = {"PingPong": "".join(f"MPI_Send,{size},{i},9e-6\nMPI_Recv,{size},{i},{2e-5 + size * 1e-9}\n"
                                     for i, size in enumerate(sizes)),
                 "Isend": "".join(f"MPI_Isend,{size},{i},5e-7\n" for i, size in enumerate(sizes)),
                 "Recv": "".join(f"MPI_Recv,{size},{i},{3e-6 + size * 1e-10}\n" for i, size in enumerate(sizes)),
                 "Wtime": "MPI_Wtime,0,1,10\n"}
        for name, text in lines.items():
            (folder / f"x_{name}.csv").write_text(text)
        self.invar("network", "--import", "calibration", expect=None)
        refused = self.invar("network", "--import", "calibration", "-o", "imported", expect=USAGE)
        self.assertIn("was not measured, and a simulator needs it", refused.err)
        self.assertFalse((self.scratch / "imported").exists())

    def test_without_a_simulator_nothing_is_begun(self):
        self.measure()
        home = {"INVAR_HOME": str(self.scratch / "home")}
        for name in libraries(simulators=True):
            self.invar("mpi", "remove", name, env=home)
        refused = self.invar("network", "n", "--check", expect=USAGE, env=home)
        self.assertIn("libsimgrid-dev", refused.err)
        self.assertFalse((self.scratch / "n" / "check").exists())


if __name__ == "__main__":
    main()
