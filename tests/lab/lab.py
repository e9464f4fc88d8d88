"""A cluster on one machine: hosts with a network, a name and a clock offset of their own (namespaces), joined by a
bridge. They share memory, cores and files, so ranks are pinned only where a test gives each host a core of its own.
Needs root, and a machine that allows namespaces (a plain container does not)."""

import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
SWITCH = "invarlab-switch"


def _run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)


def _must(*words):
    done = _run(*words)
    if done.returncode != 0:
        raise OSError("%s: %s" % (" ".join(words), done.stdout.strip()))


def _within(space, *words):
    """The command inside of a network namespace. Not by `ip netns exec` or `ip -n`, which take the whole mount tree along and
    cannot do that in a chroot."""
    return ["nsenter", "--net=/run/netns/" + space, "--"] + list(words)


def _ip(space, *words):
    return _within(space, "ip", *words)


def why_not():
    """Why there can be no lab here; empty: there can."""
    if os.geteuid() != 0:
        return "a lab of several hosts needs root"
    for program in ("ip", "unshare", "nsenter", "taskset"):
        if shutil.which(program) is None:
            return "a lab of several hosts needs the program " + program
    tried = _run("unshare", "--net", "--uts", "--time", "--fork", "true")
    if tried.returncode != 0:
        return "namespaces are not allowed here: " + tried.stdout.strip()
    probe = "invarlab-probe"
    tried = _run("ip", "netns", "add", probe)
    if tried.returncode != 0:
        return "network namespaces are not allowed here: " + tried.stdout.strip()
    tried = _run(*_ip(probe, "link", "add", "br0", "type", "bridge"))
    _run("ip", "netns", "del", probe)
    return "" if tried.returncode == 0 else "no bridge can be made here: " + tried.stdout.strip()


class Lab:
    """Hosts node1..nodeN, addresses 10.91.0.1 and up, clocks 1000 s apart. One lab at a time on a machine."""

    def __init__(self, count, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.hosts = ["node%d" % (i + 1) for i in range(count)]
        self.holders = []
        self.lock = open("/tmp/invar-lab.lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    def environment(self):
        """What in_host and remote_shell need."""
        return {"INVAR_LAB": str(self.directory)}

    def command(self, host):
        return [str(HERE / "in_host"), host]

    def address(self, host):
        return "10.91.0.%d" % (1 + self.hosts.index(host))

    def give_cores(self, cpus):
        """Host i runs on cpus[i] only; none: wherever it likes."""
        for i, host in enumerate(self.hosts):
            file = self.directory / (host + ".cpu")
            file.unlink(missing_ok=True)
            if cpus:
                file.write_text(str(cpus[i]))

    def give_boot_ids(self, given=True):
        """Each host says that it booted by itself, as machines do; not given: all say what this machine does."""
        for number, host in enumerate(self.hosts, 1):
            file = self.directory / (host + ".boot")
            file.unlink(missing_ok=True)
            if given:
                file.write_text("00000000-0000-4000-8000-%012d\n" % number)

    def close(self):
        for holder in self.holders:
            holder.send_signal(signal.SIGKILL)
            holder.wait()
        for host in self.hosts:
            file = self.directory / (host + ".pid")
            try:
                os.kill(int(file.read_text()), signal.SIGKILL)
            except (OSError, ValueError):
                pass
            file.unlink(missing_ok=True)
        self._remove_namespaces()
        self.lock.close()

    def _namespace(self, host):
        return "invarlab-" + host

    def _remove_namespaces(self):
        for host in self.hosts:
            _run("ip", "netns", "del", self._namespace(host))
        _run("ip", "netns", "del", SWITCH)

    def _make(self):
        self._remove_namespaces()  # of a lab that was killed
        self.give_cores(None)
        self.give_boot_ids(False)
        _must("ip", "netns", "add", SWITCH)
        _must(*_ip(SWITCH, "link", "add", "br0", "type", "bridge"))
        _must(*_ip(SWITCH, "link", "set", "br0", "up"))
        for number, host in enumerate(self.hosts, 1):
            space, port = self._namespace(host), "port%d" % number
            _must("ip", "netns", "add", space)
            _must(*_ip(SWITCH, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space))
            _must(*_ip(SWITCH, "link", "set", port, "master", "br0", "up"))
            _must(*_ip(space, "link", "set", "lo", "up"))
            _must(*_ip(space, "addr", "add", self.address(host) + "/24", "dev", "eth0"))
            _must(*_ip(space, "link", "set", "eth0", "up"))
            self._hold(space, host, number)

    def _hold(self, space, host, number):
        """A process that keeps the host's namespaces alive."""
        pid_file = self.directory / (host + ".pid")
        pid_file.unlink(missing_ok=True)
        offset = str(1000 * number)
        script = "hostname %s; echo $$ >%s.new; mv %s.new %s; exec sleep 100000" % (host, pid_file, pid_file, pid_file)
        self.holders.append(subprocess.Popen(
            _within(space, "unshare", "--uts", "--time", "--monotonic", offset, "--boottime", offset, "--fork", "--kill-child",
                    "sh", "-c", script),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        end = time.monotonic() + 20
        while not pid_file.exists():
            if time.monotonic() > end:
                raise OSError("host %s does not come up" % host)
            time.sleep(0.01)
