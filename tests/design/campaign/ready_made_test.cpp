// The campaigns that come with Invar can be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "design/campaign/campaign.hpp"

namespace invar::design {
namespace {

std::vector<std::filesystem::path> ready_made() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(INVAR_SOURCE_DIR) + "/campaigns")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Campaign read_ready_made(const std::string& name) {
  const std::string path = std::string(INVAR_SOURCE_DIR) + "/campaigns/" + name + ".toml";
  return read_campaign(base::read_file(path).value(), path);
}

TEST(ReadyMadeCampaigns, CanAllBeRead) {
  const std::vector<std::filesystem::path> files = ready_made();
  EXPECT_GT(files.size(), 8U);
  for (const std::filesystem::path& file : files) {
    EXPECT_NO_THROW((void)read_campaign(base::read_file(file.string()).value(), file.string()))
        << file;
  }
}

TEST(ReadyMadeCampaigns, OfPairsAskAboutPairsOfAllRanks) {
  const Campaign pairs = read_ready_made("all-pairs");
  EXPECT_EQ(pairs.analysis.question, Question::kAllPairs);
  EXPECT_THAT(pairs.cells.at(0).levels.at("pattern"), testing::ElementsAre("all-pairs"));
  const Campaign bisection = read_ready_made("bisection");
  EXPECT_EQ(bisection.analysis.question, Question::kBisection);
  EXPECT_THAT(bisection.cells.at(0).levels.at("pattern"),
              testing::ElementsAre("distance:1", "bisection", "random-matchings:10"));
}

}  // namespace
}  // namespace invar::design
