#include "analysis/factors/factors_sentence.hpp"

#include <algorithm>
#include <vector>

#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// Names of the factors with this influence, each with its targets unless it is the same in all
// that have the factor.
std::vector<std::string> names_with(const Factors& factors, Influence influence) {
  std::vector<std::string> order;
  for (const FactorsTarget& target : factors.targets) {
    for (const FactorResult& factor : target.factors) {
      const bool known = std::ranges::find(order, factor.factor) != order.end();
      if (factor.influence && !known) order.push_back(factor.factor);
    }
  }
  std::vector<std::string> names;
  for (const std::string& name : order) {
    std::vector<std::string> targets;
    std::size_t having = 0;
    for (const FactorsTarget& target : factors.targets) {
      const auto found = std::ranges::find(target.factors, name, &FactorResult::factor);
      if (found == target.factors.end() || !found->influence) continue;
      ++having;
      if (found->influence == influence) targets.push_back(target_text(target.cell));
    }
    if (targets.empty()) continue;
    names.push_back(targets.size() == having ? name : name + " (" + list_text(targets) + ")");
  }
  return names;
}

// "; no data of cache warm: SCOPE."
std::string ending(const Factors& factors) {
  std::vector<std::string> missing;
  for (const MissingLevel& level : factors.missing) missing.push_back(level.name());
  const std::string text = missing.empty() ? "" : "; no data of " + list_text(missing);
  return text + ": " + factors.scope + ".";
}

}  // namespace

std::string target_text(const record::Cell& cell) {
  return cell.operation + (cell.size_bytes ? " " + base::size_text(*cell.size_bytes) : "");
}

std::string factors_sentence(const Factors& factors) {
  if (!factors.no_verdict.empty()) {
    return "Which factors matter cannot be said, " + factors.no_verdict + ending(factors);
  }
  const std::vector<std::string> matter = names_with(factors, Influence::kMatters);
  const std::vector<std::string> small = names_with(factors, Influence::kDoesNotMatter);
  const std::vector<std::string> open = names_with(factors, Influence::kUndecided);
  if (matter.empty() && small.empty() && open.empty()) {
    return "Which factors matter takes two launch groups at least" + ending(factors);
  }
  const auto several = [](const std::vector<std::string>& names) { return names.size() > 1; };
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const std::string effect = percent_text(factors.min_effect);
  if (!matter.empty()) add(list_text(matter) + (several(matter) ? " matter" : " matters"));
  if (matter.empty()) add("no factor is shown to matter");
  if (!small.empty()) {
    add(list_text(small) + (several(small) ? " do not" : " does not") + " (less than " + effect +
        ")");
  }
  if (!open.empty()) add(list_text(open) + (several(open) ? " are" : " is") + " undecided");
  return text + ending(factors);
}

}  // namespace invar::analysis
