"""Do Invar's verdicts hold on this machine, and what do they cost? Real libraries, an idle machine, about an hour in all.

false verdicts and power: `invar self-test` with 20 cells by turns, inside a launch and by launches; machine time: a sequential
campaign against 30 launches of 1000 repetitions; IMB's own program beside our preset `imb` in the same library.
"""

import csv
import io
import json
import math
import subprocess
import time

from common import INVAR, interval, row, run

SELF_TEST_BUDGET = "10m"
IMB_BUDGET = "4m"


def percent(share):
    return "-" if share is None else "%.1f %%" % (100 * share)


def self_test(scratch, library, pairing, budget=SELF_TEST_BUDGET):
    data = scratch / (library + "-" + pairing)
    result = subprocess.run([INVAR, "self-test", "--library", library, "--operation", "allreduce,bcast,alltoall,reduce,allgather",
                             "--size", "8,1KiB,4KiB,16KiB", "--pairing", pairing, "--budget", budget, "--seed", "20161121",
                             "-o", str(data), "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True)
    if not result.stdout:
        raise RuntimeError("self-test: exit status %d\n%s" % (result.returncode, result.stderr[-2000:]))
    return json.loads(result.stdout)


def report_self_test(name, answer):
    """The numbers are explained in docs/methods.md, "The self-test"."""
    cells = answer["cells"]
    for tables in answer["tables"]:
        where = "%s, %s, %d groups" % (name, {"turns": "by turns", "launches": "launch by launch", "rounds": "inside"}[tables["pairing"]], tables["groups"])
        row("claims: tables with a false verdict, %s" % where, "at most %d" % tables["tables_limit"],
            "%d of %d" % (tables["tables_wrong"], tables["tables"]), tables["tables_wrong"] <= tables["tables_limit"])
        row("claims: cells with a false verdict, %s" % where, "at most 1 %",
            "%d of %d" % (tables["cells_wrong"], tables["cells"]), tables["cells_wrong"] <= 0.01 * tables["cells"])
        low, high = tables["uncorrected_low"], tables["uncorrected_high"]
        row("claims: p < .05 uncorrected, %s" % where, "agrees with 5 %",
            "%s [%s, %s]" % (percent(tables["uncorrected_share"]), percent(low), percent(high)),
            None if low is None else low <= 0.05 <= high)
        inside = tables["pairing"] == "rounds"
        # 1, 2, 5, 10 and 20 % are planted, in this order.
        goals = {2: (8 if inside else 12, 0.9), 1: (12 if inside else 30, 0.7)}
        for level, power in enumerate(tables["power"]):
            groups, least = goals.get(level, (None, None))
            if groups != tables["groups"]:
                continue
            found = [(share, cell) for share, cell in zip(power["found_by_cell"], cells)
                     if share is not None and cell["median_ns"] >= 1000]
            if not found:
                raise RuntimeError("%s: no cell from 1 us in which %s can be tested" % (where, percent(power["effect"])))
            mean = sum(share for share, _ in found) / len(found)
            row("claims: %s planted in 1 of %d cells, found, %s" % (percent(power["effect"]), len(cells), where),
                "at least %s" % percent(least), "%s of %d cells from 1 us" % (percent(mean), len(found)), mean >= least)
            print("    " + ", ".join("%s %s %s" % (cell["operation"], cell["size_bytes"], percent(share)) for share, cell in found))
    row("claims: Welch on one launch's repetitions calls equal cells different, %s" % name, "", percent(answer["raw_welch_share"]),
        None)


def claims(scratch, profiles):
    """False verdicts and power, per library and pairing."""
    for library in ("openmpi", "mpich"):
        if library in profiles:
            report_self_test(library, self_test(scratch, library, "turns"))
            report_self_test(library + " launches", self_test(scratch, library, "launches"))


def verdicts(text):
    return {(line["operation"], line["size_bytes"]): line["verdict"] for line in csv.DictReader(io.StringIO(text))}


def machine_time(scratch, profiles):
    """The same question to a sequential campaign and to 30 launches of 1000 repetitions."""
    arms = [name for name in ("openmpi", "mpich") if name in profiles]
    if len(arms) < 2:
        raise RuntimeError("needs openmpi and mpich")
    seconds = {}
    answers = {}
    for name, design in (("sequential", 'stopping = "looks"'), ("fixed", "launches = 30\nrounds = 20\nrepetitions = 50")):
        file = scratch / (name + ".toml")
        file.write_text('schema = 1\nname = "machine-time"\nseed = 7\n\n[design]\n%s\n\n[[cells]]\n'
                        'operation = ["allreduce", "bcast", "alltoall", "reduce", "allgather"]\n'
                        'size = ["8", "256", "1KiB", "8KiB", "64KiB"]\n' % design +
                        "".join('\n[[arm]]\nlibrary = "%s"\n' % arm for arm in arms))
        begin = time.monotonic()
        run(INVAR, "run", file, "-o", scratch / name)
        seconds[name] = time.monotonic() - begin
        answers[name] = verdicts(run(INVAR, "compare", scratch / name, "--format", "csv"))
    same = sum(1 for cell, verdict in answers["fixed"].items() if answers["sequential"].get(cell) == verdict)
    opposite = [cell for cell, verdict in answers["fixed"].items()
                if {verdict, answers["sequential"].get(cell)} == {"faster", "slower"}]
    undecided = {name: sum(1 for verdict in answer.values() if verdict == "undecided") for name, answer in answers.items()}
    share = seconds["sequential"] / seconds["fixed"]
    row("claims: machine time, looks / 30 launches of 1000 repetitions", "at most 20.0 %",
        "%s (%.0f s of %.0f s)" % (percent(share), seconds["sequential"], seconds["fixed"]), share <= 0.2)
    row("claims: verdicts that both give", "", "%d of %d (undecided %d and %d)" %
        (same, len(answers["fixed"]), undecided["sequential"], undecided["fixed"]), None)
    row("claims: opposite verdicts", "0", str(len(opposite)), not opposite)


def imb(scratch, profiles):
    """IMB-MPI1 beside our preset, launches alternating in the same library; as IMB reduces, floats."""
    if "intel" not in profiles:
        raise RuntimeError("IMB-MPI1 comes with the library: invar mpi install intel")
    file = scratch / "imb.toml"
    names = {"allreduce": "Allreduce", "bcast": "Bcast", "alltoall": "Alltoall"}
    for operation, benchmark in names.items():
        data = scratch / operation
        file.write_text('schema = 1\nname = "imb"\nseed = 3\n\n[design]\nlaunches = { min = 6, max = 200 }\nbudget = "%s"\nrounds = 1\n'
                        'repetitions = 1000\n\n[engine]\npairing = "launches"\n\n[analysis]\npresets = ["imb"]\n\n'
                        '[[cells]]\noperation = "%s"\nsize = ["8", "1KiB", "64KiB"]\n%s\n[[arm]]\nlibrary = "intel"\n\n[[arm]]\n'
                        'library = "intel"\nprogram = "IMB-MPI1 %s -npmin 2 -msglog {log2size}:{log2size}"\nparse = "imb"\n'
                        % (IMB_BUDGET, operation, 'datatype = "float"\n' if operation == "allreduce" else "", benchmark))
        run(INVAR, "run", file, "-o", data)
        for size, values in sorted(imb_ratios(data).items()):
            middle, half = interval([math.log(value) for value in values])
            low, ratio, high = (math.exp(middle + sign * half) for sign in (-1, 0, 1))
            row("claims: IMB-MPI1 / preset imb, intel, %s, %d bytes, %d pairs of launches" % (operation, size, len(values)),
                "within 5 %", "%.3f [%.3f, %.3f]" % (ratio, low, high), high >= 0.95 and low <= 1.05)


def p2p_imb(scratch, profiles):
    """IMB's PingPong and Uniband, converted to the time of a call, beside our preset and beside our own visits; launches
    alternate in the same library. IMB sends a window from one buffer, we from one a message: at 64 KiB this is 4 MiB."""
    if "intel" not in profiles:
        raise RuntimeError("IMB-MPI1 comes with the library: invar mpi install intel")
    file = scratch / "p2p-imb.toml"
    names = {"pingpong": "PingPong", "stream": "Uniband -window_size 64"}
    for operation, benchmark in names.items():
        data = scratch / operation
        file.write_text('schema = 1\nname = "p2p-imb"\nseed = 3\n\n[design]\nlaunches = { min = 6, max = 200 }\nbudget = "%s"\nrounds = 1\n'
                        'repetitions = 1000\n\n[engine]\npairing = "launches"\n\n[analysis]\npresets = ["imb"]\n\n'
                        '[[cells]]\noperation = "%s"\nsize = ["8", "1KiB", "64KiB"]\nranks = 2\n\n[[arm]]\nlibrary = "intel"\n\n[[arm]]\n'
                        'library = "intel"\nprogram = "IMB-MPI1 %s -npmin 2 -msglog {log2size}:{log2size}"\nparse = "imb"\n'
                        % (IMB_BUDGET, operation, benchmark))
        run(INVAR, "run", file, "-o", data)
        # The slower rank, as IMB prints it.
        for ours, scheme, target in (("preset imb", "batch", "within 5 %"), ("our own visits", "invar", "")):
            for size, values in sorted(imb_ratios(data, "local_ns", scheme).items()):
                middle, half = interval([math.log(value) for value in values])
                low, ratio, high = (math.exp(middle + sign * half) for sign in (-1, 0, 1))
                row("p2p: IMB-MPI1 %s / %s, %d bytes, %d pairs of launches" % (benchmark, ours, size, len(values)),
                    target, "%.3f [%.3f, %.3f]" % (ratio, low, high), (high >= 0.95 and low <= 1.05) if target else None)


def imb_ratios(data, column="local_mean_ns", scheme="barrier"):
    """What IMB-MPI1 printed / what our preset (or scheme "invar": we) would have, for every pair of launches, by size."""
    sums = {}
    for line in csv.DictReader(io.StringIO(run(INVAR, "export", data, "--to", "csv"))):
        program = "+" in line["arm"]
        if int(line["flags"]) & 7 or line["scheme"] != ("invar" if program else scheme):
            continue
        entry = sums.setdefault((int(line["size_bytes"]), int(line["group"]), program), [0.0, 0])
        entry[0] += float(line[column])
        entry[1] += 1
    ratios = {}
    for (size, group, program), (total_ns, count) in sums.items():
        ours = sums.get((size, group, False))
        if program and ours:
            ratios.setdefault(size, []).append(total_ns / count / (ours[0] / ours[1]))
    return ratios
