// What this machine has not, or has not reserved, is refused before anything runs: in a made-up
// /sys and /proc.
#include "driver/prepare/memory_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "design/factors/launch_factors.hpp"
#include "design/memory_operations.hpp"
#include "golden.hpp"
#include "host/files.hpp"
#include "host/policy.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MemoryChecksTest : public testing::Test {
 protected:
  MemoryChecksTest() {
    says("proc/cpuinfo", "flags\t\t: fpu sse2 avx avx2");
    says("sys/devices/system/node/node0/cpulist", "0-1");
    says("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
    says("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "3");
  }
  void says(const std::string& file, const std::string& text) const {
    fs::create_directories((dir_ / file).parent_path());
    std::ofstream(dir_ / file) << text << '\n';
  }
  // `more`: lines of the block; `rest`: further tables.
  [[nodiscard]] std::vector<std::string> faults(const std::string& more,
                                                const std::string& rest = {},
                                                const std::string& operation = "copy") const {
    Prepared prepared;
    prepared.campaign = design::read_campaign(
        design::test::with_head("[[cells]]\noperation = \"" + operation +
                                "\"\nsize = [\"1MiB\", \"3MiB\"]\nranks = 2\n" + more + "\n" +
                                rest + "[[arm]]\nlibrary = \"a\"\n"),
        "c.toml");
    design::expand_variants(prepared.campaign, "c.toml");
    prepared.cells = design::resolve_cells(
        prepared.campaign, design::test::with_memory_operations(2, prepared.campaign.arms.size()),
        "c.toml");
    return invar::test::faults_or_none_of([&] { check_memory_levels(prepared, roots_, "c.toml"); });
  }

  store::TestDir dir_ = {};
  host::HostRoots roots_{.sys = (dir_ / "sys").string(), .proc = (dir_ / "proc").string()};
};

TEST_F(MemoryChecksTest, WhatIsThereIsNotRefused) {
  EXPECT_THAT(faults("width = [\"32\", \"8\", \"widest\"]\nnuma = [\"node:0\", \"local\", "
                     "\"interleaved\"]\npages = [\"default\", \"4KiB\", \"thp\"]"),
              IsEmpty());
}

TEST_F(MemoryChecksTest, EveryFaultIsToldWhereItIsWritten) {
  says("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  EXPECT_THAT(
      faults("width = [\"32\", \"64\"]\nnuma = [\"node:0\", \"node:7\"]\npages = \"thp\""),
      AllOf(SizeIs(3),
            Contains("c.toml:8:9: width 64: this processor loads 32 bytes at once at most; write "
                     "32 or less, or \"widest\""),
            Contains("c.toml:9:8: there is no NUMA node 7 here; there is one, \"node:0\""),
            Contains(HasSubstr("c.toml:10:9: pages \"thp\": this kernel never gives transparent "
                               "huge pages; as root: echo madvise"))));
}

// Two arrays of 3 MiB, as much to move them about in, and guard pages make seven huge pages on each
// of two ranks.
TEST_F(MemoryChecksTest, HugePagesMustBeFreeOrAskedFor) {
  EXPECT_THAT(
      faults("pages = \"2MiB\""),
      ElementsAre(HasSubstr(
          "c.toml:8:9: pages \"2MiB\" take 14 huge pages, and 3 are free; write huge-pages = "
          "\"14x2MiB\" into [engine]")));
  EXPECT_THAT(faults("pages = \"2MiB\"", "[engine]\nhuge-pages = \"14x2MiB\"\n"), IsEmpty());
  EXPECT_THAT(faults("pages = \"2MiB\"", "[engine]\nhuge-pages = \"13x2MiB\"\n"),
              ElementsAre(HasSubstr("take 14 huge pages, and 13 are asked for by huge-pages")));
  EXPECT_THAT(faults("pages = \"2MiB\"",
                     "[engine]\npairing = \"launches\"\nhuge-pages = "
                     "[\"14x2MiB\", \"default\"]\n"),
              ElementsAre(HasSubstr("take 14 huge pages, and 3 are free")))
      << "a launch without";
  says("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "14");
  EXPECT_THAT(faults("pages = \"2MiB\""), IsEmpty());
  EXPECT_THAT(faults("pages = \"1GiB\""),
              ElementsAre(HasSubstr("this kernel has no huge pages of that size")));
}

TEST_F(MemoryChecksTest, APolicyThatMayNotBeHadIsRefusedWithTheRemedy) {
  const bool refused = host::policy_refusal({.kind = record::PolicyKind::kFifo}).has_value();
  EXPECT_THAT(faults("policy = [\"other\", \"fifo\"]"), SizeIs(refused ? 1U : 0U));
}

TEST_F(MemoryChecksTest, OtherOperationsAskForNothing) {
  EXPECT_THAT(faults("", "", "bcast"), IsEmpty());
}

}  // namespace
}  // namespace invar::driver
