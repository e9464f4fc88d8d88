#include "analysis/guidelines/guideline_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "record/operation/parts.hpp"

namespace invar::analysis {
namespace {

using design::NotMeasured;

// What the campaign says of a rule that it does not measure.
void add_not_measured(const design::Campaign& campaign, std::size_t rule,
                      std::vector<GuidelineRow>& rows) {
  for (const NotMeasured& absent : campaign.guidelines[rule].not_measured) {
    rows.push_back(
        {.rule = rule, .arm = absent.arm, .size_bytes = absent.size_bytes, .why = absent.why});
  }
}

bool told_by(const design::GuidelineBlock& block, const std::string& arm,
             std::optional<std::uint64_t> size_bytes) {
  return std::ranges::any_of(block.not_measured, [&](const NotMeasured& absent) {
    const bool same_size = !absent.size_bytes || absent.size_bytes == size_bytes;
    return same_size && (absent.arm.empty() || absent.arm == arm);
  });
}

std::string why_without_visits(const store::Data& data, const Contest& contest,
                               const GuidelinePlace& place) {
  if (!place.left || !place.right) {
    return "one of its sides was left out: the campaign's warnings say why";
  }
  const std::uint32_t left = contest.cells[*place.left].id;
  const std::string& arm = contest.labels[place.arm];
  // What was not chosen is nobody's loss.
  std::vector<std::uint32_t> sides{left};
  for (const std::uint32_t right : place.rights) {
    const std::uint32_t cell = contest.cells[right].id;
    if (!judges_nowhere(data.decided, cell, arm)) sides.push_back(cell);
  }
  const bool failed = std::ranges::any_of(data.failed_cells, [&](const store::FailedCell& cell) {
    return cell.arm == arm && std::ranges::find(sides, cell.cell) != sides.end();
  });
  if (failed) return "one of its sides failed";
  const bool chose = std::ranges::any_of(data.groups, [&](const store::Group& group) {
    return !judges(data.decided, group.group, left, arm);
  });
  return chose ? "no launch has both sides but those that chose the right one"
               : "no launch has both sides";
}

}  // namespace

std::vector<design::Guideline> rules_of(const design::Campaign& campaign) {
  std::vector<design::Guideline> rules;
  rules.reserve(campaign.guidelines.size());
  for (const design::GuidelineBlock& block : campaign.guidelines) {
    rules.push_back(design::parse_guidelines(block.rule, "").front());
  }
  return rules;
}

std::optional<Lack> lack_of_guidelines(const Study& study) {
  if (!study.campaign().guidelines.empty()) return std::nullopt;
  return Lack{.faults = {{.place = study.data().dir.string(),
                          .what = "this campaign has no guidelines",
                          .remedy = "invar guidelines ARM --rules FILE measures some"}}};
}

std::vector<GuidelineRow> guideline_rows(const Study& study, const Contest& contest,
                                         const std::vector<GuidelinePlace>& places,
                                         std::vector<ComparedCell> answers) {
  const design::Campaign& campaign = study.campaign();
  std::vector<GuidelineRow> rows;
  std::size_t next_answer = 0;
  std::size_t rule = 0;
  for (const GuidelinePlace& place : places) {
    for (; rule < place.guideline; ++rule) add_not_measured(campaign, rule, rows);
    GuidelineRow row{.rule = place.guideline, .arm = contest.labels[place.arm]};
    if (place.left) {
      row.size_bytes = contest.cells[*place.left].size_bytes;
      row.ranks = contest.cells[*place.left].ranks;
    }
    if (place.pair) {
      row.sides = std::move(answers.at(next_answer++));
      // Families are an arrangement of the campaign's, no factor.
      row.sides->cell.family.clear();
      const record::OperationInfo right =
          study.data().operation(place.arm, contest.cells[*place.right].operation);
      row.scratch = record::scratch_text(right.buffers);
      if (right.splits > 0) row.calls = right.splits;
    } else {
      if (told_by(campaign.guidelines[place.guideline], row.arm, row.size_bytes)) continue;
      row.why = why_without_visits(study.data(), contest, place);
    }
    rows.push_back(std::move(row));
  }
  for (; rule < campaign.guidelines.size(); ++rule) add_not_measured(campaign, rule, rows);
  return rows;
}

std::string right_words(const design::Guideline& rule, const GuidelineRow& row) {
  const ComparedCell& sides = *row.sides;
  const std::optional<std::uint64_t>& calls = row.calls;
  if (rule.kind == design::GuidelineKind::kPattern) return record::parts_text(rule.parts);
  const auto& right = sides.cell_a ? sides.cell_a->size_bytes : std::nullopt;
  if (rule.kind == design::GuidelineKind::kMonotone && right) return base::size_text(*right);
  if (calls && sides.cell_a && sides.cell_a->operation != rule.operation) {
    return std::to_string(*calls) + " calls on parts of it";
  }
  if (calls && right) return std::to_string(*calls) + " calls of " + base::size_text(*right);
  return sides.cell_a ? sides.cell_a->operation : std::string("the right side");
}

}  // namespace invar::analysis
