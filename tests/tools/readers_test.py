"""tools/invar.py against what Invar itself exports. Usage: readers_test.py SOURCE_DIR CAMPAIGNS"""

import io
import os
import shutil
import struct
import subprocess
import sys
import tempfile
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
        with self.assertRaisesRegex(invar.CampaignError, "is no campaign"):
            invar.read_campaign(SOURCE)

    def test_program_writes_csv_and_tells_damage_by_its_status(self):
        program = [sys.executable, os.path.join(SOURCE, "tools", "invar.py")]
        whole = subprocess.run(program + [path("odd")], capture_output=True, check=False)
        self.assertEqual((whole.returncode, whole.stdout), (0, content(path("odd.csv"))))
        damaged = subprocess.run(program + [path("damaged")], capture_output=True, check=False)
        self.assertEqual((damaged.returncode, damaged.stdout), (5, content(path("damaged.csv"))))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
