#include "analysis/reproduce/reproduce_campaigns.hpp"

#include <algorithm>

#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/metadata/metadata.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/suites/show_as.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

constexpr const char* kOwn = "invar";
// Between repeats; of a quiet machine they differ by some percent.
constexpr double kMovedCanary = 1.2;

std::string why_missing(const SuiteValues& values) {
  for (const auto& arms : values.one_run.values) {
    for (const RepeatedValue& value : arms) {
      if (!value.missing.empty()) return value.missing;
    }
  }
  return "no cell was measured";
}

}  // namespace

std::vector<RepeatValues>& ReproducedCampaigns::repeats_of(const std::string& method, Taken taken,
                                                           bool shares_time) {
  const auto found = std::ranges::find_if(methods_, [&](const MethodRepeats& known) {
    return known.name == method && known.taken == taken;
  });
  if (found != methods_.end()) return found->repeats;
  methods_.push_back({.name = method, .taken = taken, .shares_time = shares_time});
  return methods_.back().repeats;
}

void ReproducedCampaigns::note(const Study& study, const std::string& method) {
  const store::Data& data = study.all();
  const std::string dir = data.dir.string();
  const auto first = std::ranges::find(first_methods_, method);
  if (first == first_methods_.end()) {
    first_methods_.push_back(method);
    firsts_.push_back(head_of(study));
  } else {
    const CampaignHead& reference =
        firsts_[static_cast<std::size_t>(first - first_methods_.begin())];
    for (const std::string& difference : campaign_differences(reference, head_of(study))) {
      faults_.add(dir,
                  "is another campaign than " + reference.data.dir.string() + ": " + difference);
    }
  }
  health_ += study.health();
  if (!data.damage.empty()) {
    warnings_.emplace_back(dir + " is damaged (" + data.damage.front().what +
                           "): " + count_text(data.damaged_groups.size(), "launch group") +
                           " left out; see 'invar verify " + dir + "'");
  }
  if (!data.ended) warnings_.emplace_back(dir + " is unfinished");
  std::vector<std::string> failures;
  const auto count = [&](std::size_t number, const char* what) {
    if (number > 0) failures.push_back(count_text(number, what));
  };
  count(data.failed_groups.size(), "launch group");
  count(data.failed_cells.size(), "cell of an arm");
  count(data.dropped_arms.size(), "arm");
  count(data.missed.size(), "run of a program");
  if (!failures.empty()) warnings_.emplace_back(dir + ": " + list_text(failures) + " failed");
  for (const std::string& session : data.sessions) {
    if (std::ranges::find(sessions_, session) == sessions_.end()) sessions_.push_back(session);
  }
  for (const store::WarningLine& warning : data.warnings) {
    noted_.push_back(dir + ": " + warning.text);
  }
}

void ReproducedCampaigns::add_own(const Study& study, const std::vector<std::string>& presets) {
  note(study, kOwn);
  const store::Data& data = study.all();
  // Another campaign's arms and cells are other columns; it is refused in the end.
  if (!faults_.empty()) return;
  std::vector<std::uint32_t> all(data.arms.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<ComparedArm> arms = compared_arms(data, all);
  if (methods_.empty()) {
    cells_ = study.data().cells;
    arms_ = arms;
    min_effect_ = study.campaign().analysis.min_effect;
  } else {
    for (std::size_t i = 0; i < arms.size() && i < arms_.size(); ++i) {
      arms_[i].launches += arms[i].launches;
    }
  }
  if (const auto canary = canary_of(data)) {
    if (canaries_ns_.empty()) canary_kind_ = canary->kind;
    if (canary->kind == canary_kind_) canaries_ns_.push_back(canary->median_ns);
  }
  repeats_of(kOwn, Taken::kAnswer, false).push_back(own_values(in_common_regime(study), cells_));
  if (presets.empty()) return;
  const PresetValues reported(study);
  for (const std::string& preset : presets) add_suite_values(reported, preset, true);
}

// In the regime of the first campaign, which is chosen from canaries alone, unless this campaign
// speaks of another one already or was hardly ever in it.
Study ReproducedCampaigns::in_common_regime(const Study& study) {
  const store::Data& data = study.data();
  const Rules& rules = study.rules();
  // One arm has times alone, and these are over everything.
  const bool has_canaries = std::ranges::any_of(
      study.summaries().visits, [](const VisitSummary& visit) { return visit.has_canary(); });
  if (!has_canaries || data.arms.size() < 2) return study;
  const std::string dir = data.dir.string();
  if (!judged_in_.empty() && !is_fixed(data, rules) && rules.method == Method::kInvar) {
    // Not a reference: the list grows below.
    const std::optional<base::CanaryBand> first = judged_in_.front().second;
    const CellTable table =
        sort_visits(study.summaries().visits, data.cells.size(), data.arms.size());
    if (first && any_in(study.summaries(), *first) && can_speak_of(table, *first)) {
      judged_in_.emplace_back(dir, first);
      return study.in_regime(*first);
    }
  }
  judged_in_.emplace_back(dir, reference_band_of(study));
  return study;
}

// Bands that touch are of one regime.
std::optional<std::string> ReproducedCampaigns::regimes_apart() const {
  std::vector<std::string> texts;
  bool apart = false;
  for (const auto& [dir, band] : judged_in_) {
    const std::optional<base::CanaryBand>& first = judged_in_.front().second;
    apart =
        apart || (band && first ? !band->touches(*first) : band.has_value() != first.has_value());
    texts.push_back(dir + (band ? " at " + base::band_text(*band) : " over everything"));
  }
  if (!apart) return std::nullopt;
  constexpr std::size_t kCampaignsTold = 4;
  return "the campaigns do not speak of one regime of the machine (" +
         base::first_items(texts, kCampaignsTold, ", ", "campaign") +
         "): their ratios differ by that as well";
}

void ReproducedCampaigns::add_suite(const Study& study, const std::string& preset) {
  note(study, preset);
  if (faults_.empty()) add_suite_values(PresetValues(study), preset, false);
}

void ReproducedCampaigns::add_suite_values(const PresetValues& reported, const std::string& preset,
                                           bool shares_time) {
  SuiteValues values = suite_values(reported, *design::find_preset(preset), cells_);
  if (values.any) {
    reported_.insert(preset);
  } else {
    missing_.emplace_back(preset, why_missing(values));
  }
  repeats_of(preset, Taken::kOneRun, shares_time).push_back(std::move(values.one_run));
  repeats_of(preset, Taken::kSameTime, shares_time).push_back(std::move(values.same_time));
}

std::string ReproducedCampaigns::why_no_number(const std::string& preset) const {
  const auto why =
      std::ranges::find_if(missing_, [&](const auto& missing) { return missing.first == preset; });
  return why == missing_.end() ? "it has no number" : why->second;
}

Reproduced ReproducedCampaigns::result(const std::vector<std::string>& asked) const {
  faults_.throw_if_any();
  base::Faults faults;
  for (const std::string& preset : asked) {
    if (reported_.contains(preset)) continue;
    faults.add("--presets", preset + ": " + why_no_number(preset),
               "leave it out, or measure again with " + how_to_measure({preset}));
  }
  faults.throw_if_any();
  std::vector<std::string> silent;
  ReproduceInput input{.cells = cells_, .arms = arms_, .min_effect = min_effect_};
  for (const MethodRepeats& method : methods_) {
    if (method.taken == Taken::kAnswer || reported_.contains(method.name)) {
      input.methods.push_back(method);
    } else if (!method.shares_time && method.taken == Taken::kOneRun) {
      silent.push_back(method.name + " has no number of any cell: " + why_no_number(method.name));
    }
  }
  // Suites with a time of their own are what ours is held against.
  std::ranges::stable_sort(input.methods, {}, [](const MethodRepeats& method) {
    return method.taken == Taken::kAnswer ? 0 : (method.shares_time ? 2 : 1);
  });
  Reproduced result = reproduce(std::move(input));
  store::Data all = firsts_.front().data;
  all.sessions = sessions_;
  result.scope = scope_text(all, false);
  result.warnings.insert(result.warnings.end(), silent.begin(), silent.end());
  result.warnings.insert(result.warnings.end(), warnings_.begin(), warnings_.end());
  if (!canaries_ns_.empty()) {
    const auto [low, high] = std::ranges::minmax(canaries_ns_);
    if (high > kMovedCanary * low) {
      result.warnings.emplace_back(
          "the machine was not the same in all repeats: " +
          std::string(canary_kind_ == base::CanaryKind::kChain
                          ? "a chain of multiplications on one core"
                          : "the canary, a cache line's round trip without MPI,") +
          " took " + base::duration_text(low) + " in one and " + base::duration_text(high) +
          " in another (medians); absolute times follow it by whatever method");
    }
  }
  if (std::optional<std::string> apart = regimes_apart()) {
    result.warnings.emplace_back(std::move(*apart), Gravity::kDoubt);
  }
  if (!noted_.empty()) {
    constexpr std::size_t kNotesTold = 3;
    result.warnings.emplace_back("noted while measuring: " +
                                 base::first_items(noted_, kNotesTold, "; ", "warning"));
  }
  result.health = health_;
  return result;
}

}  // namespace invar::analysis
