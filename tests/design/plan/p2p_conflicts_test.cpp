// Operations that send messages between single ranks, in campaigns: which cells there are, and what
// is refused, with what would help.
#include "design/plan/p2p_conflicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"
#include "design/plan/call_limits.hpp"
#include "design/plan/families.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;

constexpr record::Blocks kSlots{.per_message = 1};
constexpr record::Blocks kPackedSlots{.per_packed = 2};

record::OperationInfo sending(const std::string& name, record::Messages messages) {
  record::OperationInfo info{
      .name = name,
      .datatypes = {{.name = "byte"}, {.name = "vector", .size_bytes = 4, .extent_bytes = 8}},
      .chain = record::Chain::kOne,
      .buffers = everywhere(kSlots, kSlots, kPackedSlots),
      .messages = messages};
  return info;
}

// As the engine describes ours.
Surroundings with_messages(std::uint32_t slots = 8) {
  Surroundings around = surroundings(1, slots);
  record::OperationInfo pingpong = sending("pingpong", record::Messages::kMatched);
  pingpong.both_ways = true;
  record::OperationInfo exchange = sending("exchange", record::Messages::kMatched);
  exchange.both_ways = exchange.overlaps = true;
  record::OperationInfo copying = sending("memcpy", record::Messages::kMatched);
  copying.copies = true;
  record::OperationInfo oneway = sending("oneway", record::Messages::kDirected);
  oneway.batches = false;
  record::OperationInfo stream = sending("stream", record::Messages::kDirected);
  stream.windowed = true;
  record::OperationInfo send = sending("send", record::Messages::kPairs);
  send.batches = false;
  send.overheads = true;
  send.chooses = record::CallChoice::kReceives;
  record::OperationInfo train = send;
  train.name = "train";
  train.windowed = train.delays = true;
  for (const record::OperationInfo& info : {pingpong, exchange, copying, oneway, stream, send,
                                            train, sending("halo", record::Messages::kPartners)}) {
    around.operations[0].push_back(info);
  }
  return around;
}

// `more`: lines of the block; `rest`: further tables.
Campaign campaign_sent(const std::string& operation, const std::string& more,
                       const std::string& rest = {}) {
  return read_campaign(with_head("[[cells]]\noperation = \"" + operation + "\"\nsize = 8\n" + more +
                                 "\n" + rest + "[[arm]]\nlibrary = \"a\"\n"),
                       "c.toml");
}

std::vector<record::Cell> cells_sent(const std::string& operation, const std::string& more,
                                     const std::string& rest = {}) {
  return resolve_cells(campaign_sent(operation, more, rest), with_messages(), "c.toml").cells;
}

std::vector<std::string> faults_sent(const std::string& operation, const std::string& more,
                                     const std::string& rest = {}) {
  return faults_of([&] {
    (void)resolve_cells(campaign_sent(operation, more, rest), with_messages(), "c.toml");
  });
}

std::vector<std::string> patterns_of(const std::vector<record::Cell>& cells) {
  std::vector<std::string> all;
  for (const record::Cell& cell : cells) all.push_back(cell.pattern);
  return all;
}

TEST(MessageCells, HaveTheUsualPatternAndWindowOfTheirOperation) {
  const record::Cell stream = cells_sent("stream", "ranks = 4").front();
  EXPECT_EQ(stream.pattern, "distance:1");
  EXPECT_EQ(stream.window, 64U);
  EXPECT_EQ(stream.form, "non-blocking") << "as a window of messages is measured everywhere";
  EXPECT_EQ(cells_sent("oneway", "ranks = 4").front().form, "blocking");
  const record::Cell halo = cells_sent("halo", "ranks = 4").front();
  EXPECT_EQ(halo.pattern, "grid:1");
  EXPECT_EQ(halo.window, 1U);
  EXPECT_EQ(cells_sent("bcast", "ranks = 4").front().pattern, "")
      << "it sends no messages of its own";
}

// Campaigns keep the word, plans have what it stands for on the cell's ranks.
TEST(MessageCells, OfAllPairsAreTheMatchingsInBothDirections) {
  EXPECT_THAT(patterns_of(cells_sent("oneway", "ranks = 3\npattern = [\"ring\", \"all-pairs\"]")),
              ElementsAre("ring", "matching:0", "matching:0:back", "matching:1", "matching:1:back",
                          "matching:2", "matching:2:back"));
  EXPECT_THAT(patterns_of(cells_sent("oneway", "ranks = [2, 4]\npattern = \"all-pairs\"")),
              ElementsAre("matching:0", "matching:0:back", "matching:0", "matching:0:back",
                          "matching:1", "matching:1:back", "matching:2", "matching:2:back"));
  EXPECT_THAT(patterns_of(cells_sent("pingpong",
                                     "ranks = 4\npattern = [\"random:1\", "
                                     "\"random-matchings:2\"]")),
              ElementsAre("random:1", "random:2"))
      << "each once";
  const Campaign campaign = campaign_sent("oneway", "ranks = 3\npattern = \"all-pairs\"");
  EXPECT_THAT(campaign.cells[0].levels.at("pattern"), ElementsAre("all-pairs"));
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(MessageCells, WithComputationAreAFamilyOfThree) {
  const std::vector<record::Cell> family =
      cells_sent("exchange", "ranks = 2\nform = \"persistent\"\ncompute = [\"off\", \"0.5x\"]",
                 "[design]\ntogether = [\"compute\"]\n");
  ASSERT_EQ(family.size(), 3U);
  EXPECT_EQ(family[1].compute, "0.5x");
  EXPECT_EQ(family[2].compute, "only:0.5x");
  for (const record::Cell& cell : family) EXPECT_EQ(cell.family, "together-1");
}

// Levels of other operations of the block do not multiply those that have no such factor.
TEST(MessageCells, StandBesideOthersInABlock) {
  const Campaign campaign = read_campaign(
      with_head("[[cells]]\noperation = [\"bcast\", \"pingpong\"]\nsize = 8\n"
                "send-mode = [\"standard\", \"synchronous\"]\n[[arm]]\nlibrary = \"a\"\n"),
      "c.toml");
  EXPECT_EQ(resolve_cells(campaign, with_messages(), "c.toml").cells.size(), 3U);
  EXPECT_THAT(faults_sent("bcast", "pattern = \"ring\""),
              ElementsAre(HasSubstr("c.toml:7:11: none of these operations sends messages between "
                                    "single ranks")));
}

TEST(MessageLevels, ThatAreNoneAreRefusedWhereTheyStand) {
  const auto wrong = [](const std::string& line) {
    return campaign_faults(with_cells(line + "\n")).front();
  };
  EXPECT_THAT(wrong("pattern = \"star\""),
              HasSubstr("c.toml:7:11: 'pattern' of [[cells]] is 'star', no pattern; write "
                        "distance:D"));
  EXPECT_THAT(wrong("form = \"nonblocking\""),
              HasSubstr("'nonblocking' is not a value of 'form' of [[cells]]; did you mean "
                        "'non-blocking'?"));
  EXPECT_THAT(wrong("pending = \"16\""), HasSubstr("no queue of pending receives"));
  EXPECT_THAT(wrong("unexpected = \"any:16\""), HasSubstr("a message has a sender"));
  EXPECT_THAT(wrong("window = 1025"), HasSubstr("is 1025; write 1 to 1024"));
  EXPECT_THAT(wrong("window = \"64\""), HasSubstr("write digits only"));
  EXPECT_THAT(wrong("progress-calls = -1"), HasSubstr("is negative; write 0 to 10000"));
  EXPECT_THAT(wrong("compute = \"10\""), HasSubstr("no amount of computation"));
  EXPECT_THAT(wrong("train-delay = \"10\""),
              HasSubstr("c.toml:7:15: 'train-delay' of [[cells]] is '10', no delay between "
                        "messages; write \"off\""));
}

TEST(MessageConflicts, PatternsThatTheRanksDoNotHaveAreRefused) {
  EXPECT_THAT(faults_sent("oneway", "ranks = 3\npattern = \"bisection\""),
              ElementsAre("c.toml:8:11: oneway: pattern 'bisection' needs an even number of ranks, "
                          "not 3; write 2 or 4 ranks"));
  EXPECT_THAT(faults_sent("oneway", "ranks = 6\npattern = \"hypercube:0\""),
              ElementsAre("c.toml:8:11: oneway: pattern 'hypercube:0' needs a power of two of "
                          "ranks, not 6; write 4 or 8 ranks, or doubling:0"));
  EXPECT_THAT(faults_sent("pingpong", "ranks = 4\npattern = \"distance:4\""),
              ElementsAre(HasSubstr("needs a rank 4, and 4 ranks are 0 to 3")));
  EXPECT_THAT(faults_sent("pingpong", "ranks = 1"),
              ElementsAre(HasSubstr("pattern 'distance:1' needs 2 ranks or more, not 1")));
  EXPECT_THAT(faults_sent("pingpong", "ranks = 4\npattern = \"ring\""),
              ElementsAre(HasSubstr("pingpong: pattern 'ring' has ranks that talk to more than "
                                    "one other")));
}

TEST(MessageConflicts, ReadySendsNeedAReceiveThatIsSurelyThere) {
  const std::string ready = "ranks = 2\nsend-mode = \"ready\"\n";
  EXPECT_THAT(faults_sent("pingpong", ready),
              ElementsAre("c.toml:8:13: pingpong: a ready send is erroneous unless its receive is "
                          "posted, and nothing makes certain that it is; write receives = "
                          "\"before\", or send-mode = \"standard\""));
  for (const char* sync : {"none", "window"}) {
    EXPECT_THAT(faults_sent("pingpong", ready + "receives = \"before\"\nsync = \"" + sync + "\""),
                ElementsAre(HasSubstr("with sync = \"" + std::string(sync) +
                                      "\" a rank may begin before a late one has posted it")));
  }
  const std::vector<record::Cell> right = cells_sent("pingpong", ready + "receives = \"before\"");
  ASSERT_EQ(right.size(), 1U);
  EXPECT_EQ(record::factor_before_each_call(right[0]), record::find_factor("receives"))
      << "so a batch of them is refused";
}

// As check_plan() says of every factor that needs each call by itself.
TEST(MessageConflicts, WhatNeedsEveryCallByItselfIsRefusedInABatch) {
  const auto check_batch = [](const char* operation, const std::string& more) {
    const Campaign campaign = campaign_sent(operation, more);
    const ResolvedCells resolved = resolve_cells(campaign, with_messages(), "c.toml");
    Counters counters;
    record::Plan plan = plan_groups(campaign, resolved, 1, counters);
    plan.rows.front().calls = 2;
    check_plan(plan, campaign, resolved, "plan.csv");
  };
  EXPECT_THAT(faults_of([&] { check_batch("pingpong", "ranks = 2\nreceives = \"before\""); }),
              testing::Contains(HasSubstr("and receives before needs each by itself")));
  EXPECT_THAT(faults_of([&] { check_batch("halo", "ranks = 3\nsource = \"any\""); }),
              testing::Contains(HasSubstr("and source any needs each by itself")));
  EXPECT_NO_THROW(check_batch("halo", "ranks = 2\nsource = \"any\""));
}

// A neighbour that is a call ahead sends what a receive of this call would take.
TEST(MessageConflicts, ReceivesFromSeveralAtOnceNeedCallsThatAreApart) {
  const std::string any = "ranks = 3\nsource = \"any\"\n";
  EXPECT_THAT(faults_sent("halo", any + "sync = \"none\""),
              ElementsAre("c.toml:8:10: halo: receives from anybody take what comes, and with sync "
                          "= \"none\" one sender's message of the next call may come before "
                          "another one's of this call; use sync = \"round-time\", \"barrier\" or "
                          "\"dissemination\", or write source = \"specific\""));
  EXPECT_THAT(faults_sent("oneway", any + "pattern = \"fan-in:2\"\nsync = \"window\""),
              ElementsAre(HasSubstr("oneway: receives from anybody take what comes")));
  EXPECT_EQ(cells_sent("halo", any).size(), 1U);
  EXPECT_EQ(cells_sent("halo", "ranks = 2\nsource = \"any\"\nsync = \"none\"").size(), 1U)
      << "both neighbours are one rank, whose messages are in order";
  EXPECT_EQ(cells_sent("stream", any + "pattern = \"fan-in:2\"\nsync = \"none\"").size(), 1U)
      << "it acknowledges";
  EXPECT_EQ(cells_sent("pingpong", any + "sync = \"none\"").size(), 1U) << "there is one sender";
}

TEST(MessageConflicts, FormsExcludeWhatTheyCannotDo) {
  EXPECT_THAT(faults_sent("pingpong", "form = \"sendrecv\"\nsend-mode = \"synchronous\""),
              ElementsAre(HasSubstr("c.toml:8:13: pingpong: MPI_Sendrecv has the standard mode "
                                    "alone")));
  EXPECT_THAT(faults_sent("pingpong", "form = \"persistent\"\ncache = \"cold-cycle\""),
              ElementsAre(HasSubstr("pingpong fixes its buffers before it starts")));
  EXPECT_THAT(faults_sent("pingpong", "packing = \"hand\""),
              ElementsAre(HasSubstr("datatype 'byte' has no gaps, so that nothing is to be "
                                    "packed")));
  EXPECT_EQ(cells_sent("pingpong", "packing = \"hand\"\ndatatype = \"vector\"").size(), 1U);
}

TEST(MessageConflicts, CallsThatRunAheadOfEachOtherNeedASynchronisation) {
  EXPECT_THAT(faults_sent("oneway", "ranks = 2\nsync = \"none\""),
              ElementsAre(HasSubstr("c.toml:8:8: oneway: with sync = \"none\" one rank's calls run "
                                    "ahead of the other's: that is a stream")));
  EXPECT_EQ(cells_sent("stream", "ranks = 2\nsync = \"none\"").size(), 1U) << "it acknowledges";
}

// Behind it nothing is under way any more.
TEST(MessageConflicts, CallsThatAreAcknowledgedNeedNone) {
  EXPECT_EQ(cells_sent("train", "ranks = 2\nsync = \"none\"").size(), 1U);
  EXPECT_THAT(faults_sent("send", "ranks = 2\nsync = \"none\""),
              ElementsAre(HasSubstr("send: with sync = \"none\" one rank's calls run ahead")));
}

// What is measured would be one call under the name of another.
TEST(MessageLevels, OfOperationsThatAreNamedAfterTheirCallsAreNoOtherCalls) {
  for (const char* level : {"form = \"persistent\"", "send-mode = \"synchronous\"",
                            "packing = \"hand\"\ndatatype = \"vector\""}) {
    EXPECT_THAT(faults_sent("send", level),
                ElementsAre(HasSubstr("none of these operations sends messages between single "
                                      "ranks by calls that its cells choose")))
        << level;
  }
  EXPECT_THAT(faults_sent("send", "compute = \"10us\""),
              ElementsAre(HasSubstr("none of these operations has a start and an end")));
  EXPECT_THAT(faults_sent("send", "train-delay = \"10us\""),
              ElementsAre(HasSubstr("none of these operations spins between the messages")));
  EXPECT_THAT(faults_sent("send", "ranks = 3\npattern = \"ring\""),
              ElementsAre(HasSubstr("send: pattern 'ring' has ranks that talk to more than one")));
  EXPECT_EQ(cells_sent("send", "receives = [\"in-call\", \"before\"]").size(), 2U);
  EXPECT_EQ(cells_sent("train", "window = 4").front().form, "blocking")
      << "as its name says, though it has a window";
}

TEST(MessageCells, OfASingleMessageHaveNoDelayBetweenMessages) {
  const std::vector<record::Cell> cells =
      cells_sent("train", "window = [1, 10]\ntrain-delay = [\"off\", \"10us\", \"1x\"]");
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].window, 1U);
  EXPECT_EQ(cells[0].train_delay, "off");
  EXPECT_EQ(cells[1].train_delay, "off");
  EXPECT_EQ(cells[2].train_delay, "10000ns");
  EXPECT_EQ(cells[3].train_delay, "1x");
  EXPECT_THAT(faults_sent("train", "window = 1024\ntrain-delay = \"1ms\""),
              ElementsAre("c.toml:8:15: train: 1024 messages with 1000000ns between them take "
                          "longer than 1 s or 1000 calls; write a shorter train-delay, or a "
                          "smaller window"));
}

TEST(MessageConflicts, WhatOthersDoNeedsOthers) {
  EXPECT_THAT(faults_sent("oneway", "ranks = 2\nothers = \"traffic\""),
              ElementsAre(HasSubstr("c.toml:8:10: oneway: others = \"traffic\" is about ranks that "
                                    "stand by, and all 2 have a part in pattern 'distance:1'")));
  EXPECT_EQ(cells_sent("oneway", "ranks = 4\nothers = \"traffic\"").size(), 1U);
  EXPECT_THAT(faults_sent("oneway", "ranks = 3\nothers = \"traffic\""),
              ElementsAre(HasSubstr("others = \"traffic\" is messages between ranks that stand by, "
                                    "and of 3 ranks a single one does in pattern 'distance:1'; "
                                    "take one rank more")));
  EXPECT_EQ(cells_sent("oneway", "ranks = 3\nothers = \"computing\"").size(), 1U);
}

TEST(MessageConflicts, AColdSideNeedsAColdCache) {
  EXPECT_THAT(faults_sent("pingpong", "ranks = 2\ncold-side = \"sender\""),
              ElementsAre(HasSubstr("cold-side = \"sender\" needs a cold cache")));
  EXPECT_EQ(
      cells_sent("pingpong", "ranks = 2\ncold-side = \"sender\"\ncache = \"cold-flush\"").size(),
      1U);
}

TEST(MessageConflicts, OneColdSideNeedsTwoSides) {
  EXPECT_THAT(faults_sent("oneway",
                          "ranks = 4\npattern = \"ring\"\ncold-side = \"receiver\"\ncache = "
                          "\"cold-flush\""),
              ElementsAre(HasSubstr("c.toml:9:13: oneway: cold-side = \"receiver\" tells senders "
                                    "from receivers, and in pattern 'ring' every rank is both; "
                                    "write cold-side = \"both\", or a pattern of pairs")));
}

TEST(MessageConflicts, ReceivesOfAnyTagWouldTakeWhatNobodyIsToReceive) {
  EXPECT_THAT(faults_sent("pingpong", "tag = \"any\"\nunexpected = \"same:16\""),
              ElementsAre("c.toml:7:7: pingpong: receives of any tag would take the messages of "
                          "unexpected = \"same:16\", which nobody is to receive; write unexpected "
                          "= \"other:16\", or tag = \"specific\""));
  EXPECT_EQ(cells_sent("pingpong", "tag = \"any\"\nunexpected = \"other:16\"").size(), 1U);
  EXPECT_EQ(cells_sent("pingpong", "source = \"any\"\nunexpected = \"same:16\"").size(), 1U);
}

// Ranks that copy are put beside those that send; how these send says nothing about them.
TEST(MessageLevels, AreNoneOfWhatCopies) {
  const Campaign campaign = read_campaign(
      with_head("[[cells]]\noperation = [\"memcpy\", \"pingpong\"]\nsize = 8\nranks = 4\n"
                "pattern = [\"distance:1\", \"bisection\"]\nform = [\"blocking\", \"persistent\"]\n"
                "[[arm]]\nlibrary = \"a\"\n"),
      "c.toml");
  EXPECT_EQ(resolve_cells(campaign, with_messages(), "c.toml").cells.size(), 2U + 4U);
  EXPECT_THAT(faults_sent("memcpy", "send-mode = \"ready\""),
              ElementsAre(HasSubstr("none of these operations sends messages between single")));
}

TEST(MessageConflicts, StepsFromAnybodyMayNotWaitForEachOther) {
  const std::string any = "ranks = 4\nform = \"sendrecv\"\nsource = \"any\"\n";
  EXPECT_THAT(
      faults_sent("halo", any + "pattern = \"grid:2\""),
      ElementsAre(HasSubstr("halo: MPI_Sendrecv from anybody may take what a neighbour sends "
                            "in a later step")));
  EXPECT_NO_THROW((void)cells_sent("halo", any));
}

TEST(MessageConflicts, BufferedSendsHaveABufferOfSomeSense) {
  const auto campaign = [](const char* size) {
    return read_campaign(with_head("[[cells]]\noperation = \"stream\"\nsend-mode = \"buffered\"\n"
                                   "window = 1024\nsize = \"" +
                                   std::string(size) + "\"\n[[arm]]\nlibrary = \"a\"\n"),
                         "c.toml");
  };
  EXPECT_NO_THROW((void)resolve_cells(campaign("1MiB"), with_messages(), "c.toml"));
  EXPECT_THAT(faults_of([&] { (void)resolve_cells(campaign("2MiB"), with_messages(), "c.toml"); }),
              ElementsAre(HasSubstr("buffered sends of 1024 messages of 2 MiB need a buffer above "
                                    "1 GiB; write smaller sizes or a smaller window")));
}

constexpr const char* kNonBlocking = "form = \"non-blocking\"\n";

TEST(OverlapConflicts, MultiplesOfACallNeedThatCallBesideThem) {
  const std::string form = kNonBlocking;
  EXPECT_THAT(faults_sent("exchange", form + "compute = [\"off\", \"0.5x\"]"),
              ElementsAre(HasSubstr("c.toml:8:11: compute = \"0.5x\" is in times of a call, and no "
                                    "cell beside it has that call alone; write compute = "
                                    "[\"off\", \"0.5x\"] and together = [\"compute\"]")));
  EXPECT_EQ(cells_sent("exchange", form + "compute = \"10us\"").size(), 2U)
      << "a time needs no call";
}

// Looks leave cells out one by one, and a multiple of a call that nobody times is nothing.
TEST(OverlapConflicts, MultiplesOfACallNeedItToTheEnd) {
  const std::string looks = "[design]\ntogether = [\"compute\"]\nstopping = \"looks\"\n";
  const std::string form = kNonBlocking;
  EXPECT_THAT(faults_sent("exchange", form + "compute = [\"off\", \"0.5x\"]", looks),
              ElementsAre(HasSubstr("with stopping = \"looks\" that call is measured no more once "
                                    "it is decided; use stopping = \"fixed\"")));
  EXPECT_EQ(cells_sent("exchange", form + "compute = [\"off\", \"10us\"]", looks).size(), 3U);
}

TEST(OverlapConflicts, WhatIsSaidOfAComputationNeedsOne) {
  const std::string form = kNonBlocking;
  EXPECT_THAT(faults_sent("exchange", form + "progress-calls = 10\ncompute-kernel = \"memory\""),
              testing::UnorderedElementsAre(
                  HasSubstr("compute-kernel is about a computation, and no cell has one; "
                            "write compute = [\"off\", \"10us\"], or leave"),
                  HasSubstr("progress-calls is about a computation")));
  EXPECT_EQ(
      cells_sent("exchange", form + "progress-calls = 10\ncompute = [\"off\", \"10us\"]").size(),
      3U);
}

// The other calls of a family are none of its own.
TEST(OverlapConflicts, ACallOfAnotherSizeIsNotThatCall) {
  const std::string family =
      "[[family]]\nname = \"f\"\ncells = [{ operation = \"exchange\", size = 16, compute = \"off\" "
      "}, { operation = \"exchange\", size = 8, compute = [\"0.5x\", \"only:0.5x\"] }]\n";
  const std::string blocks = "[[cells]]\noperation = \"exchange\"\nsize = 16\n" +
                             std::string(kNonBlocking) + "compute = \"off\"\n";
  EXPECT_THAT(
      faults_sent("exchange", std::string(kNonBlocking) + "compute = \"0.5x\"", blocks + family),
      ElementsAre(HasSubstr("no cell beside it has that call alone")));
}

TEST(OverlapConflicts, MessagesAreSentInAFormThatHasAStartAndAnEnd) {
  EXPECT_THAT(faults_sent("exchange", "compute = \"10us\""),
              ElementsAre(HasSubstr("c.toml:7:11: exchange: form = \"blocking\" has no start and "
                                    "end between which its ranks could compute; write form = "
                                    "\"non-blocking\" or \"persistent\"")));
  EXPECT_NO_THROW((void)cells_sent("exchange", "compute = \"off\""));
}

// Both the call with a computation and the computation by itself take as much of it as half a call.
TEST(LateByCells, ComputationIsAMultipleOfTheCallWithoutIt) {
  const std::string compute = std::string(kNonBlocking) + "compute = [\"off\", \"0.5x\"]";
  const Campaign campaign =
      campaign_sent("exchange", compute, "[design]\ntogether = [\"compute\"]\n");
  EXPECT_THAT(late_by_cells(campaign, resolve_cells(campaign, with_messages(), "c.toml").cells),
              ElementsAre(0, 0, 0));
  const Campaign times =
      campaign_sent("exchange", std::string(kNonBlocking) + "compute = [\"off\", \"10us\"]");
  EXPECT_THAT(late_by_cells(times, resolve_cells(times, with_messages(), "c.toml").cells),
              testing::IsEmpty())
      << "no multiple is to be known";
}

// A family names the cells that there are.
TEST(MessageFamilies, NameNoListsOfLevels) {
  const auto family = [](const char* pattern) {
    return "[[family]]\nname = \"f\"\ncells = [{ operation = \"oneway\", pattern = \"" +
           std::string(pattern) + "\" }]\n";
  };
  EXPECT_THAT(faults_of([&] {
                (void)campaign_sent("oneway", "pattern = \"all-pairs\"", family("all-pairs"));
              }),
              ElementsAre(HasSubstr("'pattern' of 'cells' of [[family]] has 'all-pairs', a list of "
                                    "levels; name the levels that the cells have, as in "
                                    "\"matching:0\"")));
  EXPECT_THAT(faults_sent("oneway", "ranks = 2\npattern = \"all-pairs\"", family("matching:0")),
              ElementsAre(HasSubstr("family 'f' has one cell")));
}

TEST(MessageAgainst, AListIsSeveralLevels) {
  EXPECT_NO_THROW((void)cells_sent("oneway", "ranks = 2\npattern = \"all-pairs\"",
                                   "[analysis]\nagainst = \"pattern\"\n"));
  EXPECT_THAT(faults_of([] {
                (void)campaign_sent("oneway", "pattern = \"ring\"",
                                    "[analysis]\nagainst = \"pattern\"\n");
              }),
              ElementsAre(HasSubstr("'pattern' has one level")));
}

// What the engine allocates is what is estimated: a slot for every message of every peer.
TEST(MessageBuffers, HaveASlotForEveryMessage) {
  const record::OperationInfo info = sending("stream", record::Messages::kDirected);
  record::Cell cell{.operation = "stream",
                    .size_bytes = 8,
                    .ranks = 4,
                    .datatype = "byte",
                    .pattern = "fan-out:3",
                    .window = 16};
  EXPECT_THAT(buffer_bytes(cell, info), ElementsAre(768, 768, 768, 768))
      << "send and recv of 48 messages, also of those that stand by";
  EXPECT_EQ(most_blocks(info, cell), 48U);
  cell.datatype = "vector";
  cell.packing = "hand";
  EXPECT_EQ(most_buffer_bytes(cell, info), 4U * 48 * 16)
      << "gaps, and room for what is packed in both directions";
}

TEST(MessageEstimates, CountTheRanksThatHaveAPart) {
  const Campaign campaign =
      campaign_sent("oneway", "ranks = 4\npattern = [\"distance:1\", \"bisection\"]");
  const ResolvedCells resolved = resolve_cells(campaign, with_messages(), "c.toml");
  const auto data_bytes = [&](std::uint32_t cell) {
    Counters counters;
    const std::vector<record::ArmCell> other{{.cell = 1 - cell, .arm = 0}};
    const record::Plan plan = plan_groups(campaign, resolved, 1, counters, other);
    const std::vector<double> startup{0.1};
    return estimate(campaign, resolved, plan, startup).data_bytes;
  };
  EXPECT_LT(data_bytes(0), data_bytes(1)) << "two ranks have records, and not four";
}

}  // namespace
}  // namespace invar::design
