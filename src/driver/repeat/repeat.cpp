#include "driver/repeat/repeat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "analysis/compare/reference_regime.hpp"
#include "analysis/reproduce/reproduce_directory.hpp"
#include "base/collect.hpp"
#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/presets.hpp"
#include "design/plan/streams.hpp"
#include "design/recipes/repeated_campaign.hpp"
#include "design/recipes/suite_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/run/interrupt.hpp"
#include "driver/run/progress.hpp"
#include "driver/run/run.hpp"
#include "store/campaign_dir.hpp"
#include "store/files.hpp"
#include "store/own_files.hpp"
#include "store/reader.hpp"
#include "store/unborn.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwn = "invar";

using Methods = std::map<std::string, Prepared>;

store::Reproduction reproduction_plan(const RepeatOrder& order, std::uint64_t seed,
                                      std::vector<std::string> methods,
                                      std::vector<std::string> computed) {
  store::Reproduction plan{.budget_s = order.budget_s,
                           .seed = seed,
                           .methods = std::move(methods),
                           .computed = std::move(computed)};
  for (std::uint32_t repeat = 1; repeat <= order.times; ++repeat) {
    base::Random seeds = base::Random::of({seed, design::kRepeatStream, repeat});
    base::Random orders = base::Random::of({seed, design::kMethodStream, repeat});
    store::Reproduction::Repeat& one = plan.repeats.emplace_back();
    one.seed = seeds.next() & design::kMaxSeed;
    one.order = plan.methods;
    orders.shuffle(std::span(one.order));
  }
  return plan;
}

Methods prepare_methods(const design::Campaign& own, const std::vector<std::string>& names,
                        const std::string& place) {
  Methods methods;
  base::Faults faults;
  for (const std::string& name : names) {
    base::collect(faults, [&] {
      const design::Campaign campaign =
          name == kOwn ? own : design::suite_campaign(own, *design::find_preset(name));
      try {
        methods.emplace(name, prepare(campaign, {}, place));
      } catch (const base::UserError& error) {
        if (name == kOwn) throw;
        std::vector<base::Fault> of_suite = error.faults();
        for (base::Fault& fault : of_suite) {
          fault.what = "measured as " + name + " does: " + fault.what;
        }
        throw base::UserError(of_suite);
      }
    });
  }
  faults.throw_if_any();
  return methods;
}

void check_budgets(const Methods& methods) {
  base::Faults faults;
  for (const auto& [name, prepared] : methods) {
    base::collect(faults, [&method = prepared] { check_budget_for_a_look(method); });
    const std::string beyond = beyond_budget_text(prepared);
    if (beyond.empty() || prepared.campaign.stopping == design::Stopping::kLooks ||
        surely_needed_s(prepared) <= prepared.campaign.budget_s.value_or(0)) {
      continue;
    }
    faults.add("--budget", name + ": " + beyond,
               "give it " + base::span_text(std::ceil(least_seconds(prepared))) +
                   " or more, or take fewer cells" + (name == kOwn ? ", rounds or launches" : ""));
  }
  faults.throw_if_any();
}

std::string resume_text(const fs::path& dir) {
  return "invar reproduce --resume " + base::shell_quoted(dir.string());
}

class Repeating {
 public:
  Repeating(fs::path dir, const Repeats& repeats)
      : dir_(std::move(dir)), plan_(repeats.plan), methods_(repeats.methods) {
    for (std::size_t repeat = 1; repeat <= plan_.repeats.size(); ++repeat) {
      for (const std::string& method : plan_.repeats[repeat - 1].order) {
        if (!is_whole(store::repeat_dir(dir_, repeat, method)))
          to_measure_.emplace_back(repeat, method);
      }
    }
  }

  RepeatEnd run() {
    // Also between two campaigns somebody who stops wants to know how to go on.
    const InterruptGuard guard;
    for (std::size_t i = 0; i < to_measure_.size(); ++i) {
      if (interrupted()) return stopped(true);
      const auto& [repeat, method] = to_measure_[i];
      const std::string part =
          fmt::format("repeat {} of {}, {}", repeat, plan_.repeats.size(), method);
      told_.say(fmt::format("{}, about {} left", part, base::span_text(left_s(i))));
      try {
        const RunResult result = run_one(repeat, method, part);
        if (result.interrupted || result.library_changed) return stopped(result.interrupted);
      } catch (const base::CommandError&) {
        told_.say(fmt::format("invar: stopped in {}; go on with: {}", part, resume_text(dir_)));
        throw;
      }
    }
    return RepeatEnd::kWhole;
  }

 private:
  // A damaged campaign is mended by going on with it.
  static bool is_whole(const fs::path& campaign) {
    return analysis::has_ended(campaign) && store::read_campaign_dir(campaign).damage.empty();
  }

  [[nodiscard]] double left_s(std::size_t done) const {
    const double taken_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    // With what comes before and after the groups of a campaign, as soon as that was seen.
    const double each_s =
        done == 0 ? plan_.budget_s : std::max(1.0, taken_s / static_cast<double>(done));
    return std::ceil(each_s * static_cast<double>(to_measure_.size() - done));
  }

  RunResult run_one(std::size_t repeat, const std::string& method, const std::string& part) const {
    const fs::path campaign = store::repeat_dir(dir_, repeat, method);
    store::refuse_linked_folder(campaign.parent_path());
    store::refuse_linked_folder(campaign);
    if (store::holds_campaign(campaign)) return run_resumed(campaign, part);
    store::remove_unborn(campaign);
    Prepared prepared = methods_.at(method);
    // Prepared once for all campaigns, and none of them pays for it.
    prepared.begun = std::chrono::steady_clock::now();
    prepared.campaign.seed = plan_.repeats[repeat - 1].seed;
    if (method == kOwn && !prepared.campaign.analysis.regime) {
      prepared.campaign.analysis.regime = regime_of_others(repeat);
    }
    return run_new(prepared, std::nullopt, campaign, part);
  }

  // The reference regime of the first other repeat that is whole: all repeats are to speak of the
  // same machine. It is chosen from canaries alone, so that nobody's times lean to each other.
  [[nodiscard]] std::optional<base::CanaryBand> regime_of_others(std::size_t own) const {
    for (std::size_t repeat = 1; repeat <= plan_.repeats.size(); ++repeat) {
      const fs::path campaign = store::repeat_dir(dir_, repeat, kOwn);
      if (repeat == own || !is_whole(campaign)) continue;
      const analysis::Study study(store::read_campaign_dir(campaign));
      if (auto band = analysis::reference_band_of(study)) return band;
    }
    return std::nullopt;
  }

  [[nodiscard]] RepeatEnd stopped(bool interrupted) {
    told_.say(fmt::format("invar: {}; go on with: {}", interrupted ? "interrupted" : "stopped",
                          resume_text(dir_)));
    return interrupted ? RepeatEnd::kInterrupted : RepeatEnd::kStopped;
  }

  fs::path dir_;
  const store::Reproduction& plan_;
  const Methods& methods_;
  std::vector<std::pair<std::size_t, std::string>> to_measure_ = {};
  Progress told_ = Progress();
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

const Prepared& Repeats::own() const { return methods.at(kOwn); }

Repeats prepare_repeats(const RepeatOrder& order) {
  const std::string& place = order.place;
  design::Campaign own = design::repeated_campaign(order.campaign, order.presets_written, place);
  std::vector<std::string> methods{kOwn};
  std::vector<std::string> computed;
  if (!own.has_program()) {
    for (const std::string& name : order.presets) {
      (design::find_preset(name)->scheme.empty() ? computed : methods).push_back(name);
    }
  }
  own = design::with_drawn_sizes(
      prepare(own, {.budget_s = order.budget_s}, place).campaign,
      [&](const design::Campaign& campaign) { return prepare(campaign, {}, place).cells.cells; });
  Repeats repeats{.campaign_toml = design::campaign_toml(own),
                  .methods = prepare_methods(own, methods, place)};
  check_budgets(repeats.methods);
  for (auto& [name, method] : repeats.methods) check_launches(method);
  repeats.plan = reproduction_plan(order, own.seed, std::move(methods), std::move(computed));
  repeats.plan.campaign_crc = base::crc32c(repeats.campaign_toml);
  return repeats;
}

RepeatEnd repeat_new(const Repeats& repeats, const fs::path& dir) {
  store::make_directories(dir);
  store::write_file(dir / "campaign.toml", repeats.campaign_toml);
  // Last, because it makes the directory one that can be gone on with.
  store::write_file(dir / store::kReproduction, store::reproduction_json(repeats.plan));
  return Repeating(dir, repeats).run();
}

RepeatEnd repeat_resumed(const fs::path& dir) {
  store::refuse_links(dir);
  store::refuse_other_owner(dir);
  Repeats repeats{.plan = analysis::reproduction_of(dir)};
  const std::string place = (dir / "campaign.toml").string();
  const auto text = store::read_text(place);
  if (!text) throw base::UserError(place, "cannot be read", "it says what is repeated");
  if (repeats.plan.campaign_crc && base::crc32c(*text) != *repeats.plan.campaign_crc) {
    throw base::UserError(place, "was edited since the first repeat was measured by it",
                          "undo that, or measure the other campaign from its beginning: invar "
                          "reproduce CAMPAIGN.toml -o DIR");
  }
  repeats.methods =
      prepare_methods(design::read_sealed_campaign(*text, place), repeats.plan.methods, place);
  for (auto& [name, method] : repeats.methods) check_launches(method, Beginning::kGoesOn);
  return Repeating(dir, repeats).run();
}

}  // namespace invar::driver
