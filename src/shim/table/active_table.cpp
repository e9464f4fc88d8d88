#include "shim/table/active_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ops/catalogue.hpp"
#include "record/operation/cell_limits.hpp"

namespace invar::shim {
namespace {

bool is_for_a_shim(const tuning::Candidate& candidate) {
  return candidate.kind == tuning::CandidateKind::kMockup ||
         candidate.kind == tuning::CandidateKind::kReference;
}

std::vector<std::string> names_that_stand_for(std::string_view collective) {
  std::vector<std::string> names;
  for (const ops::Operation* const one : ops::catalogue()) {
    if (one->emulates != nullptr && one->emulates == collective) names.emplace_back(one->name);
  }
  return names;
}

// What a rank that says MPI_IN_PLACE gets where the operation cannot: a copy of its vector.
bool can_copy_aside(const CollectiveRow& row) { return row.reduces; }

// Empty: it can be served.
base::Fault fault_of(const tuning::Entry& entry, const std::string& place) {
  const tuning::Candidate& candidate = entry.candidate;
  base::Fault fault{.place = place, .what = tuning::entry_text(entry) + ": "};
  const std::optional<Collective> collective = find_collective(entry.operation);
  if (!collective) {
    std::vector<std::string> known;
    known.reserve(kCollectives.size());
    for (const CollectiveRow& row : kCollectives) known.emplace_back(row.name);
    fault.what += "the shim does not stand in front of '" + entry.operation + "'";
    fault.remedy = base::did_you_mean(entry.operation, known);
    return fault;
  }
  const ops::Operation* const operation = ops::find_operation(candidate.name);
  if (operation == nullptr || operation->emulates == nullptr ||
      operation->emulates != std::string_view(entry.operation)) {
    fault.what += "'" + candidate.name + "' does not stand for " + entry.operation + " here";
    fault.remedy = base::did_you_mean(candidate.name, names_that_stand_for(entry.operation));
    return fault;
  }
  if (const std::string lack = record::lack_of_ranks(operation->rank_counts, entry.ranks);
      !lack.empty()) {
    fault.what += candidate.name + " " + lack;
    fault.remedy = "take the entry out";
  } else if (candidate.fanout != 0) {
    fault.what += candidate.name + " has no fan-out to choose";
    fault.remedy = "write the candidate without fanout";
  } else if (candidate.segment_bytes != 0 && operation->segments == record::Segments::kNone) {
    fault.what += candidate.name + " does not cut its messages";
    fault.remedy = "write the candidate without segment";
  } else if (operation->rooted && row_of(*collective).in_place == On::kRoot &&
             !operation->in_place && !can_copy_aside(row_of(*collective))) {
    // The other ranks do not see it, and could not pass the call on as well.
    fault.what += candidate.name + " cannot be in place on the root";
    fault.remedy = "take the entry out";
  } else {
    return {};
  }
  return fault;
}

std::string passed_on_text(const ActiveEntry& entry) {
  std::string text;
  for (std::size_t reason = 0; reason < kPassedOnTexts.size(); ++reason) {
    const std::uint64_t count = entry.passed_on[reason].load(std::memory_order_relaxed);
    if (count == 0) continue;
    text += (text.empty() ? "; passed on: " : ", ") + std::to_string(count) + " (" +
            std::string(kPassedOnTexts[reason]) + ")";
  }
  return text;
}

}  // namespace

ActiveTable::ActiveTable(const tuning::DecisionTable& table, const std::string& place) {
  std::vector<const tuning::Entry*> served;
  base::Faults faults;
  for (const tuning::Entry& entry : table.entries()) {
    if (!is_for_a_shim(entry.candidate)) {
      ++left_to_library_;
      continue;
    }
    served.push_back(&entry);
    if (base::Fault fault = fault_of(entry, place); !fault.what.empty()) {
      faults.add(std::move(fault));
    }
  }
  faults.throw_if_any();
  // Entries cannot be moved, because they count.
  entries_ = std::vector<ActiveEntry>(served.size());
  for (std::size_t i = 0; i < served.size(); ++i) {
    const tuning::Entry& entry = *served[i];
    ActiveEntry& active = entries_[i];
    active.from_bytes = entry.from_bytes;
    active.to_bytes = entry.to_bytes;
    active.ranks = entry.ranks;
    active.collective = find_collective(entry.operation).value_or(Collective::kBarrier);
    active.operation = ops::find_operation(entry.candidate.name);
    active.segment_bytes = entry.candidate.segment_bytes;
    active.text = tuning::entry_text(entry);
    collectives_ |= bit_of(active.collective);
  }
}

// They stand together: tables are sorted by operation, ranks and size.
std::span<ActiveEntry> ActiveTable::of(Collective collective, int ranks) {
  const auto is_own = [&](const ActiveEntry& entry) {
    return entry.collective == collective && entry.ranks == static_cast<std::uint32_t>(ranks);
  };
  const auto first = std::ranges::find_if(entries_, is_own);
  return {first, std::find_if_not(first, entries_.end(), is_own)};
}

std::string report_text(const ActiveTable& table) {
  std::string text;
  for (const ActiveEntry& entry : table.entries()) {
    const std::uint64_t replaced = entry.replaced.load(std::memory_order_relaxed);
    text += "  " + entry.text + ": " + base::count_text(replaced, "call") + " replaced" +
            passed_on_text(entry) + "\n";
  }
  if (table.left_to_library() > 0) {
    text += "  " + base::count_text(table.left_to_library(), "entry") +
            " for the library's own file, left to it\n";
  }
  return text;
}

}  // namespace invar::shim
