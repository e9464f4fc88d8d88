#include "launch/algorithms/told_level.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/probe.hpp"

namespace invar::launch {
namespace {

using Item = std::pair<std::string, std::string>;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

const ControlVariable* find_variable(const Profile& profile, std::string_view name) {
  const auto found = std::ranges::find(profile.variables, name, &ControlVariable::name);
  return found == profile.variables.end() ? nullptr : &*found;
}

// The profile's own list of items, "3=pipeline".
std::optional<std::int64_t> listed_number(const ControlVariable& variable, std::string_view item) {
  for (const std::string_view one : variable.items) {
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && one.substr(equals + 1) == item) {
      return number_in(one.substr(0, equals));
    }
  }
  return std::nullopt;
}

// The last one counts, as in a launch.
std::optional<std::string> set_value(const Profile& profile, const Environment& environment,
                                     std::string_view name) {
  std::optional<std::string> value;
  for (const Environment* const one : {&profile.environment, &environment}) {
    for (const auto& [key, text] : *one) {
      if (key == name) value = text;
    }
  }
  return value;
}

bool means_the_same(const std::string& set, const std::string& wanted) {
  if (set == wanted) return true;
  const auto truth = base::parse_truth(set);
  return truth && truth == base::parse_truth(wanted);
}

std::string version_text(const Profile& profile) {
  return std::string(kind_of(profile.family).title) + ' ' + profile.short_version;
}

// The variables of a level, those that enable it first; or a fault.
struct Wanted {
  tuning::Variables enabling = {};
  tuning::Variables forcing = {};
};

Wanted wanted_by(const KnownLibrary& known, const AskedLevel& asked,
                 const tuning::Candidate& candidate) {
  return {.enabling = tuning::enabling_variables(known.library, known.version, asked.operation),
          .forcing =
              tuning::forcing_variables(known.library, known.version, asked.operation, candidate)};
}

// Fills in `told` as far as it can be; what is lacking is said.
class Telling {
 public:
  Telling(const Profile& profile, const Environment& environment, const KnownLibrary& known,
          const ItemNumbers& numbers, ToldLevel& told)
      : profile_(profile),
        environment_(environment),
        known_(known),
        numbers_(numbers),
        told_(told) {}

  void tell(const Wanted& wanted) {
    const Switching switching = kind_of(profile_.family).switching;
    if (switching == Switching::kNever) {
      lack(std::string(kind_of(profile_.family).title) + " chooses its algorithms when it starts",
           "name an arm for each: a=" + profile_.name + ':' + settings_text(wanted));
      return;
    }
    refuse_whole_device();
    told_.told = {.operation = told_.asked.operation,
                  .level = told_.asked.level,
                  .at_making = switching == Switching::kAtMaking};
    for (const auto& [name, value] : wanted.enabling) enable(name, value);
    for (const auto& [name, value] : wanted.forcing) add(name, value);
    if (!told_.lacks.empty()) told_.told = {};
  }

 private:
  void lack(const std::string& what, const std::string& remedy) {
    if (!told_.lacks.empty()) return;
    told_.lacks = what;
    told_.remedy = remedy;
  }

  [[nodiscard]] std::string settings_text(const Wanted& wanted) const {
    std::vector<std::string> texts;
    for (const tuning::Variables* const some : {&wanted.enabling, &wanted.forcing}) {
      for (const auto& [name, value] : *some) {
        texts.push_back(tuning::environment_name(known_.library, name) + '=' + value);
      }
    }
    return base::join(texts, ",");
  }

  // MPICH then leaves every collective to its device, whatever is said of a single one.
  void refuse_whole_device() {
    constexpr std::string_view kOfDevice = "MPIR_CVAR_DEVICE_COLLECTIVES";
    if (known_.library != tuning::Library::kMpich) return;
    if (set_value(profile_, environment_, kOfDevice) != "all") return;
    lack(std::string(kOfDevice) + "=all takes no algorithm that " + version_text(profile_) +
             " is told",
         "leave that setting out, or the factor 'algorithm'");
  }

  // Either the launch has it from the start, or it can be told later.
  void enable(const std::string& name, const std::string& value) {
    const std::string key = tuning::environment_name(known_.library, name);
    const auto set = set_value(profile_, environment_, key);
    if (set && means_the_same(*set, value)) return;
    const ControlVariable* const variable = find_variable(profile_, name);
    if (variable != nullptr && variable->writable()) {
      add(name, value);
      return;
    }
    lack(version_text(profile_) + " can be told algorithms only where it was started with " + key +
             '=' + value,
         "add that to an arm, which is another one then: " + profile_.name + ':' + key + '=' +
             value);
  }

  void add(const std::string& name, const std::string& value) {
    const ControlVariable* const variable = find_variable(profile_, name);
    if (variable == nullptr || !variable->writable()) {
      lack(version_text(profile_) +
               (variable == nullptr ? " has no control variable " : " does not let ") + name +
               (variable == nullptr ? "" : " be written while it runs"),
           "leave it out");
      return;
    }
    std::optional<std::int64_t> number = number_in(value);
    if (!number) number = listed_number(*variable, value);
    if (!number) {
      const auto asked = numbers_.find({name, value});
      if (asked != numbers_.end()) number = asked->second;
    }
    if (!number) {
      lack(version_text(profile_) + " refuses " + name + '=' + value, "leave it out");
      return;
    }
    told_.told.variables.emplace_back(name, *number);
  }

  const Profile& profile_;
  const Environment& environment_;
  const KnownLibrary& known_;
  const ItemNumbers& numbers_;
  ToldLevel& told_;
};

std::string names_remedy(const KnownLibrary& known, const AskedLevel& asked,
                         const std::string& name) {
  std::vector<std::string> names;
  for (const tuning::LibraryAlgorithm* const one :
       tuning::algorithms_of(known.library, known.version, asked.operation)) {
    names.emplace_back(one->name);
  }
  return names.empty() ? "see `invar ops --algorithms`" : base::did_you_mean(name, names);
}

// What is wrong with the level itself; `candidate` and `algorithm` are set where nothing is.
void find_algorithm_of(const Profile& profile, const KnownLibrary& known, ToldLevel& told) {
  const base::Parsed<tuning::Candidate> candidate = tuning::parse_candidate(told.asked.level);
  told.unknown = true;
  if (!candidate.value || candidate.value->kind != tuning::CandidateKind::kAlgorithm) {
    told.lacks = candidate.value ? "'" + told.asked.level + "' is not an algorithm of a library"
                                 : candidate.error;
    told.remedy = "see `invar ops --algorithms`";
    return;
  }
  told.candidate = *candidate.value;
  told.algorithm = tuning::find_algorithm(known.library, known.version, told.asked.operation,
                                          told.candidate.name);
  if (told.algorithm == nullptr) {
    told.lacks = version_text(profile) + " has no algorithm '" + told.candidate.name + "' of " +
                 told.asked.operation;
    told.remedy = names_remedy(known, told.asked, told.candidate.name);
    return;
  }
  told.unknown = false;
}

// Sets all of them; empty: the launch failed.
std::optional<std::vector<ControlVariable>> variables_with(const Profile& profile,
                                                           const Environment& environment,
                                                           const std::string& launcher,
                                                           std::span<const Item> items) {
  const KnownLibrary known = known_library(profile);
  Environment all = environment;
  for (const auto& [name, item] : items) {
    all.emplace_back(tuning::environment_name(known.library, name), item);
  }
  const ProbeResult probe = run_probe(profile, all, launcher);
  if (!probe_problem(probe).empty()) return std::nullopt;
  return probed_variables(probe);
}

void take_numbers(std::span<const ControlVariable> variables, std::span<const Item> items,
                  ItemNumbers& numbers) {
  for (const Item& item : items) {
    const auto found = std::ranges::find(variables, item.first, &ControlVariable::name);
    if (found == variables.end()) continue;
    if (const auto number = number_in(found->value)) numbers.emplace(item, *number);
  }
}

}  // namespace

KnownLibrary known_library(const Profile& profile) {
  const auto library = tuning::find_library(profile.family);
  if (!library) {
    return {.lacks =
                "no algorithms of " + std::string(kind_of(profile.family).title) + " are known"};
  }
  const auto version = tuning::parse_version(profile.short_version);
  if (!version) {
    return {.library = *library,
            .lacks = "'" + profile.short_version + "' is not a version of " +
                     std::string(tuning::title_of(*library)) + " that is known"};
  }
  return {.library = *library, .version = *version};
}

std::vector<Item> items_to_ask(const Profile& profile, std::span<const AskedLevel> levels) {
  const KnownLibrary known = known_library(profile);
  std::vector<Item> items;
  if (!known.lacks.empty() || kind_of(profile.family).switching == Switching::kNever) return items;
  for (const AskedLevel& asked : levels) {
    ToldLevel told{.asked = asked};
    find_algorithm_of(profile, known, told);
    if (told.unknown) continue;
    try {
      const Wanted wanted = wanted_by(known, asked, told.candidate);
      for (const tuning::Variables* const some : {&wanted.enabling, &wanted.forcing}) {
        for (const auto& [name, value] : *some) {
          const ControlVariable* const variable = find_variable(profile, name);
          if (variable == nullptr || number_in(value) || listed_number(*variable, value)) continue;
          const Item item{name, value};
          if (std::ranges::find(items, item) == items.end()) items.push_back(item);
        }
      }
    } catch (const base::UserError&) {
      // told_level() says what is wrong with it.
    }
  }
  return items;
}

ItemNumbers ask_item_numbers(const Profile& profile, const Environment& environment,
                             const std::string& launcher, std::span<const Item> items) {
  ItemNumbers numbers;
  std::vector<Item> left(items.begin(), items.end());
  while (!left.empty()) {
    // One item of every variable.
    std::vector<Item> batch;
    std::vector<Item> later;
    for (Item& item : left) {
      const bool taken = std::ranges::find(batch, item.first, &Item::first) != batch.end();
      (taken ? later : batch).push_back(std::move(item));
    }
    left = std::move(later);
    if (const auto variables = variables_with(profile, environment, launcher, batch)) {
      take_numbers(*variables, batch, numbers);
      continue;
    }
    for (const Item& item : batch) {
      const std::span<const Item> alone(&item, 1);
      if (const auto variables = variables_with(profile, environment, launcher, alone)) {
        take_numbers(*variables, alone, numbers);
      }
    }
  }
  return numbers;
}

ToldLevel told_level(const Profile& profile, const Environment& environment,
                     const AskedLevel& asked, const ItemNumbers& numbers) {
  ToldLevel told{.asked = asked};
  const KnownLibrary known = known_library(profile);
  if (!known.lacks.empty()) {
    told.lacks = known.lacks;
    told.remedy = "leave the factor 'algorithm' out for this library";
    return told;
  }
  find_algorithm_of(profile, known, told);
  if (told.unknown) return told;
  try {
    Telling(profile, environment, known, numbers, told)
        .tell(wanted_by(known, asked, told.candidate));
  } catch (const base::UserError& error) {
    const base::Fault& fault = error.faults().front();
    told.lacks = fault.what;
    told.remedy = fault.remedy;
    told.unknown = true;
  }
  return told;
}

std::vector<ToldLevel> told_levels(const Profile& profile, const Environment& environment,
                                   const std::string& launcher,
                                   std::span<const AskedLevel> levels) {
  const std::vector<Item> items = items_to_ask(profile, levels);
  const ItemNumbers numbers = ask_item_numbers(profile, environment, launcher, items);
  std::vector<ToldLevel> told;
  told.reserve(levels.size());
  for (const AskedLevel& asked : levels) {
    told.push_back(told_level(profile, environment, asked, numbers));
  }
  return told;
}

}  // namespace invar::launch
