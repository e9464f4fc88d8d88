// Cells against the catalogue and the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"
#include "design/plan/teams.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// The campaign of some [[cells]] text (its first line is line 4), with two arms.
Campaign campaign_of(const std::string& cells, const std::string& more = "") {
  return read_campaign(
      with_head(cells + "[[arm]]\nlibrary = \"a\"\n[[arm]]\nlibrary = \"b\"\n" + more), "c.toml");
}

std::vector<std::string> texts(const ResolvedCells& resolved) {
  std::vector<std::string> all;
  for (const record::Cell& cell : resolved.cells) {
    std::string text;
    for (const char* name :
         {"operation", "size_bytes", "ranks", "nodes", "root", "datatype", "reduction"}) {
      text += (text.empty() ? "" : ",") + record::find_factor(name)->text(cell);
    }
    all.push_back(text);
  }
  return all;
}

std::vector<std::string> cells_of(const std::string& cells, std::uint32_t slots = 4) {
  return texts(resolve_cells(campaign_of(cells), surroundings(2, slots), "c.toml"));
}

std::vector<std::string> resolve_faults(const std::string& cells, std::uint32_t slots = 4) {
  const Campaign campaign = campaign_of(cells);
  return faults_of([&] { (void)resolve_cells(campaign, surroundings(2, slots), "c.toml"); });
}

TEST(ResolveCells, CellsAreTheProductInTheOrderWritten) {
  EXPECT_THAT(cells_of("[[cells]]\noperation = [\"reduce\", \"bcast\"]\nsize = [16, 8]\n"),
              ElementsAre("reduce,16,4,1,0,int32,sum", "reduce,8,4,1,0,int32,sum",
                          "bcast,16,4,1,0,byte,", "bcast,8,4,1,0,byte,"));
}

TEST(ResolveCells, OperationWithoutSizeGivesOneCell) {
  EXPECT_THAT(cells_of("[[cells]]\noperation = [\"barrier\", \"bcast\"]\nsize = [16, 8]\n"),
              ElementsAre("barrier,,4,1,0,,", "bcast,16,4,1,0,byte,", "bcast,8,4,1,0,byte,"));
}

TEST(ResolveCells, LevelsThatAreWrittenReplaceTheDefaults) {
  EXPECT_THAT(cells_of("[[cells]]\noperation = [\"bcast\", \"allgather\"]\nsize = 8\nranks = 3\n"
                       "root = 2\ndatatype = \"int32\"\n"),
              ElementsAre("bcast,8,3,1,2,int32,", "allgather,8,3,1,0,int32,"))
      << "an operation without a root has root 0";
}

TEST(ResolveCells, EqualCellsAppearOnce) {
  EXPECT_THAT(cells_of("[[cells]]\noperation = \"bcast\"\nsize = [8, \"8B\", 16]\n"
                       "[[cells]]\noperation = \"bcast\"\nsize = [16, 32]\nroot = 0\n"),
              ElementsAre("bcast,8,4,1,0,byte,", "bcast,16,4,1,0,byte,", "bcast,32,4,1,0,byte,"));
}

TEST(ResolveCells, IdsCountFromZero) {
  const ResolvedCells cells =
      resolve_cells(campaign_of("[[cells]]\noperation = [\"bcast\", \"scan\"]\nsize = [4, 8]\n"),
                    surroundings(2), "c.toml");
  for (std::uint32_t i = 0; i < cells.cells.size(); ++i) EXPECT_EQ(cells.cells[i].id, i);
  EXPECT_THAT(cells.arms, testing::Each(ElementsAre(0, 1)));
  EXPECT_THAT(cells.left_out, IsEmpty());
}

// One column of all cells.
std::vector<std::string> column(const ResolvedCells& resolved, const char* factor) {
  std::vector<std::string> all;
  for (const record::Cell& cell : resolved.cells) {
    all.push_back(record::find_factor(factor)->text(cell));
  }
  return all;
}

TEST(ResolveCells, LevelsOfEveryFactorAreMultiplied) {
  const ResolvedCells cells = resolve_cells(
      campaign_of("[[cells]]\noperation = \"bcast\"\nsize = [8, 16]\nranks = [1, 2]\n"
                  "root = [0, \"rotating\"]\n[engine]\nsync = [\"barrier\", \"none\"]\n"),
      surroundings(2), "c.toml");
  EXPECT_EQ(cells.cells.size(), 2U * 2 * 2 * 2);
  EXPECT_THAT(column(cells, "ranks"), testing::Contains("1").Times(8));
  EXPECT_THAT(column(cells, "root"), testing::Contains("rotating").Times(8));
  EXPECT_THAT(column(cells, "sync"), testing::Contains("none").Times(8));
}

TEST(ResolveCells, ABlockOverrulesTheEngine) {
  const ResolvedCells cells =
      resolve_cells(campaign_of("[[cells]]\noperation = \"bcast\"\nsize = 8\nsync = \"barrier\"\n"
                                "[[cells]]\noperation = \"bcast\"\nsize = 16\n"),
                    surroundings(2), "c.toml");
  EXPECT_THAT(column(cells, "sync"), ElementsAre("barrier", "round-time"));
}

TEST(ResolveCells, NodesAndRanksPerNodeGiveTheRanks) {
  const auto teams = [](const std::string& keys) {
    Surroundings three = surroundings(2, 4);
    three.hosts = 3;
    const ResolvedCells cells = resolve_cells(
        campaign_of("[[cells]]\noperation = \"barrier\"\nsync = \"barrier\"\n" + keys), three,
        "c.toml");
    std::vector<std::string> all;
    for (const record::Cell& cell : cells.cells) {
      all.push_back(std::to_string(cell.ranks) + "=" + std::to_string(cell.nodes) + "x" +
                    std::to_string(cell.ppn));
    }
    return all;
  };
  EXPECT_THAT(teams("nodes = [1, 3]\nppn = [1, 4]\n"),
              ElementsAre("1=1x1", "4=1x4", "3=3x1", "12=3x4"));
  EXPECT_THAT(teams(""), ElementsAre("12=3x4")) << "all that there is";
  EXPECT_THAT(teams("ranks = [2, 5]\n"), ElementsAre("2=1x2", "5=2x3")) << "as few hosts as do";
  EXPECT_THAT(teams("ranks = 4\nnodes = 2\n"), ElementsAre("4=2x2"));
  EXPECT_THAT(teams("ranks = 6\nppn = 2\n"), ElementsAre("6=3x2"));
  EXPECT_THAT(teams("nodes = 2\n"), ElementsAre("8=2x4"));
}

TEST(BadCells, TeamsThatCannotBeAreRefused) {
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = \"barrier\"\nnodes = 2\nppn = 1\n"),
              ElementsAre(HasSubstr("c.toml:6:9: 2 nodes, but there is 1")));
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = \"barrier\"\nranks = 2\nnodes = 1\nppn = 2\n"),
              ElementsAre(HasSubstr("ranks, nodes and ppn are written, where two say it all")));
}

TEST(BadCells, DatatypesAndReductionsAreThoseOfTheEngine) {
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = \"bcast\"\nsize = 8\ndatatype = \"int23\"\n"),
              ElementsAre("c.toml:7:12: bcast has no datatype 'int23'; did you mean 'int32'?"));
  EXPECT_THAT(
      resolve_faults("[[cells]]\noperation = \"reduce\"\nsize = 8\nreduction = \"som\"\n"),
      ElementsAre("c.toml:7:13: reduce has no reduction 'som' of int32; did you mean 'sum'?"));
}

TEST(ResolveCells, CountOfZeroIsACell) {
  EXPECT_THAT(cells_of("[[cells]]\noperation = \"allreduce\"\nsize = 0\n"),
              ElementsAre("allreduce,0,4,1,0,int32,sum"));
}

TEST(ResolveCells, RandomSizesDependOnSeedAndBlockAloneAndFitEachDatatype) {
  const std::string random = "size = { loguniform = [\"1\", \"1MiB\"], count = 20 }\n";
  const auto both = cells_of("[[cells]]\noperation = [\"bcast\", \"scan\"]\n" + random);
  const auto scan_alone = cells_of("[[cells]]\noperation = \"scan\"\n" + random);
  EXPECT_THAT(scan_alone, testing::IsSubsetOf(both)) << "no operation moves another one's draws";
  EXPECT_THAT(scan_alone, testing::Contains("scan,5444,4,1,0,int32,sum"))
      << "rounded down from 5447, which bcast measures";
  EXPECT_THAT(both, testing::Contains("bcast,5447,4,1,0,byte,"));
}

TEST(ResolveCells, RanksAreOneACoreUnlessWritten) {
  EXPECT_THAT(cells_of("[[cells]]\noperation = \"barrier\"\n", 7), ElementsAre("barrier,,7,1,0,,"));
  EXPECT_THAT(cells_of("[[cells]]\noperation = \"barrier\"\nranks = 1\n", 7),
              ElementsAre("barrier,,1,1,0,,"));
}

// A reference algorithm for powers of two, or for operators that commute.
TEST(ResolveCells, CellsThatAnAlgorithmCannotHaveAreLeftOutWithTheReason) {
  Surroundings around = surroundings(2, 8);
  for (auto& operations : around.operations) {
    for (record::OperationInfo& info : operations) {
      if (info.name == "allgather") info.rank_counts = record::RankCounts::kPowerOfTwo;
      if (info.name == "alltoall") info.rank_counts = record::RankCounts::kEven;
      if (info.name == "barrier") {
        info.roles = {
            {.role = record::Role::kStarts, .ranks = record::Ranks::kNumber},
            {.role = record::Role::kAnswers, .ranks = record::Ranks::kNumber, .number = 1}};
      }
      if (info.name != "allreduce") continue;
      info.reorders = true;
      info.datatypes.push_back({.name = "vector",
                                .size_bytes = 16,
                                .extent_bytes = 32,
                                .reductions = {"user"},
                                .ordered = {"user"}});
    }
  }
  const auto left_out = [&](const std::string& cells) {
    const ResolvedCells resolved = resolve_cells(
        campaign_of("[[cells]]\noperation = \"bcast\"\nsize = 16\n" + cells), around, "c.toml");
    std::vector<std::string> texts;
    for (const LeftOut& one : resolved.left_out) {
      if (one.arm == "a") texts.push_back(one.cell.operation + ": " + one.reason);
    }
    return texts;
  };
  EXPECT_THAT(left_out("[[cells]]\noperation = [\"allgather\", \"alltoall\"]\nsize = 16\n"
                       "ranks = [1, 2, 5, 6, 8]\n"),
              ElementsAre("allgather: needs a power of two of ranks, not 5",
                          "allgather: needs a power of two of ranks, not 6",
                          "alltoall: needs an even number of ranks, not 1",
                          "alltoall: needs an even number of ranks, not 5"));
  EXPECT_THAT(left_out("[[cells]]\noperation = \"barrier\"\nranks = [1, 2]\n"),
              ElementsAre("barrier: needs more ranks than 1"))
      << "nobody would have the part of rank 1";
  EXPECT_THAT(left_out("[[cells]]\noperation = \"allreduce\"\nsize = 16\n"
                       "datatype = [\"int32\", \"vector\"]\n"),
              ElementsAre("allreduce: combines operands in another order than that of the ranks, "
                          "and operator 'user' does not commute"));
}

// A mock-up that takes its way by hosts.
TEST(ResolveCells, RanksThatDoNotLieAsTheOperationNeedsItAreLeftOutWithTheReason) {
  Surroundings around = surroundings(2, 4);
  around.hosts = 2;
  const auto left_out = [&](record::HostNeed need, const std::string& team) {
    for (auto& operations : around.operations) {
      for (record::OperationInfo& info : operations) {
        if (info.name == "allreduce") info.hosts = need;
      }
    }
    const ResolvedCells cells = resolve_cells(
        campaign_of("[[cells]]\noperation = [\"allreduce\", \"bcast\"]\nsize = 8\n" + team), around,
        "c.toml");
    return cells.left_out.empty() ? "" : cells.left_out[0].reason;
  };
  using record::HostNeed;
  EXPECT_EQ(left_out(HostNeed::kEven, "ranks = 4\nnodes = 2\n"), "");
  EXPECT_EQ(left_out(HostNeed::kEven, "ranks = 3\nnodes = 1\n"), "");
  EXPECT_EQ(left_out(HostNeed::kEven, "ranks = 3\nnodes = 2\n"),
            "it needs as many ranks on every host, and 3 ranks on 2 hosts are not");
  EXPECT_EQ(left_out(HostNeed::kTogether, "ranks = 3\nnodes = 2\n"), "");
  const std::string scattered = "mapping = \"round-robin\"\n";
  EXPECT_EQ(left_out(HostNeed::kTogether, "ranks = 4\nnodes = 2\n" + scattered),
            "it needs the ranks of each host one behind the other, and with mapping round-robin "
            "they are not");
  EXPECT_EQ(left_out(HostNeed::kTogether, "ranks = 2\nnodes = 2\n" + scattered), "");
  EXPECT_EQ(left_out(HostNeed::kAny, "ranks = 4\nnodes = 2\n" + scattered), "");
}

// An allgather by an allreduce of the bytes of all blocks.
TEST(ResolveCells, CountsThatOverflowInsideAMockupAreRefused) {
  Surroundings around = surroundings(2, 4);
  for (auto& operations : around.operations) {
    for (record::OperationInfo& info : operations) {
      if (info.name != "allgather") continue;
      info.counted = kAllBlocks;
      info.counts_bytes = true;
    }
  }
  const auto resolve = [&](const std::string& size) {
    const Campaign campaign =
        campaign_of("[[cells]]\noperation = \"allgather\"\nranks = 4\nsize = " + size +
                    "\ndatatype = \"int32\"\n");
    (void)resolve_cells(campaign, around, "c.toml");
  };
  EXPECT_NO_THROW(resolve("536870908")) << "2147483632 bytes";
  EXPECT_THAT(faults_of([&] { resolve("536870912"); }),
              ElementsAre(HasSubstr("allgather of 536870912 bytes on 4 ranks needs a count of "
                                    "2147483648, above 2147483647")));
}

TEST(ResolveCells, WhatALibraryLacksIsLeftOutWithTheReason) {
  Surroundings around = surroundings(2);
  for (record::OperationInfo& info : around.operations[1]) {
    if (info.name == "scan") info.missing = "needs MPI 9";
  }
  std::erase_if(around.operations[0], [](const auto& info) { return info.name == "empty"; });
  const ResolvedCells cells = resolve_cells(
      campaign_of("[[cells]]\noperation = [\"scan\", \"empty\", \"bcast\"]\nsize = 8\n"), around,
      "c.toml");
  EXPECT_THAT(cells.arms, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(0, 1)));
  ASSERT_EQ(cells.left_out.size(), 2U);
  EXPECT_EQ(cells.left_out[0].arm, "b");
  EXPECT_EQ(cells.left_out[0].cell.operation, "scan");
  EXPECT_EQ(cells.left_out[0].reason, "needs MPI 9");
  EXPECT_EQ(cells.left_out[1].arm, "a");
  EXPECT_EQ(cells.left_out[1].reason, "its engine does not know the operation");
}

TEST(ResolveCells, OperationWhoseTimesSpeakOfNoPointIsLeftOut) {
  Surroundings around = surroundings(2);
  for (record::OperationInfo& info : around.operations[1]) {
    if (info.name != "scan") continue;
    info.times = {{.name = "whole"},
                  {.name = "posting", .kind = record::TimeKind::kOwn, .to = "posted"}};
  }
  const Campaign scan = campaign_of("[[cells]]\noperation = \"scan\"\nsize = 8\n");
  const ResolvedCells cells = resolve_cells(scan, around, "c.toml");
  EXPECT_THAT(cells.arms, ElementsAre(ElementsAre(0)));
  ASSERT_EQ(cells.left_out.size(), 1U);
  EXPECT_EQ(cells.left_out[0].reason,
            "its time 'posting' speaks of a point 'posted', which is neither start, end nor one of "
            "its marks");
  for (record::OperationInfo& info : around.operations[1]) info.marks = {{.name = "posted"}};
  EXPECT_THAT(resolve_cells(scan, around, "c.toml").arms, ElementsAre(ElementsAre(0, 1)));
}

// A headline that is made of single ranks' ticks.
Surroundings with_own_headline(const std::string& to, const std::vector<record::MarkInfo>& marks) {
  Surroundings around = surroundings(2);
  for (auto& operations : around.operations) {
    for (record::OperationInfo& info : operations) {
      if (info.name != "scan") continue;
      info.times = {{.name = "mine", .kind = record::TimeKind::kOwn, .to = to}, {.name = "whole"}};
      info.marks = marks;
    }
  }
  return around;
}

TEST(ResolveCells, HeadlineThatIsNotRecordedIsRefused) {
  const std::string text =
      "[engine]\nrecord = \"extent\"\n[[cells]]\noperation = \"scan\"\nsize = [8, 16]\n";
  const Campaign extent = campaign_of(text);
  EXPECT_THAT(
      faults_of([&] { (void)resolve_cells(extent, with_own_headline("end", {}), "c.toml"); }),
      ElementsAre(HasSubstr("the headline 'mine' of 'scan' is made of single ranks' ticks, "
                            "which record = \"extent\" does not keep")));
  EXPECT_NO_THROW(
      (void)resolve_cells(extent, with_own_headline("posted", {{.name = "posted"}}), "c.toml"))
      << "starts stand beside marks";
}

TEST(RecordLevel, OfSingleRanksWhereAHeadlineIsMadeOfTheirTicks) {
  const Campaign usual = campaign_of("[[cells]]\noperation = \"scan\"\nsize = 8\n");
  const auto level = [&](const Surroundings& around) {
    return record_level(usual, resolve_cells(usual, around, "c.toml"));
  };
  EXPECT_EQ(level(surroundings(2)), "auto");
  EXPECT_EQ(level(with_own_headline("end", {})), "per-rank");
}

TEST(ResolveCells, CellThatNoArmHasIsLeftOutOfAll) {
  Surroundings around = surroundings(2);
  for (auto& operations : around.operations) {
    for (auto& info : operations) {
      if (info.name == "scan") info.missing = "needs MPI 9";
    }
  }
  const ResolvedCells cells = resolve_cells(
      campaign_of("[[cells]]\noperation = [\"scan\", \"bcast\"]\nsize = 8\n"), around, "c.toml");
  EXPECT_EQ(cells.cells.size(), 1U);
  EXPECT_EQ(cells.cells[0].operation, "bcast");
  EXPECT_EQ(cells.left_out.size(), 2U);
  const Campaign scan_alone = campaign_of("[[cells]]\noperation = \"scan\"\nsize = 8\n");
  EXPECT_THAT(faults_of([&] { (void)resolve_cells(scan_alone, around, "c.toml"); }),
              ElementsAre("c.toml: no arm can measure any of the cells (scan in a: needs MPI 9); "
                          "see `invar ops` for what each library can do"));
}

TEST(BadCells, OperationThatDoesNotExistIsGuessed) {
  EXPECT_THAT(resolve_faults("[[cells]]\nsize = 8\noperation = [\"bcats\", \"MPI_Allreduce\", "
                             "\"pingpong\"]\n"),
              ElementsAre("c.toml:6:14: there is no operation 'bcats'; did you mean 'bcast'?",
                          "c.toml:6:23: there is no operation 'MPI_Allreduce'; did you mean "
                          "'allreduce'?",
                          StartsWith("c.toml:6:40: there is no operation 'pingpong'; known: "
                                     "allgather, allgatherv, ")));
}

TEST(BadCells, SizeMustBeAMultipleOfTheDatatype) {
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = [\"bcast\", \"reduce\"]\nsize = 6\n"),
              ElementsAre("c.toml:6:8: reduce: 6 bytes is not a multiple of its datatype int32 (4 "
                          "bytes); write sizes that are, or give reduce a [[cells]] block of its "
                          "own"));
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = \"bcast\"\ndatatype = \"int32\"\n"
                             "size = { from = 1, to = 7, step = 1 }\n"),
              ElementsAre(StartsWith(
                  "c.toml:7:8: bcast: 1, 2, 3, 5, 6 and 1 more bytes are not multiples")));
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = \"scan\"\n"
                             "size = { loguniform = [5, 7], count = 3 }\n"),
              ElementsAre("c.toml:6:8: scan: no multiple of int32 (4 bytes) lies between 5 and 7 "
                          "bytes"));
}

TEST(BadCells, CountMustFitMpi) {
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = [\"bcast\", \"scan\"]\nsize = \"2GiB\"\n"),
              ElementsAre(StartsWith("c.toml:6:8: bcast: a count of 2147483648 bytes of byte is "
                                     "above 2147483647")))
      << "2 GiB are few enough int32";
}

TEST(BadCells, RootMustBeARank) {
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = \"bcast\"\nsize = 8\nranks = 2\nroot = 2\n"),
              ElementsAre("c.toml:8:8: root 2 is not a rank of 2; write 0 to 1"));
}

// No library has to be asked for it.
TEST(BadCells, TooManyRanksAreKnownBeforeAnyOperation) {
  const std::string block = "[[cells]]\noperation = \"nobody-knows-it\"\nsize = 8\nranks = 8\n";
  const Surroundings of_four{.slots = 4};
  EXPECT_THAT(
      faults_of([&] { check_teams(campaign_of(block + block, ""), of_four, "c.toml"); }),
      ElementsAre(
          HasSubstr("c.toml:7:9: 8 ranks need more cores than the 4 here; write 4 or fewer; "
                    "or, for tests of behaviour, --oversubscribe"),
          HasSubstr("c.toml:11:9: 8 ranks need more cores")));
  const std::string shared = "[engine]\noversubscribe = true\nsync = \"dissemination\"\n";
  EXPECT_NO_THROW(check_teams(campaign_of(block, shared), of_four, "c.toml"));
}

TEST(BadCells, MoreRanksThanSlotsNeedOversubscription) {
  const std::string cells = "[[cells]]\noperation = \"bcast\"\nsize = 8\nranks = 8\n";
  EXPECT_THAT(resolve_faults(cells),
              ElementsAre(StartsWith("c.toml:7:9: 8 ranks need more cores than the 4 here; write 4 "
                                     "or fewer")));
  const Campaign campaign =
      campaign_of(cells, "[engine]\noversubscribe = true\nsync = \"dissemination\"\n");
  EXPECT_EQ(resolve_cells(campaign, surroundings(2, 4), "c.toml").cells.at(0).ranks, 8U);
}

// MPI_COMM_WORLD is that of the launch, which has as many ranks as its largest cell.
TEST(BadCells, WorldHasNoFewerRanksThanTheLaunch) {
  const std::string world = "[engine]\ncommunicator = \"world\"\n";
  const auto block = [](const std::string& more) {
    return "[[cells]]\noperation = \"bcast\"\nsize = 8\n" + more;
  };
  const auto resolve = [](const std::string& cells, const std::string& more) {
    const Campaign campaign = campaign_of(cells, more);
    return resolve_cells(campaign, surroundings(campaign.arms.size(), 4), "c.toml").cells.size();
  };
  const auto faults = [&](const std::string& cells, const std::string& more) {
    return faults_of([&] { (void)resolve(cells, more); });
  };
  const std::string what =
      "communicator 'world' has all 4 ranks of a launch, and a cell of 2 cannot be measured on it; "
      "give all cells as many ranks, or use communicator \"dup\"";
  EXPECT_THAT(faults(block("ranks = 4\n") + block("ranks = 2\n"), world),
              ElementsAre("c.toml:11:9: " + what));
  EXPECT_THAT(faults(block("ranks = 2\n") + block("ranks = 4\n"), world),
              ElementsAre("c.toml:7:9: " + what))
      << "whichever block comes first";
  EXPECT_THAT(faults(block("ranks = [4, 2]\n"), world), ElementsAre("c.toml:7:9: " + what));
  EXPECT_THAT(faults(block("ranks = 4\nrank-order = \"reversed\"\n"), world),
              ElementsAre("c.toml:8:14: communicator 'world' has its ranks in the order in which "
                          "they are started; leave rank-order out, or use communicator \"dup\""));
  // One launch of several is enough, be it of a list or of an arm.
  const std::string both = block("ranks = 4\n") + block("ranks = 2\n");
  EXPECT_THAT(faults(both, "[engine]\ncommunicator = [\"split\", \"world\"]\n"),
              ElementsAre("c.toml:11:9: " + what));
  EXPECT_THAT(faults(both, "[[arm]]\nlibrary = \"c\"\nlaunch = { communicator = \"world\" }\n"),
              ElementsAre("c.toml:11:9: " + what));
  EXPECT_EQ(resolve(block("ranks = 4\n"), world), 1U);
  EXPECT_EQ(resolve(both, "[engine]\ncommunicator = \"dup\"\n"), 2U);
}

TEST(BadCells, WhatIsWrittenAndHasNoEffectIsAMistake) {
  EXPECT_THAT(
      resolve_faults("[[cells]]\noperation = \"barrier\"\nsize = 8\nroot = 0\ndatatype = \"byte\"\n"
                     "reduction = \"sum\"\n"),
      ElementsAre(StartsWith("c.toml:6:8: none of these operations has a size"),
                  StartsWith("c.toml:7:8: none of these operations has a root"),
                  StartsWith("c.toml:8:12: none of these operations moves data of a datatype"),
                  StartsWith("c.toml:9:13: none of these operations reduces")));
  EXPECT_THAT(resolve_faults("[[cells]]\noperation = \"bcast\"\n"),
              ElementsAre(StartsWith("c.toml:4:1: bcast needs a size")));
}

TEST(BadCells, BytesCannotBeSummed) {
  EXPECT_THAT(
      resolve_faults("[[cells]]\noperation = \"reduce\"\nsize = 8\ndatatype = \"byte\"\n"),
      ElementsAre("c.toml:7:12: reduce cannot reduce byte: MPI has no operator on it; write "
                  "another datatype"));
}

TEST(BadCells, GroupThatTakesDaysIsATypingMistake) {
  const Campaign campaign =
      campaign_of("[[cells]]\noperation = \"bcast\"\nsize = { from = 1, to = 100, step = 1 }\n",
                  "[design]\nrounds = 1000000\n");
  EXPECT_THAT(faults_of([&] { (void)resolve_cells(campaign, surroundings(2), "c.toml"); }),
              ElementsAre(HasSubstr("a launch group would have 200000000 visits")));
}

TEST(BadCells, CampaignFromNoFileIsCheckedToo) {
  Campaign campaign = small_campaign(2, 1, 0);
  campaign.repetitions = 0;
  campaign.engine.levels["clock"] = {"mpi-wtime"};
  campaign.cells[0].operations = {"bcats"};
  campaign.cells[0].levels["ranks"] = {"0"};
  EXPECT_THAT(faults_of([&] { (void)resolve_cells(campaign, surroundings(2), "--operation"); }),
              ElementsAre(StartsWith("--operation: clock 'mpi-wtime' cannot agree"),
                          StartsWith("--operation: rounds is 0"),
                          StartsWith("--operation: repetitions is 0"),
                          StartsWith("--operation: there is no operation 'bcats'"),
                          StartsWith("--operation: ranks is 0")));
  campaign.cells.clear();
  EXPECT_THAT(faults_of([&] { (void)resolve_cells(campaign, surroundings(2), "x"); }),
              testing::Contains(HasSubstr("there are no cells")));
}

TEST(ResolveCells, ArmsMustBeKnownFirst) {
  EXPECT_THROW((void)resolve_cells(small_campaign(0, 1, 1), surroundings(0), "x"),
               std::invalid_argument);
  EXPECT_THROW((void)resolve_cells(small_campaign(2, 1, 1), surroundings(1), "x"),
               std::invalid_argument);
}

}  // namespace
}  // namespace invar::design
