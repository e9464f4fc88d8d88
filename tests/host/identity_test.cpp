// What tells hosts apart.
#include "host/identity.hpp"

#include "made_up_root.hpp"

namespace invar::host {
namespace {

using Identity = MadeUpRoot;

TEST_F(Identity, ABootIdThatCannotBeReadIsNotKnown) {
  EXPECT_EQ(boot_id(root_), std::nullopt);
  write("/proc/sys/kernel/random/boot_id", "\n");
  EXPECT_EQ(boot_id(root_), std::nullopt) << "the same on two machines, and says nothing of either";
  write("/proc/sys/kernel/random/boot_id", "89abcdef-89ab-cdef-0123-456789abcdef\n");
  EXPECT_EQ(boot_id(root_), "89abcdef-89ab-cdef-0123-456789abcdef");
}

TEST_F(Identity, AHostIsTheSameForAllItsProcesses) {
  EXPECT_EQ(host_identity(), host_identity());
  EXPECT_NE(host_identity().find(host_name()), std::string::npos);
}

}  // namespace
}  // namespace invar::host
