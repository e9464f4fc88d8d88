// What differs between two campaigns' machines and libraries, what matters most first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/metadata/metadata.hpp"

namespace invar::analysis {

struct MetadataDifference {
  Weight weight = Weight::kRest;
  std::string fact = {};
  std::string first = {};
  std::string second = {};
  std::string remark = {};  // "another regime"

  // "canary 501 ns [491, 531] against 140 ns [130, 152]: another regime", values shortened.
  [[nodiscard]] std::string text() const;
};

// Sorted by weight. Arms are matched by library and settings, whatever their labels; where one arm
// of a library is left over on each side they are matched too, and their settings differ. What
// changes by nature from launch to launch is left out; measured facts differ from a tolerance on.
std::vector<MetadataDifference> compare_metadata(const Metadata& first, const Metadata& second);

// Do two campaigns differ in a fact? Numbers that are measured never agree to the last digit:
// loads, frequencies and what the clock was measured to be differ from a tolerance on.
bool facts_differ(const std::string& fact, const Values& a, const Values& b);
// How much a fact of an arm matters: its version, a variable of its environment.
Weight weight_of_arm_fact(const std::string& name, const Values& values);
// Another regime of the machine, by the medians of the canaries; false where one has none.
bool canaries_differ(const Metadata& first, const Metadata& second);

// All but kRest.
bool matters(const MetadataDifference& difference);

// "3 differences that matter: ...", "no difference that matters".
std::string differences_sentence(const std::vector<MetadataDifference>& differences);

// One line for a comparison of two campaigns: what changed between them beside the arms asked for.
std::optional<std::string> change_warning(const store::Data& first, const store::Data& second);

// Several campaigns a side, each a session: a side that is not one build, sessions on different
// hosts, and what else differs from the first session of the first side.
using SessionData = std::vector<const store::Data*>;
std::vector<Warning> session_change_warnings(const SessionData& first, const SessionData& second);

}  // namespace invar::analysis
