#include "design/campaign/campaign.hpp"

#include <algorithm>

#include "design/campaign/question.hpp"
#include "design/factors/launch_factors.hpp"
#include "record/factors.hpp"

namespace invar::design {
namespace {

// The lines of the factors of [engine], or of [[cells]].
std::string samples(bool in_engine) {
  std::string text;
  for (const record::Factor& factor : record::factors()) {
    if (factor.in_engine == in_engine) text += factor.sample;
  }
  return text;
}

std::string launch_samples() {
  std::string text;
  for (const LaunchFactor& factor : launch_factors()) text += factor.sample;
  return text;
}

// The comment of `question`: every one with what it asks.
std::string question_sample() {
  std::string text =
      "# What the campaign is made for, and so what it answers first; any other question may be "
      "asked\n"
      "# of the same data.\n";
  for (const QuestionInfo& info : questions()) {
    constexpr std::size_t kColumn = 16;
    std::string name = '"' + std::string(info.name) + '"';
    name.resize(std::max(kColumn, name.size() + 1), ' ');
    text += "#   " + name + std::string(info.about) + '\n';
  }
  return text;
}

}  // namespace

std::string commented_campaign() {
  return R"(# A campaign for Invar: what to measure, and how the comparison is made.
# `invar plan FILE` shows what it will do and how long it takes; `invar run FILE -o DIR` measures.
# Every key below has its default value, except where the comment says otherwise.

schema = 1
name = "my-campaign"
# The plan is drawn from this number: the same campaign and seed give the same plan everywhere.
seed = 1

[design]
# Launch groups: a number, or bounds between which the budget decides. One group is one mpirun of
# each arm. Launches differ even when nothing else does, so they are what the statistics count:
# take many short ones. (Without `launches`: min = 3, max = 60.)
launches = { min = 3, max = 60 }
# Wall time for everything. Without it: `max` launch groups.
budget = "2m"
# Visits of every cell per launch, and timed repetitions per visit after warm-up.
rounds = 10
repetitions = 50
# Or as many as are enough, predicted from the pilot group and written into the plan (numbers of a
# launch; a visit has its share). By "rse" (relative standard error of the mean), "cov-mean" and
# "cov-median" (coefficient of variation of the last running means or medians, behind the colon how
# many) and "invar" (half-width of the median's interval): all that are named must be below their
# threshold at once. range: least, most, step.
# repetitions = { predict = "rse,cov-mean", rse = 0.025, cov-mean = "0.01:20", range = "20:1000:10" }
#   cov-median = "0.01:20", half-width = "1.5%"
# Cells in a new random order every round, or "as-written".
order = "shuffled"
# Measured together: cells that differ in nothing but such factors, because these are to be
# compared. [[family]] below names the cells of a family one by one.
# together = ["cache"]
# "fixed": the number of launches follows from the budget, before results are looked at. "looks":
# after 3, 5, 8, 12, 20 and 30 launches, decided cells are measured no more (then without `launches`,
# or with { max = 12 }).
stopping = "fixed"

# What is measured: the product of the lists of a block. There may be several [[cells]] blocks.
# Operations: allgather, allgatherv, allreduce, alltoall, alltoallv, alltoallw, barrier, bcast,
# empty, exscan, gather, gatherv, neighbor_allgather, neighbor_allgatherv, neighbor_alltoall,
# neighbor_alltoallv, neighbor_alltoallw, reduce, reduce_local, reduce_scatter,
# reduce_scatter_block, scan, scatter, scatterv. All but empty and reduce_local also non-blocking
# (ibcast, ineighbor_alltoall, ...: call and wait), and in libraries of MPI 4 persistent (bcast_init,
# ...: start and wait) and, all but barrier, with large counts (bcast_c, ...). Mock-ups give the result of one by
# others (allreduce=reduce+bcast, ...), reference algorithms by point-to-point messages (allreduce@ring, ...).
# Between single ranks: pingpong, oneway, exchange, stream, bistream, halo, memcpy. Their forms, modes and
# patterns are keys of the block (pattern, form, send-mode, ...).
# What a call costs its own rank: send, isend, ssend, recv, train, wtime, test, iprobe.
# On memory, by every rank for itself: chase, copy, copy_nt, read, triad, triad_nt, write, write_nt. Their
# arms may be the library "none", which is one process without MPI.
# `invar ops` lists them, with what each can do and which library lacks it.
[[cells]]
operation = ["bcast", "allreduce"]
# Bytes of the block that the call's count describes: the vector of bcast, reduce, allreduce, scan;
# each rank's contribution in allgather and gather; what each rank receives in scatter and
# reduce_scatter; what goes to each destination in alltoall. One size or a list of:
#   8, "64KiB"                                       bytes, or text with a unit
#   { from = "4", to = "64KiB", factor = 4 }         4 B, 16 B, ..., 64 KiB
#   { from = "1KiB", to = "16KiB", step = "1KiB" }   1 KiB, 2 KiB, ..., 16 KiB
#   { loguniform = ["1", "1MiB"], count = 50 }       random, drawn from the seed
#   { ..., count = 50, multiple = "1KiB" }           the same, multiples of 1 KiB
#   { ..., count = 50, per-launch = 10, hold-out = 10 }  one draw for all blocks that write it: a launch has
#                                                    a part of it, and one size in ten is left out of fits
#   { adaptive = ["0", "64KiB"], tolerance = "5%" }  more where the curve bends or jumps, down to
#                                                    neighbouring bytes; also separation = "1" (or
#                                                    "5%"), max = 200, rule = "invar" (skampi, mpptest;
#                                                    "breaks": beside other sizes, where fits break)
size = { from = "4", to = "64KiB", factor = 4 }
# Only these arms have the block's cells; without the key all have them.
# arms = ["openmpi"]
# Every factor below, and those of [engine] from cache to dither, may have a list of levels: the cells
# are the product of all lists.
)" + samples(false) +
         R"(
[[cells]]
operation = "reduce"
size = [8, "1KiB"]
# For operations that have one; "rotating" moves it on after every repetition.
root = 0
# For operations that reduce.
reduction = "sum"

[[cells]]
operation = "barrier"   # has no size

# Memory, see "stride" to "policy" above.
# [[cells]]
# operation = ["read", "chase"]
# ranks = 1
# size = { from = "4KiB", to = "64MiB", factor = 2 }
# loops = ["auto", "auto:2"]
# pages = ["default", "thp"]

# Cells that are compared with each other, and so are measured together: one after the other, in
# balanced order, with equal batches. A cell may stand in several families: it is measured in each.
# A family may name all factors of [[cells]]; what it does not name may have any level.
# [[family]]
# name = "reduce-and-bcast"
# cells = [{ operation = "reduce", size = 8 }, { operation = "bcast", size = 16 }]

# A performance guideline, and the families of two cells that it is judged by, its left side's cell
# first (of a split(...) the right ones may be several: the pilot group chooses one of them):
# `invar guidelines` writes these, for question = "guidelines".
# [[guideline]]
# rule = "reduce(n) <= bcast(p*n) tolerance 5%"
# families = ["reduce-and-bcast"]
# not-measured = [{ size = 2, why = "2 B is not a multiple of int32" }]

# All that can be made to run in one cell, in which arm: `invar tune` writes these, for question = "tune".
# The first candidate is the arm as it is given; its cells stand in the family, and so do all others.
# [[race]]
# operation = "bcast"
# size = 16
# ranks = 2
# family = "reduce-and-bcast"
# candidates = [{ is = "default", arm = "openmpi" }, { is = "algorithm:chain", arm = "bcast3" }]
# not-raced = [{ is = "algorithm:scatter-allgather", why = "its results are wrong" }]

# What a tuned file has, for question = "tune-confirm": `invar tune --confirm` writes these.
# [[entry]]
# operation = "bcast"
# ranks = 2
# from = 1024
# to = 65536
# candidate = "algorithm:binomial"

[engine]
# "turns": the arms of a group are alive together on the same cores and alternate visit by visit,
# so that both meet the same state of the machine. "launches": one after the other.
pairing = "turns"
)" + samples(true) +
         R"(# "auto" (every rank's times up to 8 ranks), "per-rank", or "extent" (over all ranks).
record = "auto"
# More ranks than cores: for tests of behaviour, no verdicts.
oversubscribe = false
# Factors of a launch; a list of levels launches every arm in each of them (see `invar factors`).
)" + launch_samples() +
         R"(# Where to run: without these two on this host, or on the hosts of the batch job.
# hosts = ["node1", "node2:4"]   with the ranks that each has room for; without: its cores
# hostfile = "hosts.txt"         the same in a file, one host a line; the path begins at this one
# "mpirun" (every library's own launcher), or "srun" for all of them.
launcher = "mpirun"
# A visit that takes longer counts as hung. Without it: a time that follows from the plan.
# visit-limit = "60s"
# Repetitions for which a rank was not ready, or began much later because it had lost its processor,
# are made once more, up to so many times those asked for (1: never).
# retry-cap = 2
# How much later matters: this, or 2 % of a call where that is more. Where most repetitions are such,
# as with very many ranks, they are kept and labelled with what starts were apart.
# skew-limit = "1us"

# Clocks that are wrong on purpose, so that everybody can see what a synchronisation of clocks is
# worth (ranks of one host only; such data are marked and are no measurement). Rank 0 has the real
# clock. offset: seconds; skew: 13e-6 gains 13 us in a second; wander: how far the skew walks in a
# second; latency: seconds that the synchronisation's messages take longer; seed: of the wander.
# Offsets and skews may be lists, one number a rank from rank 1 on.
# [clock.virtual]
# offset = [0.5]
# skew = [13e-6]
# wander = 1e-9
# latency = 0.0
# seed = 1

# The alternatives. Without [[arm]] all libraries of `invar mpi list` are compared, but for those
# that `race --ops` has made. The first one is the reference. Settings are environment variables of
# the library: they must exist there and are read back before anything is measured. `env:NAME` passes
# any other variable on.
# [[arm]]
# library = "openmpi"
#
# [[arm]]
# library = "openmpi"
# label = "bcast3"
# settings = { OMPI_MCA_btl = "self,vader", "env:MALLOC_TOP_PAD_" = "65536" }
# launch = { aslr = "off" }   levels of a launch, for this arm alone
# ops = "my-operations"       folder of own operations that its engine is built with
# variant-of = "openmpi"      this arm is `openmpi` in another launch setting
#
# A foreign program that prints a time is an arm, too, under a library or by itself (pairing is
# "launches" then). parse: "imb", "osu" or a regular expression; unit: of what that finds.
#   [[arm]]
#   library = "openmpi"
#   program = "./solve.sh --size {size}"
#   parse = 'elapsed: ([0-9.]+)'
#   unit = "ms"

[analysis]
)" + question_sample() +
         R"(question = "compare"
# "invar" (t test over launch groups), or as another suite's user would conclude: "reprompi",
# "pgmpi" (medians, Wilcoxon), "osu", "imb", "skampi", ... (the ratio of what they report, no test);
# or by one test over launches: "wilcoxon", "ks" (of medians), "t" (of means).
method = "invar"
# Of these tests: "two-sided", "less" (the first arm takes less time) or "greater".
# alternative = "less"
# Suites that measure the same cells their own way as well, in visits of their own, for
# `invar show DIR --as`: "osu", "imb", "imb-root-shift", "imb-papers", "skampi", "mpptest", ...
# presets = ["osu", "imb"]
# Without visits of our own: a launch is a run of the suite that `method` and `presets` name, with as
# many calls as it makes by default (what `invar reproduce` measures; pairing = "launches").
own-visits = true
# What a repetition's time is: "local" (the longest of the ranks), "global" (last end - first
# start); "auto": global with round-time and window, else local.
runtime = "auto"
# Differences below this do not matter: what is surely smaller is called equivalent.
min-effect = "2%"
# The share of false claims that is accepted, after correction over everything that is compared:
# "bh" (Benjamini-Hochberg) or "holm".
alpha = 0.05
correction = "bh"
# The regime of the machine that the verdicts hold for, by its canaries; without the key the fastest
# one that holds a tenth of the visits. invar names it in its answers, for campaigns to come.
# regime = "100ns:300ns"
# A gate instead of "who is faster?": is an arm slower than the first one by more than this? It fails
# where it surely is (exit status 1), and passes where it surely is not.
# fail-on = "slower:5%"
# Compared inside every arm, with the first level in [[cells]], instead of the arms: "operation", "size",
# "sync", ... Its cells are measured together.
# against = "operation"
)";
}

}  // namespace invar::design
