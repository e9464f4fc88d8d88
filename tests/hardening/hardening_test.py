"""Directories that somebody else wrote, machines without room, cables that are pulled: nothing of the user changes outside of
the directory, no secret is in any file, no command takes more than 200 MB or 10 s, and no escape reaches the terminal.

    INVAR=build/invar INVAR_HOME=build/invar-home PYTHONPATH=tests/campaign python3 tests/hardening/hardening_test.py -v
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import DAMAGED, DONE, FAILED, INCOMPLETE, INVAR, USAGE, Campaign, CampaignTest, Result, main

MOST_KB = 200 * 1024
MOST_S = 10
POWER_CUTS = int(os.environ.get("INVAR_POWER_CUTS", "3"))

# What reads a directory, and what goes on with it.
READERS = (["status"], ["verify"], ["show"], ["compare"], ["env"], ["report", "-o", "page.html"],
           ["export", "--to", "csv", "-o", "exported"])
RESUME = ["run", "--resume", "-o"]

CAMPAIGN = """schema = 1
name = "foreign"
seed = 5

[design]
launches = 2
rounds = 2
repetitions = 10

[[cells]]
operation = "bcast"
size = 65536
ranks = 2

[[arm]]
library = "%s"
label = "first"

[[arm]]
library = "%s"
label = "second"
"""


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def sealed(line):
    """A line of the manifest with the checksum that it should have."""
    body = line[:line.rindex(',"line_crc":"')]
    return '%s,"line_crc":"%08x"}' % (body, crc32c(body.encode()))


class Hardening(CampaignTest):
    def within_limits(self, *words):
        """Runs a command that may end with any status, and holds it to its limits."""
        out, err = self.scratch / "out", self.scratch / "err"
        begin = time.monotonic()
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            process = subprocess.Popen([INVAR] + [str(word) for word in words], cwd=self.scratch, env=self.environment(),
                                       stdin=subprocess.DEVNULL, stdout=out_file, stderr=err_file)
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - begin > MOST_S:
                    process.kill()
                    os.wait4(process.pid, 0)
                    self.fail("invar %s did not end within %d s" % (" ".join(map(str, words)), MOST_S))
                time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        said = Result(process.returncode, out.read_bytes().decode(), err.read_bytes().decode())
        what = "invar %s: %s\n%s%s" % (" ".join(map(str, words)), said.status, said.out, said.err)
        self.assertGreaterEqual(said.status, 0, what)
        self.assertLess(usage.ru_maxrss, MOST_KB, what)
        # Neither the old controls nor those of Latin-1, which terminals obey as well.
        self.assertNotRegex(said.out + said.err, "[\x00-\x08\x0b-\x1f\x7f-\x9f]", what)
        self.assertLess(len((said.out + said.err).splitlines()), 300, "a wall of text")
        return said

    def refused_by_all(self, *words_of_refusal, readers=READERS, statuses=(USAGE,)):
        """Every command says this and leaves the user's files alone; going on is refused, too."""
        for reader in readers:
            said = self.within_limits(reader[0], self.dir, *reader[1:])
            self.assertIn(said.status, statuses, said)
            for words in words_of_refusal:
                self.assertIn(words, said.err + said.out)
        said = self.within_limits(*RESUME, self.dir)
        self.assertIn(said.status, statuses, said)
        for words in words_of_refusal:
            self.assertIn(words, said.err)


class ForeignDirectory(Hardening):
    """Copies of one campaign, each forged in one way by somebody who knows its checksums."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kept = pathlib.Path(tempfile.mkdtemp(prefix="invar-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.kept, ignore_errors=True)
        text = CAMPAIGN % (cls.first, cls.second)
        (cls.kept / "campaign.toml").write_text(text)
        measured = subprocess.run([INVAR, "run", "campaign.toml", "-o", "base"], cwd=cls.kept, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, universal_newlines=True,
                                  env=dict(cls.QUICK_START, **os.environ))
        if measured.returncode != DONE:
            raise AssertionError(measured.stdout)

    def setUp(self):
        super().setUp()
        self.dir = self.scratch / "foreign"
        shutil.copytree(self.kept / "base", self.dir)
        self.mine = self.scratch / "x"
        self.mine.mkdir()
        (self.mine / "thesis").write_text("precious")

    def tearDown(self):
        self.assertEqual([path.name for path in self.mine.iterdir()], ["thesis"])
        self.assertEqual((self.mine / "thesis").read_text(), "precious")
        super().tearDown()

    def forge(self, change):
        """change(line of the manifest) -> the line instead of it, or lines."""
        lines = []
        for line in (self.dir / "manifest.jsonl").read_text().splitlines():
            changed = change(line)
            lines += changed if isinstance(changed, list) else [changed]
        text = "".join(sealed(line) + "\n" for line in lines)
        for name in ("manifest.jsonl", "manifest.copy.jsonl"):
            (self.dir / name).write_text(text)

    def replace(self, before, after):
        self.assertIn(before, (self.dir / "manifest.jsonl").read_text())
        self.forge(lambda line: line.replace(before, after))

    def test_a_plan_is_a_file_of_the_directory(self):
        self.replace('"file":"plan.csv"', '"file":"../x/thesis"')
        self.refused_by_all("names '../x/thesis'", "manifest.jsonl:2")

    def forged_move(self, **keys):
        """A line that says that a folder was moved, before the last one."""
        def add(line):
            if '"type":"end"' not in line:
                return line
            number = json.loads(line)["line"]
            move = dict({"type": "discarded", "line": number, "time": "2026-01-01T00:00:00Z"}, **keys, line_crc="")
            return [json.dumps(move, separators=(",", ":")), line.replace('"line":%d' % number, '"line":%d' % (number + 1))]
        self.forge(add)

    def test_what_is_discarded_comes_from_the_directory(self):
        self.forged_move(group=1, reason="damage", launches=[{"launch": 1, "from": "../x", "to": "discarded/x"}])
        self.refused_by_all("names '../x'")

    def test_a_line_that_lacks_a_key_is_damage_and_is_named(self):
        self.forged_move(reason="damage")
        for reader in READERS:
            said = self.within_limits(reader[0], self.dir, *reader[1:])
            self.assertEqual(said.status, DAMAGED, said)
            self.assertIn("manifest.jsonl:12", said.out + said.err)
            self.assertNotIn("json.exception", said.out + said.err)
        said = self.within_limits("verify", self.dir)
        self.assertEqual(said.status, DAMAGED)
        self.assertIn("manifest.jsonl:12: is not a line that invar writes: key 'group' not found", " ".join(said.out.split()))

    def test_a_lock_that_is_a_link_is_not_followed(self):
        (self.dir / "lock").unlink(missing_ok=True)
        (self.dir / "lock").symlink_to(self.mine / "thesis")
        self.refused_by_all("lock: is a link")

    def test_a_pipe_is_not_waited_for(self):
        (self.dir / "manifest.copy.jsonl").unlink()
        os.mkfifo(self.dir / "manifest.copy.jsonl")
        self.refused_by_all("manifest.copy.jsonl: is not a file")

    def test_numbers_in_a_plan_do_not_take_the_memory(self):
        plan = (self.dir / "plan.csv").read_text()
        header, row = plan.splitlines()[:2]
        fields = row.split(",")
        fields[header.split(",").index("cell")] = "9999999"
        forged = plan.replace(row, ",".join(fields))
        (self.dir / "plan.csv").write_text(forged)
        crc = '"%08x"' % crc32c(forged.encode())

        def change(line):
            read = json.loads(line)
            if read["type"] != "plan":
                return line
            line = line.replace(json.dumps(read["crc"]), crc)
            return line.replace(row, ",".join(fields))
        self.forge(change)
        for reader in READERS:
            self.within_limits(reader[0], self.dir, *reader[1:])
        said = self.within_limits(*RESUME, self.dir)
        self.assertIn("9999999", said.err)
        self.assertNotEqual(said.status, DONE)

    def test_escapes_in_data_do_not_reach_the_terminal(self):
        escapes = "\\u001b[2J\\u0007\\u009b2J"
        self.replace('"reason":""', '"reason":"%s"' % escapes)
        self.replace('"scope":"', '"scope":"\\u001b]0;owned\\u0007')
        self.replace('"library_version":"', '"library_version":"' + escapes)
        readers = (*READERS, ["export", "--to", "osu"])
        for reader in readers:
            self.within_limits(reader[0], self.dir, *reader[1:])
        # Damage tells the name of an arm that nobody knows; where all name it, every table does.
        for key in ("arm", "label"):
            self.replace('"%s":"' % key, '"%s":"%s' % (key, escapes))
            for reader in readers:
                self.within_limits(reader[0], self.dir, *reader[1:])
        self.assertEqual(self.within_limits("compare", self.dir).status, DONE)

    def test_a_number_of_a_line_is_no_number_of_faults(self):
        self.replace('"line":4,', '"line":299000,')
        for reader in READERS:
            self.within_limits(reader[0], self.dir, *reader[1:])

    def test_a_launch_is_a_folder_of_the_directory(self):
        self.replace('"dir":"launches/0001', '"dir":"/etc/0001')
        self.refused_by_all("names '/etc/0001")

    @unittest.skipUnless(os.geteuid() == 0, "only root gives directories away")
    def test_another_users_campaign_is_not_gone_on_with(self):
        subprocess.run(["chown", "-R", "65534:65534", str(self.dir)], check=True)
        said = self.within_limits(*RESUME, self.dir)
        self.assertEqual(said.status, USAGE)
        self.assertIn("runs the libraries and programs that it names", said.err)
        self.assertEqual(self.within_limits("compare", self.dir).status, DONE)

    def test_little_memory_is_no_damage(self):
        """What cannot be read for want of memory stays where it is."""
        before = sorted(path.relative_to(self.dir) for path in self.dir.rglob("*"))
        for limit_kb in (40000, 60000):
            subprocess.run(["bash", "-c", 'ulimit -v %d; exec "$@"' % limit_kb, "-", INVAR] + RESUME + [str(self.dir)],
                           cwd=self.scratch, env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=120)
            self.assertFalse((self.dir / "discarded").exists(), "%d kB" % limit_kb)
        after = sorted(path.relative_to(self.dir) for path in self.dir.rglob("*"))
        self.assertEqual(set(before) - set(after), set())
        self.invar("verify", self.dir, expect=DONE)


class Secrets(Hardening):
    NAMES = ("SLURM_JWT", "PBS_JOBCOOKIE", "UCX_AUTH_KEY", "OMPI_MCA_my_password", "FI_SECRET", "MY_TOKEN", "I_MPI_CREDENTIALS")

    def test_are_in_no_file(self):
        campaign, result = self.run_campaign(launches=2, rounds=1, repetitions=5, cells=[{"operation": "bcast", "size": 65536}],
                                             env={name: "s3cret" for name in self.NAMES})
        page = self.scratch / "page.html"
        self.invar("report", campaign.path, "-o", page)
        files = [path for path in self.scratch.rglob("*") if path.is_file()]
        self.assertIn(page, files)
        for path in files:
            self.assertNotIn(b"s3cret", path.read_bytes(), path)
        self.assertNotIn("s3cret", result.out + result.err + self.invar("env", campaign.path).out)


class Machine(Hardening):
    """Machines that lack something, which is told of the machine and not of a library."""

    def unshared(self, *options, script):
        # In a chroot propagation cannot be changed for all mounts at once.
        for words in (["unshare", *options], ["unshare", "--propagation", "unchanged", *options]):
            if os.geteuid() == 0 and subprocess.run(words + ["true"], stderr=subprocess.DEVNULL).returncode == 0:
                return words + ["bash", "-c", script, "-"]
        self.skipTest("no namespaces for this user")

    def test_shared_memory_that_is_full(self):
        self.assert_shared_memory_is_named("size=64k")

    def test_shared_memory_that_nobody_may_write(self):
        self.assert_shared_memory_is_named("ro")

    def assert_shared_memory_is_named(self, option):
        """With a /dev/shm that is mounted so."""
        script = 'mount --make-rprivate /dev/shm; mount -t tmpfs -o %s tmpfs /dev/shm && exec "$@"' % option
        words = self.unshared("-m", script=script)
        campaign = self.campaign_file(launches=2)
        done = subprocess.run(words + [INVAR, "run", str(campaign), "-o", "data"], cwd=self.scratch, env=self.environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                              timeout=120)
        self.assertNotEqual(done.returncode, DONE)
        self.assertIn("/dev/shm", done.stderr)
        self.assert_nothing_runs()

    def test_two_containers_on_one_machine(self):
        """Their processes have the same numbers, they share /dev/shm, and each sees a folder of its own under one path: of what
        names a group's page only the random part differs."""
        path = self.scratch / "campaigns"
        path.mkdir()
        # Where `unshared` could not make all mounts private, this one is, if it is one: else what is mounted here is seen outside.
        words = self.unshared("-m", "-p", "-f", "--mount-proc", script="""
            mount --make-private "$(stat -c %m -- "$2")" 2>/dev/null
            mount --bind "$1" "$2" && shift 2 && exec "$@" """)
        containers = []
        for name in "one", "two":
            folder = self.scratch / name
            folder.mkdir()
            campaign = self.campaign_file(name + "/campaign.toml", launches=2, engine={"pinning": "none", "sync": "dissemination"})
            sees = words + [str(folder), str(path)]
            subprocess.run(sees + ["test", "-f", str(path / "campaign.toml")], check=True, timeout=60)
            if list(path.iterdir()):
                subprocess.run(["umount", str(path)], check=True)
                self.skipTest("no namespaces with mounts of their own")
            # What Open MPI itself names by the numbers of its processes is not what this is about.
            own = {"TMPDIR": str(folder), "OMPI_MCA_btl_vader_backing_directory": str(folder)}
            containers.append((folder, sees + [INVAR, "run", str(path / campaign.name), "-o", str(path / "data")], own))
        running = [(folder, subprocess.Popen(command, cwd=self.scratch, env=self.environment(own), stdin=subprocess.DEVNULL,
                                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True))
                   for folder, command, own in containers]
        for _, process in running:
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.addCleanup(process.stdout.close)
        pages = []
        for folder, process in running:
            said, _ = process.communicate(timeout=300)
            self.assertEqual(process.returncode, DONE, said)
            data = Campaign(folder / "data")
            self.assertIn("complete and whole", self.invar("verify", data.path, expect=DONE).out)
            # A page that is there already is not a failure by itself: the driver goes on without seeing it.
            self.assertNotIn("shared page", json.dumps(data.manifest("warning")))
            self.assertEqual(sorted(data.outcomes()), [1, 2])
            spec = (data.launches()[0].path / "launch.spec").read_text()
            pages.append(re.search("^group_id = (.*)$", spec, re.MULTILINE)[1].split("-"))
        self.assertEqual(list(path.iterdir()), [], "each has written to its own folder")
        # Checksum of the path, pid, random part, and so on: else other names would show nothing.
        self.assertEqual(pages[0][:2], pages[1][:2])
        self.assertNotEqual(pages[0][2], pages[1][2])

    def test_a_copy_of_the_manifest_that_cannot_be_written(self):
        if os.geteuid() != 0 or shutil.which("chattr") is None:
            self.skipTest("only root makes files immutable")
        process = self.start("run", self.campaign_file(launches=4), "-o", "data")
        data = Campaign(self.scratch / "data")
        self.wait_for(lambda: data.groups_finished() >= 1, "the first group", process)
        copy = data.path / "manifest.copy.jsonl"
        if subprocess.run(["chattr", "+i", str(copy)], stderr=subprocess.DEVNULL).returncode:
            self.finish(process)
            self.skipTest("this file system has no immutable files")
        try:
            said = self.finish(process)
        finally:
            subprocess.run(["chattr", "-i", str(copy)], check=True)
        self.assertEqual(said.status, FAILED, said)
        self.assertIn("manifest.copy.jsonl", said.err)
        self.invar("run", "--resume", "-o", "data", expect=DONE)
        self.invar("verify", "data", expect=DONE)
        self.assert_nothing_runs()


class SetClock(Hardening):
    """Somebody sets the clock while a campaign runs: a day ahead, a day back, and right again."""

    DAY_S = 86400

    def setUp(self):
        super().setUp()
        shim = self.scratch / "shifted_clock.so"
        source = pathlib.Path(__file__).with_name("shifted_clock.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(source)], check=True)
        self.shift = self.scratch / "shift"
        self.set_clock(0)
        self.process = self.start("run", self.campaign_file(launches=4), "-o", "data",
                                  env={"LD_PRELOAD": str(shim), "SHIFTED_CLOCK": str(self.shift)})
        self.data = Campaign(self.scratch / "data")

    def set_clock(self, seconds):
        new = self.shift.with_suffix(".new")
        new.write_text("%d\n" % seconds)
        new.rename(self.shift)

    def after_group(self, number, seconds):
        self.wait_for(lambda: self.data.groups_finished() >= number, "group %d" % number, self.process)
        self.set_clock(seconds)

    def assert_whole(self):
        self.assertEqual(sorted(self.data.outcomes()), [1, 2, 3, 4])
        for command in "verify", "status", "compare", "env":
            self.invar(command, self.data.path, expect=DONE)
        self.assert_nothing_runs()

    def test_ahead_and_back_changes_nothing(self):
        for number, seconds in (1, self.DAY_S), (2, -self.DAY_S), (3, 0):
            self.after_group(number, seconds)
        said = self.finish(self.process)
        self.assertEqual(said.status, DONE, said)
        days = {line["time"][:10] for line in self.data.manifest() if "time" in line}
        self.assertGreater(len(days), 1, "the driver has seen the clock that was set")
        self.assertFalse((self.data.path / "discarded").exists())
        self.assert_whole()

    def test_set_back_between_an_interrupt_and_going_on(self):
        self.after_group(1, self.DAY_S)
        self.wait_for(lambda: self.data.groups_finished() >= 2, "group 2", self.process)
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(self.process).status, INCOMPLETE)
        self.invar(*RESUME, self.data.path, expect=DONE)
        self.assert_whole()


class PowerCut(Hardening):
    """ext4 that writes late, copied the moment that a campaign has ended: what a cable leaves that is pulled then."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not all(map(shutil.which, ("losetup", "mkfs.ext4", "fsck.ext4", "mount"))):
            self.skipTest("only root mounts")
        self.disk = self.scratch / "disk.img"
        with open(self.disk, "wb") as disk:
            disk.truncate((40 + 8 * POWER_CUTS) << 20)
        subprocess.run(["mkfs.ext4", "-q", str(self.disk)], check=True, stdout=subprocess.DEVNULL)

    def mounted(self, disk, name, options):
        folder = self.scratch / name
        folder.mkdir()
        made = subprocess.run(["mount", "-o", "loop," + options, str(disk), str(folder)], stderr=subprocess.PIPE,
                              universal_newlines=True)
        if made.returncode:
            self.skipTest("no loop devices here: " + made.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", str(folder)], stderr=subprocess.DEVNULL)
        return folder

    def test_right_after_the_end_loses_nothing(self):
        late = self.mounted(self.disk, "late", "commit=300")
        for number in range(POWER_CUTS):
            campaign = "campaign-%d" % number
            self.invar("run", self.campaign_file(launches=2, rounds=1, repetitions=5), "-o", late / campaign)
            cut = self.scratch / ("cut-%d.img" % number)
            shutil.copy(self.disk, cut)
            subprocess.run(["fsck.ext4", "-p", "-f", str(cut)], stdout=subprocess.DEVNULL)
            after = self.mounted(cut, "after-%d" % number, "ro,noload")
            verified = self.invar("verify", after / campaign, expect=DONE)
            self.assertIn("complete and whole", verified.out)
            subprocess.run(["umount", "-l", str(after)], check=True)
            cut.unlink()


del Hardening  # what the others share is not a test

if __name__ == "__main__":
    main()
