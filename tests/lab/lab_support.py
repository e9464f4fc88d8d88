"""Tests that run campaigns on the hosts of a lab, started on its first host with the launchers' own remote shells."""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "campaign"))

import support  # noqa: E402
from lab import HERE as LAB_SCRIPTS, Lab, why_not  # noqa: E402

SHELL = str(LAB_SCRIPTS / "remote_shell")

# How each library is told the lab's network. MPICH would find shared memory between the "hosts", and where ranks
# outnumber cores Open MPI must be told to yield; MPICH gets a shim for it.
LAUNCHERS = {
    "OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": SHELL, "OMPI_MCA_oob_tcp_if_include": "eth0",
    "HYDRA_LAUNCHER": "rsh", "HYDRA_LAUNCHER_EXEC": SHELL, "HYDRA_IFACE": "eth0",
}
SETTINGS = {
    "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "eth0",
                "OMPI_MCA_mpi_yield_when_idle": "1"},
    "mpich": {"env:UCX_TLS": "tcp,self", "env:UCX_NET_DEVICES": "eth0",
              "env:LD_PRELOAD": os.environ.get("INVAR_YIELD_PRELOAD", "")},
    "intel": {"I_MPI_FABRICS": "ofi", "env:FI_PROVIDER": "tcp", "env:FI_TCP_IFACE": "eth0"},
}


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join('"%s" = %s' % (key, toml(item)) for key, item in value.items()) + " }"
    return '"%s"' % value if isinstance(value, str) else str(value)


def table(name, keys):
    return "\n%s\n" % name + "".join("%s = %s\n" % (key, toml(value)) for key, value in keys.items())


class LabTest(support.CampaignTest):
    HOSTS = 3
    QUICK_START = {}
    WHY_NOT = (why_not,)  # each: why it cannot be run here; empty: it can

    @classmethod
    def setUpClass(cls):
        for reason in (ask() for ask in cls.WHY_NOT):
            if reason:
                raise unittest.SkipTest(reason)
        super().setUpClass()
        cls.names = [name for name in ("openmpi", "mpich") if name in cls.profiles]
        if not cls.names:
            raise unittest.SkipTest("neither Open MPI nor MPICH is here")
        cls.lab = Lab(cls.HOSTS, os.environ.get("INVAR_LAB", "/tmp/invar-lab"))
        cls.addClassCleanup(cls.lab.close)

    def environment(self, extra=None):
        environment = super().environment(self.lab.environment())
        environment.update(LAUNCHERS)
        # MPICH 4.0 does not return from MPI_Finalize over UCX between hosts; that it is ended then is a test of faults.
        environment["INVAR_FINALIZE_GRACE_S"] = "1"
        environment.update(extra or {})
        return environment

    def start(self, *words, env=None, host="node1", before=()):
        process = subprocess.Popen(self.lab.command(host) + list(before) + [support.INVAR] + [str(word) for word in words],
                                   cwd=self.scratch, env=self.environment(env), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        for cleanup in (process.stdout.close, process.stderr.close, process.wait, process.kill):
            self.addCleanup(cleanup)
        return process

    def arms(self, *labels):
        """Tables of [[arm]]: "openmpi", "again=openmpi"."""
        arms = []
        for label in labels or [self.names[0], self.names[-1]]:
            library = label.split("=")[-1]
            arms.append({"library": library, "label": label.split("=")[0], "settings": SETTINGS[library]})
        return arms

    def hosts_campaign(self, cells, engine=None, arms=None, launches=2, rounds=3, repetitions=10, name="campaign.toml"):
        keys = {"hosts": self.lab.hosts, "pinning": "none", "sync": "barrier", "record": "per-rank"}
        keys.update(engine or {})
        text = 'schema = 1\nname = "hosts"\nseed = 5\n'
        text += table("[design]", {"launches": launches, "rounds": rounds, "repetitions": repetitions})
        text += "".join(table("[[cells]]", cell) for cell in cells)
        text += table("[engine]", {key: value for key, value in keys.items() if value is not None})
        text += "".join(table("[[arm]]", arm) for arm in (arms or self.arms()))
        return self.write(name, text)
