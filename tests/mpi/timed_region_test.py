"""What stands between two clock readings around the operation's call, in engines as they were built: every such pair is one of the
kinds below, and of each kind there are as many as the loops of src/engine/timed/timing_loop.hpp are compiled for. What it cannot put
into a kind fails, with its listing. Usage: timed_region_test.py ENGINE...; without arguments it only reads known listings."""

import collections
import os
import re
import subprocess
import sys

# What reads a clock: the instruction itself, or a call (SimGrid's headers rename the kernel's).
COUNTER = re.compile(r"rdtscp\b")
KERNEL = re.compile(r"call\s+[0-9a-f]+ <(?:smpi_)?clock_gettime(?:@plt)?>|"
                    r"call\s+[0-9a-f]+ <invar::clock::(?:monotonic_raw_ns|(?:MonotonicRaw|Coarse)Clock::now)\(\)(?: const)?>")
WTIME = re.compile(r"call\s+[0-9a-f]+ <(?:P?MPI_Wtime(?:@plt|\(\))?|invar::engine::MpiWtimeClock::now\(\)(?: const)?)>")
READERS = {"counter": COUNTER, "kernel": KERNEL, "library": WTIME}
# A reading of a driven clock is a calculation with calls of its own, compiled into its visits; only simulated networks have one.
DRIVEN = re.compile(r"\bLinkTickClock\b")

JUMP = re.compile(r"j\w+\s+([0-9a-f]+)\b")
LAST = re.compile(r"(?:(?:notrack |bnd )?jmp|ret|repz ret|ud2|hlt)\b")
NEVER_BACK = re.compile(r"call\s.*<(?:_Unwind_Resume|__cxa_\w*throw|__stack_chk_fail|abort|exit|std::terminate|std::__throw_)")
TO_MEMORY = re.compile(r"(?!cmp|test|nop|cs |lea|j|call|prefetch|i?div|i?mul)\w+\s+(?:.*,)?(?:%fs:)?-?(?:0x)?[0-9a-f]*\([^()]*\)$")
TO_STACK = re.compile(r"\(%r[bs]p(?:,[^()]*)?\)$")
NOTHING = re.compile(r"nop|cs nop|data16|xchg\s+%ax,%ax$")

# Integers move, are counted and compared; nothing is multiplied beside the chains, nothing waits but the fence.
USUAL = re.compile(r"(?:lfence|mov[lqbw]?|movabs|movz\w+|movs[bwl]\w|lea|shl|or|xor|add[lq]?|sub[lq]?|inc\w?|dec\w?|test\w?|cmp[lqb]?|"
                   r"set\w+|cmov\w+|j\w+)(?:\s|$)")
COPIES = re.compile(r"v?mov(?:dq[ua]|[ua]ps|q)\s+.*%[xy]mm")
# Of a reading that is none of the counter: a timespec is cleared, becomes nanoseconds, in a test's clock steps of these, or seconds
# of MPI_Wtime picoseconds.
CONVERSION = re.compile(r"imul|idiv|cqto|v?pxor|v?mov[ausdq]|v?(?:sub|add|mul)sd|v?cvt\w+")

# Before the second reading of the kernel's clock.
CLEARED = re.compile(r"v?pxor\s|v?movaps\s+%xmm\d+,-?(?:0x)?[0-9a-f]*\(%r[bs]p\)$")

# Between two readings, beside the call: loops that it stands in, delays that follow it (a chain of multiplications), what else is
# done.
CALL, BATCH, MOVES, COLD = "a call", "a batch", "a batch with barriers or roots that move", "a batch that moves on in memory"
BARRIER = "a call and a barrier"
# Of calls that are no repetitions only the time is kept, and no tick stored in an array.
KEPT = "a call whose time is kept"
CHAIN = " with chains"
# Stores to the stack, at most, where the counter is read and where another clock is: as many as GCC 12 makes. A copy of the next root
# and an argument are always there.
MOST_SPILLS = {
    CALL: (0, 0), CALL + CHAIN: (0, 0), KEPT: (0, 1), BARRIER: (0, 0),
    BATCH: (0, 1), BATCH + CHAIN: (0, 0), MOVES: (1, 1), MOVES + CHAIN: (1, 1), COLD: (1, 1), COLD + CHAIN: (1, 1),
}
# Not among them, and bounded in stack_fault(): a value that was loaded from there and is put back, because a chain needed its register
# (in cells with and without a delay alike); the number of a batch's calls done, and where another clock is read the error that is kept; a timespec that is cleared; an argument's copy.
LOADED = re.compile(r"mov\s+(-?(?:0x)?[0-9a-f]*\(%r[bs]p\)),%\w+$")
COUNTED = re.compile(r"(?:mov[lq]\s+\$0x0|add[lq]\s+\$0x1),(-?(?:0x)?[0-9a-f]*\(%r[bs]p\))$")
COPIED = re.compile(r"v?mov[au]ps\s+%xmm")
# By the counter, with nothing beside the call: the fence, the reading made of two halves, less what a CPU's counter is ahead, where it
# is put, the call's operand and pointer, the error that is kept.
MOST_IN_A_CALL = 12
# Of any kind; what is longer than that has lost its second reading.
MOST_PLACES = 150

# Visits with and without hooks run the same loops (docs/measuring.md, "A visit").
OF_A_VISIT = {kind: 1 for kind in MOST_SPILLS if kind not in (KEPT, BARRIER)}
CLOCKS = ("TscClock", "ShiftedTscClock", "MonotonicRawClock", "CoarseClock", "MpiWtimeClock")
# Four barriers; round-time in a page, across hosts by one clock and by predicted ones; windows by one clock and by predicted ones.
SYNCHRONISATIONS = 9
# Untimed preparation is there once a clock (ClockVisitor). Runs of an experiment with clocks: by barriers
# and in windows.
OF_A_CLOCK = {"call_ticks": (BARRIER, 1), "batch_call_ticks": (BATCH, 1), "Runtime::visit": (CALL, 2)}


class Code:
    """An engine's instructions, with where each goes on."""

    def __init__(self, listing):
        self.text, self.owner, self.address = [], [], []
        name = ""
        for line in listing.splitlines():
            if line.endswith(">:") and (head := re.match(r"[0-9a-f]+ <(.*)>:$", line)):
                name = head[1]
            elif code := re.match(r"\s+([0-9a-f]+):\t(.*)$", line):
                self.address.append(int(code[1], 16))
                self.text.append(re.sub(r"\s+#.*$", "", code[2]).strip())
                self.owner.append(name)
        # A library that is none has some without a call.
        self.has_barriers = any("<MPI_Barrier@plt>" in text for text in self.text)
        self.place = {address: i for i, address in enumerate(self.address)}

    def after(self, i):
        text = self.text[i]
        on = [] if LAST.match(text) or NEVER_BACK.match(text) or i + 1 == len(self.text) else [i + 1]
        jump = JUMP.match(text)
        return on + ([self.place[int(jump[1], 16)]] if jump and int(jump[1], 16) in self.place else [])

    def reader(self, i):
        return next((name for name, reads in READERS.items() if reads.match(self.text[i])), None)

    def listing(self, places):
        lines = ["    %x: %s" % (self.address[i], self.text[i][:110]) for i in sorted(places)]
        return "\n".join(lines[:MOST_PLACES] + ["    ..."] * (len(lines) > MOST_PLACES))


def loops(places, after):
    """The strongly connected parts of these instructions (Tarjan 1972)."""
    number, low, stack, found = {}, {}, [], []

    def follow(i):
        number[i] = low[i] = len(number)
        stack.append(i)
        for j in after[i]:
            if j not in places:
                continue
            if j not in number:
                follow(j)
            if j in stack:
                low[i] = min(low[i], low[j])
        if low[i] == number[i]:
            part = set()
            while i not in part:
                part.add(stack.pop())
            if len(part) > 1 or i in after[i]:
                found.append(part)

    for i in sorted(places):
        if i not in number:
            follow(i)
    return found


def call_of_operation(code):
    """How the operation is called: through the pointer in its description, which lies beyond where tables of virtual functions of the
    hooks end. None where no visit does so."""
    calls = collections.Counter()
    for text, owner in zip(code.text, code.owner):
        if "ClockedVisitor<" in owner and (call := re.match(r"call\s+\*(0x[0-9a-f]+)\(%r\w+\)$", text)) and int(call[1], 16) >= 0x40:
            calls[call[1]] += 1
    return re.compile(r"call\s+\*%s\(%%r\w+\)$" % calls.most_common(1)[0][0]) if calls else None


class Region:
    """What can run behind a reading before the next one, whichever jumps are taken: compilers move what is rare elsewhere."""

    def __init__(self, code, first, operation):
        self.code, self.first, self.reader = code, first, code.reader(first)
        self.places, self.ends, self.after = set(), set(), {first: code.after(first)}
        open_ends = list(self.after[first])
        while open_ends:
            i = open_ends.pop()
            if code.reader(i):
                self.ends.add(i)
            elif i not in self.places:
                self.places.add(i)
                self.after[i] = code.after(i)
                open_ends += self.after[i]
        self.calls = {i for i in self.places if operation.match(code.text[i])}

    def texts(self, places):
        return [self.code.text[i] for i in sorted(places)]

    def reached(self, without):
        """(what runs before this instruction or on a way around it, whether such a way leads to a second reading)."""
        seen, ends, open_ends = set(), False, list(self.after[self.first])
        while open_ends:
            i = open_ends.pop()
            if i in self.ends:
                ends = True
            elif i not in seen and i != without:
                seen.add(i)
                open_ends += self.after[i]
        return seen, ends

    def stack_fault(self, kind, stores, more):
        """`more`: that may be beside what its kind has."""
        counter, loop, chain = self.reader == "counter", not kind.startswith(CALL), CHAIN in kind
        loaded = {found[1] for text in self.texts(self.places) if (found := LOADED.match(text))}
        counts = {found[1] for text in stores if (found := COUNTED.match(text))}
        if loop and len(counts) > (1 if counter else 2):
            return "%d numbers kept on the stack" % len(counts)
        numbers = collections.Counter()
        for text in stores:
            slot = re.split(r"[\s,]", text)[-1]
            numbers["copied" if COPIED.match(text) else "counted" if loop and slot in counts else
                    "given back" if text.startswith("mov ") and slot in loaded else "other"] += 1
        most = {"copied": (0 if counter else 2 if loop else 1) + (2 if kind.startswith(COLD) else 0),
                # Where another clock is read, the error that is kept may be there as well.
                "counted": (2 if counter else 6) + chain if loop else 0,
                "given back": chain + (not counter and not loop),
                "other": MOST_SPILLS[kind][not counter] + more}
        for what, number in numbers.items():
            if number > most[what]:
                return "%d stores to the stack (%s), where %d may be" % (number, what, most[what])
        return ""

    def chain_fault(self, loop):
        """Dependent multiplications and their counter, in registers."""
        texts = [text for text in self.texts(loop) if not NOTHING.match(text)]
        known = re.compile(r"imul\s+%\w+,%\w+$|(?:sub\w?\s+\$0x1,|dec\w?\s+)%\w+$|jne\b|mov(?:abs)?\s+\$\w+,%\w+$")
        rest = [text for text in texts if not known.match(text)]
        if rest or sum(text.startswith("imul") for text in texts) != 1:
            return "a loop beside the call that is not a chain of multiplications"
        return ""

    def kind(self):
        """(kind, "") or (None, what is wrong)."""
        code = self.code
        if len(self.calls) != 1:
            return None, "%d calls of the operation" % len(self.calls)
        call = next(iter(self.calls))
        if len(self.places) > MOST_PLACES:
            return None, "%d instructions before a second reading" % len(self.places)
        if any(not self.after[i] for i in self.places) or not self.ends:
            return None, "a way that leads to no second reading"
        for read in {self.first} | self.ends:
            if self.reader == "counter" and (not code.reader(read) == "counter" or code.text[read + 1] != "lfence"):
                return None, "a reading of the counter without a fence"
            if code.reader(read) != self.reader:
                return None, "readings of two clocks"
        around = [loop for loop in loops(self.places, self.after) if call in loop]
        chains = loops(self.places - {call}, self.after)
        for loop in chains:
            if fault := self.chain_fault(loop):
                return None, fault
        if len(chains) > 1:
            return None, "%d chains" % len(chains)
        others = [text for text in self.texts(self.places - {call}) if text.startswith("call")]
        barriers = [text for text in others if re.search(r"<P?MPI_Barrier(?:@plt)?>", text)]
        colds = [text for text in others if "<invar::ops::ColdCache::before_repetition(" in text]
        if len(others) != len(barriers) + len(colds) or len(others) > 1:
            return None, "another call: " + "; ".join(others)
        writes = {i for i in self.places if TO_MEMORY.match(code.text[i]) or code.text[i].startswith("push")}
        spills = {i for i in writes if TO_STACK.search(code.text[i]) or code.text[i].startswith("push")}
        rest = writes - spills
        if around:
            body = around[0]
            if any(text.startswith("call") for text in self.texts(self.places - body)):
                return None, "another call outside of the loop: " + others[0]
            kind, fault = self.batch_kind(body, rest & body, barriers, colds)
            if fault:
                return None, fault
            rest = rest - body
        elif colds:
            return None, "another call: " + colds[0]
        else:
            kind = BARRIER if barriers else CALL if rest or chains else KEPT
            if self.reached(call)[1]:
                return None, "a way around the call"
        if chains:
            if kind == BARRIER or not rest:
                return None, "a chain where no repetition is"
            kind += CHAIN
        # The first reading: into its array, or kept for a difference.
        if len(rest) > 1:
            return None, "%d stores" % len(rest)
        if fault := self.stack_fault(kind, self.texts(spills), 0 if rest else 1):
            return None, fault
        before, _ = self.reached(call)
        in_chains = set().union(*chains)
        for i in sorted(self.places - {call} - in_chains):
            text = code.text[i]
            usual = USUAL.match(text) and "%xmm" not in text and "%ymm" not in text and "%st" not in text
            reading = self.reader != "counter" and (CONVERSION.match(text) if i in before else CLEARED.match(text))
            if not (usual or reading or NOTHING.match(text) or text.startswith("call") or (colds and COPIES.match(text))):
                return None, "'%s' belongs to neither a reading nor a loop" % text
        own = [text for text in self.texts(self.places) if not NOTHING.match(text)]
        if kind in (CALL, KEPT) and self.reader == "counter":
            if any(text.startswith("j") for text in own):
                return None, "a jump"
            if len(own) > MOST_IN_A_CALL:
                return None, "%d instructions, not %d" % (len(own), MOST_IN_A_CALL)
        return kind, ""

    def batch_kind(self, body, writes, barriers, colds):
        texts = self.texts(body)
        if not any(re.match(r"(?:add|sub)\w?\s+\$0x(?:1|f+),|(?:inc|dec)\w?\s|lea\s+0x1\(", text) for text in texts):
            return None, "a loop that counts nothing"
        if not any(text.startswith("j") and not text.startswith("jmp") and set(self.after[i]) - body
                   for i, text in zip(sorted(body), texts)):
            return None, "a loop without an end"
        kind = COLD if colds else MOVES if barriers or writes else BATCH
        if kind == MOVES and self.code.has_barriers and not barriers:
            return None, "a store in the loop"
        # The next root.
        if len(writes) != (1 if kind == MOVES else 0):
            return None, "%d stores in the loop" % len(writes)
        return kind, ""


def group_of(owner):
    """(clock, which code of it)."""
    clock = re.search(r"\b(\w+Clock)\b", owner)
    clock = clock[1] if clock else ""
    if sync := re.search(r"\bFlagsProbes<", owner):
        depth, end = 0, sync.end() - 1
        for end in range(sync.end() - 1, len(owner)):
            depth += (owner[end] == "<") - (owner[end] == ">")
            if depth == 0:
                break
        function = re.match(r".*?>::(\w+)[(<]", owner[end:])
        if function and function[1] in ("visit", "hooked", "repeat") or "_loop<" in owner:
            return clock, owner[sync.start():end + 1]
        return clock, function[1] if function else ""
    if function := re.search(r"\bClockVisitor<[^()]*>::(\w+)\(", owner):
        return clock, function[1]
    return clock, "Runtime::visit" if "::Runtime::visit<" in owner else ""


def look(listing):
    """(group -> kind -> how many regions, faults, regions of driven clocks, which are not judged)."""
    code = Code(listing)
    found, wrong, driven = collections.defaultdict(collections.Counter), [], 0
    operation = call_of_operation(code)
    if operation is None:
        return found, ["no visit calls an operation"], driven
    between = set()
    for i in range(len(code.text)):
        if not code.reader(i):
            continue
        region = Region(code, i, operation)
        if not region.calls:
            continue
        if DRIVEN.search(code.owner[i]):
            driven += 1
            continue
        between |= region.calls
        kind, fault = region.kind()
        if kind == BARRIER and "::call_ticks(" not in code.owner[i]:
            kind, fault = None, "a barrier in a repetition"
        if kind is None:
            wrong.append("%s:\n  %s\n%s" % (code.owner[i], fault, code.listing(region.places | {i} | region.ends)))
        else:
            found[group_of(code.owner[i])][kind] += 1
    # A reading that was overlooked would leave a call without one.
    for i, text in enumerate(code.text):
        if operation.match(text) and i not in between and re.search(r"\bClock(?:ed)?Visitor<", code.owner[i]) and not DRIVEN.search(code.owner[i]):
            wrong.append("%s:\n  the operation is called at %x where no reading stands before" % (code.owner[i], code.address[i]))
    return found, wrong, driven


def lacking(found):
    """Loops that must be somewhere, and were not found."""
    wrong = []
    barriers = any(kinds[BARRIER] for kinds in found.values())
    for clock in CLOCKS:
        visits = {code: kinds for (of, code), kinds in found.items() if of == clock and code.startswith("FlagsProbes<")}
        if len(visits) < SYNCHRONISATIONS:
            wrong.append("%s: visits of %d synchronisations, not %d" % (clock, len(visits), SYNCHRONISATIONS))
        for code, kinds in sorted(visits.items()):
            wrong += ["%s, %s: %d of '%s', not %d" % (clock, code, kinds[kind], kind, least)
                      for kind, least in OF_A_VISIT.items() if kinds[kind] < least]
        for code, (kind, least) in OF_A_CLOCK.items():
            # A library that is none has barriers without a call.
            number = found[clock, code][KEPT if kind == BARRIER and not barriers else kind]
            if number < least:
                wrong.append("%s, %s: %d of '%s', not %d" % (clock, code, number, kind, least))
    return wrong


VISIT = """
0000000000001000 <invar::engine::(anonymous namespace)::ClockedVisitor<invar::clock::TscClock, invar::engine::FlagsProbes<\
invar::engine::BarrierSync<invar::clock::TscClock, (invar::engine::Barrier)0> > >::visit(invar::engine::VisitOrder const&)>:
    1000:\trdtscp
    1003:\tlfence
    1006:\tshl    $0x20,%rdx
    100a:\tmov    %r15,%rdi
    100d:\tor     %rax,%rdx
    1010:\tmov    -0x218(%rbp),%rax
    1017:\tmov    %rdx,(%rax,%r14,8)
    101b:\tmov    -0x1d8(%rbp),%rax
    1022:\tcall   *0x268(%rax)
    1028:\tmov    %eax,%esi
    102a:\tnop
    102b:\trdtscp
    102e:\tlfence
    1031:\tshl    $0x20,%rdx
    1035:\tor     %rax,%rdx
    1038:\tmov    -0x210(%rbp),%rax
    103f:\tmov    %rdx,(%rax,%r14,8)
    1043:\tmov    0x18(%rcx),%rax
    1047:\tcall   *%rax
    1049:\tcall   2000 <invar::engine::FlagsProbes<invar::engine::BarrierSync<invar::clock::TscClock> >::wait(unsigned short&)>
    104e:\ttest   %al,%al
    1050:\tje     1000 <visit>
    1056:\trdtscp
    1059:\tlfence
    105c:\tmov    %rdx,(%rax,%r14,8)
    1060:\tcall   *0x268(%rax)
    1066:\ttest   %r13,%r13
    1069:\tjne    1090 <visit+0x90>
    106f:\trdtscp
    1072:\tlfence
    1075:\tcall   *%rax
    1077:\trdtscp
    107a:\tlfence
    107d:\tmov    %rdx,(%rax,%r14,8)
    1081:\ttest   %r10d,%r10d
    1084:\tje     10d0 <visit+0xd0>
    1086:\txor    %r14d,%r14d
    1089:\tjmp    10b0 <visit+0xb0>
    1090:\tmovabs $0x9e3779b97f4a7c15,%rax
    109a:\tmov    %r13,%rdx
    109d:\tnopl   0x0(%rax)
    10a0:\timul   %rcx,%rax
    10a4:\tsub    $0x1,%rdx
    10a8:\tjne    10a0 <visit+0xa0>
    10aa:\tjmp    106f <visit+0x6f>
    10b0:\tmov    -0x1d8(%rbp),%rax
    10b7:\tcall   *0x268(%rax)
    10bd:\ttest   %eax,%eax
    10bf:\tcmovne %eax,%r12d
    10c3:\tadd    $0x1,%r14d
    10c7:\tcmp    %r14d,%ecx
    10ca:\tjne    10b0 <visit+0xb0>
    10d0:\trdtscp
    10d3:\tlfence
    10d6:\tcall   *%rax
    10d8:\trdtscp
    10db:\tlfence
    10de:\tmov    %rdx,(%rax,%r14,8)
    10e2:\tcall   *0x268(%rax)
    10e8:\tcmpb   $0x0,0x31(%rbx)
    10ec:\tje     10f3 <visit+0xf3>
    10ee:\tcall   27790 <MPI_Barrier@plt>
    10f3:\tmov    %eax,0x14(%rcx)
    10f6:\taddl   $0x1,-0x1e0(%rbp)
    10fd:\tcmp    %ecx,-0x1e0(%rbp)
    1103:\tjne    10e2 <visit+0xe2>
    1105:\trdtscp
    1108:\tlfence
    110b:\tcall   *%rax
    110d:\tcall   27a50 <clock_gettime@plt>
    1112:\timul   $0x3b9aca00,-0x290(%rbp),%rcx
    111d:\tadd    -0x288(%rbp),%rcx
    1124:\tmov    %rcx,(%r12)
    1128:\tcall   *0x268(%rax)
    112e:\tpxor   %xmm0,%xmm0
    1132:\tmovaps %xmm0,-0x290(%rbp)
    1139:\tcall   27a50 <clock_gettime@plt>
    113e:\tret
"""


def known_listings():
    """Of this test itself: in a listing of an engine's kind it finds one of each, and everything that is spoilt in it."""
    found, wrong, _ = look(VISIT)
    assert not wrong, wrong
    (group, kinds), = found.items()
    assert group == ("TscClock", "FlagsProbes<invar::engine::BarrierSync<invar::clock::TscClock, (invar::engine::Barrier)0> >"), group
    # The call by itself is there twice: by the counter and by the kernel's clock.
    assert kinds == {CALL: 2, CALL + CHAIN: 1, BATCH: 1, MOVES: 1}, kinds
    for address, instead, fault in (
        ("1028", "mov    %eax,-0x1e0(%rbp)", "1 stores to the stack .other., where 0 may be"),
        ("1028", "push   %rax", "1 stores to the stack .other., where 0 may be"),
        ("1028", "mov    %rax,(%rbx)", "2 stores"),
        ("1028", "movss  %xmm0,%xmm1", "belongs to neither"),
        ("1028", "idiv   %rcx", "belongs to neither"),
        ("102a", "call   27790 <MPI_Barrier@plt>", "a barrier in a repetition"),
        ("102a", "call   27800 <memcpy@plt>", "another call: call   27800 <memcpy@plt>"),
        ("102a", "call   *0x270(%rax)", "another call"),
        ("102a", "call   *%rax", "another call"),
        ("102a", "call   *0x268(%rax)", "2 calls of the operation"),
        ("102a", "jne    1028 <visit+0x28>", "a loop beside the call"),
        ("102a", "je     103f <visit+0x3f>", "another call"),
        ("1006", "je     1028 <visit+0x28>", "a way around the call"),
        ("1006", "je     102a <visit+0x2a>", "a way around the call"),
        ("1006", "jne    100d <visit+0xd>", "a jump"),
        ("102a", "\n    102a:\t".join(["mov    (%rcx),%rcx"] * 4), "13 instructions, not 12"),
        ("1003", "nop", "without a fence"),
        ("102e", "nop", "without a fence"),
        ("102b", "nop", "another call"),
        ("1000", "nop", "another call"),
        ("10a0", "imul   -0x8(%rbp),%rax", "not a chain of multiplications"),
        ("10a0", "add    %rcx,%rax", "not a chain of multiplications"),
        ("109d", "mov    %rax,-0x10(%rbp)", "1 stores to the stack .other., where 0 may be"),
        # What a chain needed a register for may be given back, and nothing else.
        ("109a", "mov    -0x10(%rbp),%rdx\n    109a:\tmov    %rdx,-0x20(%rbp)", "1 stores to the stack .other., where 0 may be"),
        ("109a", "mov    -0x10(%rbp),%rdx" + "\n    109a:\tmov    %rdx,-0x10(%rbp)" * 2,
         "2 stores to the stack .given back., where 1 may be"),
        ("1028", "mov    -0x10(%rbp),%rdx\n    1028:\tmov    %rdx,-0x10(%rbp)", "1 stores to the stack .given back., where 0 may be"),
        ("10aa", "ret", "a way that leads to no second reading"),
        ("10c3", "mov    %r14d,%ecx", "a loop that counts nothing"),
        ("10ca", "jmp    10b0 <visit+0xb0>", "a loop without an end"),
        ("10bf", "mov    %eax,0x14(%rcx)", "a store in the loop"),
        ("10bf", "call   27800 <memcpy@plt>", "another call"),
        ("1086", "call   27900 <invar::ops::ColdCache::before_repetition(invar::ops::Cache)>", "another call outside of the loop"),
        ("10bd", "mov    %eax,-0x8(%rbp)", "1 stores to the stack .other., where 0 may be"),
        ("10f3", "mov    %eax,0x14(%rcx)\n    10f3:\tmov    %eax,0x18(%rcx)", "2 stores in the loop"),
        ("1139", "rdtscp", "readings of two clocks"),
        ("112e", "call   *%rbx", "another call"),
        ("112e", "idiv   %rcx", "belongs to neither"),
        ("112e", "mulsd  %xmm1,%xmm0", "belongs to neither"),
    ):
        spoilt, number = re.subn(r"(?m)^    %s:\t.*$" % address, lambda line: "    %s:\t%s" % (address, instead), VISIT)
        assert number == 1, address
        _, wrong, _ = look(spoilt)
        assert any(re.search(fault, text) for text in wrong), (address, instead, wrong)
    # A call before which no clock is read on any way.
    _, wrong, _ = look(VISIT.replace("    1000:\trdtscp", "    1000:\tnop").replace("je     1000", "je     1056"))
    assert len(wrong) == 1 and "called at 1022 where no reading stands before" in wrong[0], wrong
    # Moves of a library that is none have no call: there is nothing that has barriers.
    found, wrong, _ = look(re.sub(r"call   27790 <MPI_Barrier@plt>", "nop", VISIT))
    assert not wrong and found[group][MOVES] == 1, wrong
    # A repetition whose first reading is stored nowhere is none.
    found, wrong, _ = look(re.sub(r"(?m)^    1017:.*$", "    1017:\tnop", VISIT))
    assert not wrong and found[group] == {CALL: 1, KEPT: 1, CALL + CHAIN: 1, BATCH: 1, MOVES: 1}, (wrong, found)
    visitor = "invar::engine::(anonymous namespace)::%s"
    assert group_of(visitor % "ClockedVisitor<invar::clock::TscClock, invar::engine::FlagsProbes<X> >::repeat<invar::engine::NoDelay>(int)") == (
        "TscClock", "FlagsProbes<X>")
    assert group_of(visitor % "ClockVisitor<invar::clock::TscClock>::call_ticks(int)") == ("TscClock", "call_ticks")
    # What is not there is missed: a visit's loop, a visit, a clock.
    everything = {(clock, "FlagsProbes<%d>" % sync): collections.Counter(OF_A_VISIT)
                  for clock in CLOCKS for sync in range(SYNCHRONISATIONS)}
    everything.update({(clock, code): collections.Counter({kind: least}) for clock in CLOCKS for code, (kind, least) in OF_A_CLOCK.items()})
    def lacks(*without):
        rest = collections.defaultdict(collections.Counter, {key: kinds.copy() for key, kinds in everything.items()})
        for key, kind in without:
            rest[key][kind] -= 1
        return lacking(rest)
    assert lacks() == []
    for key, kinds in everything.items():
        for kind in kinds:
            assert len(lacks((key, kind))) == 1, (key, kind)
    rest = collections.defaultdict(collections.Counter, {key: kinds for key, kinds in everything.items() if key[1] != "FlagsProbes<3>"})
    assert len(lacking(rest)) == len(CLOCKS)
    assert look("")[1] == ["no visit calls an operation"]


def main():
    machine = subprocess.run(["uname", "-m"], stdout=subprocess.PIPE, check=True).stdout.strip()
    if machine != b"x86_64":
        print("not on this processor")
        return 77
    if not all(os.path.exists(engine) for engine in sys.argv[1:]):
        print("the library is not installed")
        return 77
    faults = []
    for engine in sys.argv[1:]:
        listing = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", engine], check=True, stdout=subprocess.PIPE,
                                 universal_newlines=True).stdout
        found, wrong, driven = look(listing)
        wrong += lacking(found)
        kinds = sum(found.values(), collections.Counter())
        print("%s: %d timed regions, %d of driven clocks not judged, %d faults" % (engine, sum(kinds.values()), driven, len(wrong)))
        for kind in MOST_SPILLS:
            print("  %4d %s" % (kinds[kind], kind))
        faults += ["%s: %s" % (engine, fault) for fault in wrong]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    known_listings()
    sys.exit(main() if len(sys.argv) > 1 else 0)
