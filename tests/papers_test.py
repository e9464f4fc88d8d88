#!/usr/bin/env python3
"""docs/papers.md says of every figure and table of its papers which commands make it, and these are commands: papers_test.py SOURCE INVAR

Nothing is measured here; `make papers` does that.
"""

import importlib.machinery
import importlib.util
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE, INVAR = pathlib.Path(sys.argv[1]), sys.argv[2]
FIGURES = {"000": 12, "001": 1, "002": 11, "003": 4, "004": 12}
TABLES = {"000": 5, "001": 0, "002": 2, "003": 13, "004": 0}
# Figures whose graphs show something of their own.
GRAPHS = {"001-1": "abcd"}
PERILS = 13
UNKNOWN = "--no-such-option"

loader = importlib.machinery.SourceFileLoader("papers", str(SOURCE / "scripts/papers"))
papers = importlib.util.module_from_spec(importlib.util.spec_from_loader("papers", loader))
loader.exec_module(papers)
ROWS, FAULTS = papers.read_rows((SOURCE / papers.DOCUMENT).read_text(encoding="utf-8"))


def words_of(command):
    """The words behind what is set in the environment."""
    words = shlex.split(command)
    while "=" in words[0]:
        words.pop(0)
    return words


class Document(unittest.TestCase):
    def test_every_row_can_be_read(self):
        self.assertEqual(FAULTS, [])

    def test_every_figure_and_table_has_one_row(self):
        there = sorted(name for row in ROWS for name in row.names)
        figures = [f"{paper}-{n}" for paper, most in FIGURES.items() for n in range(1, most + 1)]
        wanted = [name + graph for name in figures for graph in GRAPHS.get(name, [""])]
        wanted += [f"{paper}-t{n}" for paper, most in TABLES.items() for n in range(1, most + 1)]
        self.assertEqual(there, sorted(wanted))

    def test_every_campaign_of_the_papers_is_used(self):
        used = {word for row in ROWS for command in row.commands for word in shlex.split(command)}
        for campaign in (SOURCE / "campaigns/papers").glob("*.toml"):
            self.assertIn(f"campaigns/papers/{campaign.name}", used)


class Perils(unittest.TestCase):
    """Paper 001's perils of performance measurement: each has what avoids it, and a test that exists."""

    def setUp(self):
        chapter = (SOURCE / papers.DOCUMENT).read_text(encoding="utf-8").partition("### The 13 perils")[2].partition("\n## ")[0]
        rows = [line.strip("|").split("|") for line in chapter.splitlines() if re.match(r"\| \d+ \|", line)]
        self.rows = [[cell.strip() for cell in row] for row in rows]

    def test_all_are_there_with_what_avoids_them(self):
        self.assertEqual([int(row[0]) for row in self.rows], list(range(1, PERILS + 1)))
        for row in self.rows:
            self.assertEqual(len(row), 4, row)
            self.assertTrue(row[2] and "`" in row[3], row)

    def test_every_test_that_is_named_exists(self):
        paths = [path for path in (SOURCE / "tests").rglob("*") if path.suffix in (".cpp", ".py")]
        texts = [(path.name, path.read_text(encoding="utf-8")) for path in paths]
        sources = dict(texts)
        google = {f"{suite}.{name}" for _, text in texts
                  for suite, name in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", text, re.MULTILINE)}
        for row in self.rows:
            file = None
            for name in re.findall(r"`([^`]+)`", row[3]):
                if name.endswith((".py", ".cpp")):
                    file = name
                    self.assertIn(file, sources, row[0])
                elif re.fullmatch(r"[A-Z]\w*\.\w+", name):
                    self.assertIn(name, google, row[0])
                else:
                    self.assertIsNotNone(file, f"{row[0]}: of which file is '{name}'?")
                    self.assertRegex(sources[file], rf"\b{name}\(", f"{file} has no {name}")


class Commands(unittest.TestCase):
    def test_every_file_that_is_read_is_there(self):
        for row in ROWS:
            for command in row.commands:
                for word in shlex.split(command):
                    if word.startswith(("campaigns/", "docs/", "tests/")):
                        self.assertTrue((SOURCE / word).exists(), f"{row.name}: {word}")

    def test_every_folder_that_is_read_was_made_before(self):
        for row in ROWS:
            made = set()
            for command in row.commands:
                words = words_of(command)
                if words[0] == "Rscript":
                    self.assertIn(words[1].split("/")[0], made, f"{row.name}: {command}")
                elif words[1] in ("show", "compare", "env", "export", "report") and not words[2].startswith("tests/"):
                    self.assertIn(words[2], made, f"{row.name}: {command}")
                made.update(word for before, word in zip(words, words[1:]) if before == "-o")

    def test_invar_knows_every_word(self):
        # An option more that nobody knows: all that are unknown are named, and nothing is run.
        with tempfile.TemporaryDirectory() as folder:
            for row in ROWS:
                for command in row.commands:
                    words = words_of(command)
                    if words[0] == "Rscript":
                        continue
                    self.assertEqual(words[0], "invar", f"{row.name}: {command}")
                    answer = subprocess.run(
                        [INVAR, *words[1:], UNKNOWN], cwd=folder, capture_output=True, text=True, check=False)
                    lines = answer.stderr.splitlines()
                    self.assertEqual(answer.returncode, 2, f"{row.name}: {command}")
                    self.assertEqual(len(lines), 1, f"{row.name}: {command}\n{answer.stderr}")
                    self.assertRegex(lines[0], f"unknown option '{UNKNOWN}'")


class Reader(unittest.TestCase):
    def rows(self, line):
        return papers.read_rows(f"## Paper 000: title\n\n| figure | a | b | c | d |\n|---|---|---|---|---|\n{line}\n")

    def test_names_all_figures_of_a_row(self):
        rows, faults = self.rows("| figures 1, 2 and table 3: both | `invar a`<br>`invar b` | it | so | shown |")
        self.assertEqual(faults, [])
        self.assertEqual(rows[0].names, ["000-1", "000-2", "000-t3"])
        self.assertEqual(rows[0].commands, ["invar a", "invar b"])
        self.assertFalse(rows[0].not_shown)

    def test_names_the_graphs_of_a_figure(self):
        rows, faults = self.rows("| figure 1b: warm and cold | `invar a` | it | so | shown |")
        self.assertEqual(faults, [])
        self.assertEqual(rows[0].names, ["000-1b"])

    def test_tells_what_is_wrong_with_its_line(self):
        for line, word in (("| figure 1: one | `a | b` | it | so | shown |", "6 columns"),
                           ("| one | `invar a` | it | so | shown |", "names no figure"),
                           ("| figure 1: one | invar a | it | so | shown |", "command"),
                           ("| figure 1: one | `invar a` | it | so | maybe |", "last column")):
            rows, faults = self.rows(line)
            self.assertEqual(rows, [])
            self.assertEqual(len(faults), 1)
            self.assertRegex(faults[0], re.escape(f"{papers.DOCUMENT}:5: ") + ".*" + word)


class Runs(unittest.TestCase):
    def outcome(self, command, outcome):
        with tempfile.TemporaryDirectory() as folder:
            row = papers.Row(["000-1"], "one", ["echo first", command], outcome)
            result = papers.run_row(row, pathlib.Path(folder) / "000-1")
            return result, (pathlib.Path(folder) / "000-1/output.txt").read_text(encoding="utf-8")

    def test_keep_what_was_printed(self):
        result, output = self.outcome("ls campaigns/papers", "shown")
        self.assertEqual(result, (None, None))
        self.assertIn("$ echo first\nfirst\n$ ls campaigns/papers\n", output)

    def test_fail_by_any_status(self):
        (failure, _), _ = self.outcome("false", "shown")
        self.assertIn("false: status 1", failure)
        (failure, _), _ = self.outcome("false", "not shown here because it cannot be")
        self.assertIn("false: status 1", failure)

    def test_may_be_refused_only_where_nothing_is_to_be_shown(self):
        refusal = "echo 'invar: no such thing' >&2; exit 2"
        self.assertEqual(self.outcome(refusal, "not shown here because of that")[0], (None, "invar: no such thing"))
        (failure, _), _ = self.outcome(refusal, "shown")
        self.assertIn("no such thing", failure)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
