#include "analysis/study/own_visits.hpp"

#include <algorithm>
#include <set>

namespace invar::analysis {
namespace {

bool is_own(const record::Cell& cell) { return cell.scheme == record::kOwnScheme; }

}  // namespace

OwnVisits::OwnVisits(const store::Data& all) : all_(&all) {
  const bool all_judge = std::ranges::all_of(
      all.decided, [](const store::DecidedLine& line) { return line.not_judging.empty(); });
  if (all_judge && std::ranges::all_of(all.cells, is_own)) return;
  own_ = all;
  std::set<std::uint32_t> others;
  for (const record::Cell& cell : all.cells) {
    if (!is_own(cell)) others.insert(cell.id);
  }
  const auto other = [&](std::uint32_t id) { return others.contains(id); };
  std::erase_if(own_->cells, [](const record::Cell& cell) { return !is_own(cell); });
  std::erase_if(own_->failed_cells,
                [&](const store::FailedCell& failed) { return other(failed.cell); });
  std::erase_if(own_->missed, [&](const auto& run) { return other(run.cell); });
  for (store::Group& group : own_->groups) {
    for (store::Launch& launch : group.launches) {
      std::erase_if(launch.visits, [&](const store::Visit& visit) {
        return other(visit.line.cell) || !judges(all.decided, group.group, visit.line.cell);
      });
    }
  }
}

}  // namespace invar::analysis
