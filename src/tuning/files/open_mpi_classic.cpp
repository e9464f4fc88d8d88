// Open MPI's classic rules, as coll_tuned_dynamic_file.c reads them up to 5.0: numbers alone, each
// read by "%li" (no leading zeros), "#" to the end of a line.
//
//   how many operations, and for each:
//     its number, how many numbers of ranks, and for each, ascending:
//       ranks, how many sizes, and for each, ascending, the first one 0:
//         bytes, algorithm, fan-out, bytes of a segment
//
// A communicator takes the largest number of ranks that is not above its own, and the first one if
// all are; a call takes its size likewise. So each range is fenced on both sides by what holds
// elsewhere, and the numbers of ranks begin with 0.
#include <string>
#include <utility>
#include <vector>

#include "tuning/files/open_mpi_rules.hpp"
#include "tuning/operations.hpp"

namespace invar::tuning {
namespace {

// Since then a file may have a version, and is read more strictly with one.
constexpr Version kVersionedRules{.generation = 5, .feature = 0, .fix = 7};

struct ClassicRule {
  std::uint64_t from = 0;
  Choice choice = {};
};

std::string rule_line(const ClassicRule& rule) {
  return std::to_string(rule.from) + ' ' + std::to_string(open_mpi_number(rule.choice)) + ' ' +
         std::to_string(rule.choice.fanout) + ' ' + std::to_string(rule.choice.segment_bytes) +
         '\n';
}

std::string ranks_text(std::uint32_t ranks, const std::vector<ClassicRule>& rules) {
  std::string text = std::to_string(ranks) + "  # ranks\n" + std::to_string(rules.size()) + '\n';
  for (const ClassicRule& rule : rules) text += rule_line(rule);
  return text;
}

std::vector<ClassicRule> rules_of(const RanksPlan& plan, const Choice& elsewhere,
                                  std::uint64_t largest) {
  std::vector<ClassicRule> rules;
  std::uint64_t covered = 0;  // what is below has a rule
  for (const Range& range : plan.ranges) {
    if (range.from > covered) rules.push_back({.from = covered, .choice = elsewhere});
    rules.push_back({.from = range.from, .choice = range.choice});
    covered = range.to + 1;
  }
  if (covered <= largest) rules.push_back({.from = covered, .choice = elsewhere});
  return rules;
}

std::string operation_text(const OperationPlan& plan, std::uint64_t largest) {
  const Choice elsewhere = plan.forced.value_or(Choice{});
  const std::vector<ClassicRule> nothing_measured{{.from = 0, .choice = elsewhere}};
  std::vector<std::string> texts{ranks_text(0, nothing_measured)};
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    const RanksPlan& ranks = plan.ranks[i];
    texts.push_back(ranks_text(ranks.ranks, rules_of(ranks, elsewhere, largest)));
    const bool next_follows =
        i + 1 < plan.ranks.size() && plan.ranks[i + 1].ranks == ranks.ranks + 1;
    if (!next_follows) texts.push_back(ranks_text(ranks.ranks + 1, nothing_measured));
  }
  const OpenMpiOperation* operation = find_open_mpi_operation(plan.operation);
  std::string text = std::to_string(operation->number) + "  # " + plan.operation + '\n' +
                     std::to_string(texts.size()) + '\n';
  for (const std::string& part : texts) text += part;
  return text;
}

}  // namespace

void write_open_mpi_classic(const TuningRequest& request, const FilePlan& plan, TunedFile& file) {
  if (request.version >= kVersionedRules) file.text = "rule-file-version-2\n";
  file.text +=
      "# bytes, algorithm, fan-out, bytes of a segment; algorithm 0: Open MPI's own choice\n";
  file.text += std::to_string(plan.operations.size()) + '\n';
  for (const OperationPlan& operation : plan.operations) {
    file.text += operation_text(operation, largest_bytes(FileFormat::kOpenMpiClassic));
  }
  tell_open_mpi(request, plan, file);
}

}  // namespace invar::tuning
