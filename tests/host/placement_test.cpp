// Which cores the ranks of a host take, on topologies that no machine here has.
#include "host/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "host/made_up_root.hpp"

namespace invar::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two packages of four NUMA nodes of eight cores, of which four share a cache: CPU 0 to 63, node
// after node. Or fewer of each.
std::vector<Core> machine(std::uint32_t packages = 2, std::uint32_t nodes = 4,
                          std::uint32_t each = 8) {
  std::vector<Core> cores;
  for (std::uint32_t cpu = 0; cpu < packages * nodes * each; ++cpu) {
    const std::uint32_t node = cpu / each;
    cores.push_back({.cpu = cpu, .package = node / nodes, .numa_node = node, .cache = cpu / 4 * 4});
  }
  return cores;
}

TEST(Packed, TakesCoresAsTheyAreGiven) {
  EXPECT_THAT(place_ranks(machine(), 5, "packed"), ElementsAre(0, 1, 2, 3, 4));
  const std::vector<Core> turned{{.cpu = 4}, {.cpu = 2}, {.cpu = 7}};
  EXPECT_THAT(place_ranks(turned, 2, "packed"), ElementsAre(4, 2));
}

TEST(Spread, GoesOverPackagesThenNodesThenCachesThenCores) {
  // Packages by turns; on each its nodes 0 to 3 (4 to 7) by turns.
  EXPECT_THAT(place_ranks(machine(), 8, "spread"), ElementsAre(0, 32, 8, 40, 16, 48, 24, 56));
  // Then the other cache of each node, then the next core of the first one.
  const std::vector<std::uint32_t> all = place_ranks(machine(), 64, "spread");
  EXPECT_EQ(all[8], 4U);
  EXPECT_EQ(all[9], 36U);
  EXPECT_EQ(all[16], 1U);
  EXPECT_EQ(all[17], 33U);
}

TEST(Numa, GoesOverNodesInTheOrderOfTheirNumbers) {
  EXPECT_THAT(place_ranks(machine(), 10, "numa"), ElementsAre(0, 8, 16, 24, 32, 40, 48, 56, 1, 9));
}

TEST(Placements, UseEveryCoreOnceBeforeAnyTwice) {
  for (const char* placement : {"packed", "spread", "numa"}) {
    const std::vector<std::uint32_t> cpus = place_ranks(machine(), 65, placement);
    EXPECT_EQ(std::set<std::uint32_t>(cpus.begin(), cpus.begin() + 64).size(), 64U) << placement;
    EXPECT_EQ(cpus[64], cpus[0]) << placement << ": more ranks than cores";
  }
}

// What a control group leaves: one core of node 0, all of node 1, two of node 2 on package 1.
TEST(Placements, PassOverWhatIsFull) {
  std::vector<Core> allowed;
  for (const Core& core : machine(2, 2, 4)) {
    const bool left = core.cpu == 3 || core.numa_node == 1 || core.cpu == 8 || core.cpu == 9;
    if (left) allowed.push_back(core);
  }
  EXPECT_THAT(place_ranks(allowed, 7, "numa"), ElementsAre(3, 4, 8, 5, 9, 6, 7));
  EXPECT_THAT(place_ranks(allowed, 7, "spread"), ElementsAre(3, 8, 4, 9, 5, 6, 7));
}

TEST(Placements, DoNotDependOnTheOrderOfCoresButForPacked) {
  std::vector<Core> backwards = machine();
  std::ranges::reverse(backwards);
  for (const char* placement : {"spread", "numa"}) {
    EXPECT_EQ(place_ranks(backwards, 20, placement), place_ranks(machine(), 20, placement));
  }
}

TEST(Placements, AreAllTheSameOnOneCore) {
  for (const char* placement : {"packed", "spread", "numa"}) {
    EXPECT_THAT(place_ranks(machine(1, 1, 1), 2, placement), ElementsAre(0, 0)) << placement;
    EXPECT_THAT(place_ranks({}, 0, placement), IsEmpty()) << placement;
    EXPECT_THROW(place_ranks({}, 1, placement), std::invalid_argument) << placement;
  }
  EXPECT_THROW(place_ranks(machine(), 1, "scattered"), std::invalid_argument);
}

TEST(NumaNodes, AreThoseOfTheCoresThatMayBeUsed) {
  EXPECT_EQ(numa_nodes(machine()), 8U);
  EXPECT_EQ(numa_nodes(std::vector<Core>{{.cpu = 1, .numa_node = 3}, {.cpu = 2, .numa_node = 3}}),
            1U);
  EXPECT_EQ(numa_nodes({}), 0U);
}

class Topology : public MadeUpRoot {
 protected:
  // Two threads a core: CPU i and i + 2. Two cores, each a package, a node and a cache of its own.
  void SetUp() override {
    MadeUpRoot::SetUp();
    for (const std::uint32_t cpu : {0U, 1U, 2U, 3U}) {
      const std::string folder = "/devices/system/cpu/cpu" + std::to_string(cpu);
      const std::string core = std::to_string(cpu % 2);
      const std::string threads = core + "," + std::to_string(cpu % 2 + 2) + "\n";
      write(folder + "/topology/physical_package_id", core + "\n");
      write(folder + "/topology/thread_siblings_list", threads);
      write(folder + "/node" + core + "/cpulist", threads);
      write(folder + "/cache/index0/level", "1\n");
      write(folder + "/cache/index0/shared_cpu_list", std::to_string(cpu) + "\n");
      write(folder + "/cache/index3/level", "3\n");
      write(folder + "/cache/index3/shared_cpu_list", threads);
    }
    for (const char* node : {"0", "1"}) {
      write("/devices/system/node/node" + std::string(node) + "/distance",
            *node == '0' ? "10 21\n" : "21 10\n");
    }
    write("/devices/system/node/online", "0-1\n");
    write("/class/net/lo/mtu", "65536\n");
    write("/class/net/eth0/device/numa_node", "-1\n");
    write("/class/net/ib0/device/numa_node", "1\n");
    write("/class/infiniband/mlx5_0/device/numa_node", "0\n");
  }
};

TEST_F(Topology, IsReadFromTheKernel) {
  const std::vector<std::uint32_t> cpus{0, 3};
  EXPECT_THAT(read_cores(cpus, root_),
              ElementsAre(Core{.cpu = 0, .package = 0, .numa_node = 0, .cache = 0},
                          Core{.cpu = 3, .package = 1, .numa_node = 1, .cache = 1}));
}

TEST_F(Topology, ThreadsAreOfOneCore) {
  EXPECT_EQ(core_of(2, root_), 0U);
  EXPECT_EQ(core_of(3, root_), 1U);
  EXPECT_EQ(core_of(99, root_), 99U) << "the kernel says nothing of it";
}

TEST_F(Topology, OfWhatTheKernelDoesNotSayIsFlat) {
  const std::vector<std::uint32_t> cpus{7};
  EXPECT_THAT(read_cores(cpus, root_), ElementsAre(Core{.cpu = 7}));
}

TEST_F(Topology, NetworkDevicesAreAsFarAsTheKernelSays) {
  EXPECT_THAT(network_devices(0, root_),
              ElementsAre(NetworkDevice{.name = "eth0"},
                          NetworkDevice{.name = "ib0", .numa_node = 1, .distance = 21},
                          NetworkDevice{.name = "mlx5_0", .numa_node = 0, .distance = 10}));
  EXPECT_EQ(network_devices(1, root_)[1].distance, 10U);
}

TEST_F(Topology, PlaceOfARankLeavesOutWhatIsNotKnown) {
  EXPECT_EQ(numa_node_of(3, root_), 1U);
  EXPECT_EQ(numa_node_of(7, root_), std::nullopt);
  EXPECT_EQ(place_json(0, true, root_), R"({"numa_node":0,"network":[{"device":"eth0"},)"
                                        R"({"device":"ib0","numa_node":1,"distance":21},)"
                                        R"({"device":"mlx5_0","numa_node":0,"distance":10}]})");
  EXPECT_EQ(place_json(std::nullopt, true, root_),
            R"({"network":[{"device":"eth0"},{"device":"ib0","numa_node":1},)"
            R"({"device":"mlx5_0","numa_node":0}]})");
  EXPECT_EQ(place_json(1, false, root_), R"({"numa_node":1})");
}

// 128 ranks of a host would tell of the same devices 128 times.
TEST(NetworkDevices, AreToldByTheLowestRankOfEveryNodeOfAHost) {
  const std::vector<std::uint32_t> hosts{0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<std::int32_t> nodes{0, 1, 0, 1, 1, 1, -1, -1};
  std::vector<std::uint32_t> tell;
  for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
    if (tells_of_network(hosts, nodes, rank)) tell.push_back(rank);
  }
  EXPECT_THAT(tell, ElementsAre(0, 1, 4, 6));
}

}  // namespace
}  // namespace invar::host
