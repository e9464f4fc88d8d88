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

// Parts are no calls one after the other: a mock-up does them, and there are only those that
// somebody wrote.
std::string lack_of_mockup(const Guideline& rule, const std::vector<OperationInfo>& known) {
  constexpr std::size_t kNamed = 3;
  const std::string wanted = record::parts_text(rule.parts);
  std::vector<std::string> others;
  for (const OperationInfo& info : known) {
    if (info.emulates != rule.operation || info.parts.empty()) continue;
    const std::string parts = record::parts_text(info.parts);
    if (std::ranges::find(others, parts) == others.end()) others.push_back(parts);
  }
  const std::string text = "no mock-up does " + rule.operation + " by " + wanted +
                           ", and only what a mock-up does can be measured: one that 'invar ops' "
                           "lists, or one of your own (--ops)";
  if (const auto meant = base::nearest(wanted, others)) return text + "; nearest: " + *meant;
  if (others.empty()) return text;
  return text + "; those of " + rule.operation + ": " + base::first_items(others, kNamed, ", ");
}

// Where the factor was asked for.
std::string option_of(const std::string& key) { return key == "arrival" ? "--arrival" : "--with"; }

// By the number of calls.
std::vector<RightSide> splits_of(const Guideline& rule, const std::vector<OperationInfo>& known) {
  std::vector<RightSide> sides;
  for (const OperationInfo& info : known) {
    if (info.splits > 1 && info.emulates == rule.operation) sides.push_back({.operation = &info});
  }
  std::ranges::sort(sides, {}, [](const RightSide& side) { return side.operation->splits; });
  if (sides.empty()) {
    sides.push_back({.why = "no operation makes several calls of " + rule.operation +
                            " on consecutive parts of its data"});
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
    if (const std::string why = lack_at_any_size(); !why.empty()) {
      block_.not_measured.push_back({.why = why});
    } else {
      for (const std::uint32_t ranks : order_.ranks) add_sizes(ranks, campaign, wanted, names);
    }
    take_reasons();
    campaign.guidelines.push_back(std::move(block_));
  }

 private:
  using Size = std::optional<std::uint64_t>;

  // Why it is measured nowhere; empty: it may be. Several right sides are all of a kind, calls on
  // parts of the left one's data.
  [[nodiscard]] std::string lack_at_any_size() const {
    if (left_ == nullptr) return "no engine knows " + rule_.operation;
    const RightSide& right = rights_.front();
    if (!right.why.empty()) return right.why;
    if (right.next_size && !left_->sized) return rule_.operation + " has no size";
    if (!left_->sized && right.operation->sized) {
      return rule_.operation + " has no size, and " + right.operation->name + " needs one";
    }
    return {};
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
    const bool next_size = rights_.front().next_size;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      // The largest one has none that it is compared with, which is not a fault of anything.
      if (next_size && i + 1 == sizes.size()) {
        if (sizes.size() == 1) refuse(sizes[i], {}, "there is no larger size to compare with");
        break;
      }
      ++places_;
      const std::vector<SizedSide> rights =
          in_some_arm(sizes[i], possible(ranks, sizes[i], next_size ? sizes[i + 1] : sizes[i]));
      if (!rights.empty()) add_family(ranks, sizes[i], rights, campaign, wanted, names);
    }
  }

  struct SizedSide {
    const OperationInfo* operation = nullptr;
    Size size = {};
  };

  // The right sides that so many ranks and these sizes allow. Tells why where none does.
  std::vector<SizedSide> possible(std::uint32_t ranks, Size left_size, Size right_size) {
    std::vector<SizedSide> sides;
    std::string first_why;
    for (const RightSide& right : rights_) {
      const SizedSide side{.operation = right.operation,
                           .size = right.operation->sized ? right_size : Size()};
      const std::string why = lack_of(ranks, left_size, side);
      if (why.empty()) sides.push_back(side);
      if (first_why.empty()) first_why = why;
    }
    if (sides.empty()) refuse(left_size, {}, first_why);
    return sides;
  }

  [[nodiscard]] std::string lack_of(std::uint32_t ranks, Size left_size,
                                    const SizedSide& right) const {
    // Algorithms that so many ranks cannot run.
    for (const OperationInfo* side : {left_, right.operation}) {
      const std::string lack = record::lack_of_ranks(side->rank_counts, ranks);
      if (!lack.empty()) return side->name + " " + lack;
    }
    std::string why = lack_of_size(*left_, left_size, order_.quick.cell_levels);
    if (why.empty()) why = lack_of_size(*right.operation, right.size, order_.quick.cell_levels);
    return why;
  }

  // Those of the right sides that some arm has besides the left one. Tells of the arms that have
  // none.
  std::vector<SizedSide> in_some_arm(Size left_size, const std::vector<SizedSide>& rights) {
    if (rights.empty()) return {};
    std::vector<bool> any(rights.size());
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      const std::vector<OperationInfo>& known = order_.operations.at(arm);
      const std::string of_left = lack_of_operation(known, rule_.operation);
      bool has_one = false;
      std::string first_why = of_left;
      for (std::size_t i = 0; i < rights.size() && of_left.empty(); ++i) {
        const std::string why = lack_of_operation(known, rights[i].operation->name);
        if (why.empty()) {
          has_one = true;
          any[i] = true;
        } else if (first_why.empty()) {
          first_why = why;
        }
      }
      if (!has_one) refuse(left_size, arms_[arm].label, first_why);
    }
    std::vector<SizedSide> sides;
    for (std::size_t i = 0; i < rights.size(); ++i) {
      if (any[i]) sides.push_back(rights[i]);
    }
    return sides;
  }

  // The left side and all right ones: where there are several, the pilot group chooses.
  void add_family(std::uint32_t ranks, Size left_size, std::vector<SizedSide> sides,
                  Campaign& campaign, WantedSizes& wanted, std::set<std::string>& names) {
    // Names of families are shorter than those of rules may be.
    constexpr std::size_t kLongestStem = 40;
    const bool fits = rule_.name.size() <= kLongestStem && !rule_.name.starts_with(kTogetherName);
    std::string name = fits ? rule_.name : "rule" + std::to_string(number_);
    if (left_size) name += '-' + std::to_string(*left_size);
    if (order_.ranks.size() > 1) name += "-p" + std::to_string(ranks);
    while (!names.insert(name).second) name += '+';
    FamilyBlock family{.name = name};
    sides.insert(sides.begin(), SizedSide{.operation = left_, .size = left_size});
    for (const SizedSide& side : sides) {
      CellsBlock cells{.operations = {side.operation->name}};
      std::set<std::uint64_t>& sizes = wanted[{ranks, side.operation->name}];
      if (side.size) {
        cells.sizes_bytes = {*side.size};
        sizes.insert(*side.size);
      }
      if (order_.ranks.size() > 1) cells.levels["ranks"] = {std::to_string(ranks)};
      family.cells.push_back(std::move(cells));
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
    faults.add(option_of(key),
               "'" + key + "' is not a factor here: none of these operations " +
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
  return {{.why = lack_of_mockup(rule, known)}};
}

Campaign guidelines_campaign(const GuidelinesOrder& order) {
  Campaign campaign = begin_campaign(order.quick, "guidelines", Question::kGuidelines);
  label_arms(campaign.arms, "guidelines");
  const std::vector<OperationInfo> known = known_to_any(order.operations);
  base::Faults faults;
  const std::vector<std::string> names_known = names_of(known);
  std::vector<bool> unknown;  // whether a rule names something that is
  for (const Guideline& rule : order.rules) {
    std::vector<base::Fault> of_rule =
        unknown_operations({&rule, 1}, names_known, order.rules_place);
    unknown.push_back(!of_rule.empty());
    for (base::Fault& fault : of_rule) faults.add(std::move(fault));
  }
  for (const auto& [key, levels] : order.quick.cell_levels) {
    if (levels.size() < 2) continue;
    faults.add(option_of(key),
               "'" + key + "' has several levels, and a guideline compares two cells",
               "write one level of it, and ask for the others in campaigns of their own");
  }
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
      if (unknown[i]) continue;
      const std::vector<NotMeasured>& absent = campaign.guidelines[i].not_measured;
      faults.add({.place = order.rules_place,
                  .line = order.rules[i].at.line,
                  .column = order.rules[i].at.column,
                  .what = statement_of(order.rules[i]) + " cannot be measured" +
                          (absent.empty() ? std::string() : ": " + absent.front().why),
                  .remedy = "take another rule or other sizes; 'invar ops' lists operations"});
    }
  }
  faults.throw_if_any();
  add_cells(order, known, wanted, campaign, faults);
  faults.throw_if_any();
  // All groups but the first one measure two sides of each.
  campaign.rounds = quick_rounds(2 * campaign.families.size());
  return campaign;
}

}  // namespace invar::design
