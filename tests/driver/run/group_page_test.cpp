#include "driver/run/group_page.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>

#include "group/forked.hpp"
#include "host/identity.hpp"

namespace invar::driver {
namespace {

using group::test::ForkedGroup;

constexpr int kNoChildren = -1;

// A loaded machine lets the driver come when both ranks are gone.
class FirstToEnd : public testing::TestWithParam<int> {};

TEST_P(FirstToEnd, IsKnownToADriverThatComesTooLateToSeeIt) {
  const int first = GetParam();
  const std::string id = group::test::page_name("first");
  GroupPage page(id);
  ASSERT_EQ(page.problem(), "");
  const group::Page::Shape shape{.arms = 1, .local_ranks = 2};
  ForkedGroup ranks(shape, [&](std::uint32_t arm, std::uint32_t rank) {
    const group::Page own = group::Page::attach(group::Page::name_of(id, host::host_identity()),
                                                shape, {.arm = arm, .local_rank = rank});
    while (true) pause();
  });
  ASSERT_TRUE(group::test::eventually([&] {
    const auto all = page.ranks();
    return all.size() == 2 &&
           std::ranges::all_of(all, [](const auto& seen) { return seen.pid > 0; });
  }));
  page.wait(kNoChildren);  // it watches both from here on
  ASSERT_FALSE(page.first_gone());
  for (const int rank : {first, 1 - first}) {
    ranks.kill(static_cast<std::size_t>(rank));
    ASSERT_TRUE(group::test::eventually([&] {
      return group::process_state(page.ranks().at(static_cast<std::size_t>(rank)).pid) ==
             group::ProcessState::kGone;
    }));
  }
  page.wait(kNoChildren);
  ASSERT_TRUE(page.first_gone());
  EXPECT_EQ(page.first_gone()->local_rank, static_cast<std::uint32_t>(first));
  EXPECT_GE(page.first_gone()->rank, 0) << "the driver is sure";
  ranks.wait();
}

INSTANTIATE_TEST_SUITE_P(Either, FirstToEnd, testing::Values(0, 1));

}  // namespace
}  // namespace invar::driver
