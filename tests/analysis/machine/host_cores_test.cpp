// Cores of a host as its launches recorded them.
#include "analysis/machine/host_cores.hpp"

#include <gtest/gtest.h>

namespace invar::analysis {
namespace {

TEST(RecordedCores, AreThoseThatWereOnlineAndAllowed) {
  EXPECT_EQ(recorded_cores(R"({"hosts": [{"processor": {"online": "0-3,8", "smt_active": false},
                                          "limits": {"cpuset": null}}]})"),
            5U);
  EXPECT_EQ(recorded_cores(R"({"hosts": [{"processor": {"online": "0-7"},
                                          "limits": {"cpuset": "2-4,9"}},
                                         {"processor": {"online": "0-99"}}]})"),
            3U);
  EXPECT_EQ(recorded_cores(R"({"hosts": [{"processor": {"online": "0-7", "smt_active": true}}]})"),
            4U);
}

TEST(RecordedCores, AreNoneWhereNothingIsRecordedOrItMakesNoSense) {
  for (const char* text : {"", "[]", "{}", R"({"hosts": []})", R"({"hosts": [1]})",
                           R"({"hosts": [{}]})", R"({"hosts": [{"processor": {"online": "3-1"}}]})",
                           R"({"hosts": [{"processor": {"online": "0-99999999"}}]})",
                           R"({"hosts": [{"processor": {"online": 4}}]})"}) {
    EXPECT_EQ(recorded_cores(text), 0U) << text;
  }
}

}  // namespace
}  // namespace invar::analysis
