#!/usr/bin/env python3
"""What the self-test says of fixed data, and the exit status that goes with it: of a campaign that holds, and of copies in which
something is wrong that it is there to find. refuted_test.py INVAR; nothing is measured, and no MPI library is needed.

Live self-tests cannot show this: on a machine that does other things they may rightly say either.
"""

import json
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
INVAR = None  # the program, from the command line
DONE, FAILED, DAMAGED = 0, 3, 5
# Visit, repetition, start, global and local times (greatest, least, mean), skew, uncertainty, flags: docs/formats.md.
RECORD = struct.Struct("<IIqqqqqqIHH")


def table_of_crc32c():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = table_of_crc32c()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return b"%08x" % (crc ^ 0xFFFFFFFF)


class Refuted(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="invar-refuted-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        with lzma.open(HERE / "self-test.tar.xz") as file, tarfile.open(fileobj=file, mode="r:") as tar:
            tar.extractall(self.scratch)
        self.campaign = self.scratch / "self-test"

    def invar(self, *words):
        return subprocess.run([INVAR] + list(words), cwd=self.scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=120,
                              env=dict(os.environ, INVAR_HOME="/nowhere/invar", LC_ALL="C.UTF-8"))

    def answer(self, status):
        """The self-test's answer, which every format gives with this status."""
        said = self.invar("self-test", "--from", "self-test", "--format", "json")
        self.assertEqual(said.returncode, status, said.stderr)
        self.assertEqual(self.invar("self-test", "--from", "self-test").returncode, status)
        answer = json.loads(said.stdout)
        # What it says is what its status says.
        self.assertEqual(answer["holds"], status == DONE)
        self.assertEqual(answer["problems"] == [], status == DONE)
        self.assertEqual(answer["health"]["refuted"], status == FAILED)
        self.assertEqual("do not hold on this machine" in answer["sentence"], status == FAILED)
        return answer

    def change(self, name, change, arm=""):
        """change(bytes) of this file in all launches of an arm, as a machine would have measured it: with the checksums."""
        for manifest in sorted(self.campaign.glob("manifest*.jsonl")):
            lines = []
            for line in manifest.read_bytes().splitlines(keepends=True):
                read = json.loads(line)
                if read["type"] == "launch" and read["arm"].endswith(arm):
                    path = self.campaign / read["dir"] / name
                    kept = path.with_name(name + ".as-it-was")  # the manifest is there twice, and each file is changed once
                    if not kept.exists():
                        path.rename(kept)
                        path.write_bytes(change(kept.read_bytes()))
                    data = path.read_bytes()
                    line = re.sub(b'"%s":{[^}]*}' % name.encode(),
                                  b'"%s":{"bytes":%d,"crc":"%s"}' % (name.encode(), len(data), crc32c(data)), line)
                    line = line[:line.rindex(b',"line_crc"')]
                    line += b',"line_crc":"%s"}\n' % crc32c(line)
                lines.append(line)
            manifest.write_bytes(b"".join(lines))
        for kept in self.campaign.rglob("*.as-it-was"):
            kept.unlink()
        verified = self.invar("verify", "self-test")
        self.assertEqual(verified.returncode, DONE, "it is not damage: " + verified.stdout + verified.stderr)

    def test_verdicts_that_hold_are_exit_status_0(self):
        answer = self.answer(DONE)
        self.assertEqual([tables["tables_wrong"] for tables in answer["tables"]], [0, 0])

    def test_an_arm_that_differs_from_itself_is_exit_status_3(self):
        def slower(data):
            records = []
            for record in RECORD.iter_unpack(data):
                record = list(record)
                for time in range(3, 7):
                    record[time] *= 3
                records.append(RECORD.pack(*record))
            return b"".join(records)
        self.change("timings.bin", slower, arm="#2")
        answer = self.answer(FAILED)
        by_turns, inside = answer["tables"]
        self.assertEqual(by_turns["tables_wrong"], by_turns["tables"], "the same cell of both arms: slower in every table")
        self.assertEqual(by_turns["cells_wrong"], by_turns["cells"])
        self.assertEqual(inside["tables_wrong"], 0, "inside a launch both are slower")
        self.assertIn("have a false verdict", answer["problems"][0])

    def test_delays_that_are_not_as_long_as_they_should_be_are_exit_status_3(self):
        def longer(data):
            changed, count = re.subn(rb'("check": ?)[0-9.]+', rb"\g<1>1.3", data)
            self.assertEqual(count, 1)
            return changed
        self.change("env.json", longer, arm="#2")
        answer = self.answer(FAILED)
        self.assertEqual(answer["delay_check"], 1.3)
        self.assertEqual([tables["tables_wrong"] for tables in answer["tables"]], [0, 0], "no verdict is wrong")
        self.assertIn("1.30 times what they should be", answer["problems"][0])

    def test_what_does_not_match_its_checksum_is_damage_first(self):
        path = next(self.campaign.glob("launches/*#2")) / "timings.bin"
        data = bytearray(path.read_bytes())
        data[RECORD.size + 20] ^= 1
        path.write_bytes(data)
        self.assertEqual(self.invar("self-test", "--from", "self-test").returncode, DAMAGED)


if __name__ == "__main__":
    INVAR = str(pathlib.Path(sys.argv.pop(1)).resolve(strict=True))
    unittest.main(verbosity=2)
