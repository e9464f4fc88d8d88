#include "cli/reproduce_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <span>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/quick_campaign.hpp"
#include "design/campaign/presets.hpp"
#include "design/plan/streams.hpp"
#include "design/recipes/suite_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/interrupt.hpp"
#include "driver/run/run.hpp"
#include "store/campaign_dir.hpp"
#include "store/files.hpp"
#include "store/lock.hpp"
#include "store/manifest.hpp"
#include "store/open.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwn = "invar";

// Random sizes are drawn from a campaign's seed, which differs from repeat to repeat: all repeats
// get those of the campaign as it is written.
void fix_sizes(design::Campaign& campaign, const std::string& place) {
  std::vector<design::CellsBlock> blocks;
  for (std::size_t i = 0; i < campaign.cells.size(); ++i) {
    const design::CellsBlock& block = campaign.cells[i];
    if (block.random_sizes.empty()) {
      blocks.push_back(block);
      continue;
    }
    for (const std::string& operation : block.operations) {
      design::Campaign alone = campaign;
      alone.cells = {block};
      alone.cells.front().operations = {operation};
      alone.cells.front().operation_positions.clear();
      const driver::Prepared drawn = driver::prepare(alone, {}, place);
      design::CellsBlock& fixed = blocks.emplace_back(alone.cells.front());
      fixed.random_sizes.clear();
      fixed.sizes_bytes.clear();
      for (const record::Cell& cell : drawn.cells.cells) {
        const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
        auto& sizes = fixed.sizes_bytes;
        if (std::ranges::find(sizes, size_bytes) == sizes.end()) sizes.push_back(size_bytes);
      }
    }
  }
  campaign.cells = std::move(blocks);
}

// What is asked of a campaign whatever the machine.
design::Campaign checked_campaign(const ReproduceOrder& order, const CampaignFile& file) {
  base::Faults faults;
  const design::AnalysisOptions& analysis = file.campaign.analysis;
  if (file.plan) {
    faults.add(file.plan_place, "is a plan, which has one seed and one order",
               "name the campaign.toml beside it");
  }
  const design::Preset* method = design::find_preset(analysis.method);
  if (method != nullptr && !method->scheme.empty()) {
    const design::Position at = analysis.positions.of("method");
    faults.add(
        {.place = file.place,
         .line = at.line,
         .column = at.column,
         .what = "method '" + analysis.method +
                 "' is another suite's, and its visits are "
                 "not ours",
         .remedy = "write method = \"invar\" and name the suite: --presets " + analysis.method});
  }
  std::vector<std::string> programs;
  for (const design::Arm& arm : file.campaign.arms) {
    if (arm.is_program()) programs.push_back("'" + arm.label + "'");
  }
  if (!programs.empty() && order.presets_written) {
    faults.add("--presets",
               "another suite cannot measure a program its way: " + base::join(programs, ", "),
               "leave --presets out: the campaign itself is repeated");
  }
  faults.throw_if_any();
  return design::without_suites(file.campaign);
}

store::Reproduction plan_of(const ReproduceOrder& order, std::uint64_t seed,
                            std::vector<std::string> methods, std::vector<std::string> computed) {
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

// The campaign of every method, resolved against this machine; repeats differ in their seed only.
using Methods = std::map<std::string, driver::Prepared>;

Methods prepare_methods(const design::Campaign& own, const std::vector<std::string>& names,
                        const std::string& place) {
  Methods methods;
  base::Faults faults;
  for (const std::string& name : names) {
    collect(faults, [&] {
      const design::Campaign campaign =
          name == kOwn ? own : design::suite_campaign(own, *design::find_preset(name));
      try {
        methods.emplace(name, driver::prepare(campaign, {}, place));
      } catch (const base::UserError& error) {
        if (name == kOwn) throw;
        std::vector<base::Fault> of_suite = error.faults();
        for (base::Fault& fault : of_suite)
          fault.what = "measured as " + name + " does: " + fault.what;
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
    collect(faults, [&method = prepared] { driver::check_budget_for_a_look(method); });
    const std::string beyond = driver::beyond_budget_text(prepared);
    if (beyond.empty() || prepared.campaign.stopping == design::Stopping::kLooks) continue;
    faults.add("--budget", name + ": " + beyond,
               "give it " + base::span_text(std::ceil(driver::least_seconds(prepared))) +
                   " or more, or take fewer cells" + (name == kOwn ? ", rounds or launches" : ""));
  }
  faults.throw_if_any();
}

std::string resume_text(const fs::path& dir) {
  return "invar reproduce --resume " + base::shell_quoted(dir.string());
}

class Reproducing {
 public:
  Reproducing(fs::path dir, const store::Reproduction& plan, const Methods& methods)
      : dir_(std::move(dir)), plan_(plan), methods_(methods) {
    for (std::size_t repeat = 1; repeat <= plan.repeats.size(); ++repeat) {
      for (const std::string& method : plan.repeats[repeat - 1].order) {
        if (!is_whole(store::repeat_dir(dir_, repeat, method))) todo_.emplace_back(repeat, method);
      }
    }
  }

  int run() {
    // Also between two campaigns somebody who stops wants to know how to go on.
    const driver::InterruptGuard guard;
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      if (driver::interrupted()) return stopped(true);
      const auto& [repeat, method] = todo_[i];
      const std::string part =
          fmt::format("repeat {} of {}, {}", repeat, plan_.repeats.size(), method);
      fmt::print(stderr, "{}, about {} left\n", part, base::span_text(left_s(i)));
      try {
        const driver::RunResult result = run_one(repeat, method, part);
        if (result.interrupted || result.library_changed) return stopped(result.interrupted);
      } catch (const base::CommandError&) {
        fmt::print(stderr, "invar: stopped in {}; go on with: {}\n", part, resume_text(dir_));
        throw;
      }
    }
    return 0;
  }

 private:
  // A damaged campaign is mended by going on with it.
  static bool is_whole(const fs::path& campaign) {
    return has_ended(campaign) && store::read_campaign_dir(campaign).damage.empty();
  }

  [[nodiscard]] double left_s(std::size_t done) const {
    const double taken_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    // With what comes before and after the groups of a campaign, as soon as that was seen.
    const double each_s =
        done == 0 ? plan_.budget_s : std::max(1.0, taken_s / static_cast<double>(done));
    return std::ceil(each_s * static_cast<double>(todo_.size() - done));
  }

  driver::RunResult run_one(std::size_t repeat, const std::string& method,
                            const std::string& part) const {
    const fs::path campaign = store::repeat_dir(dir_, repeat, method);
    if (fs::exists(campaign / store::kManifest) || fs::exists(campaign / store::kManifestCopy)) {
      return driver::run_resumed(campaign, part);
    }
    remove_unborn(campaign);
    driver::Prepared prepared = methods_.at(method);
    prepared.campaign.seed = plan_.repeats[repeat - 1].seed;
    return driver::run_new(prepared, std::nullopt, campaign, part);
  }

  // A driver that was killed while it made the directory has measured nothing.
  static void remove_unborn(const fs::path& campaign) {
    if (!fs::exists(campaign)) return;
    if (const auto holder = store::Lock::holder(campaign)) {
      throw base::UserError(campaign.string(), *holder + " is at work on it",
                            "wait for it, or end it");
    }
    std::error_code error;
    fs::remove_all(campaign, error);
  }

  [[nodiscard]] int stopped(bool interrupted) const {
    fmt::print(stderr, "invar: {}; go on with: {}\n", interrupted ? "interrupted" : "stopped",
               resume_text(dir_));
    return static_cast<int>(interrupted ? base::Exit::kIncomplete : base::Exit::kMeasurementFailed);
  }

  fs::path dir_;
  const store::Reproduction& plan_;
  const Methods& methods_;
  std::vector<std::pair<std::size_t, std::string>> todo_ = {};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void announce_all(const store::Reproduction& plan) {
  const double total_s =
      plan.budget_s * static_cast<double>(plan.methods.size() * plan.repeats.size());
  fmt::print(stderr, "{} of {} ({}), {} each: about {} in all\n",
             base::count_text(plan.repeats.size(), "repeat"),
             base::count_text(plan.methods.size(), "method"), base::join(plan.methods, ", "),
             base::span_text(plan.budget_s), base::span_text(total_s));
  if (!plan.computed.empty()) {
    fmt::print(stderr, "from invar's visits, without time of their own: {}\n",
               base::join(plan.computed, ", "));
  }
}

}  // namespace

bool has_ended(const fs::path& campaign) {
  if (!fs::exists(campaign / store::kManifest) && !fs::exists(campaign / store::kManifestCopy)) {
    return false;
  }
  const store::ManifestText text = store::open_manifest(campaign);
  if (!text.lost.empty() || text.lines.empty()) return false;
  return store::read_manifest(text.lines, campaign.string()).ended;
}

store::Reproduction reproduction_of(const fs::path& dir) {
  const fs::path path = dir / store::kReproduction;
  const auto text = store::read_text(path);
  if (!text) {
    throw base::UserError(dir.string(), "holds no " + std::string(store::kReproduction),
                          "name a directory that 'invar reproduce CAMPAIGN.toml' made, or two "
                          "campaigns or more");
  }
  store::Reproduction plan = store::read_reproduction(*text, path.string());
  // Another version's presets, or an edit.
  std::vector<std::string> names(plan.methods.begin() + 1, plan.methods.end());
  const std::size_t measured = names.size();
  names.insert(names.end(), plan.computed.begin(), plan.computed.end());
  base::Faults faults;
  collect(faults, [&] { names = design::checked_presets(std::move(names), path.string()); });
  faults.throw_if_any();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool own_way = !design::find_preset(names[i])->scheme.empty();
    if (own_way == (i < measured)) continue;
    faults.add(path.string(),
               names[i] + (own_way ? " is measured its own way, and is no computed one"
                                   : " is computed from our visits, and is no method"),
               "it is written by 'invar reproduce' and not to be edited");
  }
  faults.throw_if_any();
  return plan;
}

int reproduce_new(const ReproduceOrder& order) {
  store::check_new_directory(order.dir);
  const CampaignFile file = read_campaign_file(order.file);
  design::Campaign own = checked_campaign(order, file);
  std::vector<std::string> methods{kOwn};
  std::vector<std::string> computed;
  if (!own.has_program()) {
    for (const std::string& name : order.presets) {
      (design::find_preset(name)->scheme.empty() ? computed : methods).push_back(name);
    }
  }
  const driver::Prepared prepared = driver::prepare(own, {.budget_s = order.budget_s}, file.place);
  own = prepared.campaign;
  fix_sizes(own, file.place);
  const Methods all = prepare_methods(own, methods, file.place);
  check_budgets(all);
  for (const auto& [name, one] : all) driver::check_launches(one);
  store::Reproduction plan = plan_of(order, own.seed, std::move(methods), std::move(computed));
  const std::string campaign_text = design::campaign_toml(own);
  plan.campaign_crc = base::crc32c(campaign_text);
  announce(all.at(kOwn), order.dir);
  announce_all(plan);
  store::make_directories(order.dir);
  store::write_file(order.dir / "campaign.toml", campaign_text);
  // Last, because it makes the directory one that can be gone on with.
  store::write_file(order.dir / store::kReproduction, store::reproduction_json(plan));
  return Reproducing(order.dir, plan, all).run();
}

int reproduce_resumed(const fs::path& dir) {
  const store::Reproduction plan = reproduction_of(dir);
  const std::string place = (dir / "campaign.toml").string();
  const auto text = store::read_text(place);
  if (text && plan.campaign_crc && base::crc32c(*text) != *plan.campaign_crc) {
    throw base::UserError(place, "was edited since the first repeat was measured by it",
                          "undo that, or measure the other campaign from its beginning: invar "
                          "reproduce CAMPAIGN.toml -o DIR");
  }
  const CampaignFile file = read_campaign_file(place);
  const Methods methods = prepare_methods(file.campaign, plan.methods, place);
  for (const auto& [name, one] : methods) driver::check_launches(one);
  return Reproducing(dir, plan, methods).run();
}

}  // namespace invar::cli
