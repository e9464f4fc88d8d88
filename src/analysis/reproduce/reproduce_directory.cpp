#include "analysis/reproduce/reproduce_directory.hpp"

#include <algorithm>
#include <utility>

#include "analysis/reproduce/reproduce_campaigns.hpp"
#include "analysis/study/study.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/presets.hpp"
#include "stats/describe/quantile.hpp"
#include "store/files.hpp"
#include "store/manifest/manifest.hpp"
#include "store/open.hpp"
#include "store/reader.hpp"

namespace invar::analysis {
namespace {

// A campaign with a fixed number of launches may take less than the others.
void warn_of_other_times(Reproduced& result) {
  constexpr double kMuch = 1.2;
  std::vector<std::string> others;
  for (const ReproducedMethod& method : result.methods) {
    if (method.shares_time || method.taken == Taken::kSameTime) continue;
    std::vector<double> seconds = method.machine_s;
    const double typical_s = stats::median_in_place(seconds);
    if (typical_s <= *result.budget_s * kMuch && typical_s * kMuch >= *result.budget_s) continue;
    others.push_back(method.name + " " + base::span_text(typical_s));
  }
  if (others.empty()) return;
  result.warnings.emplace_back("not " + base::span_text(*result.budget_s) +
                               " but (median of a repeat) " + list_text(others) +
                               ": of a short budget the first launches tell too little, and a "
                               "campaign may ask for a number of launches of its own");
}

}  // namespace

bool has_ended(const std::filesystem::path& campaign) {
  if (!std::filesystem::exists(campaign / store::kManifest) &&
      !std::filesystem::exists(campaign / store::kManifestCopy)) {
    return false;
  }
  const store::ManifestText text = store::open_manifest(campaign);
  if (!text.lost.empty() || text.lines.empty()) return false;
  return store::read_manifest(text.lines, (campaign / store::kManifest).string()).ended;
}

store::Reproduction reproduction_of(const std::filesystem::path& dir) {
  const std::filesystem::path path = dir / store::kReproduction;
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
  names = design::checked_presets(std::move(names), path.string());
  base::Faults faults;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool own_way = !design::find_preset(names[i])->scheme.empty();
    if (own_way == (i < measured)) continue;
    faults.add(path.string(),
               names[i] + (own_way ? " is measured its own way, and not computed"
                                   : " is computed from our visits, and is not a method"),
               "it is written by 'invar reproduce' and not to be edited");
  }
  faults.throw_if_any();
  return plan;
}

std::vector<std::filesystem::path> campaigns_of(const std::filesystem::path& dir) {
  const store::Reproduction plan = reproduction_of(dir);
  std::vector<std::filesystem::path> campaigns;
  for (std::size_t repeat = 1; repeat <= plan.repeats.size(); ++repeat) {
    for (const std::string& method : plan.methods) {
      const std::filesystem::path campaign = store::repeat_dir(dir, repeat, method);
      if (std::filesystem::exists(campaign)) campaigns.push_back(campaign);
    }
  }
  return campaigns;
}

Reproduced reproduced_from(const std::filesystem::path& dir) {
  const store::Reproduction plan = reproduction_of(dir);
  ReproducedCampaigns campaigns;
  std::size_t whole = 0;
  for (std::size_t repeat = 1; repeat <= plan.repeats.size(); ++repeat) {
    const bool ended = std::ranges::all_of(plan.methods, [&](const std::string& method) {
      return has_ended(store::repeat_dir(dir, repeat, method));
    });
    if (!ended) continue;
    ++whole;
    for (const std::string& method : plan.methods) {
      const Study study(store::read_campaign_dir(store::repeat_dir(dir, repeat, method)));
      if (method == plan.methods.front()) {
        campaigns.add_own(study, plan.computed);
      } else {
        campaigns.add_suite(study, method);
      }
    }
  }
  const std::string count = std::to_string(whole) + " of " +
                            base::count_text(plan.repeats.size(), "repeat") +
                            (whole == 1 ? " is" : " are") + " whole";
  const std::string resume =
      "go on with: invar reproduce --resume " + base::shell_quoted(dir.string());
  if (whole < 2) {
    throw base::CommandError(
        base::Exit::kIncomplete,
        {{.place = dir.string(), .what = count + ", and a spread needs two", .remedy = resume}});
  }
  Reproduced result = campaigns.result({});
  result.dirs = {dir};
  result.budget_s = plan.budget_s;
  if (whole < plan.repeats.size()) {
    ++result.health.unfinished;
    result.warnings.insert(result.warnings.begin(), count + "; " + resume);
  }
  warn_of_other_times(result);
  return result;
}

}  // namespace invar::analysis
