#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/stress/stressed.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "record/stress/stress_order.hpp"

namespace invar::analysis {
namespace {

using record::StressFault;

// Faults that are told with the command that repeats them; a table has all.
constexpr std::size_t kMostRepeated = 3;

std::string thousands(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

bool nothing_checked(const record::StressCounts& counts) {
  return counts.messages == 0 && counts.collectives == 0;
}

// "in message 17 from rank 0 to rank 1 (isend -> irecv, random, 65537 B)".
std::string where_text(const StressFault& fault) {
  std::vector<std::string> brackets;
  for (const std::string& word : {fault.operation, fault.pattern}) {
    if (!word.empty()) brackets.push_back(word);
  }
  if (fault.size_bytes) brackets.push_back(std::to_string(*fault.size_bytes) + " B");
  std::string text;
  const bool collective = fault.kind == record::name_of(record::StressKind::kCollectives);
  if (fault.message) {
    text += (collective ? " in collective " : " in message ") + std::to_string(*fault.message);
  }
  if (fault.from && fault.to) {
    text += fmt::format(" from rank {} to rank {}", *fault.from, *fault.to);
  } else if (fault.rank && fault.fault != record::stress_fault::kCrash) {
    // The words in front of a crash name its rank already.
    text += fmt::format(" on rank {}", *fault.rank);
  }
  return brackets.empty() ? text : text + " (" + base::join(brackets, ", ") + ")";
}

// "1,620,000 messages".
std::string many_text(std::uint64_t number, const char* noun) {
  return thousands(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string checked_text(const record::StressCounts& counts) {
  std::vector<std::string> parts;
  if (counts.messages > 0) {
    parts.push_back(many_text(counts.messages, "message") + ", " +
                    thousands(counts.large_messages) + " of them above 64 KiB");
  }
  if (counts.collectives > 0) parts.push_back(many_text(counts.collectives, "collective"));
  return base::join(parts, "; ");
}

std::string arm_sentence(const StressedArm& arm) {
  if (!arm.faults.empty()) {
    const StressFault& first = arm.faults.front();
    const std::string more = first.more.empty() ? "" : ": " + first.more;
    return arm.label + " fails: " + first.what + where_text(first) + more;
  }
  if (nothing_checked(arm.counts)) return arm.label + ": nothing was checked";
  const std::string until =
      arm.interrupted ? ", interrupted after " + base::span_text(arm.counts.seconds) : "";
  return arm.label + ": every byte is right" + until + " (" + checked_text(arm.counts) + ")";
}

// Faults first: whoever reads on is told what is right.
std::string stress_sentence(const Stressed& stressed) {
  std::vector<std::string> parts;
  for (const bool failed : {true, false}) {
    for (const StressedArm& arm : stressed.arms) {
      if (arm.faults.empty() != failed) parts.push_back(arm_sentence(arm));
    }
  }
  return base::join(parts, "; ") + ".";
}

TidyTable stressed_arms_table(const Stressed& stressed) {
  TidyTable table{
      .id = "arms",
      .columns = {{.name = "arm"},
                  {.name = "library"},
                  {.name = "seconds", .kind = Kind::kNumber},
                  {.name = "messages", .kind = Kind::kCount},
                  {.name = "large_messages", .kind = Kind::kCount},
                  {.name = "collectives", .kind = Kind::kCount},
                  {.name = "bytes", .kind = Kind::kCount},
                  {.name = "gigabytes", .kind = Kind::kNumber},
                  {.name = "seen_from", .kind = Kind::kCount},
                  {.name = "faults", .kind = Kind::kCount},
                  {.name = "interrupted", .kind = Kind::kYesNo},
                  {.name = "sizes_bytes"}},
      .shown = {{.header = "arm", .column = "arm"},
                {.header = "messages", .column = "messages"},
                {.header = "above 64 KiB", .column = "large_messages"},
                {.header = "collectives", .column = "collectives"},
                {.header = "GB", .column = "gigabytes"},
                {.header = "s", .column = "seconds"},
                {.header = "faults", .column = "faults"},
                {.header = "1 in so many was seen", .column = "seen_from", .absent = "-"}}};
  for (const StressedArm& arm : stressed.arms) {
    const record::StressCounts& counts = arm.counts;
    const std::uint64_t least = arm.faults.empty() ? seen_from(counts.large_messages) : 0;
    table.rows.push_back({arm.label, arm.library, std::round(10 * counts.seconds) / 10,
                          counts.messages, counts.large_messages, counts.collectives, counts.bytes,
                          std::round(static_cast<double>(counts.bytes) / 1e8) / 10,
                          least > 0 ? Value(least) : Value(), arm.faults.size(), arm.interrupted,
                          List(arm.sizes_bytes.begin(), arm.sizes_bytes.end())});
  }
  return table;
}

TidyTable stress_faults_table(const Stressed& stressed) {
  TidyTable table{.id = "faults",
                  .columns = {{.name = "arm"},
                              {.name = "fault"},
                              {.name = "kind"},
                              {.name = "operation"},
                              {.name = "pattern"},
                              {.name = "size_bytes", .kind = Kind::kCount},
                              {.name = "message", .kind = Kind::kCount},
                              {.name = "from", .kind = Kind::kCount},
                              {.name = "to", .kind = Kind::kCount},
                              {.name = "rank", .kind = Kind::kCount},
                              {.name = "offset_bytes", .kind = Kind::kCount},
                              {.name = "expected"},
                              {.name = "found"},
                              {.name = "what"},
                              {.name = "more"},
                              {.name = "repeat"}}};
  for (const StressedArm& arm : stressed.arms) {
    for (const StressFault& fault : arm.faults) {
      table.rows.push_back({arm.label, fault.fault, fault.kind, fault.operation, fault.pattern,
                            fault.size_bytes, fault.message, fault.from, fault.to, fault.rank,
                            fault.offset_bytes, fault.expected, fault.found, fault.what, fault.more,
                            repeat_command(stressed, arm, fault)});
    }
  }
  if (table.rows.empty()) return table;
  table.shown = {{.header = "arm", .column = "arm"},
                 {.header = "fault", .column = "fault"},
                 {.header = "call", .column = "operation", .absent = "-"},
                 {.header = "data", .column = "pattern", .absent = "-"},
                 {.header = "bytes", .column = "size_bytes", .absent = "-"},
                 {.header = "number", .column = "message", .absent = "-"},
                 {.header = "from", .column = "from", .absent = "-"},
                 {.header = "to", .column = "to", .absent = "-"},
                 {.header = "at byte", .column = "offset_bytes", .absent = "-"},
                 {.header = "expected", .column = "expected", .absent = "-"},
                 {.header = "found", .column = "found", .absent = "-"}};
  return table;
}

}  // namespace

std::uint64_t seen_from(std::uint64_t messages) {
  // (1 - 1/N)^messages = 0.05 where N is large.
  constexpr double kLogTwenty = 2.9957322735539909;
  return static_cast<std::uint64_t>(static_cast<double>(messages) / kLogTwenty);
}

std::string repeat_command(const Stressed& stressed, const StressedArm& arm,
                           const record::StressFault& fault) {
  std::string command = "invar stress " + base::shell_quoted(arm.written) + " --ranks " +
                        std::to_string(stressed.ranks);
  if (!stressed.place_words.empty()) command += " " + stressed.place_words;
  command += " --kind " + (fault.kind.empty() ? base::join(stressed.kinds, ",") : fault.kind);
  if (!stressed.size_words.empty()) command += " " + stressed.size_words;
  command += " --seed " + std::to_string(stressed.seed);
  if (fault.message && !fault.kind.empty()) {
    command += " --message " + std::to_string(*fault.message);
  }
  return command;
}

Answer answer_of(const Stressed& stressed) {
  Answer answer{
      .question = "stress",
      .sentence = stress_sentence(stressed),
      .scope = count_text(stressed.ranks, "rank") + ", " + count_text(stressed.hosts, "host"),
      .facts = {{"seed", stressed.seed},
                {"seconds", stressed.seconds},
                {"ranks", stressed.ranks},
                {"hosts", stressed.hosts},
                {"kinds", List(stressed.kinds.begin(), stressed.kinds.end())}},
      .warnings = stressed.warnings};
  answer.head = answer.scope + ", seed " + std::to_string(stressed.seed) + ", " +
                base::join(stressed.kinds, ", ");
  answer.tables = {stressed_arms_table(stressed), stress_faults_table(stressed)};
  std::size_t told = 0;
  bool all_right = false;
  for (const StressedArm& arm : stressed.arms) {
    answer.health.failed_cells += arm.faults.size();
    if (arm.interrupted) ++answer.health.unfinished;
    if (arm.lingered) {
      answer.warnings.emplace_back(arm.label +
                                   ": all was done, but its ranks did not end by themselves "
                                   "(MPI_Comm_free or MPI_Finalize does not return): they were "
                                   "ended after 10 s");
    }
    if (nothing_checked(arm.counts) && arm.faults.empty()) ++answer.health.without_data;
    all_right = all_right || (arm.faults.empty() && arm.counts.large_messages > 0);
    for (const StressFault& fault : arm.faults) {
      if (told++ >= kMostRepeated) break;
      answer.remarks.push_back({arm.label, fault.what + where_text(fault)});
      answer.next.push_back(
          {.label = "again", .text = repeat_command(stressed, arm, fault), .own_line = true});
    }
  }
  if (all_right) {
    answer.notes.emplace_back(
        "1 in so many: a fault that comes at random in one of so many messages above 64 KiB would "
        "have been seen with 95 %");
  }
  if (!stressed.dir.empty()) answer.next.push_back({"data", stressed.dir});
  return answer;
}

}  // namespace invar::analysis
