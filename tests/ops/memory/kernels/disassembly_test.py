#!/usr/bin/env python3
"""Loads and stores of every inner loop of the kernels on memory are those that the kernel names, times its unrolling, whatever the
compiler: disassembly_test.py SOURCES OBJDUMP COMPILER [FLAG...]. Also of the tool itself: without arguments it reads known loops."""

import pathlib
import re
import subprocess
import sys
import tempfile

SOURCES = ["walk_4", "walk_8", "walk_16", "walk_32", "walk_64", "chase_kernel"]
KERNELS = {0: ("read", 1, 0), 1: ("write", 0, 1), 2: ("write_nt", 0, 1), 3: ("copy", 1, 1), 4: ("triad", 2, 1), 5: ("copy_nt", 1, 1),
           6: ("triad_nt", 2, 1)}
UNROLLS = 5
ORDERS = 6
MOST_CHAINS = 8

X86_JUMP = re.compile(r"j\w+\s+([0-9a-f]+)\b")
ARM_JUMP = re.compile(r"(?:b(?:\.\w+)?|cbn?z\s+\w+,|tbn?z\s+\w+,\s*#\w+,)\s+([0-9a-f]+)\b")


def functions(listing):
    """name -> [(address, instruction)], of a listing of objdump."""
    found = {}
    current = None
    for line in listing.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            current = found.setdefault(head[1], [])
        elif (code := re.match(r"\s+([0-9a-f]+):\s+(.*)$", line)) and current is not None:
            current.append((int(code[1], 16), re.split(r"\s*(?:#|//|<)", code[2])[0].strip()))
    return found


def operands(text):
    """Of an instruction, at commas outside of parentheses and brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def x86_accesses(instruction):
    """Loads and stores of an instruction in AT&T's order: what is written comes last."""
    words = instruction.split(None, 1)
    name, rest = words[0], words[1] if len(words) > 1 else ""
    while name in ("lock", "rep", "repz", "cs", "data16", "notrack", "bnd"):
        words = rest.split(None, 1)
        name, rest = words[0], words[1] if len(words) > 1 else ""
    if name.startswith(("lea", "nop", "prefetch", "endbr", "xchg")) and not name.startswith("xchg"):
        return 0, 0
    if name.startswith(("push", "call")):
        return 0, 1
    if name.startswith(("pop", "ret")):
        return 1, 0
    parts = operands(rest)
    in_memory = [bool(re.search(r"\(", part)) for part in parts]
    if not any(in_memory):
        return 0, 0
    moves = name.startswith(("mov", "vmov", "movnt", "vmovnt"))
    if name.startswith(("cmp", "test", "ucomis", "vucomis", "bt")):
        return 1, 0
    if in_memory[-1]:
        return (0, 1) if moves else (1, 1)
    return 1, 0


def arm_accesses(instruction):
    """Of a pair two, because two elements are loaded."""
    name = instruction.split(None, 1)[0]
    pair = 2 if name.startswith(("ldp", "ldnp", "stp", "stnp", "ld2", "st2")) else 1
    if name.startswith("ld"):
        return pair, 0
    if name.startswith("st"):
        return 0, pair
    return 0, 0


def edges(code, jump):
    """Where each instruction goes on, as places in the list: backward jumps alone are no loops, because compilers put what is rare
    behind a function's end and jump back from there."""
    place = {address: i for i, (address, _) in enumerate(code)}
    for i, (_, instruction) in enumerate(code):
        to = jump.match(instruction)
        ends = re.match(r"(?:jmp|ret|b|br|ud2|brk)\b(?!\.)", instruction)
        after = [i + 1] if not ends and i + 1 < len(code) else []
        yield after + ([place[int(to[1], 16)]] if to and int(to[1], 16) in place else [])


def dominators(after, before):
    """Of each instruction those that every way to it goes through, as bits; 0: no way leads there, as to what fills gaps."""
    everything = (1 << len(after)) - 1
    above = [1] + [everything] * (len(after) - 1)
    changed = True
    while changed:
        changed = False
        for i in range(1, len(after)):
            through = everything
            for j in before[i]:
                through &= above[j]
            through |= 1 << i
            if through != above[i]:
                above[i], changed = through, True
    reached, open_ends = set(), [0]
    while open_ends:
        if (one := open_ends.pop()) not in reached:
            reached.add(one)
            open_ends += after[one]
    return [bits if i in reached else 0 for i, bits in enumerate(above)]


def inner_loops(code, jump):
    """The instructions of every loop that has no other one in it (natural loops: their head dominates who jumps back to it)."""
    after = list(edges(code, jump))
    before = [[] for _ in code]
    for i, targets in enumerate(after):
        for j in targets:
            before[j].append(i)
    above = dominators(after, before)
    # Each way back by itself: a loop and the one around it may have one head.
    bodies = []
    for i, targets in enumerate(after):
        for head in targets:
            if not above[i] >> head & 1:
                continue
            body, open_ends = {head}, [i]
            while open_ends:
                if (one := open_ends.pop()) not in body and above[one]:
                    body.add(one)
                    open_ends += before[one]
            bodies.append(body)
    for body in bodies:
        if not any(other < body for other in bodies):
            yield [code[i][1] for i in sorted(body)]


def count(loop, accesses):
    loads = stores = 0
    for instruction in loop:
        more = accesses(instruction)
        loads, stores = loads + more[0], stores + more[1]
    return loads, stores


def expected(name):
    """(unroll, loads and stores of an element) of a kernel; None: the function is none."""
    if walk := re.search(r"\bwalk<\(invar::ops::WalkKernel\)(\d), \(invar::ops::WalkOrder\)(\d), (\d+)ul>", name):
        _, loads, stores = KERNELS[int(walk[1])]
        return int(walk[3]), (loads, stores)
    if chase := re.search(r"\bchase<(\d+)ul, (\d+)ul>", name):
        return int(chase[2]), (int(chase[1]), 0)
    return None


def faults(found, jump, accesses):
    """What is wrong with each kernel, and how many there are."""
    kernels, wrong = 0, []
    for name, code in sorted(found.items()):
        if (known := expected(name)) is None:
            continue
        kernels += 1
        unroll, (loads, stores) = known
        turn = (unroll * loads, unroll * stores)
        one = (loads, stores)
        counts = [count(loop, accesses) for loop in inner_loops(code, jump)]
        # What begins and ends a call, heads of chains for example, is not a pass.
        counts = [number for number in counts if number != (0, 0)]
        if turn not in counts:
            wrong.append(f"{name}: no inner loop with {turn[0]} loads and {turn[1]} stores, but {counts}")
        elif strange := [number for number in counts if number not in (turn, one)]:
            wrong.append(f"{name}: inner loops with {strange}, beside {turn}")
    return kernels, wrong


def self_test():
    listing = """
0000000000000000 <void a::walk<(invar::ops::WalkKernel)0, (invar::ops::WalkOrder)0, 2ul>(invar::ops::KernelOrder&)>:
   0:\tmov    (%rdi),%rdx
   3:\tvpaddq (%rax),%zmm0,%zmm0
   9:\tvpaddq 0x40(%rax),%zmm1,%zmm1
  10:\tlea    0x80(%rax),%rax
  14:\tjne    3 <void a+0x3>
  16:\tjmp    20 <void a+0x20>
  18:\tmov    %rax,0x40(%rdi)
  1c:\tret
  20:\tmov    0x8(%rdi),%rax
  24:\tjmp    18 <void a+0x18>
"""
    kernel = functions(listing)
    assert faults(kernel, X86_JUMP, x86_accesses) == (1, []), faults(kernel, X86_JUMP, x86_accesses)
    # A load that was added, one that was left out, and a register that is kept on the stack.
    for old, new in (
        ("lea    0x80(%rax),%rax", "add    0x8(%rdi),%rax"),
        ("vpaddq 0x40(%rax),%zmm1,%zmm1", "vpaddq %zmm0,%zmm1,%zmm1"),
        ("lea    0x80(%rax),%rax", "vmovdqa64 %zmm0,0x8(%rsp)"),
    ):
        assert faults(functions(listing.replace(old, new)), X86_JUMP, x86_accesses)[1], new
    assert x86_accesses("movnti %eax,(%rdx)") == (0, 1)
    assert x86_accesses("add    %eax,(%rdx)") == (1, 1)
    assert x86_accesses("mov    (%rax,%rbx,8),%rax") == (1, 0)
    assert arm_accesses("ldp\tq0, q1, [x1], #32") == (2, 0)
    assert arm_accesses("str\tx1, [x2, x3]") == (0, 1)
    assert ARM_JUMP.match("b.ne\t1c")[1] == "1c" and ARM_JUMP.match("cbnz\tx0, 20")[1] == "20"


def main(sources, objdump, compiler, *flags):
    room = pathlib.Path(sources) / "src/ops/memory/kernels"
    wrong, kernels = [], 0
    machine = subprocess.run([compiler, "-dumpmachine"], capture_output=True, text=True, check=True).stdout
    arm = machine.startswith("aarch64")
    jump, accesses = (ARM_JUMP, arm_accesses) if arm else (X86_JUMP, x86_accesses)
    with tempfile.TemporaryDirectory() as folder:
        for source in SOURCES:
            made = f"{folder}/{source}.o"
            command = [compiler, "-std=c++20", *flags, f"-I{sources}/src", "-c", f"{room}/{source}.cpp", "-o", made]
            subprocess.run(command, check=True)
            listing = subprocess.run(
                [objdump, "-dC", "--no-show-raw-insn", made], capture_output=True, text=True, check=True
            ).stdout
            more, faulty = faults(functions(listing), jump, accesses)
            kernels, wrong = kernels + more, wrong + [f"{source}: {fault}" for fault in faulty]
    # Not one may have been overlooked: of a compiler that names them otherwise none would be found.
    widths, walks = (3, 4) if arm else (5, 7)
    wanted = widths * walks * ORDERS * UNROLLS + MOST_CHAINS * UNROLLS
    print(f"{compiler} {' '.join(flags)}: {kernels} kernels of {wanted}, {len(wrong)} of them wrong")
    for fault in wrong[:40]:
        print(fault)
    return 1 if wrong or kernels != wanted else 0


if __name__ == "__main__":
    self_test()
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else 0)
