// check_plan: a plan that may have been edited by hand, against its campaign.
#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/plan/schedule.hpp"
#include "record/scheme.hpp"

namespace invar::design {
namespace {

class PlanChecker {
 public:
  PlanChecker(const record::Plan& plan, const Campaign& campaign, const ResolvedCells& cells,
              std::string place)
      : plan_(plan), cells_(cells), place_(std::move(place)) {
    for (const Arm& arm : campaign.arms) labels_.push_back(arm.label);
    // A plan of an earlier version has no families; its cells are those of `together` all the same.
    const bool none = std::ranges::all_of(plan.cells, &std::string::empty, &record::Cell::family);
    if (!none || !campaign.families.empty()) return;
    for (record::Cell& cell : known_) {
      if (cell.scheme == record::kOwnScheme) cell.family.clear();
    }
  }

  void check() {
    if (plan_.rows.empty()) faults_.add(place_, "the plan has no rows");
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) check_row(i);
    faults_.throw_if_any();
  }

 private:
  // A wrong cell stands in many rows: each thing is said once, for its first row.
  void fault(std::size_t row, std::string what, std::string remedy) {
    if (!told_.insert(what).second) return;
    faults_.add({.place = place_,
                 .line = row < plan_.lines.size() ? plan_.lines[row] : 0,
                 .what = std::move(what),
                 .remedy = std::move(remedy)});
  }

  void check_row(std::size_t i) {
    const record::PlanRow& row = plan_.rows[i];
    const auto arm = std::find(labels_.begin(), labels_.end(), row.arm);
    if (arm == labels_.end()) {
      fault(i, "the campaign has no arm '" + row.arm + "'", base::did_you_mean(row.arm, labels_));
    }
    const record::Cell& cell = plan_.cells.at(row.cell);
    if (row.cell >= known_.size() || !known_[row.cell].same_levels(cell)) {
      fault_cell(i, cell);
      return;
    }
    const record::Scheme* scheme = record::find_scheme(cell.scheme);
    const record::Factor* factor = scheme == nullptr ? record::factor_before_each_call(cell)
                                                     : record::factor_unknown_to(*scheme, cell);
    if (row.calls > 1 && factor != nullptr) {
      fault(i,
            "calls of a batch follow one another at once, and " + level_words(*factor, cell) +
                " needs each by itself: " + text_(cell),
            "write calls = 1, or measure the cell with " + level_words(*factor, record::Cell()));
    }
    const auto& has = cells_.arms[row.cell];
    const auto index = static_cast<std::uint32_t>(arm - labels_.begin());
    if (row.calls > 1 && !cells_.operation(index, cell.operation).batches) {
      fault(i, cell.operation + " says that its calls cannot be timed together: " + text_(cell),
            "write calls = 1");
    }
    if (arm != labels_.end() && std::find(has.begin(), has.end(), index) == has.end()) {
      std::string reason = "it cannot do that";
      record::Cell alone = cell;
      alone.family.clear();
      for (const LeftOut& left_out : cells_.left_out) {
        if (left_out.arm == row.arm && left_out.cell.same_levels(alone)) reason = left_out.reason;
      }
      fault(i, "arm '" + row.arm + "' cannot measure " + text_(cell) + ": " + reason,
            "remove the row");
    }
  }

  void fault_cell(std::size_t i, const record::Cell& cell) {
    const std::string number = std::to_string(plan_.rows[i].cell);
    const auto same = std::find_if(known_.begin(), known_.end(),
                                   [&](const auto& known) { return known.same_levels(cell); });
    if (same != known_.end()) {
      fault(
          i,
          text_(cell) + " is cell " + std::to_string(same->id) + " of the campaign, not " + number,
          "write " + std::to_string(same->id));
      return;
    }
    std::string levels;
    for (const record::Factor* factor : record::written_factors({&cell, 1})) {
      levels += (levels.empty() ? "" : ", ") + std::string(factor->name) + " " + factor->text(cell);
    }
    std::string remedy = "cells are added in the campaign, by [[cells]]";
    if (plan_.rows[i].cell < known_.size()) {
      remedy = "cell " + number + " is " + text_(known_[plan_.rows[i].cell]) + "; " + remedy;
    }
    fault(i, "the campaign has no cell with " + levels, remedy);
  }

  const record::Plan& plan_;
  const ResolvedCells& cells_;
  std::vector<record::Cell> known_{cells_.cells};  // as the plan may name them
  record::CellTexts text_{known_};
  std::string place_;
  std::vector<std::string> labels_ = {};
  std::set<std::string> told_ = {};
  base::Faults faults_ = {};
};

}  // namespace

void check_plan(const record::Plan& plan, const Campaign& campaign, const ResolvedCells& cells,
                const std::string& place) {
  PlanChecker(plan, campaign, cells, place).check();
}

}  // namespace invar::design
