#include "cli/quick_words.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/collect.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/parse.hpp"
#include "design/factors/levels.hpp"
#include "design/factors/sizes.hpp"

namespace invar::cli {
namespace {

constexpr const char* kSyncOfSharedCores = "dissemination";

std::uint64_t seed_of(const std::string& option, const std::string& text) {
  if (text.empty()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
               std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) &
           design::kMaxSeed;
  }
  const base::Parsed<std::uint64_t> seed = base::parse_count(text);
  if (!seed.value) throw base::UserError(option, seed.error);
  if (*seed.value > design::kMaxSeed) {
    throw base::UserError(option, "'" + text + "' is too large",
                          "the largest is " + std::to_string(design::kMaxSeed));
  }
  return *seed.value;
}

// "2,4": levels of a factor, by the key that it has in a campaign.
void take_levels(const std::string& option, const std::string& key, const std::string& text,
                 design::Levels& levels) {
  const record::Factor& known = *record::find_factor_by_key(key);
  std::vector<std::string> found;
  base::Faults faults;
  for (const std::string& word : parse_words(option, text)) {
    // As a campaign's file has it.
    const std::string written = known.kind != record::LevelKind::kTruth ? word
                                : word == "true"                        ? "yes"
                                : word == "false"                       ? "no"
                                                                        : word;
    const record::LevelText level = design::level_text(known, written);
    if (level.text) {
      if (std::ranges::find(found, *level.text) != found.end()) {
        faults.add(option, "'" + word + "' is named twice", "name every level once");
      }
      found.push_back(*level.text);
    } else {
      const bool verb = level.complaint.starts_with("is ");
      faults.add(option, (verb ? "it " : "") + level.complaint, level.remedy);
    }
  }
  faults.throw_if_any();
  levels[key] = found;
}

// "cache=warm,cold-flush": any factor of cells.
void take_factor(const std::string& text, design::Levels& levels) {
  const std::string option = "--with";
  const std::size_t sign = text.find('=');
  const std::string key = text.substr(0, sign);
  if (record::find_factor_by_key(key) != nullptr && sign == std::string::npos) {
    throw base::UserError(option, "'" + key + "' has no levels", "write " + key + "=LEVEL,LEVEL");
  }
  if (record::find_factor_by_key(key) == nullptr) {
    std::vector<std::string> keys = record::cell_factor_words();
    std::erase_if(keys, [](const std::string& word) {
      return record::find_factor_by_key(word) == nullptr;  // has an option of its own
    });
    const std::string meant = base::did_you_mean(key, keys);
    throw base::UserError(
        option, "'" + text + "' names no factor with levels",
        meant.empty() ? "write a factor and its levels: cache=warm,cold-flush" : meant);
  }
  if (levels.contains(key)) {
    throw base::UserError(option, "'" + key + "' is named twice", "write all its levels at once");
  }
  take_levels(option, key, text.substr(sign + 1), levels);
}

}  // namespace

design::QuickOrder parse_quick_words(const QuickWords& words, base::Faults& faults) {
  design::QuickOrder order;
  using base::collect;
  collect(faults, [&] { order.seed = seed_of("--seed", words.seed); });
  collect(faults, [&] { order.operations = parse_words("--operation", words.operation); });
  collect(faults, [&] {
    if (!words.adaptive_sizes) {
      order.sizes_bytes = design::parse_size_list(words.size, "--size");
      return;
    }
    design::SizesAsked sizes = design::parse_sizes(words.size, "--size");
    order.sizes_bytes = std::move(sizes.sizes_bytes);
    order.adaptive = std::move(sizes.adaptive);
  });
  collect(faults, [&] {
    if (!words.ranks.empty()) take_levels("--ranks", "ranks", words.ranks, order.cell_levels);
  });
  order.oversubscribe = words.oversubscribe;
  // Ranks that share cores keep no start time.
  const bool shared = words.oversubscribe && !words.sync_written;
  collect(faults, [&] {
    take_levels("--sync", "sync", shared ? kSyncOfSharedCores : words.sync, order.engine_levels);
  });
  collect(faults, [&] { take_levels("--dither", "dither", words.dither, order.engine_levels); });
  collect(faults, [&] {
    if (words.arrival.empty()) return;
    take_levels("--arrival", "arrival", words.arrival, order.cell_levels);
  });
  for (const std::string& levels : words.with) {
    collect(faults, [&] { take_factor(levels, order.cell_levels); });
  }
  collect(faults, [&] {
    if (!words.regime.empty()) order.regime = parse_regime(words.regime);
  });
  collect(faults, [&] {
    if (!words.alpha.empty()) order.alpha = parse_alpha(words.alpha);
  });
  collect(faults, [&] {
    if (words.min_effect.empty()) return;
    order.min_effect = parse_min_effect(words.min_effect);
    // As in a campaign's file.
    if (!(*order.min_effect < 1)) {
      throw base::UserError("--min-effect", "is 100% or more",
                            "write the smallest difference that matters, as in 2%");
    }
  });
  collect(faults, [&] { order.budget_s = parse_budget_s("--budget", words.budget); });
  return order;
}

void add_oversubscribe_option(CLI::App& command, QuickWords& words) {
  command.add_flag("--oversubscribe", words.oversubscribe,
                   "more ranks than cores, to see how a library behaves: in a campaign "
                   "oversubscribe = true, pinning = \"none\" and sync = \"dissemination\"; such "
                   "times are no figures and get no verdicts, sizes are not chosen by them");
}

std::optional<std::vector<design::Arm>> parse_arms(const std::vector<std::string>& texts,
                                                   const std::string& place, base::Faults& faults) {
  std::vector<design::Arm> arms;
  for (const std::string& text : texts) {
    base::collect(faults, [&] { arms.push_back(design::parse_arm(text, place)); });
  }
  if (arms.size() != texts.size()) return std::nullopt;
  return arms;
}

}  // namespace invar::cli
