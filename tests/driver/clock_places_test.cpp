// Where the ranks of experiments with clocks run.
#include "driver/clock_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace invar::driver {
namespace {

using Hosts = std::vector<design::Host>;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kCores = 2;

std::string refusal_of(std::uint32_t ranks, const Hosts& hosts, bool some_hosts = false) {
  try {
    (void)place_of(ranks, hosts, kCores, some_hosts);
  } catch (const base::UserError& error) {
    std::string all;
    for (const base::Fault& fault : error.faults()) all += fault.text() + '\n';
    return all;
  }
  return {};
}

TEST(ClockPlaces, UsualRanksAreAsManyAsAllHostsSayThatTheyTake) {
  EXPECT_EQ(usual_ranks({}, 6), 6);
  EXPECT_EQ(usual_ranks({{"a"}, {"b"}}, 6), 2);
  EXPECT_EQ(usual_ranks({{"a", 4}, {"b", 3}}, 2), 6);
  EXPECT_EQ(usual_ranks({{"a", 4}, {"b"}}, 2), 2);
}

TEST(ClockPlaces, UsualNumbersGoUpToAllRanksThatTheHostsTake) {
  EXPECT_THAT(usual_numbers({}, 2), ElementsAre(2));
  EXPECT_THAT(usual_numbers({}, 6), ElementsAre(2, 4, 6));
  EXPECT_THAT(usual_numbers({{"a"}, {"b"}}, kCores), ElementsAre(2));
  EXPECT_THAT(usual_numbers({{"a", 4}, {"b", 4}}, kCores), ElementsAre(2, 4, 8));
  EXPECT_THAT(usual_numbers({{"a", 6}}, kCores), ElementsAre(2, 4, 6));
  EXPECT_THAT(usual_numbers({{"a"}}, kCores), ElementsAre(2)) << "one clock agrees with nobody";
  EXPECT_THAT(usual_numbers({{"a"}, {"b"}, {"c"}}, kCores), ElementsAre(2, 3));
  EXPECT_THAT(usual_numbers({{"a", 3}, {"b", 3}, {"c", 3}}, kCores), ElementsAre(2, 3, 6, 9));
}

TEST(ClockPlaces, UsualNumbersCanBeSpreadOverTheHosts) {
  for (std::uint32_t hosts = 1; hosts <= 9; ++hosts) {
    for (std::uint32_t slots = 2; slots <= 9; ++slots) {
      Hosts all;
      for (std::uint32_t i = 0; i < hosts; ++i) all.push_back({"node" + std::to_string(i), slots});
      for (const std::uint32_t ranks : usual_numbers(all, kCores)) {
        EXPECT_EQ(refusal_of(ranks, all, true), "") << ranks << " on " << hosts;
      }
    }
  }
}

TEST(ClockPlaces, FewerRanksThanHostsAreRefusedWhereOneNumberIsMeasured) {
  const Hosts hosts{{"a"}, {"b"}, {"c"}};
  EXPECT_THAT(refusal_of(2, hosts), HasSubstr("2 ranks are not as many on each of 3 hosts"));
  EXPECT_THAT(refusal_of(2, hosts), HasSubstr("name 3 or a multiple of it, or as many hosts"));
  EXPECT_EQ(place_of(2, hosts, kCores, true).hosts, (Hosts{{"a"}, {"b"}}));
  EXPECT_EQ(place_of(3, hosts, kCores, false).hosts, hosts);
}

TEST(ClockPlaces, MoreThanAHostTakesIsRefusedWithItsName) {
  EXPECT_THAT(refusal_of(4, {{"a", 1}, {"b", 1}}), HasSubstr("would be on b, which takes 1"));
  EXPECT_THAT(refusal_of(6, {{"a"}, {"b", 3}}), HasSubstr("others may have more: write a:3"));
  EXPECT_THAT(refusal_of(1, {}), HasSubstr("a single clock"));
}

TEST(ClockPlaces, RanksOnEachHostAreKnownWhereAllPlacesHaveAsMany) {
  EXPECT_EQ(ranks_on_each(std::vector<ClockPlace>{{.ranks = 2}}), 2);
  EXPECT_EQ(ranks_on_each(std::vector<ClockPlace>{{.ranks = 4, .hosts = {{"a"}, {"b"}}}}), 2);
  EXPECT_EQ(ranks_on_each(std::vector<ClockPlace>{{.ranks = 4}, {.ranks = 2}}), std::nullopt);
  EXPECT_EQ(ranks_on_each(std::vector<ClockPlace>{{.ranks = 2, .hosts = {{"a"}, {"b"}}},
                                                  {.ranks = 3, .hosts = {{"a"}, {"b"}, {"c"}}}}),
            1);
}

TEST(ClockPlaces, TheLargestIsNotTheLastOne) {
  EXPECT_EQ(largest_place({{.ranks = 2}, {.ranks = 8}, {.ranks = 4}}).ranks, 8);
}

}  // namespace
}  // namespace invar::driver
