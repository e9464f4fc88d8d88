// Which socket a CPU is on, as a made-up /sys tells it.
#include "host/sockets.hpp"

#include "host/made_up_root.hpp"

namespace invar::host {
namespace {

class Sockets : public MadeUpRoot {};

TEST_F(Sockets, AreReadFromTheTopologyOfTheCpu) {
  write("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  write("/sys/devices/system/cpu/cpu64/topology/physical_package_id", "1\n");
  EXPECT_EQ(socket_of_cpu(0, root_ + "/sys"), 0);
  EXPECT_EQ(socket_of_cpu(64, root_ + "/sys"), 1);
}

TEST_F(Sockets, AreUnknownWhereTheSystemDoesNotTell) {
  write("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "-1\n");
  EXPECT_EQ(socket_of_cpu(1, root_ + "/sys"), kUnknownSocket);
  EXPECT_EQ(socket_of_cpu(2, root_ + "/sys"), kUnknownSocket);
}

}  // namespace
}  // namespace invar::host
