#include "analysis/metadata/metadata_compare.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

using Differences = std::vector<MetadataDifference>;

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kLongestValue = 60;
constexpr double kOtherFrequency = 0.02;
// Between medians; medians of the same regime agree within 10 %.
constexpr double kOtherRegime = 1.25;
constexpr double kOtherLoad = 1;

std::string shortened(const std::string& text) {
  return text.size() <= kLongestValue ? text : text.substr(0, kLongestValue) + "...";
}

double median(const Values& values) { return stats::median(values.numbers); }

bool measured(const Values& values) { return values.numeric && !values.numbers.empty(); }

void compare_facts(const std::string& owner, const Facts& first, const Facts& second,
                   const auto& weight, Differences& differences) {
  std::set<std::string> names;
  for (const auto& [name, values] : first) names.insert(name);
  for (const auto& [name, values] : second) names.insert(name);
  static const Values none;
  const auto find = [](const Facts& facts, const std::string& name) -> const Values& {
    const auto found = facts.find(name);
    return found == facts.end() ? none : found->second;
  };
  for (const std::string& name : names) {
    const Values& a = find(first, name);
    const Values& b = find(second, name);
    if (!facts_differ(name, a, b)) continue;
    const Weight how = weight(name, a.texts.empty() ? b : a);
    if (how == Weight::kNature) continue;
    differences.push_back(
        {.weight = how, .fact = owner + name, .first = a.text(), .second = b.text()});
  }
}

// A setting is a variable of the environment as well: said once.
bool is_setting(const ArmFacts& arm, std::string_view variable) {
  return std::ranges::any_of(arm.settings, [&](const auto& setting) {
    return setting.first == variable || setting.first == "env:" + std::string(variable);
  });
}

std::string checksum_text(const std::map<std::string, std::set<std::string>>& files,
                          const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) return "(not there)";
  const std::vector<std::string> all(found->second.begin(), found->second.end());
  return base::join(all, "; ");
}

// The library itself by name, its other files counted.
void compare_files(const std::string& owner, const ArmFacts& first, const ArmFacts& second,
                   Differences& differences) {
  if (first.files.empty() || second.files.empty()) return;
  std::set<std::string> names;
  for (const auto& [name, checksums] : first.files) names.insert(name);
  for (const auto& [name, checksums] : second.files) names.insert(name);
  std::vector<std::string> changed;
  for (const std::string& name : names) {
    if (checksum_text(first.files, name) != checksum_text(second.files, name)) {
      changed.push_back(name);
    }
  }
  if (changed.empty()) return;
  std::ranges::stable_sort(changed, [](const std::string& a, const std::string& b) {
    return a.starts_with("libmpi") > b.starts_with("libmpi");
  });
  differences.push_back({.weight = Weight::kLibrary,
                         .fact = owner + changed.front(),
                         .first = checksum_text(first.files, changed.front()),
                         .second = checksum_text(second.files, changed.front()),
                         .remark = changed.size() == 1
                                       ? "another file"
                                       : "another file, as " + std::to_string(changed.size() - 1) +
                                             " more of the library"});
}

std::string settings_text(const ArmFacts& arm) {
  if (arm.settings.empty()) return "(none)";
  if (!arm.program.empty()) return arm.name().substr(arm.library.size());
  return arm.name().substr(arm.library.size() + std::string_view(" with ").size());
}

void compare_arms(const ArmFacts& first, const ArmFacts& second, Differences& differences) {
  const std::string owner = first.library + ": ";
  if (first.settings != second.settings) {
    differences.push_back({.weight = Weight::kLibrary,
                           .fact = owner + "settings",
                           .first = settings_text(first),
                           .second = settings_text(second)});
  }
  compare_files(owner, first, second, differences);
  // A campaign of an earlier version has no such fact, and a library may not tell.
  const auto untold = [&](const std::string& name) {
    return name.starts_with("chosen ") &&
           (!first.facts.contains(name) || !second.facts.contains(name));
  };
  compare_facts(
      owner, first.facts, second.facts,
      [&](const std::string& name, const Values& values) {
        if (untold(name)) return Weight::kNature;
        const std::string_view variable = std::string_view(name).substr(name.find('.') + 1);
        return is_setting(first, variable) || is_setting(second, variable)
                   ? Weight::kNature
                   : weight_of_arm_fact(name, values);
      },
      differences);
  // Only the first launches of an arm record them: one side without any says nothing. What differs
  // between launches of one campaign changes by itself, or was never set to anything.
  if (first.variables.empty() || second.variables.empty()) return;
  const auto changes = [](const Facts& variables, const std::string& name) {
    const auto found = variables.find(name);
    return found != variables.end() && found->second.texts.size() > 1;
  };
  compare_facts(
      owner, first.variables, second.variables,
      [&](const std::string& name, const Values& values) {
        return changes(first.variables, name) || changes(second.variables, name)
                   ? Weight::kNature
                   : weight_of_variable(name, values.text());
      },
      differences);
}

void add_single(const ArmFacts& arm, bool in_first, Differences& differences) {
  const std::string labels = "labelled " + list_text(arm.labels);
  differences.push_back({.weight = Weight::kLibrary,
                         .fact = arm.name(),
                         .first = in_first ? labels : "(no such arm)",
                         .second = in_first ? "(no such arm)" : labels,
                         .remark = in_first ? "only in the first" : "only in the second"});
}

void match_arms(const Metadata& first, const Metadata& second, Differences& differences) {
  std::vector<const ArmFacts*> ours;
  std::vector<const ArmFacts*> theirs;
  for (const ArmFacts& arm : second.arms) theirs.push_back(&arm);
  const auto take = [&](const auto& fits) -> const ArmFacts* {
    const auto found = std::ranges::find_if(theirs, fits);
    if (found == theirs.end()) return nullptr;
    const ArmFacts* arm = *found;
    theirs.erase(found);
    return arm;
  };
  for (const ArmFacts& arm : first.arms) {
    const ArmFacts* match = take([&](const ArmFacts* other) {
      return other->library == arm.library && other->settings == arm.settings &&
             other->program == arm.program;
    });
    if (match == nullptr) {
      ours.push_back(&arm);
    } else {
      compare_arms(arm, *match, differences);
    }
  }
  for (const ArmFacts* arm : ours) {
    const auto same = [&](const ArmFacts* other) { return other->library == arm->library; };
    const bool alone =
        std::ranges::count_if(ours, same) == 1 && std::ranges::count_if(theirs, same) == 1;
    if (const ArmFacts* match = alone ? take(same) : nullptr) {
      compare_arms(*arm, *match, differences);
    } else {
      add_single(*arm, true, differences);
    }
  }
  for (const ArmFacts* arm : theirs) add_single(*arm, false, differences);
}

bool is_of_canary(const MetadataDifference& one) {
  return std::ranges::any_of(base::kCanaryKinds, [&](base::CanaryKind kind) {
    return one.fact == base::canary_name(kind);
  });
}

void compare_canaries(const Metadata& first, const Metadata& second, Differences& differences) {
  if (!canaries_differ(first, second)) return;
  differences.push_back({.weight = Weight::kState,
                         .fact = std::string(base::canary_name(first.canary->kind)),
                         .first = first.canary->text(),
                         .second = second.canary->text(),
                         .remark = "another regime"});
}

// Another version, file or setting of the library, and not only of what it was started in.
bool tells_of_build(const MetadataDifference& one) {
  return one.weight == Weight::kLibrary && one.fact.find(": environment.") == std::string::npos;
}

// " (invar env n1 n2)"
std::string env_command(const store::Data& first, const store::Data& second) {
  return " (invar env " + base::shell_quoted(first.dir.string()) + " " +
         base::shell_quoted(second.dir.string()) + ")";
}

// Those that matter, but for which arms there are: that is seen in the answer itself.
Differences told_differences(const Metadata& first, const Metadata& second) {
  Differences differences = compare_metadata(first, second);
  std::erase_if(differences, [](const MetadataDifference& one) {
    return !matters(one) || one.first == "(no such arm)" || one.second == "(no such arm)";
  });
  return differences;
}

}  // namespace

bool facts_differ(const std::string& fact, const Values& a, const Values& b) {
  if (a.texts == b.texts) return false;
  if (!measured(a) || !measured(b)) return true;
  const double left = median(a);
  const double right = median(b);
  const double largest = std::max(std::abs(left), std::abs(right));
  if (fact == "load.last_minute") return std::abs(left - right) > kOtherLoad;
  if (fact.find("mhz") != std::string::npos) {
    return std::abs(left - right) > kOtherFrequency * largest;
  }
  if (fact.starts_with("clock.")) return std::abs(left - right) > 0.5 * largest;
  return true;
}

Weight weight_of_arm_fact(const std::string& name, const Values& values) {
  constexpr std::string_view kEnvironment = "environment.";
  if (name.starts_with(kEnvironment)) {
    return weight_of_variable(std::string_view(name).substr(kEnvironment.size()), values.text());
  }
  for (const char* part : {"version", "standard", "compiler", "transport", "checked ", "chosen "}) {
    if (name.starts_with(part)) return Weight::kLibrary;
  }
  return name.starts_with("settling ") ? Weight::kNature : Weight::kRest;
}

bool canaries_differ(const Metadata& first, const Metadata& second) {
  if (!first.canary || !second.canary || first.canary->kind != second.canary->kind) return false;
  const double a = first.canary->median_ns;
  const double b = second.canary->median_ns;
  const double apart =
      first.canary->kind == base::CanaryKind::kChain ? 1 + kOtherFrequency : kOtherRegime;
  return std::max(a, b) > apart * std::min(a, b);
}

std::string MetadataDifference::text() const {
  return fact + " " + shortened(first) + " against " + shortened(second) +
         (remark.empty() ? "" : ": " + remark);
}

bool matters(const MetadataDifference& difference) { return difference.weight != Weight::kRest; }

Differences compare_metadata(const Metadata& first, const Metadata& second) {
  Differences differences;
  match_arms(first, second, differences);
  compare_facts(
      "", first.facts, second.facts,
      [&](const std::string& name, const Values&) {
        const bool told = first.tells_variables && second.tells_variables;
        return !told && name.starts_with("set outside ") ? Weight::kNature : weight_of(name);
      },
      differences);
  compare_canaries(first, second, differences);
  if (first.scope != second.scope) {
    differences.push_back(
        {.weight = Weight::kPlaces, .fact = "scope", .first = first.scope, .second = second.scope});
  }
  std::ranges::stable_sort(
      differences, [](const MetadataDifference& a, const MetadataDifference& b) {
        // Within a weight, what is measured for this very purpose comes first.
        return std::pair(a.weight, a.remark.empty()) < std::pair(b.weight, b.remark.empty());
      });
  return differences;
}

std::string differences_sentence(const Differences& differences) {
  std::vector<std::string> names;
  for (const MetadataDifference& one : differences) {
    if (matters(one)) {
      names.push_back(one.fact + (one.remark.empty() ? "" : " (" + one.remark + ")"));
    }
  }
  if (names.empty()) return "no difference that matters";
  const std::size_t all = names.size();
  const std::string text = std::to_string(all) + (all == 1 ? " difference" : " differences") +
                           (all == 1 ? " that matters: " : " that matter: ");
  return text +
         (all > kMostNamed + 1 ? base::first_items(names, kMostNamed, ", ") : list_text(names));
}

std::optional<std::string> change_warning(const store::Data& first, const store::Data& second) {
  Differences differences = told_differences(read_metadata(first), read_metadata(second));
  if (differences.empty()) return std::nullopt;
  // Another regime changes absolute times most, and this comparison has no others.
  std::stable_partition(differences.begin(), differences.end(), is_of_canary);
  std::vector<std::string> texts;
  for (const MetadataDifference& one : differences) texts.push_back(one.text());
  return "what else changed between the campaigns: " + base::first_items(texts, kMostNamed, "; ") +
         env_command(first, second);
}

std::vector<Warning> session_change_warnings(const SessionData& first, const SessionData& second) {
  std::vector<Warning> warnings;
  std::vector<std::string> builds;
  std::vector<std::string> changes;
  std::set<std::string> told;
  std::map<std::string, std::vector<std::string>> by_hosts;
  const store::Data* other = nullptr;  // the first one that differs
  const Metadata whole = read_metadata(*first.front());
  for (const SessionData* side : {&first, &second}) {
    const Metadata own = side == &first ? whole : read_metadata(*side->front());
    for (const store::Data* data : *side) {
      by_hosts[base::join(data->hosts, ", ")].push_back(data->dir.string());
      if (data == first.front()) continue;
      const bool leads = data == side->front();
      const Metadata metadata = leads ? own : read_metadata(*data);
      if (!leads) {
        for (const MetadataDifference& one : told_differences(own, metadata)) {
          if (!tells_of_build(one)) continue;
          builds.push_back(one.text() + env_command(*side->front(), *data));
        }
      }
      for (const MetadataDifference& one : told_differences(whole, metadata)) {
        // Regimes are the answer's own matter; how the sides' builds differ is told once.
        if (is_of_canary(one)) continue;
        if (tells_of_build(one) && !leads) continue;
        if (!told.insert(one.fact).second) continue;
        changes.push_back(one.text());
        if (other == nullptr) other = data;
      }
    }
  }
  if (!builds.empty()) {
    warnings.emplace_back("the sessions of a side are not of one build: " +
                              base::first_items(builds, kMostNamed, "; "),
                          Gravity::kDoubt);
  }
  if (by_hosts.size() > 1) {
    std::vector<std::string> texts;
    for (const auto& [hosts, dirs] : by_hosts) {
      texts.push_back(base::first_items(dirs, kMostNamed, ", ") + " on " + hosts);
    }
    warnings.emplace_back(
        "the sessions are of different machines: " + base::first_items(texts, kMostNamed, "; "),
        Gravity::kDoubt);
  }
  if (!changes.empty()) {
    warnings.emplace_back(
        "what else differs between the sessions: " + base::first_items(changes, kMostNamed, "; ") +
        env_command(*first.front(), *other));
  }
  return warnings;
}

}  // namespace invar::analysis
