#include "tuning/decision_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::tuning {
namespace {

constexpr std::array<std::string_view, 5> kTableColumns{"operation", "ranks", "from_bytes",
                                                        "to_bytes", "candidate"};

auto place_in_table(const Entry& entry) {
  return std::tie(entry.operation, entry.ranks, entry.from_bytes, entry.to_bytes);
}

// One row as an entry; what is wrong is added to `faults`.
std::optional<Entry> entry_of_row(const base::CsvRow& row, const std::string& place,
                                  base::Faults& faults) {
  const auto wrong = [&](std::string what, std::string remedy) {
    faults.add(
        {.place = place, .line = row.line, .what = std::move(what), .remedy = std::move(remedy)});
    return std::optional<Entry>();
  };
  if (row.fields.size() != kTableColumns.size()) {
    return wrong("a row has " + base::count_text(row.fields.size(), "field") + ", not " +
                     std::to_string(kTableColumns.size()),
                 "write operation,ranks,from_bytes,to_bytes,candidate");
  }
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::optional<std::uint64_t> number = base::parse_u64(row.fields[i + 1]);
    if (!number) {
      return wrong(std::string(kTableColumns[i + 1]) + " is '" + row.fields[i + 1] + "'",
                   "write a whole number");
    }
    numbers[i] = *number;
  }
  if (numbers[0] > std::numeric_limits<std::uint32_t>::max()) {
    return wrong("ranks is " + row.fields[1], "write a number of ranks");
  }
  base::Parsed<Candidate> candidate = parse_candidate(row.fields[4]);
  if (!candidate.value) return wrong(std::move(candidate.error), {});
  return Entry{.operation = row.fields[0],
               .ranks = static_cast<std::uint32_t>(numbers[0]),
               .from_bytes = numbers[1],
               .to_bytes = numbers[2],
               .candidate = std::move(*candidate.value)};
}

}  // namespace

std::string entry_text(const Entry& entry) {
  std::string text = entry.operation + ", " + base::count_text(entry.ranks, "rank") + ", " +
                     base::size_text(entry.from_bytes);
  if (entry.to_bytes != entry.from_bytes) text += " to " + base::size_text(entry.to_bytes);
  return text + ": " + to_string(entry.candidate);
}

DecisionTable::DecisionTable(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return place_in_table(a) < place_in_table(b); });
  base::Faults faults;
  for (const Entry& entry : entries_) {
    const std::string place = entry_text(entry);
    if (entry.operation.empty()) faults.add(place, "an entry has no operation");
    if (entry.ranks == 0) faults.add(place, "an entry has no ranks");
    if (entry.from_bytes > entry.to_bytes) faults.add(place, "an entry ends before it begins");
  }
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    const Entry& before = entries_[i - 1];
    const Entry& entry = entries_[i];
    if (before.operation == entry.operation && before.ranks == entry.ranks &&
        before.to_bytes >= entry.from_bytes) {
      faults.add(entry_text(entry), "overlaps " + entry_text(before),
                 "give every size one candidate");
    }
  }
  faults.throw_if_any();
}

const Entry* DecisionTable::find(std::string_view operation, std::uint32_t ranks,
                                 std::uint64_t block_bytes) const {
  // The first entry that does not end before the size: entries do not overlap.
  const auto wanted = std::make_tuple(operation, ranks, block_bytes);
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), wanted, [](const Entry& entry, const auto& key) {
        return std::make_tuple(std::string_view(entry.operation), entry.ranks, entry.to_bytes) <
               key;
      });
  if (found == entries_.end() || found->operation != operation || found->ranks != ranks ||
      found->from_bytes > block_bytes) {
    return nullptr;
  }
  return &*found;
}

std::string table_text(const DecisionTable& table) {
  std::string text;
  for (const std::string_view column : kTableColumns) {
    text += (text.empty() ? "" : ",") + std::string(column);
  }
  text += '\n';
  for (const Entry& entry : table.entries()) {
    text += base::csv_field(entry.operation) + ',' + std::to_string(entry.ranks) + ',' +
            std::to_string(entry.from_bytes) + ',' + std::to_string(entry.to_bytes) + ',' +
            base::csv_field(to_string(entry.candidate)) + '\n';
  }
  return text;
}

DecisionTable parse_table(std::string_view text, const std::string& place) {
  const std::vector<base::CsvRow> rows = base::read_csv(text, place);
  if (rows.empty() || !std::ranges::equal(rows.front().fields, kTableColumns)) {
    throw base::UserError({.place = place,
                           .line = rows.empty() ? 0 : rows.front().line,
                           .what = "this is not a decision table",
                           .remedy = "its first line is operation,ranks,from_bytes,to_bytes,"
                                     "candidate"});
  }
  base::Faults faults;
  std::vector<Entry> entries;
  entries.reserve(rows.size() - 1);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::optional<Entry> entry = entry_of_row(rows[i], place, faults);
    if (entry) entries.push_back(std::move(*entry));
  }
  faults.throw_if_any();
  return DecisionTable(std::move(entries));
}

}  // namespace invar::tuning
