#include "analysis/tuning/tuning_words.hpp"

#include <cmath>
#include <vector>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {

std::string place_words(const tuning::Entry& entry) {
  std::string text = entry.operation;
  if (entry.to_bytes > 0) {
    text += ' ' + base::size_text(entry.from_bytes);
    if (entry.to_bytes != entry.from_bytes) text += " to " + base::size_text(entry.to_bytes);
  }
  return text + ", " + base::count_text(entry.ranks, "rank");
}

std::string place_words(const record::Cell& cell) {
  std::string text = cell.operation;
  if (cell.size_bytes) text += ' ' + base::size_text(*cell.size_bytes);
  return text + ", " + base::count_text(cell.ranks, "rank");
}

std::string candidate_words(const tuning::Candidate& candidate) {
  std::string text;
  switch (candidate.kind) {
    case tuning::CandidateKind::kAsGiven:
      return "the arm as given";
    case tuning::CandidateKind::kLibraryDefault:
      return "the library's own choice";
    case tuning::CandidateKind::kAlgorithm:
      text = "algorithm ";
      break;
    case tuning::CandidateKind::kMockup:
      text = "mock-up ";
      break;
    case tuning::CandidateKind::kReference:
      text = "reference algorithm ";
      break;
  }
  text += candidate.name;
  if (candidate.fanout > 0) text += " with fan-out " + std::to_string(candidate.fanout);
  if (candidate.segment_bytes > 0) {
    text += " in segments of " + base::size_text(candidate.segment_bytes);
  }
  return text;
}

std::string looks_clause(const std::vector<LookReport>& looks) {
  if (looks.empty()) return {};
  std::vector<std::string> launches;
  launches.reserve(looks.size());
  for (const LookReport& look : looks) launches.push_back(std::to_string(look.launches));
  return "; sequential, " + std::string(launches.size() == 1 ? "one look" : "looks") + " after " +
         list_text(launches) + " launch groups";
}

std::string gain_words(double share) {
  return (share < 0 ? "-" : "") + percent_text(std::abs(share));
}

Word verdict_on_b(const ComparedCell& row) {
  if (!row.verdict) return {.words = "no verdict"};
  switch (*row.verdict) {
    case stats::Verdict::kFaster:
      return {.name = "slower", .words = "slower"};
    case stats::Verdict::kSlower:
      return {.name = "faster", .words = "faster"};
    default:
      break;
  }
  const std::string same(stats::to_string(*row.verdict));
  return {.name = same, .words = same};
}

TidyTable entries_table(const tuning::DecisionTable& decisions) {
  TidyTable table{.id = "entries",
                  .columns = {{.name = "operation"},
                              {.name = "ranks", .kind = Kind::kCount},
                              {.name = "from_bytes", .kind = Kind::kBytes},
                              {.name = "to_bytes", .kind = Kind::kBytes},
                              {.name = "candidate"}}};
  for (const tuning::Entry& entry : decisions.entries()) {
    table.rows.push_back({entry.operation, entry.ranks, entry.from_bytes, entry.to_bytes,
                          tuning::to_string(entry.candidate)});
  }
  return table;
}

}  // namespace invar::analysis
