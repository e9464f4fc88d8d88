"""Overlap under a library whose truth is known (tests/faults/completes.c): all, half or nothing of a broadcast passes by
itself, the rest only while it is waited for."""

import json

from common import INVAR, SOURCE, row, run

TAKES_NS = 300_000

CAMPAIGN = """schema = 1
name = "overlap"
seed = 5

[design]
launches = 10
rounds = 4
repetitions = 20
together = ["compute"]

[[cells]]
operation = "ibcast"
size = 64
ranks = 2
compute = ["off", "1x", "2x"]

[analysis]
question = "overlap"

[[arm]]
library = "%s"

[arm.settings]
"env:LD_PRELOAD" = "%s"
"env:SHIM_TAKES_NS" = "%d"
"env:SHIM_BY_ITSELF" = "%d"
"""


def overlap(scratch, profiles):
    for library in [name for name in ("openmpi", "mpich") if name in profiles] or sorted(profiles)[:1]:
        shim = scratch / ("completes-%s.so" % library)
        run(profiles[library]["mpicxx"], "-x", "c", "-shared", "-fPIC", "-O1", SOURCE / "tests/faults/completes.c", "-o", shim)
        for percent in (100, 50, 0):
            name = "%s-%d" % (library, percent)
            file = scratch / (name + ".toml")
            file.write_text(CAMPAIGN % (library, shim, TAKES_NS, percent))
            # 3: some visit has no valid repetition, as on a machine that does other things.
            run(INVAR, "run", file, "-o", scratch / name, fine=(0, 3))
            page = json.loads(run(INVAR, "report", scratch / name, "--format", "json", fine=(0, 3)))
            answer, = [one for one in page["campaigns"][0]["answers"] if one["question"] == "overlap"]
            table, = [one for one in answer["tables"] if one["id"] == "overlap"]
            columns = [column["name"] for column in table["columns"]]
            for values in table["rows"]:
                found = dict(zip(columns, values))
                shares = [100 * found[column] for column in ("overlap", "overlap_low", "overlap_high")]
                row("overlap: %s, %d %% by itself, %s" % (library, percent, found["computation"]), "%d %% within 5 points" % percent,
                    "%.1f %% [%.1f, %.1f]; OSU %.0f, IMB %.0f" % (*shares, 100 * found["osu"], 100 * found["imb"]),
                    abs(shares[0] - percent) <= 5)
