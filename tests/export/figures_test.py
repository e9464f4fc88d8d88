"""Figures for papers: what is exported of made-up campaigns, and that every script draws its pictures.

    figures_test.py files|r|python|pgfplots INVAR CAMPAIGNS
"""

import csv
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PART, INVAR, CAMPAIGNS = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
ENDING = {"r": ".R", "python": ".py", "pgfplots": ".tex"}
OF_EVERY_CAMPAIGN = {"launches", "times", "distribution", "ecdf", "medians", "order", "canary",
                     "normality", "factors", "means", "bars", "sample-means"}
DRAWN = {
    "sizes": OF_EVERY_CAMPAIGN | {"ratio", "effects"},
    "odd": OF_EVERY_CAMPAIGN | {"ratio", "effects"},
    "single": OF_EVERY_CAMPAIGN,
    "factors": OF_EVERY_CAMPAIGN | {"effects"},
    "levels": OF_EVERY_CAMPAIGN | {"ratio", "effects"},
    "self-test": OF_EVERY_CAMPAIGN - {"factors"} | {"ratio", "power"},
    "reproduce": {"reproducibility", "reproducibility-sizes"},
    "drift": {"drift", "drift-rates"},
}
# Only what these campaigns have more is drawn of them: the rest is the same again.
DRAWN_ONLY = {"factors": {"factors", "effects", "times", "launches", "distribution"}, "levels": {"ratio", "times"},
              "self-test": {"power", "ratio", "times"}}


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          errors="replace", **more)  # TeX cuts lines inside letters


def is_there(words):
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


def pixels_of(png):
    """Distinct rows of pixels of a PNG, after checking all of it."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, data, ended = 8, b"", False
    while at < len(png):
        (length,) = struct.unpack(">I", png[at:at + 4])
        kind, body = png[at + 4:at + 8], png[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", png[at + 8 + length:at + 12 + length])[0]
        data += body if kind == b"IDAT" else b""
        ended = ended or kind == b"IEND"
        at += 12 + length
    assert ended, "cut off"
    width, height = struct.unpack(">II", png[16:24])
    lines = zlib.decompress(data)
    size = len(lines) // height
    return width, height, len({lines[i * size + 1:(i + 1) * size] for i in range(height)})


class Exports(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)

    def export(self, campaign, language, *options):
        """Into a directory whose name has a space."""
        out = self.scratch / f"of {campaign} {language}"
        done = run(INVAR, "export", CAMPAIGNS / campaign, "--to", language, "-o", out, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, done


class Files(Exports):
    def test_figures_have_data_and_those_without_are_told(self):
        for campaign, drawn in DRAWN.items():
            out, done = self.export(campaign, "r")
            self.assertEqual({path.stem for path in out.glob("*.R")}, drawn, campaign)
            told = {line.split(": ")[2] for line in done.stderr.splitlines() if "left out" in line}
            wanted = set() if campaign in ("reproduce", "drift") else {
                "ratio", "regimes", "power", "effects", "factors"} - drawn
            self.assertEqual(told, wanted, campaign)
            readme = (out / "README.txt").read_text()
            self.assertIn("r-cran-ggplot2", readme)
            for name in told:
                self.assertIn(f"left out: {name}", readme)

    def test_every_column_is_documented(self):
        for campaign in DRAWN:
            out, _ = self.export(campaign, "python")
            readme = (out / "README.txt").read_text()
            for path in (out / "data").glob("*.csv"):
                with open(path, newline="", encoding="utf-8") as file:
                    rows = list(csv.reader(file))
                part = readme[readme.index(f"data/{path.name}\n"):]
                for column in rows[0]:
                    self.assertIn(f"\n  {column}: ", part.split("\ndata/")[0], path)
                self.assertEqual({len(row) for row in rows}, {len(rows[0])}, path)

    def test_strings_of_the_data_stay_in_the_data(self):
        for language, ending in ENDING.items():
            out, _ = self.export("odd", language)
            for script in out.rglob("*" + ending):
                if script.parent.name == "data" or script.stem == "settings":
                    continue
                text = script.read_text()
                for part in ("50 %\"", "alpha_1", "d\u00e9j\u00e0"):
                    self.assertNotIn(part, text, script)
                self.assertIn("exported by invar", text.splitlines()[1])

    def test_numbers_are_those_of_the_answers(self):
        import json
        out, _ = self.export("sizes", "python")
        answer = json.loads(run(INVAR, "compare", CAMPAIGNS / "sizes", "--format", "json").stdout)
        with open(out / "data/ratio.csv", newline="", encoding="utf-8") as file:
            rows = {(row["size_bytes"], row["arm"]): row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), len(answer["cells"]))
        opposite = {"faster": "slower", "slower": "faster"}
        for cell in answer["cells"]:
            size = "" if cell["size_bytes"] is None else str(cell["size_bytes"])
            row = rows[(size, cell["arm_b"])]
            self.assertEqual(float(row["ratio"]), cell["ratio"])
            self.assertEqual(float(row["ratio_low"]), cell["ratio_low"])
            self.assertEqual(row["verdict"], opposite.get(cell["verdict"], cell["verdict"]))

    def test_an_experiment_with_clocks_has_its_rows_and_its_answer(self):
        import json
        rows = run(INVAR, "export", CAMPAIGNS / "drift", "--to", "csv").stdout
        self.assertEqual(rows, (CAMPAIGNS / "drift/clocks.csv").read_text())
        data = json.loads(run(INVAR, "export", CAMPAIGNS / "drift", "--to", "json").stdout)
        table = list(csv.DictReader(rows.splitlines()))
        self.assertEqual(data["experiment"], "drift")
        self.assertEqual([{name: float(text) if text else None for name, text in row.items()}
                          for row in table], data["observations"])
        out, _ = self.export("drift", "python")
        with open(out / "data/drift-rates.csv", newline="", encoding="utf-8") as file:
            for row, ppm in zip(csv.DictReader(file), (50, -20)):
                self.assertAlmostEqual(float(row["y"]), ppm, places=1)
                self.assertEqual(row["low"], row["drift_low_ppm"])
                self.assertLess(float(row["low"]), float(row["high"]))
        with open(out / "data/drift.csv", newline="", encoding="utf-8") as file:
            points = list(csv.DictReader(file))
        self.assertEqual([row["y"] for row in points[:2]], ["0", "0"], "since the first one")
        for row in points:
            self.assertAlmostEqual(float(row["high"]) - float(row["low"]), 80)
        for to in "osu", "answers":
            done = run(INVAR, "export", CAMPAIGNS / "drift", "--to", to)
            self.assertEqual(done.returncode, 2)
            self.assertIn("holds an experiment with clocks", done.stderr)

    def test_what_is_wrong_with_a_campaign_is_told(self):
        words = ["State of the campaign: incomplete.", "problem: 1 launch group failed: rank 1 on node1",
                 "problem: not finished: 3 launch groups of", "look at: "]
        for options, host in ((), "node1"), (("--anonymise",), "host1"):
            out = self.scratch / host
            done = run(INVAR, "export", CAMPAIGNS / "broken", "--to", "r", "-o", out, *options)
            self.assertEqual(done.returncode, 4, done.stderr)  # it can be resumed
            self.assertIn(f"invar: broken: 1 launch group failed: rank 1 on {host}", done.stderr)
            self.assertIn("invar: broken: not finished: 3 launch groups of", done.stderr)
            readme = (out / "README.txt").read_text()
            for part in words:
                self.assertIn(part.replace("node1", host), readme)
            if options:
                self.assertNotIn("node1", readme + done.stderr)
        out, _ = self.export("single", "r")
        self.assertIn("State of the campaign: complete.\n\nNeeds", (out / "README.txt").read_text())

    def test_a_directory_that_exists_is_left_alone(self):
        out = self.scratch / "there"
        out.mkdir()
        (out / "precious").touch()
        done = run(INVAR, "export", CAMPAIGNS / "single", "--to", "r", "-o", out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("exists already", done.stderr)
        self.assertEqual(sorted(self.scratch.rglob("*")), [out, out / "precious"])

    def test_what_cannot_be_written_leaves_nothing(self):
        out = self.scratch / "file" / "figures"
        out.parent.touch()
        done = run(INVAR, "export", CAMPAIGNS / "single", "--to", "r", "-o", out)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(list(self.scratch.rglob("*")), [out.parent])

    def test_anonymised_exports_name_no_host(self):
        # The made-up campaigns were measured on "node1" by whoever runs the tests.
        campaign = self.scratch / "of node1"
        shutil.copytree(CAMPAIGNS / "single", campaign)
        for language in ENDING:
            out = self.scratch / language
            done = run(INVAR, "export", campaign, "--to", language, "-o", out, "--anonymise")
            self.assertEqual(done.returncode, 0, done.stderr)
            for path in out.rglob("*.*"):
                self.assertNotIn("node1", path.read_text(), path)
            self.assertIn("of host1", (out / "README.txt").read_text())
        plain = run(INVAR, "export", campaign, "--to", "csv").stdout
        hidden = run(INVAR, "export", campaign, "--to", "csv", "--anonymise").stdout
        self.assertEqual(len(plain.splitlines()), len(hidden.splitlines()))
        session = plain.splitlines()[1].split(",")[0]
        self.assertIn(".boot1", hidden.splitlines()[1].split(",")[0])
        self.assertNotIn(session, hidden)


class Pictures(Exports):
    def check_picture(self, path):
        data = path.read_bytes()
        if path.suffix == ".pdf":
            self.assertTrue(data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF"), path)
            self.assertGreater(len(data), 2000, path)
        else:
            width, height, lines = pixels_of(data)
            self.assertGreater(min(width, height), 200, path)
            self.assertGreater(lines, 50, f"{path} is empty")

    def check_scripts(self, command, environment=None):
        for campaign in DRAWN:
            out, _ = self.export(campaign, PART)
            for script in sorted(out.glob("*" + ENDING[PART])):
                if script.stem not in DRAWN_ONLY.get(campaign, {script.stem}):
                    continue
                with self.subTest(campaign=campaign, figure=script.stem):
                    done = run(*command, script, cwd="/", env={**os.environ, **(environment or {})})
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    for ending in (".pdf", ".png"):
                        picture = script.with_suffix(ending)
                        self.assertIn(str(picture), done.stdout.splitlines())
                        self.check_picture(picture)
            written = {path.name for path in out.iterdir()} - {"README.txt", "data"}
            self.assertTrue(all(name.split(".")[0] in DRAWN[campaign] for name in written), written)


    def check_counted(self, command, environment=None):
        """A script that draws two panels only says of how many."""
        out, _ = self.export("sizes", PART)
        script = out / ("distribution" + ENDING[PART])
        text, cuts = re.subn(r"most( ?= ?)12", r"most\g<1>2", script.read_text())
        self.assertEqual(cuts, 1)
        script.write_text(text)
        done = run(*command, script, cwd="/", env={**os.environ, **(environment or {})})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"2 of \d+ (cell|panel)s are drawn, the data have all\n")
        self.check_picture(script.with_suffix(".png"))


class R(Pictures):
    def test_every_picture_appears(self):
        self.check_scripts(["Rscript"])

    def test_what_is_not_drawn_is_counted(self):
        self.check_counted(["Rscript"])

    def test_also_without_unicode(self):
        out, _ = self.export("odd", "r")
        done = run("Rscript", out / "ratio.R", cwd="/", env={**os.environ, "LC_ALL": "C"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Python(Pictures):
    def test_every_picture_appears(self):
        # Warnings are errors; no display.
        self.check_scripts([sys.executable, "-W", "error"], {"DISPLAY": ""})

    def test_what_is_not_drawn_is_counted(self):
        self.check_counted([sys.executable, "-W", "error"], {"DISPLAY": ""})


class Pgfplots(Pictures):
    def compile(self, document):
        done = run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", document.name,
                   cwd=document.parent)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:])
        return document.with_suffix(".pdf")

    def check_fonts(self, picture):
        """Publishers refuse fonts that are bitmaps."""
        fonts = run("pdffonts", picture).stdout
        self.assertIn("Type 1", fonts, picture)
        self.assertNotIn("Type 3", fonts, picture)

    def test_every_picture_compiles(self):
        for campaign in DRAWN:
            out, _ = self.export(campaign, PART)
            for script in sorted(out.glob("*.tex")):
                if script.stem not in DRAWN_ONLY.get(campaign, {script.stem}):
                    continue
                with self.subTest(campaign=campaign, figure=script.stem):
                    picture = self.compile(script)
                    self.check_picture(picture)
                    self.check_fonts(picture)

    def test_a_page_is_a_picture(self):
        out, _ = self.export("sizes", PART)
        pages = run("pdfinfo", self.compile(out / "ratio.tex")).stdout
        self.assertRegex(pages, r"Pages: +2\n")  # allreduce, barrier
        width, height = re.search(r"Page size: +([0-9.]+) x ([0-9.]+)", pages).groups()
        self.assertLess(float(height), 400, "as large as the picture, not as a sheet of paper")

    def test_pictures_can_be_part_of_a_document(self):
        out, _ = self.export("sizes", PART)
        figures = self.scratch / "figures"
        out.rename(figures)
        paper = self.scratch / "paper.tex"
        paper.write_text(r"""\documentclass{article}
\usepackage[T1]{fontenc}\usepackage{lmodern,pgfplots}
\newcommand\invarhere{figures/}
\input{figures/pictures/settings}
\begin{document}
D\'ej\`a vu: \input{figures/pictures/times}
{\newcommand\invaronly{2}\input{figures/pictures/ratio}}
\end{document}
""")
        picture = self.compile(paper)
        self.check_picture(picture)
        self.check_fonts(picture)
        self.assertEqual(run("pdftotext", picture, "-").stdout.count("barrier"), 1)


NEEDS = {
    "files": [],
    "r": ["Rscript", "-e", "library(ggplot2)"],
    "python": [sys.executable, "-c", "import matplotlib"],
    "pgfplots": ["kpsewhich", "pgfplots.sty", "preview.sty", "lmodern.sty"],
}

if __name__ == "__main__":
    if NEEDS[PART] and not is_there(NEEDS[PART]):
        print(f"skipped: {' '.join(NEEDS[PART])} fails here")
        sys.exit(77)
    if PART == "pgfplots" and not (shutil.which("pdflatex") and shutil.which("pdffonts")):
        print("skipped: pdflatex or pdffonts (poppler-utils) is not here")
        sys.exit(77)
    case = {"files": Files, "r": R, "python": Python, "pgfplots": Pgfplots}[PART]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
