// A network in a sentence: "openmpi: L 0.210 us [0.205, 0.214], o_s 95.1 ns [93.0, 97.2] and o_r
// 120 ns [117, 124] up to 64 B, G 0.0512 ns/B [0.0498, 0.0531] from 64 KiB on, sends wait for a
// late receiver from 4041 to 4104 B on; not identified: o_r from 4104 B on".
#include <algorithm>
#include <set>
#include <utility>

#include "analysis/network/network.hpp"
#include "analysis/network/network_tables.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostModelsTold = 4;

bool holds(const Parameter& parameter, std::uint64_t size_bytes) {
  return parameter.model == "LogGP" && parameter.sizes.contains(size_bytes);
}

// "L 0 (on its bound)": what it is on its bound for stands in the table.
std::string parameter_clause(const Parameter& parameter) {
  if (parameter.state == ParameterState::kOnBound) return parameter.name + " 0 (on its bound)";
  return parameter.name + " " + parameter_text(parameter);
}

// What is told of the smallest messages: L or the sum that it is in, overheads, gap. Those that
// hold for the same sizes say so once: "L 0.095 us, o_s 0.026 us and o_r 0.221 us up to 9 B".
std::vector<std::string> smallest_clauses(const NetworkModel& model, const ByteRange& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> told;  // range, parameters
  for (const Parameter& one : model.joint.parameters) {
    if (!one.estimate || !holds(one, all.from_bytes) || one.per_byte) continue;
    const std::string range = range_text(one.sizes, all);
    auto same = std::ranges::find(told, range, &decltype(told)::value_type::first);
    if (same == told.end()) same = told.insert(told.end(), {range, {}});
    same->second.push_back(parameter_clause(one));
  }
  std::vector<std::string> clauses;
  clauses.reserve(told.size());
  for (const auto& [range, parameters] : told) {
    clauses.push_back(list_text(parameters) + (range == "all" ? "" : " " + range));
  }
  return clauses;
}

// G of the largest messages. Empty: the model has none for them.
std::string gap_clause(const NetworkModel& model, const ByteRange& all) {
  for (const Parameter& one : model.joint.parameters) {
    if (one.name != "G" || !one.estimate || !holds(one, all.to_bytes)) continue;
    const std::string range = range_text(one.sizes, all);
    return parameter_clause(one) + (range == "all" ? "" : " " + range);
  }
  return {};
}

// What it begins at lies between two sizes that were measured: "from 243 to 273 B on"; "from 243 B
// on" where they are neighbours.
std::string bracket_text(const Threshold& threshold) {
  const std::uint64_t least_bytes = *threshold.last_bytes + 1;
  const std::string most = base::size_text(*threshold.first_bytes);
  if (least_bytes >= *threshold.first_bytes) return "from " + most + " on";
  std::string least = base::size_text(least_bytes);
  const std::string unit = " B";
  if (least.ends_with(unit) && most.ends_with(unit)) least.resize(least.size() - unit.size());
  return "from " + least + " to " + most + " on";
}

std::string detached_clause(const Threshold& detached) {
  if (!detached.known) return {};
  if (!detached.first_bytes) return "no send waits for a late receiver";
  if (!detached.last_bytes) return "every send waits for a late receiver";
  return "sends wait for a late receiver " + bracket_text(detached);
}

std::string async_clause(const NetworkModel& model) {
  const Threshold& async = model.async;
  if (!async.known || !async.first_bytes || async.first_bytes == model.detached.first_bytes) {
    return {};
  }
  return "late receives contain the transfer from " + base::size_text(*async.first_bytes) + " on";
}

// "o_s and o_r from 4041 B on": each name once, with what they are missing for.
std::vector<std::string> missing_clauses(const NetworkModel& model, const ByteRange& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> missing;  // range, names
  std::set<std::string> seen;
  for (const Parameter& one : model.joint.parameters) {
    if (one.state != ParameterState::kNotIdentified || one.model != "LogGP") continue;
    if (!seen.insert(one.name).second) continue;
    const std::string range = range_text(one.sizes, all);
    auto same = std::ranges::find(missing, range, &decltype(missing)::value_type::first);
    if (same == missing.end()) same = missing.insert(missing.end(), {range, {}});
    same->second.push_back(one.name);
  }
  std::vector<std::string> clauses;
  clauses.reserve(missing.size());
  for (const auto& [range, names] : missing) {
    clauses.push_back(list_text(names) + (range == "all" ? "" : " " + range));
  }
  return clauses;
}

std::string model_clause(const NetworkModel& model) {
  const ByteRange all = measured_sizes(model);
  std::vector<std::string> parts = smallest_clauses(model, all);
  for (std::string part :
       {gap_clause(model, all), detached_clause(model.detached), async_clause(model)}) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  if (parts.empty()) parts.emplace_back("no parameter is identified");
  std::string text = model.arm + (model.place.empty() ? "" : " (" + model.place + ")");
  text += (text.empty() ? "" : ": ") + base::join(parts, ", ");
  const std::vector<std::string> missing = missing_clauses(model, all);
  return missing.empty() ? text : text + "; not identified: " + base::join(missing, "; ");
}

// " In another regime of the machine, canary 0.511 us, ...".
std::string elsewhere_sentence(const Network& found) {
  if (!found.reference || !found.reference->split) return {};
  for (const RegimeModel& other : found.elsewhere) {
    if (other.regime == kAllRegimes) continue;
    const ByteRange all = measured_sizes(other.model);
    const std::vector<std::string> clauses = smallest_clauses(other.model, all);
    if (clauses.empty()) continue;
    return " In another regime of the machine, " + other.regime + ", " + other.model.arm + " has " +
           base::join(clauses, ", ") + "; see --regimes.";
  }
  return {};
}

}  // namespace

std::string network_sentence(const Network& found) {
  // More ranks than cores: times say when the ranks got their turns.
  if (!found.no_verdict.empty()) {
    return "No model: " + found.no_verdict +
           "; the tables have times as behaviour alone: " + found.scope + ".";
  }
  std::vector<std::string> clauses;
  for (const NetworkModel& model : found.models) clauses.push_back(model_clause(model));
  if (clauses.empty()) clauses.emplace_back("No model: no arm has round trips of enough sizes");
  const std::size_t more = clauses.size() - std::min(clauses.size(), kMostModelsTold);
  clauses.resize(clauses.size() - more);
  if (more > 0) clauses.push_back(std::to_string(more) + " more in the tables");
  return base::join(clauses, "; ") + ": " + found.scope + "." + elsewhere_sentence(found);
}

}  // namespace invar::analysis
