// What the ranks of a stress run are told, which sizes they try, and the lines that they write.
#include "record/stress/stress_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_sizes.hpp"

namespace invar::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StressOrder unusual_stress() {
  return {.seed = 0x7fffffffffffffffU,
          .seconds = 2.5,
          .ranks = 5,
          .kinds = {"all-pairs", "p2p"},
          .sizes = {0, 7, 65'537},
          .repeats = true,
          .message = 123'456'789'012,
          .oversubscribe = true,
          .patience_s = 3};
}

std::string refusal_of(const StressOrder& order) {
  try {
    static_cast<void>(read_stress_order(stress_order_text(order), "stress.spec"));
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(StressOrder, WrittenIsWhatIsRead) {
  EXPECT_EQ(read_stress_order(stress_order_text(unusual_stress()), "stress.spec"),
            unusual_stress());
}

TEST(StressOrder, ThatMakesNoSenseIsRefused) {
  StressOrder order = unusual_stress();
  order.kinds = {"p2p", "collektives"};
  EXPECT_THAT(refusal_of(order), HasSubstr("stress.spec: there is no kind 'collektives'"));
  order = unusual_stress();
  order.sizes = {8, 8};
  EXPECT_THAT(refusal_of(order), HasSubstr("its sizes do not ascend"));
  order.sizes = {8, 1U << 31U};
  EXPECT_THAT(refusal_of(order), HasSubstr("up to 1073741824"));
  order = {.seed = 1, .seconds = 0, .ranks = 1, .patience_s = 0};
  const std::string all = refusal_of(order);
  for (const char* fault : {"it names no kind", "it names no size", "nobody to send to",
                            "it takes no time", "it has no patience"}) {
    EXPECT_THAT(all, HasSubstr(fault));
  }
}

TEST(StressOrder, KindsHaveNames) {
  for (const std::string_view name : stress_kind_names()) {
    ASSERT_TRUE(parse_stress_kind(name));
    EXPECT_EQ(name_of(*parse_stress_kind(name)), name);
  }
  EXPECT_FALSE(parse_stress_kind("pairs"));
}

TEST(StressMemory, HasFewerSlotsWhereMessagesAreLarge) {
  StressOrder order{.kinds = {"p2p"}, .sizes = {8}};
  EXPECT_EQ(stress_slots(order), 8U);
  EXPECT_LT(stress_memory_bytes(order), 10'000U);
  order.sizes = {8, 4U << 20U};
  EXPECT_EQ(stress_slots(order), 8U) << "64 MiB in all";
  order.sizes = {16U << 20U};
  EXPECT_EQ(stress_slots(order), 3U);
  order.sizes = {1U << 30U};
  EXPECT_EQ(stress_slots(order), 2U) << "one is looked at while the other one is under way";
  EXPECT_GE(stress_memory_bytes(order), std::uint64_t{6} << 30U)
      << "and two more, to tell what is wrong with one";
  order.kinds.emplace_back("collectives");
  EXPECT_GE(stress_memory_bytes(order), std::uint64_t{12} << 30U);
}

TEST(StressSizes, AreThePowersOfTwoAndWhatLiesBesideThem) {
  const std::vector<std::uint32_t> usual = usual_stress_sizes();
  EXPECT_EQ(usual.front(), 0U);
  EXPECT_EQ(usual.back(), (4U << 20U) + 1);
  for (const std::uint32_t size : {1U, 2U, 3U, 4095U, 4096U, 4097U, 65'535U, 65'536U, 65'537U}) {
    EXPECT_THAT(usual, testing::Contains(size));
  }
  const std::vector<std::uint64_t> step{0, 4032};
  EXPECT_THAT(sizes_beside(step), ElementsAre(0, 1, 4031, 4032, 4033));
  const std::vector<std::uint64_t> largest{kMostStressBytes};
  EXPECT_THAT(sizes_beside(largest), ElementsAre(kMostStressBytes - 1, kMostStressBytes));
  const std::vector<std::uint32_t> others{3, 8};
  EXPECT_THAT(united_sizes({8, 1}, others), ElementsAre(1, 3, 8));
}

// What a message costs, as methods.md has it.
double cost_of(std::uint32_t size_bytes) { return 2048.0 + size_bytes; }

TEST(StressSizes, GiveTwoThirdsOfTheTimeToLargeMessages) {
  const std::vector<std::uint32_t> sizes = usual_stress_sizes();
  const StressSizes drawn(sizes);
  double large = 0;
  double all = 0;
  double count = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double time = drawn.share_of(i) * cost_of(sizes[i]);
    EXPECT_GT(time, 0) << sizes[i] << " is never tried";
    all += time;
    count += drawn.share_of(i);
    if (sizes[i] > kLargeStressBytes) large += time;
  }
  EXPECT_NEAR(large / all, 2.0 / 3, 1e-9);
  EXPECT_NEAR(count, 1, 1e-9);
}

TEST(StressSizes, AreDrawnAsOftenAsTheirShares) {
  const std::vector<std::uint32_t> sizes{8, 1024, 65'537};
  const StressSizes drawn(sizes);
  double up_to = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(drawn.draw(up_to + drawn.share_of(i) / 2), sizes[i]);
    up_to += drawn.share_of(i);
  }
  EXPECT_EQ(drawn.draw(0), 8U);
  EXPECT_EQ(drawn.draw(1 - 0x1.0p-53), 65'537U);
  const std::vector<std::uint32_t> only{100'000};
  EXPECT_EQ(StressSizes(only).draw(0.5), 100'000U);
}

TEST(StressLines, SayWhatIsKnownAndNullElsewhere) {
  EXPECT_EQ(stress_fault_json({.fault = "hang", .what = "nothing came", .rank = 1}),
            R"({"fault":"hang","kind":"","operation":"","pattern":"","size_bytes":null,)"
            R"("message":null,"from":null,"to":null,"rank":1,"offset_bytes":null,"expected":"",)"
            R"("found":"","what":"nothing came","more":""})");
  EXPECT_EQ(stress_counts_json({.seconds = 1.5, .messages = 2, .bytes = 16, .ended = true}),
            R"({"seconds":1.5,"messages":2,"large_messages":0,"bytes":16,"collectives":0,)"
            R"("ended":true})");
  EXPECT_EQ(stress_faults_file(12), "faults.12.jsonl");
}

}  // namespace
}  // namespace invar::record
