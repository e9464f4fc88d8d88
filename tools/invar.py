"""Reads the raw data of an Invar campaign. Needs numpy and nothing else.

    import invar
    observations, campaign = invar.read_campaign("my-campaign")
    valid = observations[(observations["flags"] & invar.LEFT_OUT) == 0]
    first_arm = valid[valid["arm"] == 0]["local_max_ps"]
    print(campaign["arms"][0]["label"], campaign["cells"][0], first_arm.size)

`observations` is a structured array, one element a repetition, times in integer picoseconds; `arm`,
`cell` and `session` count from 0 and are indices into the lists of the same (plural) names in the
dictionary `campaign`. Only complete groups are read, and groups with damage are left out whole and
listed in `campaign["damage"]`. What is not a campaign, or has a manifest that is damaged or of another
kind, raises CampaignError, whatever stands in it; what the system cannot read, OSError.

Every checksum is checked unless verify=False (some 100 MB/s; `invar verify` does it at the speed of
the disk). docs/formats.md describes the files.

As a program, `python3 invar.py DIR` writes the observations as CSV, the same text as
`invar export DIR --to csv`.
"""

import csv
import json
import os
import re
import stat
import sys

import numpy as np

WARM_UP, LATE, PAST_WINDOW, INTERRUPTED, REPEATS_LATE, GLOBAL_INVALID, OVERSUBSCRIBED, BATCH, LOST = (
    1 << bit for bit in range(9)
)
PROBED = 512
# The synchronisation of the clocks states no error: uncertainty_ps is not known.
ERROR_UNSTATED = 1024
# Of LOST ones: by more than the visit's limit, so that it was made once more if there was time.
APART = 2048
# What an analysis leaves out; GLOBAL_INVALID as well, if it looks at global times. LOST ones it
# leaves out where starts were too far apart, decided for each cell (docs/methods.md).
LEFT_OUT = WARM_UP | LATE | PAST_WINDOW

# A record of timings.bin, as it is on the disk.
TIMING = np.dtype(
    [
        ("visit", "<u4"),
        ("repetition", "<u4"),
        ("start_ps", "<i8"),
        ("global_ps", "<i8"),
        ("local_max_ps", "<i8"),
        ("local_min_ps", "<i8"),
        ("local_mean_ps", "<i8"),
        ("start_skew_ps", "<i8"),
        ("uncertainty_ps", "<u4"),
        ("flags", "<u2"),
        ("reserved", "<u2"),
    ]
)

# A record of ranks.bin: numpy.fromfile(path, invar.RANK_TICKS).
RANK_TICKS = np.dtype(
    [
        ("visit", "<u4"),
        ("repetition", "<u4"),
        ("rank", "<u4"),
        ("reserved", "<u4"),
        ("start_ticks", "<i8"),
        ("end_ticks", "<i8"),
    ]
)

# A record of marks.bin, which a launch has only where an operation has marks: what the numbers mean
# stands in campaign["arms"][...]["operations"].
MARK_TICKS = np.dtype(
    [
        ("visit", "<u4"),
        ("repetition", "<u4"),
        ("rank", "<u4"),
        ("mark", "<u4"),
        ("start_ticks", "<i8"),
        ("mark_ticks", "<i8"),
    ]
)

# What read_campaign returns: where an observation belongs, then its record. canary_ps is -1 where
# there was no canary, else that of the slowest host.
OBSERVATION = np.dtype(
    [
        ("session", "<u2"),
        ("group", "<u4"),
        ("launch", "<u4"),
        ("arm", "<u2"),
        ("cell", "<u4"),
        ("calls", "<u4"),
        ("round", "<u4"),
        ("block", "<u4"),
        ("canary_ps", "<i8"),
    ]
    + [(name, TIMING[name].str) for name in TIMING.names if name != "reserved"]
)

# What read_clock_sync returns: where a look at the clocks belongs, then its row of clock_sync.csv.
# nan: does not exist, or was not recorded yet; in accepted and restarted that is -1, else 1 or 0.
CLOCK_SYNC = np.dtype(
    [
        ("group", "<u4"),
        ("launch", "<u4"),
        ("arm", "<u2"),
        ("clock", "U16"),
        ("rank", "<u4"),
        ("epoch", "<u4"),
        ("at_ps", "<i8"),
        ("offset_ps", "<i8"),
        ("skew", "<f8"),
        ("offset_sd_ps", "<f8"),
        ("skew_sd", "<f8"),
        ("measured_ps", "<f8"),
        ("measured_sd_ps", "<f8"),
        ("innovation_ps", "<f8"),
        ("innovation_sd_ps", "<f8"),
        ("accepted", "<i1"),
        ("origin_ticks", "<i8"),
        ("ps_per_tick", "<f8"),
        ("wander", "<f8"),
        ("noise", "<f8"),
        ("restarted", "<i1"),
    ]
)

SCHEMA = 1


class CampaignError(Exception):
    """The directory is not a campaign, or not one that this reader knows."""


# What lines do to Python that Invar never wrote.
_MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    csv.Error,
)


# --- CRC-32C ------------------------------------------------------------------------------------


def _byte_tables():
    """Four tables: table[k][b] is what byte b becomes after k further zero bytes."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0x82F63B78), table >> 1)
    tables = [table.astype(np.uint32)]
    for _ in range(3):
        before = tables[-1]
        tables.append((before >> 8) ^ tables[0][before & 0xFF])
    return tables


_TABLES = _byte_tables()


def _applied(columns, values):
    """A linear map of 32-bit words, given by what it makes of each bit, on every word."""
    result = np.zeros_like(values)
    for bit in range(32):
        result ^= np.where((values >> np.uint32(bit)) & 1, columns[bit], np.uint32(0))
    return result


def crc32c(data):
    """CRC-32C of bytes, as every checksum of a campaign."""
    bytes_ = np.frombuffer(data, dtype=np.uint8)
    t0, t1, t2, t3 = _TABLES
    if bytes_.size < 512:
        crc = 0xFFFFFFFF
        for byte in bytes_.tolist():
            crc = (crc >> 8) ^ int(t0[(crc ^ byte) & 0xFF])
        return crc ^ 0xFFFFFFFF
    # Stripes go through the tables together and are joined at the end. Zero bytes in front do not
    # change a CRC that starts from 0, and starting from all ones is the same as inverting the first
    # four bytes.
    count = 1 << int(np.log2(bytes_.size / 512))
    stripe = -(-bytes_.size // (4 * count)) * 4
    padded = np.zeros(count * stripe, dtype=np.uint8)
    padded[-bytes_.size :] = bytes_
    begin = padded.size - bytes_.size
    padded[begin : begin + 4] ^= 0xFF
    words = np.ascontiguousarray(padded.view("<u4").reshape(count, stripe // 4).T)
    crc = np.zeros(count, dtype=np.uint32)
    for word in words:
        crc = crc ^ word
        crc = t3[crc & 0xFF] ^ t2[(crc >> 8) & 0xFF] ^ t1[(crc >> 16) & 0xFF] ^ t0[crc >> 24]
    # What `stripe` zero bytes make of each bit; then of twice as many, and so on.
    columns = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for _ in range(stripe):
        columns = (columns >> 8) ^ t0[columns & 0xFF]
    while crc.size > 1:
        crc = _applied(columns, crc[0::2]) ^ crc[1::2]
        columns = _applied(columns, columns)
    return int(crc[0]) ^ 0xFFFFFFFF


# --- the manifest -------------------------------------------------------------------------------

_LINE = re.compile(rb'\{"type":"[^"]*","line":([0-9]{1,9}),')
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PLAIN_NAME = re.compile("[^/\x00-\x1f\x7f]+")


def _line_holds(line):
    body, mark, tail = line.rpartition(b',"line_crc":"')
    return bool(mark) and tail == b'%08x"}' % crc32c(body)


def _read(path):
    # A pipe would be waited for.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise CampaignError(f"{path}: is not a file")
    with open(path, "rb") as file:
        return file.read()


def _parsed(line):
    """The value of a line of JSON."""
    value = json.loads(line.decode())
    if _SURROGATE.search(line):
        json.dumps(value, ensure_ascii=False).encode()  # ValueError where one stands alone
    return value


def _taken(line, key, kind, below=1 << 32):
    """line[key], which must be of this type and, if it is a number, below the bound."""
    value = line[key]
    if type(value) is not kind:
        raise TypeError(key)
    if kind is int and not 0 <= value < below:
        raise ValueError(key)
    return value


def _texts(values):
    if type(values) is not list or any(type(value) is not str for value in values):
        raise TypeError("texts")
    return values


def _plain_name(name):
    """A name of a file in a folder, and no way out of it."""
    if not _PLAIN_NAME.fullmatch(name) or name in (".", "..") or len(name.encode()) > 255:
        raise ValueError("name")
    return name


def _manifest_lines(directory, verify):
    """The manifest's lines, each from the copy in which its checksum holds."""
    lines = {}
    found = False
    for name in ("manifest.jsonl", "manifest.copy.jsonl"):
        try:
            text = _read(os.path.join(directory, name))
        except FileNotFoundError:
            continue
        found = True
        for line in text.split(b"\n")[:-1]:
            head = _LINE.match(line)
            if head and int(head[1]) not in lines and (not verify or _line_holds(line)):
                lines[int(head[1])] = line
    if not found:
        raise CampaignError(f"{directory}: is not a campaign: it has no manifest.jsonl")
    last = max(lines, default=0)
    if last == 0 or len(lines) != last:
        raise CampaignError(f"{directory}: the manifest is damaged; see 'invar verify'")
    return [lines[number] for number in range(1, last + 1)]


def _without_csv(line):
    """A plan's text may be megabytes and is not needed."""
    cut = line.find(b',"csv":') if line.startswith(b'{"type":"plan"') else -1
    return line if cut < 0 else line[:cut] + b"}"


def _seal_of(line, labels):
    """What a launch's line says of its files."""
    seal = {key: _taken(line, key, int) for key in ("launch", "group")}
    seal.update({key: _taken(line, key, str) for key in ("arm", "session", "dir")})
    if seal["arm"] not in labels:
        raise ValueError("arm")
    folder, _, name = seal["dir"].partition("/")
    if folder != "launches":
        raise ValueError("dir")
    _plain_name(name)
    seal["files"] = {
        _plain_name(name): {
            "bytes": _taken(file, "bytes", int, 1 << 63),
            "crc": _taken(file, "crc", str),
        }
        for name, file in _taken(line, "files", dict).items()
    }
    return seal


def _group_of(line):
    launches = _taken(line, "launches", list)
    if any(type(launch) is not int for launch in launches) or len(set(launches)) < len(launches):
        raise ValueError("launches")
    return {
        "group": _taken(line, "group", int),
        "complete": _taken(line, "complete", bool),
        "reason": _taken(line, "reason", str),
        "launches": launches,
    }


def _take_line(line, campaign, seals, groups):
    """Puts what a line of the manifest says to the rest. Raises _MALFORMED, or CampaignError."""
    kind = _taken(line, "type", str)
    if kind not in ("restored", "session", "warning"):
        campaign["ended"] = kind == "end"
    if kind == "campaign":
        if line["schema"] != SCHEMA:
            raise CampaignError(
                f"schema {line['schema']!r:.20} is unknown to this reader, "
                f"which knows schema {SCHEMA}"
            )
        for key in ("scope", "toml", "invar"):
            campaign[key] = _taken(line, key, str)
        campaign["created"] = _taken(line, "time", str)
    elif kind in ("plan", "decided"):
        # A decision need not bring a plan. Its groups that do not judge are data all the same.
        if len(line.get("cells", [])) > len(campaign["cells"]):
            factors = _texts(line["factors"])
            campaign["cells"] = [dict(zip(factors, _texts(levels))) for levels in line["cells"]]
        if line.get("planned_groups") is not None:
            campaign["planned_groups"] = _taken(line, "planned_groups", int)
        campaign["not_judging"] += _taken({"not_judging": [], **line}, "not_judging", list)
    elif kind == "arm":
        campaign["arms"].append(
            {
                "label": _taken(line, "label", str),
                "library": line["library"],
                "library_version": line["library_version"],
                "settings": line["settings"],
                "checksums": line["checksums"],
                # What its engine says of them; not in campaigns of earlier versions.
                "operations": line.get("operations", []),
            }
        )
    elif kind == "launch":
        seal = _seal_of(line, [arm["label"] for arm in campaign["arms"]])
        seals[seal["launch"]] = seal
    elif kind == "group":
        group = _group_of(line)
        groups[group["group"]] = group
    elif kind == "discarded":
        for launch in line["launches"]:
            seals.pop(launch["launch"], None)
        if groups.get(line["group"], {}).get("complete"):
            del groups[line["group"]]
    elif kind == "decision":
        campaign["planned_groups"] = _taken(line, "planned_groups", int)
    elif kind == "failed_cell":
        _taken(line, "cell", int)
        _taken(line, "arm", str)
        campaign["failed_cells"].append(line)
    elif kind == "dropped_arm":
        campaign["dropped_arms"].append(line)
    elif kind == "warning":
        campaign["warnings"].append(_taken(line, "text", str))


def _read_manifest(directory, verify):
    campaign = {
        "arms": [],
        "cells": [],
        "failed_cells": [],
        "dropped_arms": [],
        "warnings": [],
        "planned_groups": None,
        "not_judging": [],
        "ended": False,
        "damage": [],
        "sessions": [],
    }
    seals, groups = {}, {}
    for number, raw in enumerate(_manifest_lines(directory, verify), 1):
        try:
            _take_line(_parsed(_without_csv(raw)), campaign, seals, groups)
            if "scope" not in campaign:
                raise CampaignError("is not a campaign: its manifest is of something else")
        except CampaignError as error:
            raise CampaignError(f"{directory}: {error}") from None
        except _MALFORMED as error:
            raise CampaignError(
                f"{directory}: line {number} of the manifest is none that this reader knows; "
                "see 'invar verify'"
            ) from error
    if len({seal["dir"] for seal in seals.values()}) < len(seals):
        raise CampaignError(f"{directory}: the manifest has one folder for several launches")
    campaign["failed_groups"] = [
        {"group": line["group"], "reason": line["reason"]}
        for line in groups.values()
        if not line["complete"]
    ]
    return campaign, seals, groups


# --- launches -----------------------------------------------------------------------------------


def _check_files(directory, seal, verify):
    """Damage of a sealed launch, as text."""
    faults = []
    for name, expected in seal["files"].items():
        path = os.path.join(directory, seal["dir"], name)
        place = f"{seal['dir']}/{name}"
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            faults.append(f"{place}: is missing")
            continue
        if not stat.S_ISREG(found.st_mode):
            faults.append(f"{place}: is not a file")
        elif found.st_size != expected["bytes"]:
            faults.append(f"{place}: has {found.st_size} bytes instead of {expected['bytes']}")
        elif verify and "%08x" % crc32c(_read(path)) != expected["crc"]:
            faults.append(f"{place}: does not match its checksum")
    return faults


def _read_launch(directory, seal, campaign):
    """The launch's observations; None if its journal and its records do not fit each other."""
    path = os.path.join(directory, seal["dir"])
    if not {"timings.bin", "journal.jsonl"} <= set(seal["files"]):
        return None
    records = np.fromfile(os.path.join(path, "timings.bin"), dtype=TIMING)
    visits = []
    failures = {}
    for text in _read(os.path.join(path, "journal.jsonl")).splitlines():
        line = _parsed(text)
        if line["type"] == "visit":
            visits.append(line)
        elif line["type"] == "failure":
            failures.setdefault(_taken(line, "cell", int), {**line, "arm": seal["arm"]})
    numbers = {
        name: np.array([_taken(visit, name, int) for visit in visits], dtype=np.int64)
        for name in ("records", "first_record", "cell", "calls", "round", "block")
    }
    counts = numbers["records"]
    if counts.sum() != records.size:
        return None
    if not np.array_equal(numbers["first_record"], np.cumsum(counts) - counts):
        return None
    if numbers["cell"].max(initial=-1) >= len(campaign["cells"]):
        return None
    result = np.empty(records.size, dtype=OBSERVATION)
    for name in TIMING.names:
        if name != "reserved":
            result[name] = records[name]
    for name in ("cell", "calls", "round", "block"):
        result[name] = np.repeat(numbers[name], counts)
    canaries = [max(visit["canary_ps"], default=-1) for visit in visits]
    result["canary_ps"] = np.repeat(np.array(canaries, dtype=np.int64), counts)
    result["group"] = seal["group"]
    result["launch"] = seal["launch"]
    result["arm"] = [arm["label"] for arm in campaign["arms"]].index(seal["arm"])
    if seal["session"] not in campaign["sessions"]:
        campaign["sessions"].append(seal["session"])
    result["session"] = campaign["sessions"].index(seal["session"])
    known = {(cell["cell"], cell["arm"]) for cell in campaign["failed_cells"]}
    campaign["failed_cells"] += [
        failure for cell, failure in failures.items() if (cell, seal["arm"]) not in known
    ]
    return result


def _read_clock_sync(directory, seal, campaign):
    """The launch's rows of clock_sync.csv: none where all ranks read one clock."""
    result = np.empty(0, dtype=CLOCK_SYNC)
    if "clock_sync.csv" not in seal["files"]:
        return result
    path = os.path.join(directory, seal["dir"], "clock_sync.csv")
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    result = np.empty(len(rows), dtype=CLOCK_SYNC)
    result["group"] = seal["group"]
    result["launch"] = seal["launch"]
    result["arm"] = [arm["label"] for arm in campaign["arms"]].index(seal["arm"])
    said = {"yes": 1, "no": 0}
    for name in CLOCK_SYNC.names[3:]:
        kind = CLOCK_SYNC[name]
        texts = [row.get(name) or "" for row in rows]
        if kind == np.int8:
            result[name] = [said.get(text, -1) for text in texts]
        elif kind.kind == "f":
            result[name] = [float(text) if text else np.nan for text in texts]
        elif kind.kind == "U":
            result[name] = texts
        else:
            numbers = [int(text) for text in texts]
            bounds = np.iinfo(kind)
            if not all(bounds.min <= number <= bounds.max for number in numbers):
                return None
            result[name] = numbers
    return result


def _what_fits(read, directory, seal, campaign):
    try:
        return read(directory, seal, campaign)
    except _MALFORMED:
        return None


def _read_groups(directory, verify, read):
    """What `read` makes of the launches of all complete groups without damage, and the campaign.

    It returns None for a launch whose files do not fit each other.
    """
    campaign, seals, groups = _read_manifest(directory, verify)
    parts = []
    for number in sorted(groups):
        if not groups[number]["complete"]:
            continue
        launches = [seals.get(launch) for launch in groups[number]["launches"]]
        faults = []
        for seal in launches:
            lacks = seal is None or seal["group"] != number
            faults += ["manifest.jsonl: lacks a seal"] if lacks else _check_files(
                directory, seal, verify
            )
        if not faults:
            of_group = [_what_fits(read, directory, seal, campaign) for seal in launches]
            if any(part is None for part in of_group):
                faults.append(f"group {number}: its journals do not fit its records")
            else:
                parts += of_group
        campaign["damage"] += faults
    return parts, campaign


def read_campaign(directory, verify=True):
    """All observations of all complete, undamaged groups, and what they are of.

    Returns (observations, campaign); see the top of this file. Visits of a cell that failed in an
    arm are still there: campaign["failed_cells"] names them.
    """
    parts, campaign = _read_groups(directory, verify, _read_launch)
    observations = np.concatenate(parts) if parts else np.empty(0, dtype=OBSERVATION)
    return observations, campaign


def read_clock_sync(directory, verify=True):
    """Every look at the clocks (CLOCK_SYNC) of all complete, undamaged groups, and the campaign."""
    parts, campaign = _read_groups(directory, verify, _read_clock_sync)
    return (np.concatenate(parts) if parts else np.empty(0, dtype=CLOCK_SYNC)), campaign


# --- CSV ----------------------------------------------------------------------------------------


def _ns(time_ps):
    sign = "-" if time_ps < 0 else ""
    return f"{sign}{abs(time_ps) // 1000}.{abs(time_ps) % 1000:03d}"


def _text(value):
    """What a spreadsheet would calculate gets an apostrophe in front."""
    if not isinstance(value, str) or value[:1] not in tuple("=@+-\t\r"):
        return value
    try:
        number = value[0] in "+-" and float(value) is not None
    except ValueError:
        number = False
    return value if number or value in ("+", "-") else "'" + value


def write_csv(observations, campaign, file):
    """The observations as `invar export --to csv` writes them."""
    factors = list(campaign["cells"][0]) if campaign["cells"] else []
    out = csv.writer(file, lineterminator="\n")
    out.writerow(
        ["session", "group", "launch", "arm"]
        + factors
        + ["calls", "round", "block", "visit", "repetition", "start_ns", "global_ns", "local_ns"]
        + ["local_min_ns", "local_mean_ns", "start_skew_ns", "uncertainty_ns", "canary_ns", "flags"]
    )
    names = observations.dtype.names
    for row in observations.tolist():
        row = dict(zip(names, row))
        in_global_time = not row["flags"] & GLOBAL_INVALID
        out.writerow(
            [_text(campaign["sessions"][row["session"]]), row["group"], row["launch"]]
            + [_text(campaign["arms"][row["arm"]]["label"])]
            + [_text(level) for level in campaign["cells"][row["cell"]].values()]
            + [row["calls"], row["round"], row["block"], row["visit"], row["repetition"]]
            + [
                _ns(row["start_ps"]),
                _ns(row["global_ps"]) if in_global_time else "",
                _ns(row["local_max_ps"]),
                _ns(row["local_min_ps"]),
                _ns(row["local_mean_ps"]),
                _ns(row["start_skew_ps"]) if in_global_time else "",
                _ns(row["uncertainty_ps"]) if in_global_time and not row["flags"] & ERROR_UNSTATED else "",
                _ns(row["canary_ps"]) if row["canary_ps"] >= 0 else "",
                row["flags"],
            ]
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 invar.py DIR > observations.csv")
    try:
        _observations, _campaign = read_campaign(sys.argv[1])
    except (CampaignError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    write_csv(_observations, _campaign, sys.stdout)
    for _fault in _campaign["damage"]:
        print(_fault, file=sys.stderr)
    sys.exit(5 if _campaign["damage"] else 0)
