"""What the tests of whole campaigns share: they run build/invar as a user would, with the real MPI libraries of this
machine, and look at what is on the disk afterwards and at which processes are left.

CTest sets INVAR (the program), INVAR_HOME (where the engines are) and INVAR_YIELD_PRELOAD (see tests/mpi). By hand:

    INVAR=build/invar INVAR_HOME=build/invar-home python3 tests/campaign/records_test.py -v
"""

import collections
import csv
import io
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

INVAR = os.path.abspath(os.environ.get("INVAR", "build/invar"))
HERE = pathlib.Path(__file__).resolve().parent
if "INVAR_HOME" in os.environ:
    os.environ["INVAR_HOME"] = os.path.abspath(os.environ["INVAR_HOME"])

# Exit statuses of invar.
DONE, FOUND, USAGE, FAILED, INCOMPLETE, DAMAGED = range(6)

# Flags of an observation.
WARM_UP, LATE, PAST_WINDOW, INTERRUPTED, REPEATS_LATE, GLOBAL_INVALID, OVERSUBSCRIBED, BATCH, LOST = (
    1 << i for i in range(9))
PROBED = 512
ERROR_UNSTATED = 1024
APART = 2048

# Repetitions of warm-up that a visit has at most.
MOST_WARM_UP = 50

# Nothing here takes half as long; on a loaded machine it must not be the test that gives up.
LIMIT_S = 300

# Everything that a test starts inherits it, so that no process can hide from processes_of().
MARK = "INVAR_TEST_MARK"

Timing = collections.namedtuple(
    "Timing", "visit repetition start_ps global_ps local_max_ps local_min_ps local_mean_ps start_skew_ps uncertainty_ps "
              "flags reserved")
RankTicks = collections.namedtuple("RankTicks", "visit repetition rank reserved start_ticks end_ticks")


_READY_WRAPPER = """#!/bin/sh
for word; do
  if [ "$before" = -o ]; then out=$word; fi
  if [ "$word" = -c ]; then compile=yes; fi
  before=$word
done
if [ "$compile" ]; then : > "$out"
elif [ "$out" ]; then %s
  cp %s "$out"
else exec %s "$@"
fi
"""


def _records(path, layout, kind):
    return [kind(*fields) for fields in struct.iter_unpack(layout, path.read_bytes())]


class Result(collections.namedtuple("Result", "status out err")):
    """Exit status and what was written to stdout and stderr."""


def libraries(simulators=False):
    """Profiles of the MPI libraries here by name; those that run on this machine, or those that simulate another one."""
    listed = subprocess.run([INVAR, "mpi", "list", "--format", "json"], stdout=subprocess.PIPE, check=True,
                            universal_newlines=True)
    return {profile["name"]: profile for profile in json.loads(listed.stdout)["profiles"]
            if not profile["problem"] and not profile["alone"] and profile["simulates"] == simulators}


def over_everything(answer):
    """Rows of a comparison without those of single regimes: the machine may have several while a test runs."""
    return [row for row in answer["cells"] if row["regime"] is None]


class Launch:
    """One launch's directory."""

    def __init__(self, path):
        self.path = path
        self.number, self.arm = int(path.name.split("-", 1)[0]), path.name.split("-", 1)[1]

    def timings(self):
        return _records(self.path / "timings.bin", "<IIqqqqqqIHH", Timing)

    def rank_ticks(self):
        return _records(self.path / "ranks.bin", "<IIIIqq", RankTicks)

    def journal(self):
        return [json.loads(line) for line in (self.path / "journal.jsonl").read_text().splitlines()]

    def visits(self):
        return [line for line in self.journal() if line["type"] == "visit"]

    def end(self):
        return self.journal()[-1]

    def clock_models(self):
        """Rows of clock_sync.csv."""
        with open(self.path / "clock_sync.csv", newline="") as file:
            return list(csv.DictReader(file))

    def environment(self):
        return json.loads((self.path / "env.json").read_text())


class Campaign:
    """A campaign's directory."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def manifest(self, kind=None):
        """Whole lines only: a driver may be at work."""
        try:
            text = (self.path / "manifest.jsonl").read_text()
        except FileNotFoundError:
            return []
        lines = [json.loads(line) for line in text.split("\n")[:-1]]
        return [line for line in lines if kind in (None, line["type"])]

    def outcomes(self):
        """Group -> its last outcome."""
        return {line["group"]: line for line in self.manifest("group")}

    def plan(self):
        rows = []
        for line in self.manifest("plan"):
            rows += list(csv.DictReader(io.StringIO(line["csv"])))
        return rows

    def launches(self):
        """Those that are sealed and not discarded, in the order of their numbers."""
        return [Launch(path) for path in sorted((self.path / "launches").iterdir())]

    def groups_finished(self):
        return len(self.manifest("group"))


class CampaignTest(unittest.TestCase):
    """A scratch directory for each test, and nothing that outlives it."""

    # What Open MPI chooses on one host anyway; told so, it looks for no networks, and starts in a third of the time.
    QUICK_START = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}

    @classmethod
    def setUpClass(cls):
        cls.profiles = libraries()
        if not cls.profiles:
            raise unittest.SkipTest("no MPI library here")
        # Those of the system: what is installed from PyPI differs from machine to machine.
        own = [name for name in cls.profiles if not cls.profiles[name]["wheel"]]
        names = sorted(own or cls.profiles, reverse=True)
        # Two arms, of different libraries where there are two.
        cls.first, cls.second = names[0], names[-1]
        cls.labels = names[:1] + names[-1:] if len(names) > 1 else [names[0] + "#1", names[0] + "#2"]

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="invar-test-"))
        self.addCleanup(shutil.rmtree, self.scratch, ignore_errors=True)
        self.addCleanup(self._end_everything)

    def _end_everything(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def environment(self, extra=None):
        environment = dict(self.QUICK_START, **os.environ)
        environment[MARK] = str(self.scratch)
        environment.update(extra or {})
        return environment

    # Running

    def invar(self, *words, expect=DONE, env=None):
        """Runs invar to its end and checks its exit status."""
        process = self.start(*words, env=env)
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail("invar %s did not end within %d s\n%s%s" % (" ".join(map(str, words)), LIMIT_S, out, err))
        if expect is not None:
            self.assertEqual(process.returncode, expect, "invar %s\n%s%s" % (" ".join(map(str, words)), out, err))
        return Result(process.returncode, out, err)

    def start(self, *words, env=None):
        """Starts invar and lets it run."""
        process = subprocess.Popen([INVAR] + [str(word) for word in words], cwd=self.scratch, env=self.environment(env),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   universal_newlines=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        """Waits for one that was started."""
        out, err = process.communicate(timeout=LIMIT_S)
        return Result(process.returncode, out, err)

    def wait_for(self, condition, what, process=None):
        """Waits until condition() is true; its value. Fails at once if `process` ends before."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            ended = process is not None and process.poll() is not None
            value = condition()
            if value:
                return value
            if ended:
                self.fail("invar ended with %s before %s:\n%s" % (process.returncode, what, "".join(process.communicate())))
            time.sleep(0.005)
        self.fail("waited %d s in vain for %s" % (LIMIT_S, what))

    def halt_at(self, process, campaign, moment, what):
        """Stops a driver at a moment of its campaign, which is then not at its end, and stays so for as long as it is looked at:
        the launches that are there go on, but nothing is sealed and the manifest gets no line. The caller kills it, or lets it
        go on (SIGCONT). A driver that was only seen at the moment and then killed may have come to its end in between, and what
        follows would show nothing. False: the machine held this process up for so long that the driver ended before; begin anew.
        """
        ended = False

        def halted():
            nonlocal ended
            ended = process.poll() is not None
            if ended:
                return True
            if not moment(campaign):
                return False
            os.kill(process.pid, signal.SIGSTOP)  # not reaped yet, so it is nobody else's pid
            # Signals take a moment, and a driver in fsync() takes longer. WNOWAIT: its end is still process.wait()'s.
            how = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            ended = how.si_code != os.CLD_STOPPED or bool(campaign.manifest("end"))
            if ended or moment(campaign):
                return True
            os.kill(process.pid, signal.SIGCONT)  # it went on in between: another time
            return False

        self.wait_for(halted, what)
        if not ended:
            return True
        if process.poll() is None:
            os.kill(process.pid, signal.SIGCONT)
        result = self.finish(process)
        self.assertIn(result.status, (DONE, FAILED), "invar ended before %s:\n%s%s" % (what, result.out, result.err))
        return False

    def start_and_halt(self, start, moment, what):
        """As halt_at, of start()'s pair of a process and its campaign, which are begun anew until the moment is not missed."""
        for attempt in range(3):
            process, campaign = start()
            if self.halt_at(process, campaign, moment, what):
                return process, campaign
            shutil.rmtree(campaign.path)
        self.fail("three campaigns ended before %s was seen" % what)

    # Campaigns

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return path

    def campaign_file(self, name="campaign.toml", launches=3, rounds=4, repetitions=20, cells=None, engine=None, arms=None,
                      seed=11, design=""):
        """Writes a small campaign. cells: tables of [[cells]]; engine: keys of [engine]; arms: tables of [[arm]]."""
        if cells is None:
            # Calls so long that no clock needs batches of them, which take a pilot group more.
            cells = [{"operation": ["bcast", "allreduce"], "size": 65536}]
        if arms is None:
            arms = [{"library": self.first}, {"library": self.second}]
        text = 'schema = 1\nname = "test"\nseed = %d\n\n[design]\nlaunches = %s\nrounds = %d\nrepetitions = %s\n%s' % (
            seed, launches, rounds, repetitions, design)
        for cell in cells:
            text += "\n[[cells]]\n" + _toml(dict({"ranks": 2}, **cell))
        text += "\n[engine]\n" + _toml(engine or {})
        for arm in arms:
            text += "\n[[arm]]\n" + _toml(arm)
        return self.write(name, text)

    def run_campaign(self, directory="data", expect=DONE, env=None, **keys):
        """Measures a small campaign; the campaign and what invar said."""
        result = self.invar("run", self.campaign_file(**keys), "-o", directory, expect=expect, env=env)
        return Campaign(self.scratch / directory), result

    def measured_once(self, directory="data", expect=DONE, env=None, **keys):
        """As run_campaign, for tests that look at a campaign, spoil it or go on with it: of equal orders the first test of a
        class measures, and the others have copies of what it left."""
        cls = type(self)
        if "_measured" not in vars(cls):
            cls._measured = {}
        orders = json.dumps([env, keys], sort_keys=True)
        if orders in cls._measured:
            kept, result = cls._measured[orders]
            shutil.copytree(kept, self.scratch / directory)
            return Campaign(self.scratch / directory), result
        campaign, result = self.run_campaign(directory, expect=expect, env=env, **keys)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="invar-test-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        shutil.copytree(campaign.path, folder / "data")
        cls._measured[orders] = folder / "data", result
        return campaign, result

    # Ranks that share cores: only who does what is looked at, no times.
    SHARED_CORES = {"oversubscribe": True, "pinning": "none", "sync": "dissemination", "record": "per-rank"}

    def sharing_arms(self, *libraries, **settings):
        """Arms whose ranks may share cores: MPICH never gives its core up, which the tests' library mends."""
        preload = os.environ.get("INVAR_YIELD_PRELOAD")
        arms = []
        for name in libraries or sorted({self.first, self.second}):
            libs = [settings.get("env:LD_PRELOAD"), preload if name.startswith("mpich") else None]
            own = dict(settings, **{"env:LD_PRELOAD": " ".join(filter(None, libs))})
            arms.append({"library": name, "settings": {key: value for key, value in own.items() if value}})
        return arms

    # Processes

    def processes(self, ranks_only=False):
        """Pids of everything that this test has started and that is still alive: by the mark in the environment, or by
        the campaign's directory on the command line. ranks_only: only the engine's ranks, with their launch directory."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                command = pathlib.Path("/proc", entry, "cmdline").read_bytes().split(b"\0")
                if ranks_only:
                    rank = command[0].endswith(b"invar-engine") and command[1] == b"--launch"
                    if rank and command[2].startswith(str(self.scratch).encode()):
                        found[int(entry)] = command[2].decode()
                    continue
                environment = pathlib.Path("/proc", entry, "environ").read_bytes()
                state = pathlib.Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            mark = ("%s=%s" % (MARK, self.scratch)).encode()
            if state != "Z" and (mark in environment or str(self.scratch).encode() in b"\0".join(command)):
                found[int(entry)] = b" ".join(command).decode(errors="replace")
        return found

    def assert_repetitions(self, visit, planned):
        """As many valid ones as planned; fewer only where late ones used up all attempts that a visit has."""
        if visit.get("apart", 0) > visit["valid"]:
            return  # a rank had no processor in most of them: more would be no better
        if not visit["retry_cap_reached"]:
            self.assertEqual(visit["valid"], planned)
            return
        self.assertLess(visit["valid"], planned)
        self.assertEqual(visit["records"] - visit["warm_up"], max(2 * planned, planned + 16))

    def assert_nothing_runs(self, within_s=5):
        """No process of this test's campaigns is alive; they have a moment to go."""
        end = time.monotonic() + within_s
        while self.processes() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.processes(), {}, "processes survive")

    # Libraries that misbehave

    def ready_wrapper(self, library, before=""):
        """Stands for the library's compiler wrapper, and hands out the engine that is there already, after `before` (a line
        of shell): compiling is tested elsewhere."""
        profile = self.profiles[library]
        path = self.write("wrapper", _READY_WRAPPER % (before, profile["engine"], profile["mpicxx"]))
        path.chmod(0o755)
        return path

    def shim(self, library, source="pmpi.c"):
        """A library to preload under `library` that does what its header comment says (tests/faults)."""
        path = self.scratch / ("shim-%s-%s.so" % (library, source.split(".")[0]))
        if not path.exists():
            subprocess.run([self.profiles[library]["mpicxx"], "-x", "c", "-shared", "-fPIC", "-O1", str(HERE.parent / "faults" / source),
                            "-o", str(path)], check=True)
        return path

    def shimmed_arm(self, library, label, source="pmpi.c", **variables):
        """An arm of `library` under the shim, told what to do by `variables` (SHIM_...)."""
        settings = {"env:LD_PRELOAD": str(self.shim(library, source))}
        settings.update({"env:" + name: str(value) for name, value in variables.items()})
        return {"library": library, "label": label, "settings": settings}


def _toml(table):
    return "".join("%s = %s\n" % (key, _toml_value(value)) for key, value in table.items())


def _toml_value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ %s }" % ", ".join("%s = %s" % (json.dumps(key), _toml_value(one)) for key, one in value.items())
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(_toml_value, value))
    return json.dumps(value)


def main():
    """Runs all tests of the script. What was skipped is told in the words that scripts/test-results counts."""
    result = unittest.main(verbosity=2, argv=sys.argv, exit=False).result
    for test, reason in result.skipped:
        # "setUpClass (__main__.Hosts)" -> "Hosts"
        print("skipped: %s: %s" % (test.id().replace("__main__.", "").replace("setUpClass (", "").rstrip(")"), reason), flush=True)
    sys.exit(not result.wasSuccessful())
