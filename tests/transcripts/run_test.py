#!/usr/bin/env python3
"""The transcript runner must fail where a transcript does not hold."""

import pathlib
import tempfile
import unittest

import run


class Runner(unittest.TestCase):
    def failures(self, text):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "a.transcript"
            path.write_text(text)
            return run.check(path, pathlib.Path("/bin/true"), None)

    def assert_holds(self, text):
        self.assertEqual(self.failures(text)[0], [])

    def assert_fails(self, text, count=1):
        self.assertEqual(len(self.failures(text)[0]), count)

    def test_expected_output_holds(self):
        self.assert_holds("# comment\n\n$ echo a\na\n\n$ printf 'b\\nc\\n'\nb\nc\n")

    def test_other_output_fails(self):
        self.assert_fails("$ echo a\nb\n")

    def test_more_output_than_expected_fails(self):
        self.assert_fails("$ printf 'a\\nb\\n'\na\n")

    def test_less_output_than_expected_fails(self):
        self.assert_fails("$ echo a\na\nb\n")

    def test_standard_error_counts(self):
        self.assert_holds("$ echo a >&2\na\n")

    def test_status_must_be_named_and_right(self):
        self.assert_holds("$ exit 3\n<exit 3>\n")
        self.assert_fails("$ exit 3\n")
        self.assert_fails("$ exit 3\n<exit 2>\n")
        self.assert_fails("$ true\n<exit 2>\n")

    def test_wildcard_in_a_line(self):
        self.assert_holds("$ echo took 17 ms\ntook ... ms\n")
        self.assert_fails("$ echo took 17 s\ntook ... ms\n")

    def test_other_characters_stand_for_themselves(self):
        self.assert_fails("$ echo aXb\na.b\n")

    def test_wildcard_for_lines(self):
        self.assert_holds("$ seq 9\n1\n...\n9\n")
        self.assert_holds("$ seq 2\n1\n...\n2\n")
        self.assert_fails("$ seq 9\n1\n...\n10\n")

    def test_empty_lines_inside_output_count(self):
        self.assert_holds("$ printf 'a\\n\\nb\\n'\na\n\nb\n")
        self.assert_fails("$ printf 'a\\nb\\n'\na\n\nb\n")

    def test_command_over_lines(self):
        self.assert_holds("$ cat <<END\n> a\n> b\n> END\na\nb\n")

    def test_commands_share_a_directory_that_begins_empty(self):
        self.assert_holds("$ ls -A\n\n$ touch a\n\n$ ls\na\n")

    def test_every_failure_is_told(self):
        self.assert_fails("$ echo a\nb\n\n$ echo c\nd\n", 2)

    def test_transcript_without_a_command_fails(self):
        self.assert_fails("echo a\n")

    def test_update_keeps_what_holds(self):
        text = "# about\n$ seq 3\n1\n...\n\n$ exit 4\n"
        self.assertEqual(self.failures(text)[1], "# about\n$ seq 3\n1\n...\n\n$ exit 4\n<exit 4>\n")


if __name__ == "__main__":
    unittest.main()
