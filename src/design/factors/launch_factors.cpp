#include "design/factors/launch_factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "clock/algorithm.hpp"
#include "design/factors/simulated.hpp"

namespace invar::design {
namespace {

constexpr std::size_t kMostVariants = 64;
constexpr std::size_t kMostLabel = 64;
// One variable of the environment may have 128 KiB (MAX_ARG_STRLEN), its name included.
constexpr std::uint64_t kMostPaddingBytes = 128'000;

LaunchLevel one_of(std::string_view written, std::vector<std::string> words) {
  if (std::find(words.begin(), words.end(), written) != words.end()) {
    return {.text = std::string(written)};
  }
  return {.complaint = "'" + std::string(written) + "' is not a value",
          .remedy = base::did_you_mean(std::string(written), words)};
}

LaunchLevel pinning(std::string_view written) {
  return one_of(written, {"core", "none", std::string(kSimulatedRanks)});
}

LaunchLevel aslr(std::string_view written) { return one_of(written, {"default", "on", "off"}); }

LaunchLevel progress(std::string_view written) {
  return one_of(written, {"none", "bystanders", "probe"});
}

LaunchLevel connect(std::string_view written) {
  return one_of(written, {"auto", "none", "pattern", "hosts", "all"});
}

LaunchLevel communicator(std::string_view written) {
  return one_of(written, {"split", "dup", std::string(kWorldCommunicator)});
}

LaunchLevel huge_pages(std::string_view written) {
  return one_of(written, {"default", "always", "never"});
}

LaunchLevel padding(std::string_view written) {
  if (written == "default") return {.text = "default"};
  const base::Parsed<std::uint64_t> bytes = base::parse_size_bytes(written);
  if (!bytes.value) return {.complaint = bytes.error};
  if (*bytes.value > kMostPaddingBytes) {
    return {.complaint = "'" + std::string(written) + "' is more than a variable may have",
            .remedy = "write 128000 bytes at most"};
  }
  return {.text = std::to_string(*bytes.value)};
}

// "performance", or a frequency, "2.4GHz", kept in kHz as the kernel has it.
LaunchLevel governor(std::string_view written) {
  for (const auto& [unit, khz] : {std::pair{"GHz", 1e6}, {"MHz", 1e3}, {"kHz", 1.0}}) {
    if (!written.ends_with(unit)) continue;
    const auto value = base::parse_double(written.substr(0, written.size() - 3));
    if (value && *value > 0 && *value * khz < 1e9) {
      return {.text = std::to_string(std::llround(*value * khz)) + "kHz"};
    }
  }
  const bool word = !written.empty() && std::all_of(written.begin(), written.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  });
  if (word) return {.text = std::string(written)};
  return {.complaint = "'" + std::string(written) + "' is neither a governor nor a frequency",
          .remedy = "write \"performance\", another governor of this kernel, or \"2.4GHz\""};
}

// "64" pages of 2 MiB, "64x2MiB", "1x1GiB", kept with their size.
LaunchLevel huge_page_pool(std::string_view written) {
  constexpr std::string_view kUsualPage = "2MiB";
  constexpr std::array<std::string_view, 2> kPages{kUsualPage, "1GiB"};
  constexpr std::uint64_t kMostPages = 1U << 20U;
  if (written == "default") return {.text = "default"};
  const std::size_t sign = written.find('x');
  const auto count = base::parse_u64(written.substr(0, sign));
  const std::string_view page =
      sign == std::string_view::npos ? kUsualPage : written.substr(sign + 1);
  if (count && *count > 0 && *count <= kMostPages &&
      std::find(kPages.begin(), kPages.end(), page) != kPages.end()) {
    return {.text = std::to_string(*count) + "x" + std::string(page)};
  }
  return {.complaint = "'" + std::string(written) + "' is not a number of huge pages",
          .remedy = "write \"64x2MiB\" or \"2x1GiB\": so many are free while launches run"};
}

LaunchLevel numa_balancing(std::string_view written) {
  return one_of(written, {"default", "on", "off"});
}

// Kept in the shortest way: 0.1, 1.
LaunchLevel share(std::string_view written) {
  const std::optional<double> value = record::share_of(written);
  if (!value) {
    return {.complaint = "'" + std::string(written) + "' is not a share of the visits",
            .remedy = "write 0 to 1, as 0.1 for one visit in ten"};
  }
  std::string text(32, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.6g", *value)));
  return {.text = std::move(text)};
}

LaunchLevel placement_in_host(std::string_view written) {
  return one_of(written, {std::string(record::kPackedInHost), std::string(record::kSpreadInHost),
                          std::string(record::kNumaInHost)});
}

// In one way of writing; any parameters of the algorithm may stand behind its name.
LaunchLevel clock_sync(std::string_view written) {
  std::vector<std::string> words{std::string(record::kNoClockSync)};
  for (const clock::Algorithm& algorithm : clock::algorithms()) words.emplace_back(algorithm.name);
  const std::string name(base::split(written, ':').front());
  if (name == record::kNoClockSync) return one_of(written, words);  // it has no parameters
  if (std::ranges::find(words, name) == words.end()) return one_of(name, words);
  try {
    return {.text = clock::parse_algorithm(written, "clock-sync").text()};
  } catch (const base::UserError& error) {
    LaunchLevel wrong;
    for (const base::Fault& fault : error.faults()) {
      // All in one line: a level has one place.
      const std::string whose = fault.place == name ? name + " " : "";
      wrong.complaint += (wrong.complaint.empty() ? "" : "; ") + whose + fault.what;
      wrong.remedy += (wrong.remedy.empty() ? "" : "; ") + fault.remedy;
    }
    return wrong;
  }
}

constexpr std::array<LaunchFactor, 13> kFactors{{
    {.key = "pinning",
     .factor = "pinning",
     .usual = "core",
     .tag = "pinning-",
     .level = pinning,
     .told = &record::LaunchSpec::pinning,
     .unpinned = "none",
     .only = &EngineOptions::pinning,
     .sample = "# Ranks stay on their core. \"none\" is for tests of behaviour: no verdicts.\n"
               "pinning = \"core\"\n"},
    {.key = "aslr",
     .factor = "aslr",
     .usual = "default",
     .tag = "aslr-",
     .level = aslr,
     .told = &record::LaunchSpec::aslr,
     .made_by_ranks = true,
     .sample = "# aslr = [\"on\", \"off\"]               random addresses\n"},
    {.key = "thp",
     .factor = "thp",
     .usual = "default",
     .tag = "thp-",
     .level = huge_pages,
     .told = &record::LaunchSpec::thp,
     .made_by_ranks = true,
     .sample = "# thp = [\"always\", \"never\"]          transparent huge pages\n"},
    {.key = "environment-size",
     .factor = "environment_size",
     .usual = "default",
     .tag = "env-",
     .level = padding,
     .number = true,
     .told = &record::LaunchSpec::environment_size,
     .made_by_ranks = true,
     .sample = "# environment-size = [0, \"4KiB\"]     bytes that pad the environment\n"},
    {.key = "governor",
     .factor = "governor",
     .usual = "default",
     .tag = "",
     .level = governor,
     .from_outside = FromOutside::kFrequency,
     .elsewhere = "let the batch system set them (srun --cpu-freq), ",
     .shared_by_turns = "one frequency",
     .sample =
         "# governor = \"performance\"           or a frequency, \"2.4GHz\", where Linux lets us "
         "set it\n"},
    {.key = "huge-pages",
     .factor = "huge_pages",
     .usual = "default",
     .tag = "huge-pages-",
     .level = huge_page_pool,
     .from_outside = FromOutside::kHugePages,
     .shared_by_turns = "one pool of huge pages",
     .sample = "# huge-pages = \"64x2MiB\"            so many are reserved while launches run (for "
               "pages = \"2MiB\")\n"},
    {.key = "numa-balancing",
     .factor = "numa_balancing",
     .usual = "default",
     .tag = "numa-balancing-",
     .level = numa_balancing,
     .from_outside = FromOutside::kNumaBalancing,
     .shared_by_turns = "one kernel",
     .sample = "# numa-balancing = \"off\"            \"on\": the kernel moves pages to who uses "
               "them\n"},
    {.key = "verification",
     .factor = "verification",
     .usual = "0",
     .tag = "verification-",
     .level = share,
     .number = true,
     .told = &record::LaunchSpec::verification,
     .only = &EngineOptions::verification,
     .sample =
         "# After so many of the visits the result is checked, the last ones always. 0: never.\n"
         "verification = 0.1\n"},
    {.key = "placement-in-host",
     .factor = "placement_in_host",
     .usual = record::kPackedInHost,
     .tag = "placed-",
     .level = placement_in_host,
     .told = &record::LaunchSpec::placement_in_host,
     .shared_by_turns = "one map of ranks to cores",
     .sample = "# placement-in-host = \"packed\"       ranks on neighbouring cores; \"spread\" or "
               "\"numa\": "
               "apart\n"},
    {.key = "clock-sync",
     .factor = "clock_sync",
     .usual = "mesh",
     .tag = "clock-",
     .level = clock_sync,
     .told = &record::LaunchSpec::clock_sync,
     .sample = "# clock-sync = \"mesh\"                one time for several hosts: by an algorithm "
               "of `invar clocks list`, or \"none\"\n"},
    {.key = "progress",
     .factor = "progress",
     .usual = "bystanders",
     .tag = "progress-",
     .level = progress,
     .told = &record::LaunchSpec::progress,
     .only = &EngineOptions::progress,
     .sample =
         "# Ranks on turn that wait for a millisecond call their library: it may need that to "
         "send.\n"
         "# \"none\": they do not.\n"
         "progress = \"probe\"\n"},
    {.key = "connect",
     .factor = "connect",
     .usual = "hosts",
     .tag = "connect-",
     .level = connect,
     .told = &record::LaunchSpec::connect,
     .only = &EngineOptions::connect,
     .sample = "# Connections made before anything is timed: \"all\", \"pattern\" (of trees and "
               "rings), \"none\".\n"
               "# \"auto\": between hosts all of them up to 256 ranks, the pattern above.\n"
               "connect = \"auto\"\n"},
    {.key = "communicator",
     .factor = "communicator",
     .usual = "split",
     .tag = "communicator-",
     .level = communicator,
     .told = &record::LaunchSpec::communicator,
     .sample =
         "# communicator = [\"split\", \"world\"]   or \"dup\"; world: MPI_COMM_WORLD itself, "
         "for cells of all ranks\n"},
}};

// Levels of [engine] that multiply the arm.
struct Multiplier {
  const LaunchFactor* factor;
  const std::vector<std::string>* levels;
};

std::string variant_label(const Arm& arm, const std::vector<Multiplier>& factors,
                          const std::vector<std::size_t>& chosen, std::size_t number) {
  std::string label = arm.label;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (chosen[i] == 0) continue;  // the reference level is not told
    std::string level = factors[i].levels->at(chosen[i]);
    // What labels cannot have: "hca3:fit-points=500".
    std::ranges::replace(level, ':', '-');
    std::ranges::replace(level, '=', '-');
    label += '+' + std::string(factors[i].factor->tag) + level;
  }
  if (label.size() > kMostLabel) label = arm.label + "+variant" + std::to_string(number);
  return label;
}

}  // namespace

std::span<const LaunchFactor> launch_factors() { return kFactors; }

const LaunchFactor* find_launch_factor(std::string_view key) {
  const auto found = std::find_if(kFactors.begin(), kFactors.end(),
                                  [&](const LaunchFactor& factor) { return factor.key == key; });
  return found == kFactors.end() ? nullptr : &*found;
}

std::string level_of(const Campaign& campaign, const Arm& arm, std::string_view key) {
  const auto own = std::find_if(arm.launch.begin(), arm.launch.end(),
                                [&](const auto& level) { return level.first == key; });
  if (own != arm.launch.end()) return own->second;
  const auto general = campaign.engine.launch_levels.find(key);
  if (general != campaign.engine.launch_levels.end() && general->second.size() == 1) {
    return general->second.front();
  }
  const LaunchFactor* factor = find_launch_factor(key);
  if (factor == nullptr) throw std::invalid_argument("no factor of a launch");
  return factor->only != nullptr ? campaign.engine.*factor->only : std::string(factor->usual);
}

const std::string& base_label(const Arm& arm) {
  return arm.variant_of.empty() ? arm.label : arm.variant_of;
}

bool is_unpinned(const Campaign& campaign, const Arm& arm) {
  return std::any_of(kFactors.begin(), kFactors.end(), [&](const LaunchFactor& factor) {
    return !factor.unpinned.empty() && level_of(campaign, arm, factor.key) == factor.unpinned;
  });
}

bool any_unpinned(const Campaign& campaign) {
  const bool listed = std::ranges::any_of(kFactors, [&](const LaunchFactor& factor) {
    const auto levels = campaign.engine.launch_levels.find(factor.key);
    return levels != campaign.engine.launch_levels.end() && !factor.unpinned.empty() &&
           std::ranges::find(levels->second, factor.unpinned) != levels->second.end();
  });
  if (campaign.arms.empty()) return listed || is_unpinned(campaign, {});
  return listed || std::ranges::any_of(campaign.arms,
                                       [&](const Arm& arm) { return is_unpinned(campaign, arm); });
}

bool any_has_level(const Campaign& campaign, std::string_view key, std::string_view level) {
  const auto listed = campaign.engine.launch_levels.find(key);
  if (listed != campaign.engine.launch_levels.end() &&
      std::ranges::find(listed->second, level) != listed->second.end()) {
    return true;
  }
  if (campaign.arms.empty()) return level_of(campaign, {}, key) == level;
  return std::ranges::any_of(campaign.arms, [&](const Arm& arm) {
    return !arm.is_program() && level_of(campaign, arm, key) == level;
  });
}

bool all_unpinned(const Campaign& campaign) {
  const bool several = std::ranges::any_of(kFactors, [&](const LaunchFactor& factor) {
    const auto levels = campaign.engine.launch_levels.find(factor.key);
    return !factor.unpinned.empty() && levels != campaign.engine.launch_levels.end() &&
           levels->second.size() > 1;
  });
  if (several) return false;
  if (campaign.arms.empty()) return is_unpinned(campaign, {});
  return std::ranges::all_of(campaign.arms,
                             [&](const Arm& arm) { return is_unpinned(campaign, arm); });
}

bool plants_delays(const Campaign& campaign, const Arm& arm) {
  return base_label(arm) != base_label(campaign.arms.front());
}

bool any_starts_again(const Campaign& campaign) {
  return std::any_of(campaign.arms.begin(), campaign.arms.end(), [&](const Arm& arm) {
    return !arm.is_program() &&
           std::any_of(kFactors.begin(), kFactors.end(), [&](const LaunchFactor& factor) {
             return factor.made_by_ranks && level_of(campaign, arm, factor.key) != factor.usual;
           });
  });
}

void expand_variants(Campaign& campaign, const std::string& place) {
  if (campaign.engine.launch_levels.empty()) return;
  base::Faults faults;
  std::vector<Arm> expanded;
  std::set<std::string> taken;
  for (const Arm& arm : campaign.arms) {
    std::vector<Multiplier> factors;
    std::size_t count = 1;
    for (const LaunchFactor& factor : kFactors) {
      const auto levels = campaign.engine.launch_levels.find(factor.key);
      if (levels == campaign.engine.launch_levels.end() || levels->second.empty()) continue;
      const bool own = std::any_of(arm.launch.begin(), arm.launch.end(),
                                   [&](const auto& level) { return level.first == factor.key; });
      if (own) continue;
      factors.push_back({&factor, &levels->second});
      count = std::min(count * levels->second.size(), std::size_t{1} << 20U);
    }
    if (expanded.size() + count > kMostVariants) {
      throw base::UserError(place,
                            "a group would have " + std::to_string(expanded.size() + count) +
                                " launches or more: every arm in every combination of the levels "
                                "of a launch",
                            "take fewer levels or arms, up to " + std::to_string(kMostVariants) +
                                " launches, or several campaigns");
    }
    std::vector<std::size_t> chosen(factors.size(), 0);
    for (std::size_t number = 0; number < count; ++number) {
      Arm variant = arm;
      for (std::size_t i = 0; i < factors.size(); ++i) {
        variant.launch.emplace_back(factors[i].factor->key, factors[i].levels->at(chosen[i]));
      }
      if (count > 1) {
        variant.label = variant_label(arm, factors, chosen, number + 1);
        variant.variant_of = base_label(arm);
      }
      if (!taken.insert(variant.label).second) {
        faults.add(place, "a variant of an arm is labelled '" + variant.label + "', as another arm",
                   "give that arm another label");
      }
      expanded.push_back(std::move(variant));
      // The last factor's level changes first.
      for (std::size_t i = factors.size(); i-- > 0;) {
        if (++chosen[i] < factors[i].levels->size()) break;
        chosen[i] = 0;
      }
    }
  }
  faults.throw_if_any();
  campaign.arms = std::move(expanded);
  campaign.engine.launch_levels.clear();
}

}  // namespace invar::design
