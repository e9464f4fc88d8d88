// The campaigns that come with Invar can be read, and have cells on machines of two cores and more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "design/campaign/campaign.hpp"
#include "design/helpers.hpp"
#include "design/memory_operations.hpp"

namespace invar::design {
namespace {

std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(INVAR_SOURCE_DIR) + "/" + folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::filesystem::path> ready_made() { return files_of("campaigns"); }

// As engines describe what these campaigns measure of messages, and of collectives meanwhile.
std::vector<record::OperationInfo> messages_and_overlap() {
  constexpr record::Blocks kSlots{.per_message = 1};
  std::vector<record::OperationInfo> all;
  const auto add = [&](const char* name, record::Messages messages, bool both_ways = false) {
    all.push_back({.name = name,
                   .datatypes = {{.name = "byte"}},
                   .chain = record::Chain::kOne,
                   .buffers = test::everywhere(kSlots, kSlots),
                   .messages = messages,
                   .both_ways = both_ways});
  };
  add("pingpong", record::Messages::kMatched, true);
  add("memcpy", record::Messages::kMatched);
  add("exchange", record::Messages::kMatched, true);
  all.back().overlaps = true;
  add("bistream", record::Messages::kMatched, true);
  all.back().windowed = true;
  add("stream", record::Messages::kDirected);
  all.back().windowed = true;
  add("oneway", record::Messages::kDirected);
  all.back().batches = false;
  for (const char* of : {"bcast", "allreduce"}) {
    record::OperationInfo info = test::in_catalogue(of);
    info.form_of = of;
    info.name = std::string("i") + of;
    info.requests = 1;
    info.overlaps = true;
    all.push_back(std::move(info));
  }
  return all;
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

TEST(ReadyMadeCampaigns, OfMessagesHaveCells) {
  std::vector<std::filesystem::path> files = files_of("campaigns/papers");
  std::erase_if(files,
                [](const auto& file) { return !file.filename().string().starts_with("001-"); });
  EXPECT_EQ(files.size(), 4U);
  for (const char* name : {"all-pairs", "bandwidth", "bisection", "latency", "overlap", "queues"}) {
    files.emplace_back(std::string(INVAR_SOURCE_DIR) + "/campaigns/" + name + ".toml");
  }
  for (const std::filesystem::path& file : files) {
    const Campaign campaign = read_campaign(base::read_file(file.string()).value(), file.string());
    for (const std::uint32_t slots : {2U, 4U}) {
      Surroundings around = test::surroundings(campaign.arms.size(), slots);
      for (std::vector<record::OperationInfo>& known : around.operations) {
        for (const record::OperationInfo& info : messages_and_overlap()) known.push_back(info);
      }
      ResolvedCells cells;
      EXPECT_NO_THROW(cells = resolve_cells(campaign, around, file.string()))
          << file << ", " << slots << " cores";
      EXPECT_THAT(cells.left_out, testing::IsEmpty()) << file;
    }
  }
}

TEST(ReadyMadeCampaigns, OfMemoryHaveCellsOfOneProcess) {
  std::vector<std::filesystem::path> files = files_of("campaigns/papers");
  std::erase_if(files,
                [](const auto& file) { return !file.filename().string().starts_with("004-fig"); });
  std::erase_if(files, [](const auto& file) {
    const Campaign campaign = read_campaign(base::read_file(file.string()).value(), file.string());
    return campaign.arms.front().library != "none";  // figures of the paper's other half
  });
  EXPECT_EQ(files.size(), 6U);
  files.emplace_back(std::string(INVAR_SOURCE_DIR) + "/campaigns/memory.toml");
  for (const std::filesystem::path& file : files) {
    const Campaign campaign = read_campaign(base::read_file(file.string()).value(), file.string());
    ResolvedCells cells;
    EXPECT_NO_THROW(cells = resolve_cells(campaign, test::with_memory_operations(2), file.string()))
        << file;
    EXPECT_THAT(cells.left_out, testing::IsEmpty()) << file;
    for (const record::Cell& cell : cells.cells) EXPECT_EQ(cell.ranks, 1U) << file;
    // A group of the least number takes a part of the budget that leaves room for the others.
    if (!campaign.budget_s) continue;
    Counters counters;
    const record::Plan plan = plan_groups(campaign, cells, campaign.launches.min, counters);
    const std::vector<double> startup_s{0.3};
    EXPECT_LT(estimate(campaign, cells, plan, startup_s).seconds, *campaign.budget_s) << file;
  }
  EXPECT_EQ(read_ready_made("memory").analysis.question, Question::kMemory);
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
