#include "store/reproduction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"

namespace invar::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Reproduction two_repeats() {
  return {.budget_s = 20.5,
          .campaign_crc = 0xdeadbeef,
          .seed = 7,
          .methods = {"invar", "osu"},
          .computed = {"reprompi"},
          .repeats = {{.seed = 0x7fffffffffffffffU, .order = {"osu", "invar"}},
                      {.seed = 2, .order = {"invar", "osu"}}}};
}

std::vector<std::string> faults(const std::string& text) {
  return test::faults_of([&] { (void)read_reproduction(text, "d/reproduce.json"); });
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = reproduction_json(two_repeats());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Reproduction, IsReadAsItWasWritten) {
  EXPECT_EQ(read_reproduction(reproduction_json(two_repeats()), "p"), two_repeats());
}

TEST(Reproduction, WhatIsNoSuchFileIsRefused) {
  EXPECT_THAT(faults("{"), ElementsAre(HasSubstr("d/reproduce.json: cannot be read")));
  EXPECT_THAT(faults(replaced("\"schema\":1", "\"schema\":2")),
              ElementsAre(HasSubstr("another schema")));
  EXPECT_THAT(faults(replaced("\"times\":2", "\"times\":3")), ElementsAre(HasSubstr("repeats")));
  EXPECT_THAT(faults(replaced("[\"osu\",\"invar\"]", "[\"osu\",\"imb\"]")),
              ElementsAre(HasSubstr("other methods")));
  EXPECT_THAT(faults(replaced("[\"invar\",\"osu\"]", "[\"invar\",\"../osu\"]")),
              ElementsAre(HasSubstr("no sense")))
      << "names become directories";
  EXPECT_THAT(faults(replaced("20.5", "0")), ElementsAre(HasSubstr("no sense")));
}

TEST(Reproduction, DirectoriesAreNumberedFromOneAndSortByTheirNumber) {
  EXPECT_EQ(repeat_dir("d", 1, "osu"), "d/01/osu");
  EXPECT_EQ(repeat_dir("d", 12, "invar"), "d/12/invar");
}

}  // namespace
}  // namespace invar::store
