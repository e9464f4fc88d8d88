#include "tuning/learned.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/units.hpp"
#include "tuning/candidate.hpp"

namespace invar::tuning {
namespace {

constexpr std::array<std::string_view, 4> kLearnedColumns{"what", "operation", "candidate", "text"};
constexpr std::string_view kVersion = "version";
constexpr std::string_view kLaw = "size-law";
constexpr std::string_view kBreaks = "breaks";

std::string row_text(std::string_view what, std::string_view operation, std::string_view candidate,
                     std::string_view text) {
  return std::string(what) + ',' + base::csv_field(operation) + ',' + base::csv_field(candidate) +
         ',' + base::csv_field(text) + '\n';
}

// What is wrong with the row; empty: it was taken.
std::string take_row(const std::vector<std::string>& fields, Learned& learned) {
  if (fields.size() != kLearnedColumns.size()) return "a row has four fields";
  const std::string& what = fields[0];
  if (what == kVersion) {
    learned.library_version = fields[3];
    return {};
  }
  if (what == kLaw) {
    const std::optional<SizeLaw> law = parse_size_law(fields[3]);
    if (!law) return "'" + fields[3] + "' is not a size law";
    learned.laws[fields[1]] = *law;
    return {};
  }
  if (what == kBreaks) {
    const base::Parsed<Candidate> candidate = parse_candidate(fields[2]);
    if (!candidate.value) return candidate.error;
    learned.breakages.push_back(
        {.operation = fields[1], .candidate = *candidate.value, .what = fields[3]});
    return {};
  }
  return "'" + what + "' is nothing that is learned";
}

}  // namespace

std::string learned_text(const Learned& learned) {
  std::string text;
  for (const std::string_view column : kLearnedColumns) {
    text += (text.empty() ? "" : ",") + std::string(column);
  }
  text += '\n' + row_text(kVersion, "", "", learned.library_version);
  for (const auto& [operation, law] : learned.laws) {
    text += row_text(kLaw, operation, "", to_string(law));
  }
  for (const Breakage& breakage : learned.breakages) {
    text += row_text(kBreaks, breakage.operation, to_string(breakage.candidate), breakage.what);
  }
  return text;
}

Learned parse_learned(std::string_view text, const std::string& place) {
  const std::vector<base::CsvRow> rows = base::read_csv(text, place);
  if (rows.empty() || !std::ranges::equal(rows.front().fields, kLearnedColumns)) {
    throw base::UserError(place, "does not begin with the columns of what was learned",
                          "tune again, or put back the file as it was");
  }
  Learned learned;
  base::Faults faults;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string wrong = take_row(rows[i].fields, learned);
    if (wrong.empty()) continue;
    faults.add({.place = place,
                .line = rows[i].line,
                .what = wrong,
                .remedy = "tune again, or put back the file as it was"});
  }
  faults.throw_if_any();
  return learned;
}

}  // namespace invar::tuning
