"""Slurm on the hosts of a lab: the controller on the first one, a node's daemon on each."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "sinfo", "scontrol")


def why_not():
    """Why there can be no Slurm here; empty: there can."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    return "no program " + ", ".join(missing) + " here (Debian: slurm-wlm munge)" if missing else ""


class Slurm:
    """Its files are in a folder of its own; nothing of an installed Slurm is used or touched."""

    def __init__(self, lab, directory, cpus=2):
        self.lab = lab
        self.directory = pathlib.Path(directory).resolve()
        shutil.rmtree(self.directory, ignore_errors=True)
        for folder in ("state", "munge"):
            (self.directory / folder).mkdir(parents=True)
        self.directory.chmod(0o755)
        (self.directory / "munge").chmod(0o755)
        try:
            self._begin(cpus)
        except BaseException:
            self.close()
            raise

    def environment(self):
        return {"SLURM_CONF": str(self.directory / "slurm.conf")}

    def close(self):
        for file in sorted(self.directory.glob("*.pid")):
            try:
                os.kill(int(file.read_text()), signal.SIGTERM)
            except (OSError, ValueError):
                pass
        end = time.monotonic() + 10
        while time.monotonic() < end and any(self._alive(file) for file in self.directory.glob("*.pid")):
            time.sleep(0.05)

    @staticmethod
    def _alive(file):
        try:
            os.kill(int(file.read_text()), 0)
        except (OSError, ValueError):
            return False
        return True

    def _on(self, host, *words):
        environment = dict(os.environ, **self.lab.environment(), **self.environment())
        return subprocess.run(self.lab.command(host) + list(words), env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=60)

    def _must(self, host, *words):
        done = self._on(host, *words)
        if done.returncode != 0:
            raise OSError("%s on %s: %s" % (" ".join(words), host, done.stdout.strip()))

    def _begin(self, cpus):
        here = self.directory
        key, socket = here / "munge" / "key", here / "munge" / "socket"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        lines = {
            "ClusterName": "lab", "SlurmctldHost": "%s(%s)" % (self.lab.hosts[0], self.lab.address(self.lab.hosts[0])),
            "SlurmctldPort": "17817", "SlurmdPort": "17818", "SlurmUser": "root", "SlurmdUser": "root",
            "AuthType": "auth/munge", "AuthInfo": "socket=%s" % socket, "CredType": "cred/munge",
            "StateSaveLocation": here / "state", "SlurmdSpoolDir": here / "spool-%n", "TmpFS": here / "tmp-%n",
            "SlurmctldPidFile": here / "slurmctld.pid", "SlurmdPidFile": here / "slurmd-%n.pid",
            "SlurmctldLogFile": here / "slurmctld.log", "SlurmdLogFile": here / "slurmd-%n.log",
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SwitchType": "switch/none",
            "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core", "MpiDefault": "none",
            "JobAcctGatherType": "jobacct_gather/none", "AccountingStorageType": "accounting_storage/none",
            "SchedulerType": "sched/builtin", "ReturnToService": "2", "SlurmdParameters": "config_overrides",
        }
        text = "".join("%s=%s\n" % line for line in lines.items())
        for host in self.lab.hosts:
            (here / ("spool-" + host)).mkdir()
            (here / ("tmp-" + host)).mkdir()
            text += "NodeName=%s NodeAddr=%s CPUs=%d Boards=1 SocketsPerBoard=1 CoresPerSocket=%d ThreadsPerCore=1 " \
                    "RealMemory=1000 State=UNKNOWN\n" % (host, self.lab.address(host), cpus, cpus)
        text += "PartitionName=main Nodes=%s Default=YES MaxTime=INFINITE State=UP\n" % ",".join(self.lab.hosts)
        (here / "slurm.conf").write_text(text)
        first = self.lab.hosts[0]
        self._must(first, "munged", "--force", "--key-file=%s" % key, "--socket=%s" % socket,
                   "--pid-file=%s" % (here / "munged.pid"), "--log-file=%s" % (here / "munged.log"),
                   "--seed-file=%s" % (here / "munge" / "seed"))
        self._must(first, "slurmctld")
        for host in self.lab.hosts:
            self._must(host, "slurmd", "-N", host)
        end = time.monotonic() + 30
        while self._on(first, "sinfo", "-h", "-N", "-o", "%T").stdout.split() != ["idle"] * len(self.lab.hosts):
            if time.monotonic() > end:
                raise OSError("the nodes of Slurm do not come up: " + self._on(first, "sinfo").stdout)
            time.sleep(0.1)
