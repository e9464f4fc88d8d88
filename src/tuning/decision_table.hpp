// What is to run where: the result of tuning, before it is written in some library's own form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/candidate.hpp"

namespace invar::tuning {

// A candidate for one operation, one number of ranks and a range of sizes.
struct Entry {
  std::string operation = {};
  std::uint32_t ranks = 0;
  // Sizes of the block (design.md, section 3). Both are included, and none is beyond what was
  // measured. They are 0 and 0 where the operation has no size.
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
  Candidate candidate = {};

  bool operator==(const Entry&) const = default;
};

// "bcast, 4 ranks, 8 B to 1 KiB: algorithm:chain": for messages.
std::string entry_text(const Entry& entry);

// Sorted by operation, ranks and size; no two overlap. Outside of the entries everything is as the
// arm was given.
class DecisionTable {
 public:
  DecisionTable() = default;
  // In any order. Throws UserError with every fault: entries that overlap, no ranks, from above to.
  explicit DecisionTable(std::vector<Entry> entries);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // Null: outside of the entries.
  [[nodiscard]] const Entry* find(std::string_view operation, std::uint32_t ranks,
                                  std::uint64_t block_bytes) const;

  bool operator==(const DecisionTable&) const = default;

 private:
  std::vector<Entry> entries_ = {};
};

// table.csv: operation, ranks, from_bytes, to_bytes, candidate.
std::string table_text(const DecisionTable& table);
// The reverse. Throws UserError with every fault, each with its line.
DecisionTable parse_table(std::string_view text, const std::string& place);

}  // namespace invar::tuning
