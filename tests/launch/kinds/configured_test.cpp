// With what a library was configured, from what it or its tools print.
#include <gtest/gtest.h>

#include "launch/kinds/hydra.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/kinds/open_mpi.hpp"

namespace invar::launch {
namespace {

TEST(Configured, OfOpenMpiIsTheLineOfOmpiInfo) {
  EXPECT_EQ(parse_ompi_configure("config:user:builder\n"
                                 "config:cli: '--prefix=/usr' '--with-ucx'\n"
                                 "config:host:a\n"),
            "'--prefix=/usr' '--with-ucx'");
  EXPECT_EQ(parse_ompi_configure("config:cli:\"'--prefix=/opt/a b'\"\n"), "'--prefix=/opt/a b'");
  EXPECT_EQ(parse_ompi_configure("config:cli:\n"), "");
  EXPECT_EQ(parse_ompi_configure("no such line\n"), "");
}

TEST(Configured, OfMpichStandsInItsVersion) {
  EXPECT_EQ(mpich_configured({},
                             "MPICH Version:\t4.0.2\nMPICH Device:\tch4:ucx\n"
                             "MPICH configure:\t--prefix=/usr --with-device=ch4:ucx\n"
                             "MPICH CC:\tgcc\n"),
            "--prefix=/usr --with-device=ch4:ucx");
  EXPECT_EQ(mpich_configured({},
                             "MVAPICH2 Version      :\t2.3\n"
                             "MVAPICH2 configure:   --enable-shared\n"),
            "--enable-shared");
  EXPECT_EQ(mpich_configured({}, "MPICH Version:\t4.0.2"), "");
}

TEST(Configured, WhoDoesNotTellIsNotAsked) {
  EXPECT_EQ(kind_of("intel").configured, nullptr);
  EXPECT_EQ(kind_of("other").configured, nullptr);
}

}  // namespace
}  // namespace invar::launch
