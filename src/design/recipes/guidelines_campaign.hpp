// The campaigns of `invar guidelines`: every rule at every size is a family of two cells, the left
// side and the right one; of a split of all numbers of parts, of which the pilot group chooses one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "design/recipes/quick_order.hpp"
#include "design/rules/guideline.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::design {

struct GuidelinesOrder {
  // Its operations are those of the rules; levels of its factors but the ranks, one of each.
  QuickOrder quick = {};
  std::vector<Guideline> rules = {};
  std::string rules_place = {};           // the file, for messages
  std::vector<std::uint32_t> ranks = {};  // at least one
  // What the engine of each arm knows (index as the arms).
  std::vector<std::vector<record::OperationInfo>> operations = {};
  bool sequential = true;
};

// What stands for a rule's right side.
struct RightSide {
  const record::OperationInfo* operation = nullptr;  // null: nothing does
  bool next_size = false;                            // at the next larger size; else at the left's
  std::string why = {};                              // why nothing does
};

// At least one. A pattern's right side is the mock-up that emulates the left side by exactly these
// parts; where there is none, a single part of size n stands for itself: another form of the left
// side, one of its algorithms, an operation that does more. A split has one for each number of
// parts that an operation knows, the smallest number first. Refers to `known`.
std::vector<RightSide> right_sides_of(const Guideline& rule,
                                      const std::vector<record::OperationInfo>& known);

// A rule that cannot be measured at a size or in an arm is listed with its reason. Throws
// UserError: operations that nobody knows, with their places, factors of several levels, or nothing
// left to be measured.
Campaign guidelines_campaign(const GuidelinesOrder& order);

}  // namespace invar::design
