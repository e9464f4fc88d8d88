// How campaigns were measured and analysed, in words for a paper's section on methods.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/metadata/metadata.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/start_skews.hpp"
#include "analysis/study/summaries.hpp"
#include "design/campaign/campaign.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct Guidelines;

struct Reference {
  std::string key = {};  // "Hunold 2016", as the paragraphs name it in brackets
  std::string text = {};

  bool operator==(const Reference&) const = default;
};

struct MethodText {
  std::vector<std::string> paragraphs = {};
  std::vector<Reference> references = {};  // those that the paragraphs name, by key
};

// One campaign, as it was really done. All outlive the call.
struct MethodSource {
  const store::Data* data = nullptr;
  const design::Campaign* campaign = nullptr;
  const Rules* rules = nullptr;
  const Metadata* metadata = nullptr;
  const Comparison* comparison = nullptr;  // null: there is none
  const Guidelines* guidelines = nullptr;  // null: likewise
  const Tally* repetitions = nullptr;      // of all arms
  const StartSkews* starts = nullptr;      // null: nothing that is record::kApart counts
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  std::string name = {};
};

// Campaigns that were done alike share their paragraphs; what differs is said of each by its name.
// Campaigns without any data say nothing.
MethodText method_text(std::span<const MethodSource> campaigns);

// Everything that paragraphs may cite, by key.
std::span<const Reference> known_references();

}  // namespace invar::analysis
