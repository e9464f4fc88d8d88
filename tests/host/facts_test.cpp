// Which distribution a host says that it is.
#include "host/facts.hpp"

#include <gtest/gtest.h>

#include "made_up_root.hpp"

namespace invar::host {
namespace {

class Distribution : public MadeUpRoot {
 protected:
  [[nodiscard]] Text distribution() const { return read_facts(root_).kernel.distribution; }
};

TEST_F(Distribution, IsThePrettyNameOfOsRelease) {
  write("/etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  EXPECT_EQ(distribution(), "Debian GNU/Linux 12 (bookworm)");
  write("/etc/os-release", "PRETTY_NAME=Plain\n");
  EXPECT_EQ(distribution(), "Plain");
}

TEST_F(Distribution, IsReadWhereItLiesUsuallyIfEtcHasNone) {
  EXPECT_EQ(distribution(), std::nullopt);
  write("/etc/os-release", "ID=x\nPRETTY_NAME=\"\"\n");
  EXPECT_EQ(distribution(), std::nullopt);
  write("/usr/lib/os-release", "PRETTY_NAME='Other Linux 3'\n");
  EXPECT_EQ(distribution(), "Other Linux 3");
}

}  // namespace
}  // namespace invar::host
