// Which time source can be trusted, by what the kernel says of it; fake /proc and /sys.
#include "clock/ticks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace invar::clock {
namespace {

using testing::HasSubstr;

class TscTrustOf : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    root_ =
        std::filesystem::path(testing::TempDir()) / (std::string("invar-trust-") + info->name());
    std::filesystem::remove_all(root_);
    cpu_says("fpu vme constant_tsc rep_good nonstop_tsc cpuid");
    kernel_uses("tsc");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void cpu_says(const std::string& flags) const {
    write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: Any\nflags\t\t: " + flags +
                              "\nbugs\t\t: spectre_v1\n\nprocessor\t: 1\n");
  }
  void kernel_uses(const std::string& source) const {
    write("sys/devices/system/clocksource/clocksource0/current_clocksource", source + "\n");
  }
  [[nodiscard]] TscTrust trust(Counter counter = Counter::kX86) const {
    return tsc_trust(root_.string(), counter);
  }

 private:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::filesystem::path root_;
};

TEST_F(TscTrustOf, ConstantCounterThatTheKernelItselfUsesIsTrusted) {
  EXPECT_TRUE(trust().trusted);
  EXPECT_EQ(trust().reason, "");
}

TEST_F(TscTrustOf, CounterThatTheKernelHasGivenUpIsNot) {
  kernel_uses("hpet");
  EXPECT_FALSE(trust().trusted);
  EXPECT_THAT(trust().reason, HasSubstr("the kernel's clock source is 'hpet'"));
}

TEST_F(TscTrustOf, ParavirtualClockIsNot) {
  kernel_uses("kvm-clock");
  EXPECT_FALSE(trust().trusted);
}

TEST_F(TscTrustOf, CounterThatFollowsTheFrequencyIsNot) {
  cpu_says("fpu tsc nonstop_tsc");
  EXPECT_FALSE(trust().trusted);
  EXPECT_THAT(trust().reason, HasSubstr("constant_tsc"));
}

TEST_F(TscTrustOf, CounterThatStopsInIdleStatesIsNot) {
  cpu_says("fpu tsc constant_tsc");
  EXPECT_FALSE(trust().trusted);
  EXPECT_THAT(trust().reason, HasSubstr("nonstop_tsc"));
}

TEST_F(TscTrustOf, FlagAtTheEndOfTheLineCounts) {
  cpu_says("nonstop_tsc constant_tsc");
  EXPECT_TRUE(trust().trusted);
}

TEST_F(TscTrustOf, FlagThatIsPartOfAnotherDoesNotCount) {
  cpu_says("xconstant_tsc nonstop_tscy");
  EXPECT_FALSE(trust().trusted);
}

// Arm's processors list no such flags ("Features" instead): its counter is constant by definition.
TEST_F(TscTrustOf, ArmCounterThatTheKernelUsesIsTrustedWithoutFlags) {
  cpu_says("");
  kernel_uses("arch_sys_counter");
  EXPECT_TRUE(trust(Counter::kArm).trusted);
  EXPECT_FALSE(trust(Counter::kX86).trusted);
}

TEST_F(TscTrustOf, ArmCounterThatTheKernelDoesNotUseIsNot) {
  kernel_uses("timer-sp804");
  EXPECT_FALSE(trust(Counter::kArm).trusted);
  EXPECT_THAT(trust(Counter::kArm).reason,
              HasSubstr("the kernel's clock source is 'timer-sp804', not arch_sys_counter"));
}

TEST_F(TscTrustOf, OtherProcessorIsNot) {
  EXPECT_FALSE(trust(Counter::kNone).trusted);
  EXPECT_THAT(trust(Counter::kNone).reason, HasSubstr("no time stamp counter"));
}

TEST(TscTrustOfNothing, MachineThatSaysNothingIsNotTrusted) {
  EXPECT_FALSE(tsc_trust("/nowhere/at/all").trusted);
  EXPECT_NE(tsc_trust("/nowhere/at/all").reason, "");
}

template <typename Clock>
void expect_advancing() {
  std::int64_t before = Clock::now();
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t now = Clock::now();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(Clocks, ReadingsOfOneThreadNeverGoBack) {
  expect_advancing<TscClock>();
  expect_advancing<MonotonicRawClock>();
}

TEST(Clocks, CoarseClockAdvancesInWholeSteps) {
  constexpr CoarseClock kClock{10'000};
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(kClock.now() % 10'000, 0);
  const std::int64_t before = monotonic_raw_ns();
  const std::int64_t now = kClock.now();
  EXPECT_LE(now, monotonic_raw_ns());
  EXPECT_GT(now, before - 10'000);
}

}  // namespace
}  // namespace invar::clock
