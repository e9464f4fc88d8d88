// Files that settings name: they are checksummed with the arm, and must be there.
#include "launch/start/named_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "launch/start/arms.hpp"
#include "store/test_dir.hpp"

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string made(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
  return file.string();
}

TEST(NamedFiles, AreThoseThatAreThere) {
  const store::TestDir dir;
  const std::string rules = made(dir / "rules.conf", "1\n");
  const std::string shim = made(dir / "libinvar-tuned.so", "\x7f");
  EXPECT_THAT(named_files({{"OMPI_MCA_coll_tuned_dynamic_rules_filename", rules},
                           {"LD_PRELOAD", shim + ":" + rules + ":libother.so"},
                           {"OMPI_MCA_btl", "tcp,self"},
                           {"UCX_LOG_FILE", (dir / "log").string()},
                           {"TMPDIR", dir.path().string()}}),
              ElementsAre(rules, shim));
}

TEST(NamedFiles, MissingOneIsTold) {
  const store::TestDir dir;
  const std::string gone = (dir / "gone.conf").string();
  const std::string there = made(dir / "there.so", "");
  const auto missing = missing_files({{"OMPI_MCA_coll_tuned_dynamic_rules_filename", gone},
                                      {"LD_PRELOAD", there + ":libother.so"},
                                      {"UCX_LOG_FILE", (dir / "log").string()}});
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].file, gone);
  EXPECT_EQ(missing[0].variable, "OMPI_MCA_coll_tuned_dynamic_rules_filename");
  EXPECT_EQ(missing_files({{"INVAR_TUNED_TABLE", "table.csv"}}).size(), 1U)
      << "ranks may start in another folder";
}

TEST(NamedFiles, BelongToTheChecksumsOfTheArm) {
  const store::TestDir dir;
  const std::string rules = made(dir / "rules.conf", "1\n");
  const CheckedArm arm{.label = "tuned",
                       .environment = {{"OMPI_MCA_coll_tuned_dynamic_rules_filename", rules}}};
  const auto before = checksums_of(arm);
  ASSERT_TRUE(before.contains(rules));
  made(rules, "2\n");
  EXPECT_NE(checksums_of(arm).at(rules), before.at(rules));
  EXPECT_THAT(checksums_of({.label = "plain"}), IsEmpty());
}

}  // namespace
}  // namespace invar::launch
