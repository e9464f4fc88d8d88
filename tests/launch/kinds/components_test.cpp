// What libraries say of their components, as they print it.
#include "launch/kinds/components.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/kinds/kind.hpp"

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Two processes talk at once; self is how a process sends to itself.
TEST(Components, OfOpenMpiAreThoseOfItsFirstCommunicator) {
  const auto* said =
      "[vm:00505] select: component ob1 selected\n"
      "[vm:00506] select: component ob1 selected\n"
      "[vm:00506] mca: bml: Using vader btl for send to [[27914,1],0] on node vm\n"
      "[vm:00505] mca: bml: Using self btl for send to [[27914,1],0] on node vm\n"
      "[vm:00505] mca: bml: Using tcp btl for send to [[27914,1],1] on node other\n"
      "[vm:00505] coll:base:comm_select: selecting          sm, priority   0, Disabled\n"
      "[vm:00505] coll:base:comm_select: selecting      libnbc, priority  10, Enabled\n"
      "[vm:00506] coll:base:comm_select: selecting         han, priority  40, Enabled\n"
      "[vm:00505] coll:base:comm_select: selecting       tuned, priority  30, Enabled\n"
      "[vm:00505] coll:base:comm_select: selecting      libnbc, priority  10, Enabled\n"
      "[vm:00505] coll:base:comm_select: selecting        self, priority  75, Enabled\n";
  EXPECT_THAT(open_mpi_components(said), ElementsAre(Pair("pml", "ob1"), Pair("btl", "tcp, vader"),
                                                     Pair("coll", "tuned, libnbc")));
}

TEST(Components, OfMpichOverUcxAreTheLanesToOthers) {
  const auto* said =
      "==== UCX netmod Capability ====\n"
      "[1] UCX  INFO    ep_cfg[0]: tag(self/memory0 cma/memory) rma(self/memory0 sysv/memory)\n"
      "[1] UCX  INFO    ep_cfg[1]: tag(sysv/memory cma/memory) rma(sysv/memory posix/memory)\n";
  EXPECT_THAT(mpich_components(said),
              ElementsAre(Pair("netmod", "ucx"), Pair("transports", "sysv, cma")));
}

TEST(Components, OfIntelAreItsProviderAndTheFabricItIsTunedFor) {
  EXPECT_THAT(intel_components("[0] MPI startup(): Load tuning file: "
                               "\"/opt/mpi/etc/tuning_generic_shm.dat\"\n"),
              ElementsAre(Pair("tuning", "generic_shm")));
  EXPECT_THAT(intel_components("[0] MPI startup(): libfabric provider: tcp\n"),
              ElementsAre(Pair("provider", "tcp")));
}

TEST(Components, WhoSaysNothingChoseNothingThatIsKnown) {
  for (const LibraryKind& kind : library_kinds()) {
    if (kind.components == nullptr) continue;
    EXPECT_THAT(kind.components(""), IsEmpty()) << kind.name;
    EXPECT_THAT(kind.components("an error\nprovider\ntag(\n[1\n"), IsEmpty()) << kind.name;
    ASSERT_NE(kind.told, nullptr);
    EXPECT_FALSE(kind.told().empty()) << kind.name;
  }
}

}  // namespace
}  // namespace invar::launch
