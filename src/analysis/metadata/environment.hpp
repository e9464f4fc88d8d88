// What a campaign, or an experiment with clocks, was measured on, on one page; what differs between
// two campaigns, what matters most first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/metadata/metadata.hpp"
#include "analysis/metadata/metadata_compare.hpp"
#include "store/clock_dir.hpp"

namespace invar::analysis {

// A line of the page.
struct EnvironmentFact {
  std::string section = {};  // "kernel and clock"
  std::string name = {};
  std::string value = {};
};

// What a paper has to say; with `all` everything that is recorded.
std::vector<EnvironmentFact> environment_of(const Metadata& metadata, bool all);
std::vector<EnvironmentFact> environment_of(const store::ClockData& data);

// The section of facts that weigh as much.
const char* section_of(Weight weight);

struct Environment {
  std::string dir = {};
  std::string experiment = {};  // its name; empty: a campaign, which has what follows
  std::string scope = {};
  std::vector<std::string> sessions = {};
  std::size_t launches = 0;
  std::size_t arms = 0;
  std::vector<EnvironmentFact> facts = {};
  bool all = false;  // long values are shown whole
  std::vector<Warning> warnings = {};
  Health health = {};
};
Answer answer_of(const Environment& environment);

struct EnvironmentDifferences {
  std::string first = {};  // directories
  std::string second = {};
  std::vector<MetadataDifference> differences = {};
  bool all = false;  // also those that should not matter, and long values whole
  std::vector<Warning> warnings = {};
  Health health = {};
};
Answer answer_of(const EnvironmentDifferences& differences);

}  // namespace invar::analysis
