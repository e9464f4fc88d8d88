"""The timed region in the engine as it was built: between the two reads of the counter stands one call, and the only
store is that of the first reading. Usage: timed_region_test.py ENGINE..."""

import os
import re
import subprocess
import sys

# A read of the counter, and the fence after it.
READ = {"x86": "rdtscp"}
STORE = re.compile(r"^mov\w*\s+[^,]+,\s*(?:%fs:)?-?(?:0x)?[0-9a-f]*\(")  # AT&T syntax: the destination comes last


def functions(engine):
    """Name -> instructions of every function of the engine's that visits cells on the processor's counter."""
    text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", engine], check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout
    found = {}
    for part in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head, _, body = part.partition(":\n")
        if "<invar::clock::TscClock" in head and ("::visit(" in head or "timing_loop" in head):
            found[head.split("<", 1)[1]] = [line.split("\t")[1].strip() for line in body.splitlines() if "\t" in line]
    return found


def regions(instructions):
    """What stands between two reads of the counter, where an operation is called."""
    reads = [i for i, text in enumerate(instructions) if text.startswith(READ["x86"])]
    for first, last in zip(reads, reads[1:]):
        between = instructions[first + 1:last]
        # An operation is called through its pointer; jumps would lead elsewhere before the second read.
        if any(re.match(r"call\s+\*", text) for text in between) and not any(text.startswith("j") for text in between):
            yield between


def main():
    if subprocess.run(["uname", "-m"], stdout=subprocess.PIPE).stdout.strip() != b"x86_64":
        print("not on this processor")
        return 77
    if not all(os.path.exists(engine) for engine in sys.argv[1:]):
        print("the library is not installed")
        return 77
    faults = []
    for engine in sys.argv[1:]:
        checked = 0
        for name, instructions in functions(engine).items():
            for between in regions(instructions):
                checked += 1
                calls = [text for text in between if text.startswith("call")]
                stores = [text for text in between if STORE.match(text)]
                if len(calls) != 1 or len(stores) > 1:
                    faults.append("%s\n  %s:\n    %s" % (engine, name, "\n    ".join(between)))
        print("%s: %d timed regions" % (engine, checked))
        # Five synchronisations, each with a warm and a cold loop.
        if checked < 5:
            faults.append("%s: found only %d timed regions" % (engine, checked))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
