// What a directory says that `invar reproduce` made.
#include <algorithm>

#include "analysis/reproduce/reproduce_campaigns.hpp"
#include "analysis/study/study.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/reproduce_run.hpp"
#include "stats/describe/quantile.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

// A campaign with a fixed number of launches may take less than the others.
void warn_of_other_times(analysis::Reproduced& result) {
  constexpr double kMuch = 1.2;
  std::vector<std::string> others;
  for (const analysis::ReproducedMethod& method : result.methods) {
    if (method.shares_time || method.taken == analysis::Taken::kSameTime) continue;
    std::vector<double> seconds = method.machine_s;
    const double typical_s = stats::median_in_place(seconds);
    if (typical_s <= *result.budget_s * kMuch && typical_s * kMuch >= *result.budget_s) continue;
    others.push_back(method.name + " " + base::span_text(typical_s));
  }
  if (others.empty()) return;
  result.warnings.push_back("not " + base::span_text(*result.budget_s) +
                            " but (median of a repeat) " + analysis::list_text(others) +
                            ": of a short budget the first launches tell too little, and a "
                            "campaign may ask for a number of launches of its own");
}

}  // namespace

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

analysis::Reproduced reproduced_from(const std::filesystem::path& dir) {
  const store::Reproduction plan = reproduction_of(dir);
  analysis::ReproducedCampaigns campaigns;
  std::size_t whole = 0;
  for (std::size_t repeat = 1; repeat <= plan.repeats.size(); ++repeat) {
    const bool ended = std::ranges::all_of(plan.methods, [&](const std::string& method) {
      return has_ended(store::repeat_dir(dir, repeat, method));
    });
    if (!ended) continue;
    ++whole;
    for (const std::string& method : plan.methods) {
      const analysis::Study study(store::read_campaign_dir(store::repeat_dir(dir, repeat, method)));
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
  analysis::Reproduced result = campaigns.result({});
  result.dirs = {dir};
  result.budget_s = plan.budget_s;
  if (whole < plan.repeats.size()) {
    ++result.health.unfinished;
    result.warnings.insert(result.warnings.begin(), count + "; " + resume);
  }
  warn_of_other_times(result);
  return result;
}

}  // namespace invar::cli
