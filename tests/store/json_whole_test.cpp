// A number that is damaged must never become another plausible one. Here, because base has no JSON
// library where the engine is built alone.
#include "base/json_whole.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace invar::store {
namespace {

using base::whole;
using base::whole_numbers;
using base::whole_or;
using nlohmann::json;

TEST(JsonWhole, TakesWhatFits) {
  EXPECT_EQ(whole<std::uint32_t>(json(4294967295U)), 4294967295U);
  EXPECT_EQ(whole<int>(json(-3)), -3);
  EXPECT_EQ(whole_or(json{{"a", 7}}, "a", 0U), 7U);
  EXPECT_EQ(whole_or(json{{"a", 7}}, "b", 2U), 2U);
  EXPECT_EQ(whole_numbers<std::uint32_t>(json{1, 2}), (std::vector<std::uint32_t>{1, 2}));
}

TEST(JsonWhole, RefusesEverythingElse) {
  for (const char* text : {"4294967296", "4294967297", "-1", "1.5", "1e98", "1.0", "true", "null",
                           "\"1\"", "[1]", "18446744073709551616"}) {
    EXPECT_THROW(whole<std::uint32_t>(json::parse(text)), json::type_error) << text;
  }
  EXPECT_THROW(whole_or(json{{"a", 1.5}}, "a", 0U), json::type_error);
  EXPECT_THROW(whole_numbers<std::uint32_t>(json{1, 2.5}), json::type_error);
  EXPECT_THROW(whole_numbers<std::uint32_t>(json(1)), json::type_error);
}

}  // namespace
}  // namespace invar::store
