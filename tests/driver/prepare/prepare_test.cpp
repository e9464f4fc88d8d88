// What the driver makes of a campaign that is resolved; resolving itself needs real libraries and
// is tested by whole campaigns (tests/campaign).
#include "driver/prepare/prepare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "design/helpers.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/core_claims.hpp"
#include "driver/run/run.hpp"
#include "host/facts.hpp"
#include "host/identity.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

// Two arms and three cells, ready to be planned.
Prepared prepared(design::Launches launches) {
  Prepared prepared{.campaign = design::test::small_campaign(2, 3, 4), .ranks = 2, .cpus = {0, 1}};
  prepared.campaign.launches = launches;
  prepared.cells = design::test::resolved(prepared.campaign);
  return prepared;
}

TEST(ScopeText, NamesRanksHostsAndTransport) {
  EXPECT_EQ(scope_text(prepared({})), "2 ranks, 1 host");
  EXPECT_EQ(scope_text({.ranks = 1}), "1 rank, 1 host");
}

TEST(Spend, TakesTimeOfTheBudgetBeforeTheFirstGroup) {
  Prepared prepared;
  const auto begun = prepared.begun;
  spend(prepared, 2.5);
  EXPECT_EQ(begun - prepared.begun, std::chrono::milliseconds(2500));
}

TEST(LonelyCells, AreToldBeforeAnythingIsMeasured) {
  Prepared two = prepared({});
  EXPECT_EQ(lonely_cells_text(two), "");
  two.cells.arms[1] = {1};
  EXPECT_EQ(lonely_cells_text(two), "1 of 3 cells is measured in one arm only and not compared");
  for (auto& of_cell : two.cells.arms) of_cell = {0};
  EXPECT_EQ(lonely_cells_text(two), "nothing can be compared: no cell is measured in two arms");
  two.campaign.analysis.question = design::Question::kGuidelines;
  EXPECT_EQ(lonely_cells_text(two), "") << "every arm is judged by itself";
  two.campaign.analysis.question = design::Question::kCompare;
  two.campaign.arms.resize(1);
  EXPECT_EQ(lonely_cells_text(two), "") << "nobody asked for a comparison";
}

// Two ranks are a pair, which nobody can be compared with; it is said before half a minute is
// spent.
TEST(UnanswerableTexts, SayThatPairsAreTooFewToCompare) {
  Prepared pairs = prepared({});
  pairs.campaign.analysis.question = design::Question::kAllPairs;
  pairs.campaign.arms.resize(1);
  const auto told = [&](std::uint32_t ranks, std::uint32_t nodes) {
    record::Cell cell{.operation = "oneway", .size_bytes = 8};
    cell.pattern = "matching:0";
    cell.ranks = ranks;
    cell.nodes = nodes;
    cell.ppn = ranks / nodes;
    pairs.cells.cells = {cell};
    pairs.cells.arms = {{0}};
    return unanswerable_texts(pairs);
  };
  EXPECT_THAT(told(2, 1),
              testing::ElementsAre(testing::HasSubstr("of 2 ranks at most 1 pair is of a kind")));
  EXPECT_THAT(told(3, 1), testing::IsEmpty());
  EXPECT_THAT(told(4, 2), testing::IsEmpty()) << "four pairs between the hosts";
  EXPECT_THAT(told(2, 2), testing::SizeIs(1));
  EXPECT_THAT(told(3, 2), testing::ElementsAre(testing::HasSubstr("of 3 ranks at most 2 pairs")))
      << "one inside of a host, two between both";
  pairs.campaign.analysis.question = design::Question::kBisection;
  EXPECT_THAT(told(2, 1), testing::IsEmpty()) << "nobody asked which pair is slower";
}

// A template of the user's may put ranks on other hosts, whose cores are not ours to claim.
TEST(ClaimedCores, AreNoneWhereATemplatePutsTheRanks) {
  const std::optional<std::filesystem::path> dir = shared_lock_dir();
  if (!dir) GTEST_SKIP() << "no directory for locks that all users share";
  Prepared two = prepared({});
  two.arms.resize(2);
  two.cpus = {400'000, 400'001};  // which no host has: in nobody's way
  for (launch::CheckedArm& arm : two.arms) arm.profile.launch_template = "srun {command}";
  claim_cores(two);
  EXPECT_EQ(two.claims, nullptr);
  two.arms[1].profile.launch_template.clear();
  claim_cores(two);
  ASSERT_NE(two.claims, nullptr) << "the other arm's ranks are here";
  EXPECT_THAT(two.claims->cores(), testing::ElementsAre(400'000, 400'001));
  two.claims.reset();
  for (const std::uint32_t core : two.cpus) {
    std::filesystem::remove(*dir / ("invar-core-" + std::to_string(core) + ".lock"));
  }
}

TEST(SingleRanks, AreGoneOnWithWhereTheyWereBegunForSuites) {
  const store::TestDir dir;
  std::filesystem::create_directories(dir / "launches" / "0001-mpich");
  design::Campaign campaign;
  campaign.analysis.presets = {"mpiblib"};
  const auto recorded = [&] {
    design::Campaign begun = campaign;
    record_as_begun(begun, dir.path());
    return begun.engine.record;
  };
  EXPECT_EQ(recorded(), "auto") << "it was begun without";
  std::ofstream(dir / "launches" / "0001-mpich" / "ranks.bin") << "x";
  EXPECT_EQ(recorded(), "per-rank");
  campaign.engine.record = "extent";
  EXPECT_EQ(recorded(), "extent") << "what is asked for is done";
  campaign.engine.record = "auto";
  campaign.analysis.presets.clear();
  EXPECT_EQ(recorded(), "auto") << "for something else than suites";
}

TEST(SecondsOfGroups, GrowWithGroupsAndRepetitions) {
  const Prepared two = prepared({});
  const double one_s = seconds_of_groups(two, 1, 1000);
  EXPECT_GT(one_s, 0);
  EXPECT_DOUBLE_EQ(seconds_of_groups(two, 30, 1000), 30 * one_s);
  EXPECT_GT(seconds_of_groups(two, 1, 10'000), one_s);
}

// The budget decides on more only after the first group's cost is known.
TEST(FirstPlan, HasTheGroupsThatTheCampaignAsksForAtLeast) {
  const record::Plan plan = first_plan(prepared({.min = 3, .max = 60}));
  ASSERT_FALSE(plan.rows.empty());
  EXPECT_EQ(plan.rows.front().group, 1U);
  EXPECT_EQ(plan.rows.back().group, 3U);
  EXPECT_EQ(plan.rows.size(), 3U * 4 * 3 * 2);
  EXPECT_EQ(plan.cells.size(), 3U);
}

TEST(FirstPlan, OfAFixedNumberIsTheWholePlan) {
  EXPECT_EQ(first_plan(prepared({.min = 7, .max = 7})).rows.back().group, 7U);
}

TEST(FirstPlan, DependsOnTheSeedAlone) {
  Prepared one = prepared({.min = 2, .max = 5});
  const std::string plan = record::plan_csv(first_plan(one));
  EXPECT_EQ(record::plan_csv(first_plan(one)), plan);
  one.ranks = 4;  // another machine
  one.cpus = {3, 5, 7, 9};
  one.campaign.budget_s = 10;
  EXPECT_EQ(record::plan_csv(first_plan(one)), plan);
  one.campaign.seed += 1;
  EXPECT_NE(record::plan_csv(first_plan(one)), plan);
}

// Two arms of two ranks, one cell of 8 MiB.
Prepared with_operation(const std::string& operation) {
  Prepared two = prepared({});
  two.cells.cells = {{.operation = operation, .size_bytes = 8ULL << 20U, .ranks = 2}};
  two.cells.arms = {{0, 1}};
  two.cells.operations.assign(2, {{operation, design::test::in_catalogue(operation)}});
  return two;
}

// A rank's buffers and as much again, at most 16 MiB.
TEST(BufferBytes, AreThoseOfAllRanksAndArmsWithSpareRoom) {
  constexpr double kMib = 1 << 20;
  EXPECT_EQ(buffer_bytes(with_operation("bcast")), 2 * 2 * (16 + 16) * kMib);
  EXPECT_EQ(buffer_bytes(with_operation("alltoall")), 2 * 2 * (32 + 16) * kMib);
  EXPECT_EQ(buffer_bytes(with_operation("iallgather")), 2 * 2 * (24 + 16) * kMib);
  EXPECT_EQ(buffer_bytes(with_operation("gather")), 2 * (24 + 16 + 16 + 16) * kMib) << "root alone";
  Prepared one_after_the_other = with_operation("bcast");
  one_after_the_other.campaign.engine.pairing = "launches";
  EXPECT_EQ(buffer_bytes(one_after_the_other), 2 * (16 + 16) * kMib);
  Prepared one_arm = with_operation("bcast");
  one_arm.cells.arms = {{0}};
  EXPECT_EQ(buffer_bytes(one_arm), 2 * (16 + 16) * kMib) << "the other arm gets no launch";
}

// gather's root, rank 0, needs more than the others: its host decides, and the ranks of the other
// host are not in its memory.
TEST(BufferBytes, OfSeveralHostsAreThoseOfTheFullest) {
  constexpr double kMib = 1 << 20;
  Prepared two_hosts = with_operation("gather");
  two_hosts.ranks = 4;
  two_hosts.cells.cells[0].ranks = 4;
  two_hosts.cells.cells[0].nodes = 2;
  two_hosts.hosts = {{.name = "n1", .slots = 2}, {.name = "n2", .slots = 2}};
  EXPECT_EQ(buffer_bytes(two_hosts), 2 * (40 + 16 + 16 + 16) * kMib);
}

// The cell says which of the launch's ranks has which of its ranks, and with it which block. Rank 3
// of 4 has all 32 MiB, and rank 2 gathers them.
TEST(BufferBytes, AreThoseOfTheRanksThatTheCellPutsOnAHost) {
  constexpr double kMib = 1 << 20;
  Prepared two_hosts = with_operation("gatherv");
  two_hosts.ranks = 4;
  two_hosts.hosts = {{.name = "n1", .slots = 2}, {.name = "n2", .slots = 2}};
  record::Cell& cell = two_hosts.cells.cells[0];
  cell.ranks = 4;
  cell.nodes = 2;
  cell.root = 2;
  cell.distribution = "one-big";
  const double without_block = 0.25 * kMib;  // some spare room
  const double root = (32 + 16) * kMib;
  const double with_block = (32 + 32 + 16) * kMib;  // and room for one more
  constexpr double kArrays = 128;                   // bytes, of both arms
  EXPECT_EQ(buffer_bytes(two_hosts), 2 * (root + with_block) + kArrays) << "ranks 2 and 3";
  cell.rank_order = "reversed";
  EXPECT_EQ(buffer_bytes(two_hosts), 2 * (root + with_block) + kArrays) << "ranks 3 and 2";
  cell.rank_order = "natural";
  cell.mapping = "round-robin";
  EXPECT_EQ(buffer_bytes(two_hosts), 2 * (without_block + with_block) + kArrays) << "ranks 1 and 3";
  cell.rank_order = "shuffled";
  EXPECT_EQ(buffer_bytes(two_hosts), 2 * 2 * with_block + kArrays) << "each is rank 3 at times";
}

TEST(BufferBytes, OfRanksThatACellLetsSleepAreThoseOfOtherCells) {
  constexpr double kMib = 1 << 20;
  Prepared two = with_operation("bcast");
  two.ranks = 4;
  EXPECT_EQ(buffer_bytes(two), 2 * (2 * (16 + 16) + 2 * 0.25) * kMib) << "spare room alone";
}

// Their buffers move on through a region beyond the cache.
TEST(BufferBytes, CellsWithCyclingBuffersHaveTheirRegionAsWell) {
  constexpr double kMib = 1 << 20;
  const auto cache_bytes = static_cast<double>(host::last_level_cache_bytes().value_or(0));
  const double region_bytes = 16 * kMib + host::kCachesToLeave * cache_bytes;
  Prepared cycling = with_operation("bcast");
  cycling.cells.cells[0].cache = "cold-cycle";
  EXPECT_EQ(buffer_bytes(cycling), 2 * 2 * ((16 + 16) * kMib + region_bytes));
  Prepared flushed = with_operation("bcast");
  flushed.cells.cells[0].cache = "cold-flush";
  EXPECT_EQ(buffer_bytes(flushed), 2 * 2 * (16 + 16) * kMib) << "flushed where they are";
}

TEST(BufferBytes, TheRegionIsThatOfTheLargestCyclingCell) {
  constexpr double kMib = 1 << 20;
  const auto cache_bytes = static_cast<double>(host::last_level_cache_bytes().value_or(0));
  Prepared both = with_operation("bcast");
  for (const std::uint64_t mib : {1U, 2U}) {
    record::Cell cell = both.cells.cells[0];
    cell.id = static_cast<std::uint32_t>(both.cells.cells.size());
    cell.size_bytes = mib << 20U;
    cell.cache = "cold-cycle";
    both.cells.cells.push_back(cell);
    both.cells.arms.push_back({0, 1});
  }
  EXPECT_EQ(buffer_bytes(both),
            2 * 2 * ((16 + 16 + 4) * kMib + host::kCachesToLeave * cache_bytes));
}

TEST(CheckMemory, RefusesWhatTheHostCannotHold) {
  const Prepared two = with_operation("alltoall");
  const auto needs_bytes = static_cast<std::uint64_t>(buffer_bytes(two));
  EXPECT_NO_THROW(check_memory(two, needs_bytes, "race"));
  EXPECT_NO_THROW(check_memory(two, std::nullopt, "race"));
  try {
    check_memory(two, needs_bytes - 1, "race");
    FAIL() << "not refused";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("race: needs about 0.2 GiB of buffers, 0.2 GiB "
                                                  "are free; the largest cell is alltoall, 8 MiB"));
  }
}

// The largest cell is named, also where every rank is its root in turn.
TEST(CheckMemory, NamesACellWhoseRootMovesOn) {
  Prepared two = with_operation("gather");
  two.cells.cells[0].root = record::kRotatingRoot;
  record::Cell small = two.cells.cells[0];
  small.id = 1;
  small.root = 0;
  small.size_bytes = 8;
  two.cells.cells.push_back(small);
  two.cells.arms.push_back({0, 1});
  try {
    check_memory(two, 1, "race");
    FAIL() << "not refused";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the largest cell is gather, 8 MiB"));
  }
}

// Every message of a window has a slot of its own: that is what to write less of.
TEST(CheckMemory, NamesTheWindowOfMessages) {
  constexpr record::Blocks kMessages{.per_message = 1};
  Prepared two = prepared({});
  two.cells.cells = {
      {.operation = "stream", .size_bytes = 1ULL << 20U, .ranks = 2, .window = 1024}};
  two.cells.arms = {{0, 1}};
  record::OperationInfo stream{.name = "stream",
                               .datatypes = {{.name = "byte"}},
                               .buffers = design::test::everywhere(kMessages, kMessages),
                               .messages = record::Messages::kDirected,
                               .windowed = true};
  two.cells.operations.assign(2, {{"stream", stream}});
  EXPECT_EQ(buffer_bytes(two), 2 * 2 * ((2 << 10) + 16) * double{1 << 20});
  try {
    check_memory(two, 1, "race");
    FAIL() << "not refused";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("stream, 1 MiB, 2 ranks, window 1024: take "
                                                 "smaller sizes, a smaller window or fewer "
                                                 "partners, fewer ranks"));
  }
}

// MPI_Bsend copies: what it has room for is twice what a call sends, and of one cell at a time.
TEST(BufferBytes, AreAlsoThoseOfBufferedSends) {
  constexpr record::Blocks kMessages{.per_message = 1};
  constexpr double kMib = 1 << 20;
  Prepared two = prepared({});
  two.cells.cells = {{.operation = "stream", .size_bytes = 1ULL << 20U, .ranks = 2, .window = 64}};
  two.cells.arms = {{0, 1}};
  const record::OperationInfo stream{
      .name = "stream",
      .datatypes = {{.name = "byte"}, {.name = "vector", .size_bytes = 16, .extent_bytes = 32}},
      .buffers = design::test::everywhere(kMessages, kMessages),
      .messages = record::Messages::kDirected,
      .windowed = true};
  two.cells.operations.assign(2, {{"stream", stream}});
  const double standard = buffer_bytes(two);
  EXPECT_EQ(standard, 2 * 2 * (2 * 64 + 16) * kMib);
  two.cells.cells[0].send_mode = "buffered";
  EXPECT_EQ(buffer_bytes(two) - standard, 2 * 2 * (2 * 64) * kMib);
  record::Cell small = two.cells.cells[0];
  small.id = 1;
  small.size_bytes = 8;
  two.cells.cells.push_back(small);
  two.cells.arms.push_back({0, 1});
  EXPECT_EQ(buffer_bytes(two) - standard, 2 * 2 * (2 * 64) * kMib) << "one buffer for both";
  two.cells.cells.resize(1);
  two.cells.arms.resize(1);
  two.cells.cells[0].datatype = "vector";
  EXPECT_EQ(design::attached_bytes(two.cells.cells[0], stream), 2 * 64 * (2ULL << 20U))
      << "its gaps have room, too";
  two.cells.cells[0].operation = "bcast";
  EXPECT_EQ(design::attached_bytes(two.cells.cells[0], {.name = "bcast"}), 0U);
}

// Two arms may have different operations of one name: each has the buffers that its own one needs.
TEST(CheckMemory, CountsTheScratchOfAnOwnOperation) {
  constexpr double kMib = 1 << 20;
  Prepared two = with_operation("alltoall");
  record::OperationInfo& own = two.cells.operations[1].at("alltoall");
  own.buffers = design::test::everywhere(design::test::kAllBlocks, design::test::kAllBlocks,
                                         design::test::kAllBlocks);
  const double needs_bytes = 2 * (32 + 16 + 48 + 16) * kMib;
  EXPECT_EQ(buffer_bytes(two), needs_bytes);
  EXPECT_THROW(check_memory(two, static_cast<std::uint64_t>(needs_bytes) - 1, "race"),
               base::UserError);
}

// 78 hosts of 128 ranks, two arms by turns: counts, displacements and datatypes are those of one
// cell at a time, however many cells there are.
TEST(BufferBytes, HaveTheArraysOfOneCellForEveryRankOfAHost) {
  Prepared wide = with_operation("alltoallw");
  wide.ranks = 78 * 128;
  for (std::uint32_t host = 0; host < 78; ++host) {
    wide.hosts.push_back({.name = "n" + std::to_string(host), .slots = 128});
  }
  wide.cells.cells[0].ranks = wide.ranks;
  wide.cells.cells[0].nodes = 78;
  for (std::uint32_t id = 1; id < 60; ++id) {
    record::Cell cell = wide.cells.cells[0];
    cell.id = id;
    cell.size_bytes = 8 * id;
    wide.cells.cells.push_back(cell);
    wide.cells.arms.push_back({0, 1});
  }
  const double with_arrays = buffer_bytes(wide);
  for (auto& operations : wide.cells.operations) {
    operations.at("alltoallw").arrays = record::Arrays::kNone;
  }
  const double arrays_of_a_rank = 78 * 128 * (2 * (4 + 4) + 8.0);
  EXPECT_EQ(with_arrays - buffer_bytes(wide), 2 * 128 * arrays_of_a_rank);
}

TEST(CheckMemory, CountsBlocksThatAreLargerThanTheMean) {
  constexpr double kMib = 1 << 20;
  Prepared two = with_operation("gatherv");
  two.cells.cells[0].distribution = "one-big";
  // The root has no block and gets 16 MiB, the other rank has 16 MiB and as much beside it; 64
  // bytes are left for counts and displacements.
  EXPECT_NEAR(buffer_bytes(two), 2 * (16 + 16 + 32 + 16) * kMib, 64);
}

TEST(ChangedOperation, IsOneWhoseRecordsWouldMeanTwoThings) {
  const record::OperationInfo sealed{.name = "mine",
                                     .summary = "old words",
                                     .marks = {{.name = "posted", .summary = "old words"}}};
  const store::ArmRecord arm{.label = "a", .operations = {sealed}};
  record::OperationInfo now = sealed;
  now.summary = now.marks[0].summary = "new words";
  EXPECT_EQ(changed_operation({now}, arm), "");
  now.marks[0].name = "waited";
  EXPECT_EQ(changed_operation({now}, arm), "mine");
  EXPECT_EQ(changed_operation({now}, {.label = "a"}), "") << "of an earlier version";
  now = sealed;
  now.messages = record::Messages::kMatched;
  EXPECT_EQ(changed_operation({now}, arm), "mine") << "other ranks have a part in it";
}

// One engine measures what was compiled into it.
TEST(ChangedLibrary, IsAlsoAnOwnOperationThatWasBuiltAnew) {
  Prepared two = prepared({});
  two.arms = {{.label = "a",
               .profile = {.name = "no profile of this machine",
                           .operations_dir = "/own",
                           .operation_sources = {{"/own/mine.cpp", "new"},
                                                 {"/own/operations.def", "same"}}}}};
  store::State state;
  state.arms = {
      {.label = "a", .checksums = {{"/own/mine.cpp", "old"}, {"/own/operations.def", "same"}}}};
  EXPECT_EQ(changed_library(two, state).what,
            "the source of the own operations of 'a' has changed since the campaign began: "
            "/own/mine.cpp");
  two.arms[0].profile.operation_sources["/own/mine.cpp"] = "old";
  EXPECT_EQ(changed_library(two, state).what, "");
  two.arms[0].profile.operation_sources["/own/part.hpp"] = "new";
  EXPECT_THAT(changed_library(two, state).what, testing::HasSubstr("/own/part.hpp"));
  EXPECT_EQ(changed_library(two, state).remedy, "undo that, or begin another campaign");
  state.arms[0].checksums.clear();
  EXPECT_EQ(changed_library(two, state).what, "") << "of an earlier version";
  state.arms[0].checksums = {{"/owner/libmpi.so", "old"}};
  EXPECT_EQ(changed_library(two, state).what,
            "the library of 'a' has changed since the campaign began: /owner/libmpi.so");
  EXPECT_EQ(changed_library(two, state).remedy, "compare old and new as two profiles");
}

TEST(ChangedLibrary, NamesWhatWasEditedAndNotTheEngineThatFollowsFromIt) {
  const store::TestDir scratch;
  const std::string engine = (scratch / "invar-engine").string();
  std::ofstream(engine) << "old";
  Prepared two = prepared({});
  two.arms = {{.label = "a",
               .profile = {.name = "none of this machine",
                           .engine = engine,
                           .operations_dir = "/own",
                           .operation_sources = {{"/own/mine.cpp", "old"}}}}};
  store::State state;
  state.arms = {{.label = "a", .checksums = launch::checksums_of(two.arms[0])}};
  std::ofstream(engine) << "another one";
  two.arms[0].profile.operation_sources["/own/mine.cpp"] = "new";
  EXPECT_EQ(changed_library(two, state).what,
            "the source of the own operations of 'a' has changed since the campaign began: "
            "/own/mine.cpp");
}

// `invar mpi list` of another version builds engines anew, also beside a campaign.
TEST(ChangedLibrary, IsAlsoAnEngineThatWasBuiltAnew) {
  const store::TestDir scratch;
  const std::string engine = (scratch / "invar-engine").string();
  std::ofstream(engine) << "old";
  Prepared two = prepared({});
  two.arms = {{.label = "a", .profile = {.name = "none of this machine", .engine = engine}}};
  store::State state;
  state.arms = {{.label = "a", .checksums = launch::checksums_of(two.arms[0])}};
  EXPECT_EQ(changed_library(two, state).what, "");
  std::ofstream(engine) << "another one";
  EXPECT_EQ(changed_library(two, state).what,
            "the engine of 'a' has changed since the campaign began: " + engine);
  EXPECT_THAT(changed_library(two, state).remedy, testing::HasSubstr("the Invar that began"));
  state.arms[0].checksums.clear();
  EXPECT_EQ(changed_library(two, state).what, "") << "of an earlier version";
}

TEST(BeyondBudgetText, SpeaksWhereTheFewestGroupsTakeLonger) {
  Prepared slow = prepared({.min = 3, .max = 60});
  slow.arms.resize(2);
  for (launch::CheckedArm& arm : slow.arms) arm.profile.startup_s = 60;
  EXPECT_EQ(beyond_budget_text(slow), "") << "no budget";
  slow.campaign.budget_s = 120;
  EXPECT_EQ(beyond_budget_text(slow),
            "the least of 3 groups takes about 4 min 30 s, beyond the budget of 2 min");
  slow.campaign.budget_s = 600;
  EXPECT_EQ(beyond_budget_text(slow), "");
}

TEST(StartupTimes, AreThoseOfTheArmsInTheirOrder) {
  Prepared two = prepared({});
  two.arms.resize(2);
  two.arms[0].profile.startup_s = 0.4;
  two.arms[1].profile.startup_s = 0.1;
  EXPECT_EQ(startup_s(two), (std::vector<double>{0.4, 0.1}));
}

// Arms may take minutes: engines are built, settings are tried in launches.
TEST(Prepare, HostsAreAskedForBeforeTheArms) {
  design::Campaign campaign = design::test::small_campaign(2, 1, 1);
  for (design::Arm& arm : campaign.arms) arm.library = "no-such-library";
  campaign.engine.hostfile = "no-such-file";
  try {
    static_cast<void>(prepare(campaign, {}, "campaign.toml"));
    FAIL() << "neither file nor library is there";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no-such-file"));
  }
}

TEST(PlaceOf, HasTheNamesOfTheHosts) {
  Prepared one = prepared({});
  EXPECT_EQ(place_of(one).hosts, std::vector<std::string>{host::host_name()});
  one.hosts = {{.name = "node1", .slots = 1}, {.name = "node2", .slots = 1}};
  EXPECT_EQ(place_of(one).hosts, (std::vector<std::string>{"node1", "node2"}));
}

// A campaign of one group of two hosts, resumed on `again`; what its manifest has then.
std::vector<std::string> warnings_of_resume(std::vector<std::string> hosts, Prepared again) {
  const store::TestDir scratch;
  const Prepared first = prepared({.min = 1, .max = 1});
  const std::vector<store::ArmRecord> arms{{.label = "alpha"}, {.label = "beta"}};
  static_cast<void>(store::CampaignDir::create(
      scratch / "data", design::campaign_toml(first.campaign), first_plan(first), arms,
      {.scope = scope_text(first), .cpus = {0, 1}, .hosts = std::move(hosts)}));
  std::vector<std::string> notes;
  {
    auto dir = store::CampaignDir::resume(scratch / "data", notes);
    testing::internal::CaptureStderr();
    warn_of_other_place(again, dir);
    testing::internal::GetCapturedStderr();
  }
  std::vector<std::string> texts;
  const auto dir = store::CampaignDir::resume(scratch / "data", notes);
  for (const store::WarningLine& warning : dir.state().warnings) texts.push_back(warning.text);
  return texts;
}

TEST(Resumed, OnOtherHostsOrCpusIsWarnedOf) {
  Prepared again = prepared({});
  again.hosts = {{.name = "node1"}, {.name = "node3"}};
  again.cpus = {2, 3};
  EXPECT_THAT(warnings_of_resume({"node1", "node2"}, again),
              testing::ElementsAre("resumed on hosts node1, node3 instead of hosts node1, node2: "
                                   "absolute times mix both",
                                   "resumed on CPUs 2, 3 instead of CPUs 0, 1: absolute times mix "
                                   "both"));
  again = prepared({});
  EXPECT_THAT(warnings_of_resume({"elsewhere"}, again),
              testing::ElementsAre(testing::HasSubstr("instead of host elsewhere")));
  EXPECT_THAT(warnings_of_resume({host::host_name()}, again), testing::IsEmpty());
  EXPECT_THAT(warnings_of_resume({}, again), testing::IsEmpty()) << "hosts were not kept once";
}

}  // namespace
}  // namespace invar::driver
