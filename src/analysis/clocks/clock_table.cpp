#include "analysis/clocks/clock_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "base/csv.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostFaults = 10;

constexpr std::array<ClockKind, 8> kKinds{{
    {"accuracy",
     "link,network,ranks,ranks_per_host,algorithm,trials,after_s,sync_s,worst_min_ns,worst_q1_ns,"
     "worst_median_ns,worst_q3_ns,worst_max_ns,typical_min_ns,typical_q1_ns,typical_median_ns,"
     "typical_q3_ns,typical_max_ns",
     "ttnntnnnnnnnnnnnnn"},
    {"pareto",
     "link,network,ranks,ranks_per_host,settings,trials,after_s,sync_s,worst_median_ns,frontier",
     "ttnntnnnnn"},
    {"tracking",
     "link,network,ranks,ranks_per_host,until_s,clock,median_ns,q95_ns,max_ns,tracking_share",
     "ttnnntnnno"},
    {"resolution",
     "library,ranks,clock,trusted,reason,cost_q1_ns,cost_median_ns,cost_q3_ns,smallest_step_ns,"
     "step_ns,reads,backwards,backwards_most_ns,shared,shared_backwards,shared_most_ns,"
     "ticks_per_s,half_width_per_s,rates_apart_ppm",
     "tntntnnnnnnnnnnnnnn"},
    {"drift", "library,ranks,virtual_skew,rank,seconds,offset_ns,half_width_ns,truth_ns",
     "tnnnnnno"},
    {"barriers",
     "library,ranks,method,repetitions,left_out,entry_skew_median_ns,exit_q1_ns,exit_median_ns,"
     "exit_q3_ns,exit_p95_ns,exit_p99_ns,time_median_ns,sigma_ns,rank,behind_median_ns",
     "tntnnnnnnoonnnn"},
    {"runtime-over-time",
     "library,ranks,virtual_skew,operation,sync,time,bin,seconds,since_sync_s,repetitions,left_out,"
     "q1_ns,median_ns,q3_ns,local_median_ns,global_median_ns,true_median_ns,slope_ns_per_s",
     "tnntttnnonnnnnnooo"},
    // As it was printed before it told of the last synchronisation.
    {"runtime-over-time",
     "library,ranks,virtual_skew,operation,sync,time,bin,seconds,repetitions,left_out,q1_ns,"
     "median_ns,q3_ns,local_median_ns,global_median_ns,true_median_ns,slope_ns_per_s",
     "tnntttnnnnnnnnooo"},
}};

std::string kind_names() {
  std::vector<std::string> names;
  names.reserve(kKinds.size());
  for (const ClockKind& kind : kKinds) {
    if (names.empty() || names.back() != kind.name) names.emplace_back(kind.name);
  }
  return base::join(names, ", ");
}

// Where a field of a row begins, in characters from 1. Fields are written with as few quotes as can
// be, so that this is where it stands.
int column_of(const base::CsvRow& row, std::size_t field) {
  std::size_t column = 1;
  for (std::size_t i = 0; i < field; ++i) column += base::csv_field(row.fields[i]).size() + 1;
  return static_cast<int>(column);
}

const ClockKind* kind_of(const base::CsvRow& header) {
  const std::string text = base::join(header.fields, ",");
  const auto found = std::ranges::find(kKinds, text, &ClockKind::header);
  return found == kKinds.end() ? nullptr : &*found;
}

// The kind whose header agrees longest, to say where another one begins.
base::Fault unknown_header(const base::CsvRow& header, const std::string& place) {
  std::size_t most = 0;
  const ClockKind* nearest = nullptr;
  for (const ClockKind& kind : kKinds) {
    const auto names = base::split(kind.header, ',');
    std::size_t same = 0;
    while (same < names.size() && same < header.fields.size() &&
           names[same] == header.fields[same]) {
      ++same;
    }
    if (same > most) {
      most = same;
      nearest = &kind;
    }
  }
  if (nearest == nullptr) {
    return {
        .place = place,
        .line = header.line,
        .column = 1,
        .what = "these are not the columns of a table of 'invar clocks'",
        .remedy = "known: " + kind_names() + ", as 'invar clocks NAME --format csv' prints them"};
  }
  const auto names = base::split(nearest->header, ',');
  const bool longer = most < header.fields.size();
  return {.place = place,
          .line = header.line,
          .column = longer ? column_of(header, most) : column_of(header, header.fields.size()),
          .what = longer ? "column '" + header.fields[most] + "' is not one of '" +
                               std::string(nearest->name) + "' here"
                         : "columns of '" + std::string(nearest->name) + "' are missing",
          .remedy = most < names.size() ? "it has '" + std::string(names[most]) + "' next"
                                        : "it ends before this column"};
}

class Table {
 public:
  Table(const ClockKind& kind, const std::string& place, base::Faults& faults)
      : kind_(kind), place_(place), faults_(faults) {}

  void add(const base::CsvRow& row, ClockTable& table) {
    if (row.fields.size() != kind_.types.size()) {
      fault({.place = place_,
             .line = row.line,
             .column = column_of(row, std::min(row.fields.size(), kind_.types.size())),
             .what = "this row has " + base::count_text(row.fields.size(), "field") +
                     ", the header " + std::to_string(kind_.types.size())});
      return;
    }
    std::vector<ClockField>& fields = table.rows.emplace_back();
    for (std::size_t i = 0; i < row.fields.size(); ++i) fields.push_back(field(row, i));
  }

 private:
  void fault(base::Fault one) {
    if (count_++ < kMostFaults) faults_.add(std::move(one));
  }

  ClockField field(const base::CsvRow& row, std::size_t i) {
    const std::string& text = row.fields[i];
    if (kind_.types[i] == 't') return text;
    if (text.empty() && kind_.types[i] == 'o') return std::monostate{};
    if (const auto number = base::parse_double(text)) return *number;
    fault({.place = place_,
           .line = row.line,
           .column = column_of(row, i),
           .what = "'" + text + "' is no number",
           .remedy = "print the table anew: invar clocks " + std::string(kind_.name)});
    return std::monostate{};
  }

  const ClockKind& kind_;
  const std::string& place_;
  base::Faults& faults_;
  std::size_t count_ = 0;
};

bool several_ranks(const ClockTable& table) {
  std::set<double> ranks;
  for (const auto& row : table.rows) {
    if (const auto* number = std::get_if<double>(&row[2])) ranks.insert(*number);
  }
  return ranks.size() > 1;
}

}  // namespace

std::span<const ClockKind> clock_kinds() { return kKinds; }

std::string_view clock_csv_header(std::string_view kind) {
  const auto found = std::ranges::find(kKinds, kind, &ClockKind::name);
  if (found == kKinds.end()) {
    throw std::invalid_argument("no table of clocks is called " + std::string(kind));
  }
  return found->header;
}

ClockTable read_clock_table(std::string_view csv, const std::string& place, base::Faults& faults) {
  ClockTable result;
  result.source = place.substr(place.rfind('/') + 1);
  std::vector<base::CsvRow> rows;
  try {
    rows = base::read_csv(csv, place);
  } catch (const base::UserError& error) {
    for (const base::Fault& fault : error.faults()) faults.add(fault);
    return result;
  }
  if (rows.empty()) {
    faults.add(place, "is empty", "write a table into it: invar clocks NAME --format csv");
    return result;
  }
  const ClockKind* kind = kind_of(rows.front());
  if (kind == nullptr) {
    faults.add(unknown_header(rows.front(), place));
    return result;
  }
  result.kind = kind->name;
  result.columns = rows.front().fields;
  Table table(*kind, place, faults);
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i], result);
  if (result.kind == "accuracy" && faults.empty() && several_ranks(result)) {
    result.kind = "scaling";
  }
  return result;
}

}  // namespace invar::analysis
