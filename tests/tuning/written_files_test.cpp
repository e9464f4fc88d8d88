// files.csv: a file that somebody has changed is known by its name.
#include "tuning/written_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace invar::tuning {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WrittenFiles, AreWrittenAndReadAgain) {
  const WrittenFiles written{.dir = "/home/me/t, 1",
                             .from = "/home/me/theirs",
                             .checksums = {{"rules.conf", "01234567"}, {"table.csv", "89abcdef"}}};
  const WrittenFiles again = parse_written(written_text(written), "files.csv");
  EXPECT_EQ(again, written);
}

TEST(WrittenFiles, EveryFaultIsToldWithItsLine) {
  try {
    static_cast<void>(parse_written("what,name,text\nfile,a\nfolder,a,b\n", "files.csv"));
    FAIL();
  } catch (const base::UserError& error) {
    ASSERT_EQ(error.faults().size(), 2U);
    EXPECT_EQ(error.faults()[0].line, 2);
    EXPECT_EQ(error.faults()[1].line, 3);
  }
  EXPECT_THROW(static_cast<void>(parse_written("", "files.csv")), base::UserError);
}

TEST(WrittenFiles, EachThatWasChangedOrIsGoneIsNamed) {
  std::map<std::string, std::string> texts{
      {"libinvar-tuned.so", "ELF"}, {"rules.conf", "1\n"}, {"table.csv", "a"}};
  WrittenFiles written;
  for (const auto& [name, text] : texts) written.checksums[name] = checksum_of_text(text);
  const auto changes = [&] {
    return changes_since(written, [&](const std::string& name) -> std::optional<std::string> {
      if (!texts.contains(name)) return std::nullopt;
      return texts.at(name);
    });
  };
  EXPECT_THAT(changes(), IsEmpty());
  texts["README"] = "of somebody's own";
  EXPECT_THAT(changes(), IsEmpty());
  texts["libinvar-tuned.so"] = "ELF ";
  texts.erase("rules.conf");
  EXPECT_THAT(changes(), ElementsAre(FileChange{.name = "libinvar-tuned.so"},
                                     FileChange{.name = "rules.conf", .gone = true}));
}

}  // namespace
}  // namespace invar::tuning
