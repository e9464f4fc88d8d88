// Which ranks do what in a call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace invar::record {

enum class Role : std::uint8_t {
  kStarts,    // calls at the agreed time; all ranks of a collective do
  kAnswers,   // calls as well, and its part is to answer those who start
  kStandsBy,  // has buffers and a rank, but calls nothing, and sleeps meanwhile; it has no records
};

enum class Ranks : std::uint8_t {
  kEvery,
  kNumber,   // the rank of that number
  kFromEnd,  // the same counted from the last rank, which is number 0
  kRoot,     // of a root that does not rotate
  kEven,
  kOdd,
  kLowerHalf,  // below ranks / 2
  kUpperHalf,  // the others; of an odd number of ranks one more
};

struct RoleRule {
  Role role = Role::kStarts;
  Ranks ranks = Ranks::kEvery;
  std::uint32_t number = 0;

  [[nodiscard]] constexpr bool holds(std::uint32_t rank, std::uint32_t of_ranks,
                                     std::uint32_t root) const {
    switch (ranks) {
      case Ranks::kEvery:
        return true;
      case Ranks::kNumber:
        return rank == number;
      case Ranks::kFromEnd:
        return rank + number + 1 == of_ranks;
      case Ranks::kRoot:
        return rank == root;
      case Ranks::kEven:
        return rank % 2 == 0;
      case Ranks::kOdd:
        return rank % 2 == 1;
      case Ranks::kLowerHalf:
        return rank < of_ranks / 2;
      case Ranks::kUpperHalf:
        return rank >= of_ranks / 2;
    }
    return false;
  }
  bool operator==(const RoleRule&) const = default;
};

// The first rule that holds for the rank; without any rules all ranks start, and where there are
// some, a rank that none of them holds for stands by.
constexpr Role role_of(std::span<const RoleRule> rules, std::uint32_t rank, std::uint32_t of_ranks,
                       std::uint32_t root) {
  for (const RoleRule& rule : rules) {
    if (rule.holds(rank, of_ranks, root)) return rule.role;
  }
  return rules.empty() ? Role::kStarts : Role::kStandsBy;
}

// False where some rule but one for bystanders holds for no rank: there are too few ranks.
constexpr bool all_parts_taken(std::span<const RoleRule> rules, std::uint32_t of_ranks,
                               std::uint32_t root) {
  for (const RoleRule& rule : rules) {
    bool taken = rule.role == Role::kStandsBy;
    for (std::uint32_t rank = 0; rank < of_ranks && !taken; ++rank) {
      taken = rule.holds(rank, of_ranks, root);
    }
    if (!taken) return false;
  }
  return true;
}

// As in `invar-engine --describe`.
constexpr std::string_view name_of(Role role) {
  constexpr std::string_view kNames[] = {"starts", "answers", "stands by"};
  return kNames[static_cast<std::size_t>(role)];
}
constexpr std::string_view name_of(Ranks ranks) {
  constexpr std::string_view kNames[] = {"every", "number", "from end",   "root",
                                         "even",  "odd",    "lower half", "upper half"};
  return kNames[static_cast<std::size_t>(ranks)];
}

}  // namespace invar::record
