#include "base/error.hpp"

#include <gtest/gtest.h>

namespace invar::base {
namespace {

TEST(Fault, TextNamesPlaceFaultAndRemedy) {
  const Fault fault{
      .place = "c.toml", .line = 3, .column = 8, .what = "wrong", .remedy = "mend it"};
  EXPECT_EQ(fault.text(), "c.toml:3:8: wrong; mend it");
}

TEST(Fault, AbsentPartsLeaveNoTrace) {
  EXPECT_EQ((Fault{.what = "wrong"}.text()), "wrong");
  EXPECT_EQ((Fault{.place = "--size", .what = "wrong"}.text()), "--size: wrong");
  EXPECT_EQ((Fault{.place = "p.csv", .line = 7, .what = "wrong"}.text()), "p.csv:7: wrong");
}

TEST(Faults, AllAreThrownTogetherAsAUsageError) {
  Faults faults;
  EXPECT_NO_THROW(faults.throw_if_any());
  faults.add("a", "first");
  faults.add("b", "second", "do that");
  try {
    faults.throw_if_any();
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.status(), Exit::kUsage);
    EXPECT_EQ(error.faults().size(), 2U);
    EXPECT_STREQ(error.what(), "a: first\nb: second; do that");
  }
}

}  // namespace
}  // namespace invar::base
