#!/usr/bin/env python3
"""Writes design_random.csv, design_plan.csv, design_parts.csv and distributions.csv: random numbers, a small plan, which
launch group has which random sizes, and lengths of blocks, computed from the description of the algorithms (docs/formats.md, docs/methods.md) without any of Invar's code. Run in
tests/golden; the tests compare byte for byte.

xoshiro256** and SplitMix64 are checked here against the values that their authors' reference programs print.
"""
import math

MASK = 2**64 - 1


def split_mix(state):
    """SplitMix64: (next state, output)."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


class Random:
    def __init__(self, seed=None, state=None):
        self.state = state
        if state is None:
            self.state = []
            for _ in range(4):
                seed, word = split_mix(seed)
                self.state.append(word)

    @staticmethod
    def of(*place):
        mixed = 0
        for part in place:
            mixed = split_mix(mixed ^ ((part + 0x632BE59BD9B4E019) & MASK))[1]
        return Random(mixed)

    def next(self):
        s = self.state

        def rotl(x, k):
            return ((x << k) | (x >> (64 - k))) & MASK

        result = (rotl((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def below(self, bound):
        while True:
            product = self.next() * bound
            if product & MASK >= (2**64 - bound) % bound:
                return product >> 64

    def shuffle(self, items):
        for i in range(len(items), 1, -1):
            j = self.below(i)
            items[i - 1], items[j] = items[j], items[i - 1]
        return items


# The authors' programs: SplitMix64 from 1234567, xoshiro256** from the state 1, 2, 3, 4.
state, outputs = 1234567, []
for _ in range(3):
    state, z = split_mix(state)
    outputs.append(z)
assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]
reference = Random(state=[1, 2, 3, 4])
assert [reference.next() for _ in range(4)] == [11520, 0, 1509978240, 1215971899390074240]

SIZE, ROW, CLASS, ORDER, SINGLE = 1, 2, 3, 4, 5


def round_blocks(seed, group, rnd, shared, rows):
    """[(cell, row)] of one round in shuffled order; `shared`: by cell, whether two arms or more have it."""
    several = [i for i, s in enumerate(shared) if s]
    single = [i for i, s in enumerate(shared) if not s]
    series, member = divmod(group - 1, rows)
    names = Random.of(seed, ROW, series).shuffle(list(range(rows)))
    shift = (rnd + member) % rows
    start = member if len(several) % rows == 0 else shift
    split = Random.of(seed, CLASS, series, rnd // rows).shuffle(list(range(len(several))))
    classes = [[several[cell] for cell in split[c::rows]] for c in range(rows)]
    random = Random.of(seed, ORDER, group, rnd)
    for members in classes:
        random.shuffle(members)
    balanced = []
    for i in range(len(several)):
        row = (i + start) % rows
        balanced.append((classes[(row - shift) % rows].pop(), names[row]))
    random = Random.of(seed, SINGLE, group, rnd)
    random.shuffle(single)
    positions = random.shuffle(list(range(len(shared))))
    kinds = [True] * len(shared)
    for i, position in enumerate(positions):
        kinds[position] = i < len(several)
    singles = iter(single)
    balanced = iter(balanced)
    return [next(balanced) if kind else (next(singles), 0) for kind in kinds]


def loguniform(random, low, high, extent):
    """One log-uniform size in [low, high], rounded down to a multiple of extent; by exact square roots alone."""
    first = -(-low // extent) * extent
    a, b = float(low), float(high) + 1
    bits = random.next()
    for bit in range(63, -1, -1):
        middle = math.sqrt(a * b)
        if bits >> bit & 1:
            a = middle
        else:
            b = middle
    return max(min(int(a), high) // extent * extent, first)


def plan():
    """Two arms, three groups of three rounds; the second arm has no scan."""
    seed, repetitions = 20160412, 25
    arms, williams = ["openmpi", "mpich"], [[0, 1], [1, 0]]
    cells = [("bcast", size, "byte", "") for size in (4, 16, 64)]
    cells += [("allreduce", size, "int32", "sum") for size in (4, 16, 64)]
    cells += [("barrier", "", "", ""), ("scan", 8, "int32", "sum")]
    has = [[0, 1]] * 7 + [[0]]
    lines = ["group,launch,turn,round,block,visit,cell,arm,calls,repetitions,"
             "operation,size_bytes,ranks,nodes,ppn,mapping,rank_order,root,datatype,reduction,"
             "in_place,topology,cache,placement,sync,arrival,clock,dither_ns,delay_ns,scheme"]
    visit = launch = 1
    for group in (1, 2, 3):
        series, member = divmod(group - 1, 2)
        first = williams[Random.of(seed, ROW, series).shuffle([0, 1])[member]]
        launches = {arm: launch + i for i, arm in enumerate(first)}
        launch += 2
        turn = block = 0
        for rnd in range(3):
            for cell, row in round_blocks(seed, group, rnd, [len(h) > 1 for h in has], 2):
                for arm in williams[row]:
                    if arm not in has[cell]:
                        continue
                    operation, size, datatype, reduction = cells[cell]
                    lines.append(f"{group},{launches[arm]},{turn},{rnd},{block},{visit},{cell},{arms[arm]},1,{repetitions},"
                                 f"{operation},{size},2,1,2,packed,natural,0,{datatype},{reduction},,,warm,random,round-time,none,auto,1000,0,invar")
                    turn += 1
                    visit += 1
                block += 1
    return lines


def numbers():
    lines = ["what,value"]
    for seed in (0, 42):
        random = Random(seed)
        lines += [f"next {seed},{random.next()}" for _ in range(4)]
    random = Random.of(7, 1, 2)
    lines += [f"of 7 1 2,{random.next()}" for _ in range(2)]
    # A bound at which nearly half of all draws must be drawn again.
    random = Random(1)
    lines += [f"below,{random.below(2**63 + 1)}" for _ in range(8)]
    random = Random(2)
    lines += [f"below 10,{random.below(10)}" for _ in range(8)]
    lines.append("shuffle 8," + " ".join(map(str, Random(3).shuffle(list(range(8))))))
    for extent in (1, 4):
        random = Random.of(20160412, SIZE, 0)
        sizes = [loguniform(random, 1, 2**20, extent) for _ in range(20)]
        lines.append(f"loguniform {extent}," + " ".join(map(str, sizes)))
    return lines


COMMON, PART = 9, 10


def parts():
    """40 random sizes, 8 a launch group at most, one in ten held out: what each of 12 groups has."""
    seed, low, high, count, per_launch, hold_out = 20160412, 1, 65536, 40, 8, 10
    random = Random.of(seed, COMMON, low, high, count)
    sizes = sorted({loguniform(random, low, high, 1) for _ in range(count)})
    groups = -(-len(sizes) // per_launch)
    lines = ["what,sizes", "all," + " ".join(map(str, sizes)),
             "held out," + " ".join(str(size) for i, size in enumerate(sizes)
                                    if i % hold_out == hold_out // 2 and 0 < i < len(sizes) - 1)]
    for part in range(1, 13):
        cycle, own = divmod(part - 1, groups)
        random = Random.of(seed, PART, 0, cycle)
        order, has = list(range(groups)), []
        for i, size in enumerate(sizes):
            if i % groups == 0:
                random.shuffle(order)
            if order[i % groups] == own:
                has.append(size)
        lines.append(f"part {part}," + " ".join(map(str, has)))
    return lines


for name, lines in (("design_random.csv", numbers()), ("design_plan.csv", plan()), ("design_parts.csv", parts())):
    with open(name, "w", encoding="ascii", newline="\n") as file:
        file.write("\n".join(lines) + "\n")


# Distributions of blocks (docs/methods.md).
def block_lengths(level, mean, blocks):
    name, _, seed = level.partition(":")
    if name == "random":
        draws = Random.of(0x776569676874, int(seed))
        weights = [(draws.next() >> 32) + 1 for _ in range(blocks)]
    else:
        weights = {"regular": [1] * blocks, "linear": list(range(1, blocks + 1)), "half-zero": [i % 2 for i in range(blocks)],
                   "one-big": [0] * (blocks - 1) + [1]}[name]
    if blocks == 1:
        return [mean]
    ends = [mean * blocks * sum(weights[:i]) // sum(weights) for i in range(blocks + 1)]
    return [end - begin for begin, end in zip(ends, ends[1:])]


with open("distributions.csv", "w") as out:
    out.write("level,mean,blocks,lengths\n")
    for level in ("regular", "linear", "half-zero", "one-big", "random:0", "random:1", "random:42", "random:18446744073709551615"):
        for mean in (1, 7, 1000, 2**40 + 1):
            for blocks in (1, 2, 3, 5, 8, 33):
                out.write("%s,%d,%d,%s\n" % (level, mean, blocks, " ".join(map(str, block_lengths(level, mean, blocks)))))
