// By which way a word reaches everybody.
#include "base/binomial_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace invar::base {
namespace {

using testing::ElementsAre;

TEST(BinomialTree, OfEightHasThreeStepsAndTellsTheLargestPartFirst) {
  EXPECT_EQ(tree_place(0, 8).parent, std::nullopt);
  EXPECT_THAT(tree_place(0, 8).children, ElementsAre(4, 2, 1));
  EXPECT_EQ(tree_place(6, 8).parent, 4U);
  EXPECT_THAT(tree_place(6, 8).children, ElementsAre(7));
  EXPECT_THAT(tree_place(0, 6).children, ElementsAre(4, 2, 1));
  EXPECT_THAT(tree_place(4, 6).children, ElementsAre(5));
}

TEST(BinomialTree, ReachesEverybodyOnceInTheFewestSteps) {
  for (std::size_t places = 1; places <= 70; ++places) {
    std::vector<std::size_t> steps(places, 0);
    for (std::size_t place = 0; place < places; ++place) {
      const TreePlace tree = tree_place(place, places);
      std::size_t step = steps[place];
      for (const std::size_t child : tree.children) {
        ASSERT_GT(child, place);
        ASSERT_EQ(tree_place(child, places).parent, place);
        steps[child] = ++step;
      }
      ASSERT_EQ(tree.parent.has_value(), place != 0);
    }
    EXPECT_EQ(*std::ranges::max_element(steps),
              static_cast<std::size_t>(std::bit_width(places - 1)))
        << places;
  }
}

}  // namespace
}  // namespace invar::base
