// The decision table in use: its entries that a shim can serve, what stands for the collective in
// each, and how often that happened.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/operation.hpp"
#include "shim/table/collective.hpp"
#include "tuning/decision_table.hpp"

namespace invar::shim {

// Why a call that an entry is about was passed on to the library. All ranks of the communicator
// come to the same.
enum class PassedOn : std::uint8_t {
  kFirst,
  kTooLong,
  kUnknownOperator,
  kDerivedType,
  kInPlace,
  kOrder,
  kUnequalBlocks,
  kHosts,
  kNoCommunicator,
};
inline constexpr std::array<std::string_view, 9> kPassedOnTexts{
    "the first on its communicator",
    "counts above int",
    "an operator or a datatype that is not known",
    "a derived datatype",
    "in place",
    "an operator that does not commute",
    "blocks of different lengths",
    "hosts that do not allow it",
    "no communicator was left",
};

struct ActiveEntry {
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
  std::uint32_t ranks = 0;
  Collective collective = Collective::kBarrier;
  const ops::Operation* operation = nullptr;
  std::uint64_t segment_bytes = 0;
  std::string text = {};  // tuning::entry_text
  std::atomic<std::uint64_t> replaced{0};
  std::array<std::atomic<std::uint64_t>, kPassedOnTexts.size()> passed_on = {};
};

class ActiveTable {
 public:
  // What the table says of the libraries' own algorithms is none of the shim's business: libraries
  // have their own files. Throws UserError with every fault of the entries that are: no such
  // collective here, no such mock-up or algorithm, none for it, none on so many ranks.
  ActiveTable(const tuning::DecisionTable& table, const std::string& place);

  // In ascending order of their sizes.
  [[nodiscard]] std::span<ActiveEntry> of(Collective collective, int ranks);
  // bit_of() of those that have entries.
  [[nodiscard]] std::uint32_t collectives() const { return collectives_; }
  [[nodiscard]] std::span<const ActiveEntry> entries() const { return entries_; }
  // Entries that are left to the library.
  [[nodiscard]] std::size_t left_to_library() const { return left_to_library_; }

 private:
  std::vector<ActiveEntry> entries_ = {};
  std::uint32_t collectives_ = 0;
  std::size_t left_to_library_ = 0;
};

// Null: none of these is about that size.
inline ActiveEntry* find_entry(std::span<ActiveEntry> entries, std::uint64_t block_bytes) {
  for (ActiveEntry& entry : entries) {
    if (block_bytes < entry.from_bytes) return nullptr;
    if (block_bytes <= entry.to_bytes) return &entry;
  }
  return nullptr;
}

// What was replaced, and what was passed on and why: a line for each entry.
std::string report_text(const ActiveTable& table);

}  // namespace invar::shim
