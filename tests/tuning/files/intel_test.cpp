#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/files/measured.hpp"

namespace invar::tuning {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr Version kIntel2021{2021, 18, 0};

TuningRequest intel_request(DecisionTable table) {
  return {.table = std::move(table),
          .library = Library::kIntel,
          .version = kIntel2021,
          .laws = learned_laws(Library::kIntel, kIntel2021)};
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// I_MPI_ADJUST_* as Intel's reference describes it, written apart from its writer: the preset of
// the condition that holds. 0: none does; -1: several do, and it is not said which one counts.
int preset_of(const TunedFile& file, const std::string& operation, std::uint64_t ranks,
              std::uint64_t bytes) {
  int preset = 0;
  for (const auto& [name, value] : file.set) {
    if (name != "I_MPI_ADJUST_" + upper(operation)) continue;
    for (const std::string_view choice : base::split(value, ';')) {
      const auto parts = base::split(choice, ':');
      const auto limits = base::split(parts.at(1), '@');
      const auto sizes = base::split(limits.at(0), '-');
      const auto processes = base::split(limits.at(1), '-');
      const auto number = [](std::string_view text) { return base::parse_u64(text).value(); };
      if (bytes < number(sizes.at(0)) || bytes > number(sizes.at(1))) continue;
      if (ranks < number(processes.at(0)) || ranks > number(processes.at(1))) continue;
      if (preset != 0) return -1;
      preset = static_cast<int>(number(parts.at(0)));
    }
  }
  return preset;
}

void expect_presets(const TuningRequest& request, const TunedFile& file, int otherwise) {
  for (const std::string& operation : tunable_operations(Library::kIntel, kIntel2021)) {
    const bool named = std::ranges::any_of(
        file.written, [&](const Entry& entry) { return entry.operation == operation; });
    for (std::uint32_t ranks = 1; ranks <= kMostTestedRanks; ++ranks) {
      for (const std::uint64_t block : tested_sizes(request.table, operation, ranks)) {
        const Entry* entry = written_for(file, operation, ranks, block);
        int wanted = named ? otherwise : 0;
        if (entry != nullptr) {
          wanted =
              find_algorithm(Library::kIntel, kIntel2021, operation, entry->candidate.name)->number;
        }
        const std::uint64_t bytes =
            bytes_that_library_sees(Library::kIntel, operation, ranks, block);
        ASSERT_EQ(preset_of(file, operation, ranks, bytes), wanted)
            << operation << ", " << ranks << " ranks, " << block << " B";
      }
    }
  }
}

TEST(IntelVariables, SayWhatWasMeasured) {
  const TunedFile file = write_tuned(
      intel_request(DecisionTable({measured("allgatherv", 2, 8, 8, "algorithm:preset-4"),
                                   measured("barrier", 4, 0, 0, "algorithm:preset-2"),
                                   measured("bcast", 4, 0, 512, "algorithm:preset-1"),
                                   measured("bcast", 4, 513, 4096, "algorithm:preset-3"),
                                   measured("bcast", 8, 64, 64, "algorithm:preset-22")})));
  EXPECT_EQ(file.format, FileFormat::kIntelVariables);
  EXPECT_EQ(file.text, "");
  EXPECT_THAT(file.set,
              ElementsAre(Pair("I_MPI_ADJUST_ALLGATHERV", "4:16-16@2-2"),
                          Pair("I_MPI_ADJUST_BARRIER", "2:0-2147483647@4-4"),
                          Pair("I_MPI_ADJUST_BCAST", "1:0-512@4-4;3:513-4096@4-4;22:64-64@8-8")));
  // Its autotuner would try presets of its own.
  EXPECT_THAT(file.unset, Contains("I_MPI_TUNING_MODE"));
  EXPECT_THAT(variables_text(file),
              HasSubstr("export I_MPI_ADJUST_BCAST='1:0-512@4-4;3:513-4096@4-4;22:64-64@8-8'\n"));
}

TEST(IntelVariables, ReaderFindsWhatTheTableSays) {
  for (std::uint32_t seed = 61; seed <= 66; ++seed) {
    const TuningRequest request = intel_request(random_table(Library::kIntel, kIntel2021, seed));
    const TunedFile file = write_tuned(request);
    EXPECT_EQ(file.written.size() + file.dropped.size(), request.table.entries().size());
    ASSERT_FALSE(file.written.empty());
    expect_presets(request, file, 0);
  }
}

TEST(IntelVariables, WhatTheArmForcesIsSaidBetweenTheEntries) {
  TuningRequest request =
      intel_request(DecisionTable({measured("bcast", 4, 8, 64, "algorithm:preset-1"),
                                   measured("bcast", 5, 0, 8, "algorithm:preset-2")}));
  request.given = {{"I_MPI_ADJUST_BCAST", "7"}};
  expect_presets(request, write_tuned(request), 7);
}

TEST(IntelVariables, LibrarysOwnChoiceIsNoPreset) {
  TuningRequest request =
      intel_request(DecisionTable({measured("bcast", 4, 8, 64, "library-default")}));
  request.given = {{"I_MPI_ADJUST_BCAST", "7"}};
  const TunedFile file = write_tuned(request);
  EXPECT_EQ(preset_of(file, "bcast", 4, 8), 0);
  EXPECT_EQ(preset_of(file, "bcast", 4, 65), 7);
  EXPECT_EQ(preset_of(file, "bcast", 3, 8), 7);
}

TEST(IntelVariables, ConditionsOfTheArmAreRefused) {
  TuningRequest request =
      intel_request(DecisionTable({measured("bcast", 4, 8, 64, "algorithm:preset-1")}));
  request.given = {{"I_MPI_ADJUST_BCAST", "7:0-64@4-4"}};
  EXPECT_THROW(static_cast<void>(write_tuned(request)), base::UserError);
}

}  // namespace
}  // namespace invar::tuning
