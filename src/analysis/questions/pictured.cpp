#include "analysis/questions/pictured.hpp"

#include <algorithm>

#include "analysis/compare/contest.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/page/campaign_figures.hpp"
#include "analysis/questions/show.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// Arms with times of 0, shorter than the clock can tell, have no place on a logarithmic axis.
PicturedCell picture_cell(const record::Cell& cell, const std::vector<CellVisits>& arms) {
  PicturedCell result{.cell = cell};
  for (LaunchBox& box : launch_boxes(0, arms)) {
    PicturedArm one{.arm = box.arm, .time = *time_estimate(arms[box.arm], kTimeConfidence)};
    for (const LaunchPoint& point : box.points) one.relative.push_back(point.relative);
    one.box = box.box;
    if (std::ranges::min(one.relative) > 0) result.arms.push_back(std::move(one));
  }
  return result;
}

}  // namespace

Pictured pictured(const Study& study, const PicturedOptions& options) {
  const store::Data& data = study.data();
  const std::vector<std::uint32_t> arms = select_labels(labels_of(data), options.arms, "--arms");
  const std::vector<bool> chosen = select_cells(data, options.cells);
  require(show_lack(study));
  const Summaries& summaries = study.summaries();
  const Contest contest =
      contest_of(data, sort_visits(summaries.visits, data.cells.size(), data.arms.size()), arms);

  Pictured result{.arms = contest.labels};
  std::vector<std::string> left_out;
  const record::CellTexts text(contest.cells);
  for (const std::uint32_t cell : record::reading_order(contest.cells)) {
    if (!chosen[cell]) continue;
    PicturedCell picture = picture_cell(contest.cells[cell], contest.table()[cell]);
    const auto measured = std::ranges::count_if(
        contest.table()[cell], [](const CellVisits& visits) { return !visits.empty(); });
    if (picture.arms.size() < static_cast<std::size_t>(measured) || measured == 0) {
      left_out.push_back(text(contest.cells[cell]));
    }
    if (!picture.arms.empty()) result.cells.push_back(std::move(picture));
  }
  result.sentence = count_text(result.cells.size(), "cell") + " of " +
                    count_text(arms.size(), "arm") + ", " +
                    count_text(data.groups.size(), "launch group") + ": " +
                    scope_text(data, data.groups.size() == 1, study.starts()) + ".";
  if (!left_out.empty()) {
    result.warnings.emplace_back(
        "not drawn, or not all arms of it, without a time or with times of 0: " +
        base::first_items(left_out, 3, "; ", "cell"));
  }
  for (auto& warning : data_warnings(data, study.rules(), summaries, arms)) {
    result.warnings.emplace_back(std::move(warning));
  }
  result.global_runtime = summaries.global;
  result.local_cells = local_cell_texts(data, summaries);
  result.confidence = kTimeConfidence;
  result.dir = data.dir;
  result.health = study.health();
  return result;
}

}  // namespace invar::analysis
