#include "design/recipes/guidelines_campaign.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/recipes/known_operations.hpp"
#include "record/factors.hpp"
#include "record/operation/cell_limits.hpp"

namespace invar::design {
namespace {

using record::OperationInfo;

// What any arm knows, by an arm that can do it where there is one.
std::vector<OperationInfo> known_to_any(const std::vector<std::vector<OperationInfo>>& operations) {
  std::vector<OperationInfo> all;
  for (const std::vector<OperationInfo>& of_arm : operations) {
    for (const OperationInfo& info : of_arm) {
      const auto known = std::ranges::find(all, info.name, &OperationInfo::name);
      if (known == all.end()) {
        all.push_back(info);
      } else if (!known->missing.empty()) {
        *known = info;
      }
    }
  }
  return all;
}

// What a rule may name: operations, and calls that mock-ups are made of.
std::vector<std::string> names_of(const std::vector<OperationInfo>& known) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const OperationInfo& info : known) names.push_back(info.name);
  for (const OperationInfo& info : known) {
    for (const record::PartInfo& part : info.parts) {
      if (std::ranges::find(names, part.operation) == names.end()) names.push_back(part.operation);
    }
  }
  return names;
}

std::string lack_of_algorithm(const std::string& name, const std::vector<OperationInfo>& known) {
  const std::string operation = name.substr(0, name.find('@') + 1);
  std::vector<std::string> algorithms;
  for (const OperationInfo& info : known) {
    if (info.name.starts_with(operation)) algorithms.push_back(info.name);
  }
  const std::string meant = base::did_you_mean(name, algorithms);
  return "there is no algorithm '" + name + "'" + (meant.empty() ? "" : "; " + meant);
}

// By the number of calls.
std::vector<RightSide> splits_of(const Guideline& rule, const std::vector<OperationInfo>& known) {
  std::vector<RightSide> sides;
  for (const OperationInfo& info : known) {
    if (info.splits > 1 && info.emulates == rule.operation) sides.push_back({.operation = &info});
  }
  std::ranges::sort(sides, {}, [](const RightSide& side) { return side.operation->splits; });
  if (sides.empty()) {
    sides.push_back(
        {.why = "no operation makes several calls of " + rule.operation + " on parts of its data"});
  }
  return sides;
}

// What the operation's engine says against it; empty: nothing.
std::string lack_of_operation(const std::vector<OperationInfo>& of_arm, const std::string& name) {
  const OperationInfo* info = find_info(of_arm, name);
  if (info == nullptr) return "its engine does not know " + name;
  return info->missing.empty() ? std::string() : name + ": " + info->missing;
}

// The cells to be measured: for a number of ranks the sizes of every operation, of which one
// without a size has none.
using WantedSizes = std::map<std::pair<std::uint32_t, std::string>, std::set<std::uint64_t>>;

// The families of one rule, and what is in the way of others.
class RuleFamilies {
 public:
  RuleFamilies(const Guideline& rule, std::size_t number, const GuidelinesOrder& order,
               const std::vector<Arm>& arms, const std::vector<OperationInfo>& known)
      : rule_(rule),
        number_(number),
        order_(order),
        arms_(arms),
        left_(find_info(known, rule.operation)),
        rights_(right_sides_of(rule, known)) {
    block_.rule = guideline_text(rule);
  }

  void add_to(Campaign& campaign, WantedSizes& wanted, std::set<std::string>& names) {
    for (const RightSide& right : rights_) {
      right_ = right;
      add_right_side(campaign, wanted, names);
    }
    take_reasons();
    campaign.guidelines.push_back(std::move(block_));
  }

 private:
  using Size = std::optional<std::uint64_t>;

  void add_right_side(Campaign& campaign, WantedSizes& wanted, std::set<std::string>& names) {
    std::string why = left_ == nullptr ? lack_of_algorithm_of_left() : right_.why;
    if (why.empty() && right_.next_size && !left_->sized) why = rule_.operation + " has no size";
    if (why.empty() && !left_->sized && right_.operation->sized) {
      why = rule_.operation + " has no size, and " + right_.operation->name + " needs one";
    }
    if (!why.empty()) {
      block_.not_measured.push_back({.why = why});
      return;
    }
    for (const std::uint32_t ranks : order_.ranks) add_sizes(ranks, campaign, wanted, names);
  }

  [[nodiscard]] std::string lack_of_algorithm_of_left() const {
    return "no engine knows " + rule_.operation;
  }

  void add_sizes(std::uint32_t ranks, Campaign& campaign, WantedSizes& wanted,
                 std::set<std::string>& names) {
    std::vector<Size> sizes;
    if (left_->sized) {
      const std::set<std::uint64_t> sorted(order_.quick.sizes_bytes.begin(),
                                           order_.quick.sizes_bytes.end());
      sizes.assign(sorted.begin(), sorted.end());
    } else {
      sizes.emplace_back();
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      // The largest one has none that it is compared with, which is no fault of anything.
      if (right_.next_size && i + 1 == sizes.size()) {
        if (sizes.size() == 1) refuse(sizes[i], {}, "there is no larger size to compare with");
        break;
      }
      ++places_;
      const Size right_size = right_.next_size          ? sizes[i + 1]
                              : right_.operation->sized ? sizes[i]
                                                        : Size();
      std::string why = lack_of_number(ranks);
      if (why.empty()) why = lack_of_size(*left_, sizes[i], order_.quick.cell_levels);
      if (why.empty()) {
        why = lack_of_size(*right_.operation, right_size, order_.quick.cell_levels);
      }
      if (!why.empty()) {
        refuse(sizes[i], {}, why);
      } else if (any_arm_has_both(sizes[i])) {
        add_family(ranks, sizes[i], right_size, campaign, wanted, names);
      }
    }
  }

  // Algorithms that so many ranks cannot run.
  [[nodiscard]] std::string lack_of_number(std::uint32_t ranks) const {
    for (const OperationInfo* side : {left_, right_.operation}) {
      const std::string lack = record::lack_of_ranks(side->rank_counts, ranks);
      if (!lack.empty()) return side->name + " " + lack;
    }
    return {};
  }

  // Tells of the arms that lack a side.
  bool any_arm_has_both(Size size) {
    bool any = false;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      std::string why = lack_of_operation(order_.operations.at(arm), rule_.operation);
      if (why.empty()) {
        why = lack_of_operation(order_.operations.at(arm), right_.operation->name);
      }
      if (why.empty()) {
        any = true;
      } else {
        refuse(size, arms_[arm].label, why);
      }
    }
    return any;
  }

  void add_family(std::uint32_t ranks, Size left_size, Size right_size, Campaign& campaign,
                  WantedSizes& wanted, std::set<std::string>& names) {
    // Names of families are shorter than those of rules may be.
    constexpr std::size_t kLongestStem = 40;
    const bool fits = rule_.name.size() <= kLongestStem && !rule_.name.starts_with(kTogetherName);
    std::string name = fits ? rule_.name : "rule" + std::to_string(number_);
    if (left_size) name += '-' + std::to_string(*left_size);
    if (right_.operation->splits > 0) name += "-k" + std::to_string(right_.operation->splits);
    if (order_.ranks.size() > 1) name += "-p" + std::to_string(ranks);
    while (!names.insert(name).second) name += '+';
    FamilyBlock family{.name = name};
    for (const auto& [operation, size] :
         {std::pair(rule_.operation, left_size), std::pair(right_.operation->name, right_size)}) {
      CellsBlock side{.operations = {operation}};
      std::set<std::uint64_t>& sizes = wanted[{ranks, operation}];
      if (size) {
        side.sizes_bytes = {*size};
        sizes.insert(*size);
      }
      if (order_.ranks.size() > 1) side.levels["ranks"] = {std::to_string(ranks)};
      family.cells.push_back(std::move(side));
    }
    campaign.families.push_back(std::move(family));
    block_.families.push_back(name);
  }

  void refuse(Size size, const std::string& arm, const std::string& why) {
    auto reason = std::ranges::find_if(
        reasons_, [&](const Reason& known) { return known.arm == arm && known.why == why; });
    if (reason == reasons_.end()) reason = reasons_.insert(reason, {.arm = arm, .why = why});
    reason->sizes.push_back(size);
  }

  // What holds for every size is said once.
  void take_reasons() {
    for (const Reason& reason : reasons_) {
      if (reason.sizes.size() == places_ || !reason.sizes.front()) {
        block_.not_measured.push_back({.arm = reason.arm, .why = reason.why});
        continue;
      }
      const std::set<Size> sizes(reason.sizes.begin(), reason.sizes.end());
      for (const Size size : sizes) {
        block_.not_measured.push_back({.size_bytes = size, .arm = reason.arm, .why = reason.why});
      }
    }
  }

  struct Reason {
    std::string arm = {};
    std::string why = {};
    std::vector<Size> sizes = {};
  };

  const Guideline& rule_;
  std::size_t number_;  // in its file, from 1
  const GuidelinesOrder& order_;
  const std::vector<Arm>& arms_;
  const OperationInfo* left_;
  std::vector<RightSide> rights_;
  RightSide right_ = {};  // of them, at hand
  GuidelineBlock block_ = {};
  std::vector<Reason> reasons_ = {};
  std::size_t places_ = 0;  // sizes and ranks that were asked for
};

// Operations with the same sizes and levels stand in one block. Reports levels that none of them
// takes.
void add_cells(const GuidelinesOrder& order, const std::vector<OperationInfo>& known,
               const WantedSizes& wanted, Campaign& campaign, base::Faults& faults) {
  std::set<std::string> taken;
  for (const auto& [key, sizes] : wanted) {
    const auto& [ranks, operation] = key;
    const std::vector<std::uint64_t> sizes_bytes(sizes.begin(), sizes.end());
    Levels levels = levels_taken(order.quick.cell_levels, *find_info(known, operation));
    for (const auto& [name, of_factor] : levels) taken.insert(name);
    levels["ranks"] = {std::to_string(ranks)};
    const auto block = std::ranges::find_if(campaign.cells, [&](const CellsBlock& other) {
      return other.levels == levels && other.sizes_bytes == sizes_bytes;
    });
    if (block != campaign.cells.end()) {
      block->operations.push_back(operation);
      continue;
    }
    CellsBlock& added = campaign.cells.emplace_back();
    added.operations = {operation};
    added.sizes_bytes = sizes_bytes;
    added.levels = std::move(levels);
  }
  for (const auto& [key, levels] : order.quick.cell_levels) {
    if (taken.contains(key)) continue;
    faults.add("--with",
               "'" + key + "' is no factor here: none of these operations " +
                   std::string(record::find_factor_by_key(key)->lack),
               "leave it out");
  }
}

}  // namespace

std::vector<RightSide> right_sides_of(const Guideline& rule,
                                      const std::vector<OperationInfo>& known) {
  if (rule.kind == GuidelineKind::kMonotone) {
    return {{.operation = find_info(known, rule.operation), .next_size = true}};
  }
  if (rule.kind == GuidelineKind::kSplit) return splits_of(rule, known);
  if (const OperationInfo* mockup = record::find_mockup(known, rule.operation, rule.parts)) {
    return {{.operation = mockup}};
  }
  const record::PartInfo& part = rule.parts.front();
  const OperationInfo* info = find_info(known, part.operation);
  if (!rule.composite() && part.size == record::PartSize::kBlock) {
    if (info != nullptr) return {{.operation = info}};
    return {{.why = lack_of_algorithm(part.operation, known)}};
  }
  return {{.why = "no operation does " + rule.operation + " by " + record::parts_text(rule.parts) +
                  "; one that does says what it emulates, and its parts"}};
}

Campaign guidelines_campaign(const GuidelinesOrder& order) {
  Campaign campaign = begin_campaign(order.quick, "guidelines", Question::kGuidelines);
  label_arms(campaign.arms, "guidelines");
  const std::vector<OperationInfo> known = known_to_any(order.operations);
  base::Faults faults;
  for (base::Fault& fault : unknown_operations(order.rules, names_of(known), order.rules_place)) {
    faults.add(std::move(fault));
  }
  for (const auto& [key, levels] : order.quick.cell_levels) {
    if (levels.size() < 2) continue;
    faults.add("--with", "'" + key + "' has several levels, and a guideline compares two cells",
               "write one level of it, and ask for the others in campaigns of their own");
  }
  faults.throw_if_any();
  if (order.sequential) {
    campaign.stopping = Stopping::kLooks;
    campaign.launches = kLookLaunches;
  }
  WantedSizes wanted;
  std::set<std::string> names;
  for (std::size_t i = 0; i < order.rules.size(); ++i) {
    RuleFamilies(order.rules[i], i + 1, order, campaign.arms, known)
        .add_to(campaign, wanted, names);
  }
  if (campaign.families.empty()) {
    for (std::size_t i = 0; i < order.rules.size(); ++i) {
      const std::vector<NotMeasured>& absent = campaign.guidelines[i].not_measured;
      faults.add({.place = order.rules_place,
                  .line = order.rules[i].at.line,
                  .column = order.rules[i].at.column,
                  .what = statement_of(order.rules[i]) + " cannot be measured" +
                          (absent.empty() ? std::string() : ": " + absent.front().why),
                  .remedy = "take another rule or other sizes; 'invar ops' lists operations"});
    }
    faults.throw_if_any();
  }
  add_cells(order, known, wanted, campaign, faults);
  faults.throw_if_any();
  campaign.rounds = quick_rounds(2 * campaign.families.size());
  return campaign;
}

}  // namespace invar::design
