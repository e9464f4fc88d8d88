"""tools/invar.py against what Invar itself exports. Usage: readers_test.py SOURCE_DIR CAMPAIGNS"""

import io
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, CAMPAIGNS = sys.argv[1:3]
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import invar  # noqa: E402
import numpy as np  # noqa: E402


def path(*parts):
    return os.path.join(CAMPAIGNS, *parts)


def content(name):
    with open(name, "rb") as file:
        return file.read()


def flipped(name, byte):
    bytes_ = bytearray(content(name))
    bytes_[byte] ^= 1
    with open(name, "wb") as file:
        file.write(bytes_)


class Reader(unittest.TestCase):
    def scratch_copy(self, name):
        directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, directory)
        return shutil.copytree(path(name), os.path.join(directory, name))

    def test_crc_of_any_length_is_that_of_invar(self):
        bytes_ = bytes(7 * i % 256 for i in range(100_000))
        for line in content(path("crc.txt")).decode().splitlines():
            length, expected = line.split()
            self.assertEqual("%08x" % invar.crc32c(bytes_[: int(length)]), expected, length)

    def test_every_campaign_gives_the_text_that_invar_exports(self):
        for name in ("plain", "odd", "messages", "damaged"):
            for verify in (True, False):
                observations, campaign = invar.read_campaign(path(name), verify)
                if name == "damaged" and not verify:
                    continue  # the damaged group is in, as was asked for
                text = io.StringIO()
                invar.write_csv(observations, campaign, text)
                self.assertEqual(text.getvalue().encode(), content(path(name + ".csv")), name)

    def test_text_that_a_spreadsheet_would_calculate_is_text(self):
        for text in ("=1", "@SUM(A1)", "+a", "-2+3", "\t=1"):
            self.assertEqual(invar._text(text), "'" + text)
        for value in ("", "-", "-5", "+1.5", "openmpi", "a=b", 7, None):
            self.assertEqual(invar._text(value), value)

    def test_observations_are_numbers_to_work_with(self):
        observations, campaign = invar.read_campaign(path("plain"))
        valid = observations[(observations["flags"] & invar.LEFT_OUT) == 0]
        self.assertEqual(len(valid), 4 * 2 * 3 * 2 * 20)
        medians = [np.median(valid[valid["arm"] == arm]["local_max_ps"]) for arm in (0, 1)]
        self.assertAlmostEqual(medians[1] / medians[0], 1.3, delta=0.2)
        self.assertEqual([arm["label"] for arm in campaign["arms"]], ["alpha", "beta"])
        self.assertEqual(campaign["cells"][1]["size_bytes"], "1024")
        self.assertTrue(campaign["ended"])
        self.assertEqual(campaign["planned_groups"], 4)

    def test_columns_of_messages_are_texts_as_the_plan_has_them(self):
        _, campaign = invar.read_campaign(path("messages"))
        pingpong, stream = campaign["cells"]
        self.assertEqual((pingpong["pattern"], stream["pattern"]), ("distance:1", "matching:0:back"))
        self.assertEqual((pingpong["window"], stream["window"]), ("1", "64"))
        self.assertEqual((pingpong["pending"], stream["pending"]), ("none", "same:16"))
        self.assertNotIn("compute", stream, "a level that no cell has")

    def test_ranks_bin_has_the_documented_layout(self):
        ticks = np.fromfile(path("plain", "launches/0001-alpha/ranks.bin"), invar.RANK_TICKS)
        self.assertEqual(set(ticks["rank"]), {0, 1})
        self.assertTrue((ticks["end_ticks"] > ticks["start_ticks"]).all())

    def test_marks_bin_has_the_documented_layout(self):
        record = struct.pack("<IIIIqq", 3, 5, 1, 2, -7, 11)
        marks = np.frombuffer(record, invar.MARK_TICKS)
        self.assertEqual(tuple(marks[0]), (3, 5, 1, 2, -7, 11))

    def test_looks_at_the_clocks_say_what_launches_tell(self):
        looks, campaign = invar.read_clock_sync(path("synced"))
        self.assertEqual(len(looks), 2 * 2 * 2)
        self.assertEqual(list(looks["launch"]), [1, 1, 2, 2, 3, 3, 4, 4])
        self.assertEqual([campaign["arms"][arm]["label"] for arm in looks["arm"][:4:2]], ["alpha", "beta"])
        first, second = looks[0], looks[1]
        self.assertEqual((first["clock"], first["rank"], first["epoch"]), ("tsc", 1, 0))
        self.assertEqual((first["at_ps"], first["offset_ps"]), (5_000_000_000_000, -250))
        self.assertTrue(np.isnan(first["measured_ps"]))
        self.assertEqual((first["accepted"], first["restarted"]), (-1, -1))
        self.assertEqual((second["accepted"], second["restarted"]), (1, 0))
        self.assertEqual((second["wander"], second["noise"]), (2e-9, 0.5))
        self.assertEqual(second["origin_ticks"], 123456789012)
        before, _ = invar.read_clock_sync(path("synced-before"))
        self.assertEqual(len(before), 2 * 2)
        self.assertTrue(np.isnan(before["wander"]).all() and np.isnan(before["noise"]).all())
        self.assertEqual(set(before["restarted"]), {-1})
        self.assertEqual(before[1]["measured_ps"], -310)
        nothing, _ = invar.read_clock_sync(path("plain"))
        self.assertEqual(len(nothing), 0)

    def test_damaged_group_is_left_out_and_named(self):
        observations, campaign = invar.read_campaign(path("damaged"))
        self.assertEqual(set(observations["group"]), {1, 2, 4})
        self.assertEqual(
            campaign["damage"], ["launches/0006-beta/env.json: does not match its checksum"]
        )
        self.assertEqual(campaign["warnings"], ['a "warning"\n\u00b5'])
        self.assertEqual(campaign["failed_cells"][0]["arm"], "beta")

    def test_failed_group_is_listed(self):
        _, campaign = invar.read_campaign(path("odd"))
        self.assertEqual([group["group"] for group in campaign["failed_groups"]], [2])

    def test_damaged_manifest_line_is_taken_from_the_copy(self):
        directory = self.scratch_copy("plain")
        flipped(os.path.join(directory, "manifest.jsonl"), 100)
        observations, _ = invar.read_campaign(directory)
        self.assertEqual(set(observations["group"]), {1, 2, 3, 4})
        flipped(os.path.join(directory, "manifest.copy.jsonl"), 101)
        with self.assertRaisesRegex(invar.CampaignError, "manifest is damaged"):
            invar.read_campaign(directory)

    def test_directory_that_is_no_campaign_is_refused(self):
        with self.assertRaisesRegex(invar.CampaignError, "is not a campaign"):
            invar.read_campaign(SOURCE)

    def test_program_writes_csv_and_tells_damage_by_its_status(self):
        program = [sys.executable, os.path.join(SOURCE, "tools", "invar.py")]
        whole = subprocess.run(program + [path("odd")], capture_output=True, check=False)
        self.assertEqual((whole.returncode, whole.stdout), (0, content(path("odd.csv"))))
        damaged = subprocess.run(program + [path("damaged")], capture_output=True, check=False)
        self.assertEqual((damaged.returncode, damaged.stdout), (5, content(path("damaged.csv"))))


# A value of a line of JSON, or a key.
VALUE = re.compile(rb'-?[0-9][-+.eE0-9]*|"(?:[^"\\]|\\.)*"|true|false|null|\[[^\]\[{}]*\]')
HUGE = [b"-1", b"0.5", b"1e999", b"NaN", b"Infinity", b"9" * 5000]
HUGE += [b"%d" % (2**bits + more) for bits in (16, 31, 32, 63, 64, 200) for more in (-1, 0)]
OTHER = [b"null", b"true", b'""', b'"\\ud800"', b'"..\\/.."', b'"/etc/passwd"', b'"%s"' % (b"x" * 300), b"{}", b"[]", b"[[1],2]"]


class Forged:
    """A copy of a campaign in which one thing after another is spoilt and put right again; what is drawn follows from the seed."""

    def __init__(self, whole, directory, seed):
        self.directory = shutil.copytree(whole, directory)
        self.draw = random.Random(seed)
        self.files = {}
        self.written = set()
        for folder, _, names in os.walk(directory):
            for name in names:
                full = os.path.join(folder, name)
                self.files[os.path.relpath(full, directory)] = content(full)
        self.manifests = [name for name in self.files if name.startswith("manifest")]
        self.read = [name for name in sorted(self.files) if name.endswith(("journal.jsonl", "timings.bin", "clock_sync.csv"))]

    def write(self, name, bytes_):
        self.written.add(name)
        with open(os.path.join(self.directory, name), "wb") as file:
            file.write(bytes_)

    def mend(self):
        for name in set(self.written):
            self.write(name, self.files[name])
        self.written.clear()

    def spoil(self):
        """Of one file, of a manifest in both copies: bits flipped, cut, nested, or a value that is another one; and what was done.
        Whoever does not look at checksums finds nothing wrong with the file but what it says."""
        name = self.draw.choice(self.manifests[:1] * 3 + self.read)
        before = self.files[name]
        kinds = ["bits", "cut"] + ["nested", "value"] * 3 * name.endswith(".jsonl") + ["field"] * 4 * name.endswith(".csv")
        kind = self.draw.choice(kinds)
        after = getattr(self, kind)(before)
        if name in self.manifests:
            for manifest in self.manifests:
                self.write(manifest, after)
        else:
            self.write(name, after)
            size = b'"%s":{"bytes":' % os.path.basename(name).encode()
            folder = b'"dir":"%s"' % os.path.dirname(name).encode()
            for manifest in self.manifests:
                lines = self.files[manifest].split(b"\n")
                lines = [re.sub(size + b"[0-9]+", size + b"%d" % len(after), line) if folder in line else line for line in lines]
                self.write(manifest, b"\n".join(lines))
        return "%s of %s" % (kind, name)

    def bits(self, before):
        after = bytearray(before)
        for _ in range(self.draw.choice((1, 1, 3, 20))):
            after[self.draw.randrange(len(after))] ^= 1 << self.draw.randrange(8)
        return bytes(after)

    def cut(self, before):
        return before[: self.draw.randrange(len(before))]

    def in_line(self, before, with_what):
        """A value of a line, each kind of line as often as any other, for another."""
        lines = before.split(b"\n")
        by_kind = {}
        for number, line in enumerate(lines[:-1]):
            by_kind.setdefault(json.loads(line)["type"], []).append(number)
        number = self.draw.choice(by_kind[self.draw.choice(sorted(by_kind))])
        begin = lines[number].index(b',"', 10)  # behind the type, without which a line is none
        place = self.draw.choice(list(VALUE.finditer(lines[number], begin)))
        lines[number] = lines[number][: place.start()] + with_what + lines[number][place.end() :]
        return b"\n".join(lines)

    def nested(self, before):
        depth = self.draw.choice((10, 500, 2000, 100_000))
        first, last = self.draw.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"[", b"")))
        return self.in_line(before, first * depth + b"1" + last * depth)

    def value(self, before):
        return self.in_line(before, self.draw.choice(HUGE + OTHER))

    def field(self, before):
        """Of a table."""
        lines = [line.split(b",") for line in before.split(b"\n")]
        line = self.draw.choice(lines[:-1])
        line[self.draw.randrange(len(line))] = self.draw.choice(HUGE + [b"", b'"', b"a\0b", b"\xff", b"x" * 200_000])
        return b"\n".join(b",".join(line) for line in lines)


class Hostile(unittest.TestCase):
    """Whatever stands in a directory: what was read is right, or left out and named, or the whole is refused with CampaignError."""

    MOST_S = 2
    MOST_BYTES = 200 << 20

    def setUp(self):
        self.scratch = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.scratch)
        # Numpy maps a lot before it is used.
        with open("/proc/self/statm", encoding="ascii") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, before)
        resource.setrlimit(resource.RLIMIT_AS, (mapped + self.MOST_BYTES, before[1]))

    def read(self, directory, verify, what):
        """Observations, or None where they are refused."""
        begin = time.process_time()
        try:
            observations, campaign = invar.read_campaign(directory, verify)
            invar.write_csv(observations, campaign, io.StringIO())
            invar.read_clock_sync(directory, verify)
        except invar.CampaignError as error:
            self.assertNotRegex(str(error), "[\x00-\x1f\x7f]", what)
            observations = None
        except Exception as error:
            raise AssertionError("%s: %r" % (what, error)) from error
        self.assertLess(time.process_time() - begin, self.MOST_S, what)
        return observations

    def test_what_a_line_says_never_breaks_the_reader(self):
        outcomes = []
        for name in ("odd", "synced", "messages"):
            forged = Forged(path(name), os.path.join(self.scratch, name), name)
            for number in range(80):
                what = "%s, case %d: %s" % (name, number, forged.spoil())
                outcomes.append(self.read(forged.directory, False, what) is None)
                forged.mend()
        self.assertIn(True, outcomes, "some are refused")
        self.assertIn(False, outcomes, "others are read")

    def test_what_was_spoilt_is_never_a_number(self):
        whole, _ = invar.read_campaign(path("odd"))
        forged = Forged(path("odd"), os.path.join(self.scratch, "odd"), "verified")
        for number in range(4):
            what = "case %d: %s" % (number, forged.spoil())
            observations = self.read(forged.directory, True, what)
            if observations is not None:
                expected = whole[np.isin(whole["group"], observations["group"])]
                self.assertEqual(observations.tobytes(), expected.tobytes(), what)
            forged.mend()

    def test_what_is_no_file_is_not_waited_for(self):
        for name in ("manifest.jsonl", "launches/0001-a_b/journal.jsonl"):
            directory = shutil.copytree(path("odd"), os.path.join(self.scratch, os.path.basename(name)))
            os.unlink(os.path.join(directory, name))
            os.mkfifo(os.path.join(directory, name))
            observations = self.read(directory, False, name)
            if observations is not None:
                self.assertEqual(set(observations["group"]), {3}, "the other group is left")

    def test_one_launch_is_not_read_many_times(self):
        """Lines of a few bytes that order megabytes each."""
        forged = Forged(path("odd"), os.path.join(self.scratch, "odd"), 1)
        for what, with_what in ((b'"launches":[1,2,3]', b'"launches":[1%s]' % (b",1" * 100_000)),
                                (b'"dir":"launches/0002-say__c_"', b'"dir":"launches/0001-a_b"')):
            for name in forged.manifests:
                self.assertEqual(forged.files[name].count(what), 1)
                forged.write(name, forged.files[name].replace(what, with_what))
            self.assertIsNone(self.read(forged.directory, False, what))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
