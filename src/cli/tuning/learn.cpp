#include "cli/tuning/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/hosts.hpp"
#include "design/recipes/known_operations.hpp"
#include "launch/algorithms/seen_traffic.hpp"
#include "launch/algorithms/size_laws.hpp"
#include "launch/algorithms/told_level.hpp"
#include "tuning/algorithm.hpp"
#include "tuning/candidate.hpp"

namespace invar::cli {
namespace {

// Two tell one law from another; where messages are counted, more of them tell algorithms apart.
constexpr std::uint32_t kRanksByTime = 2;
constexpr std::uint32_t kRanksByMessages = 4;

bool is_algorithm(const tuning::Entry& entry) {
  return entry.candidate.kind == tuning::CandidateKind::kAlgorithm;
}

// The library itself is told something for these.
std::vector<std::string> told_operations(const tuning::DecisionTable& table) {
  std::set<std::string> operations;
  for (const tuning::Entry& entry : table.entries()) {
    const bool own =
        is_algorithm(entry) || entry.candidate.kind == tuning::CandidateKind::kLibraryDefault;
    if (own) operations.insert(entry.operation);
  }
  return {operations.begin(), operations.end()};
}

std::vector<launch::AskedLevel> all_levels(const design::TunedLibrary& library,
                                           const std::vector<std::string>& operations) {
  std::vector<launch::AskedLevel> asked;
  for (const std::string& operation : operations) {
    for (const tuning::Candidate& candidate : tune_candidates(library, operation)) {
      if (candidate.kind != tuning::CandidateKind::kAlgorithm) continue;
      asked.push_back({.operation = operation, .level = tuning::to_string(candidate)});
    }
  }
  return asked;
}

// Those that worked when they were tried before the race. Where nothing can be told inside of a
// launch, all of them: they are told when it starts.
std::vector<launch::ToldLevel> working_levels(std::vector<launch::ToldLevel> levels,
                                              std::span<const store::TriedLevel> tried) {
  std::erase_if(levels, [](const launch::ToldLevel& level) { return level.unknown; });
  const bool any = std::ranges::any_of(
      levels, [](const launch::ToldLevel& level) { return level.lacks.empty(); });
  if (!any) return levels;
  std::erase_if(levels, [&](const launch::ToldLevel& level) {
    return !level.lacks.empty() || std::ranges::any_of(tried, [&](const store::TriedLevel& one) {
      return one.operation == level.asked.operation && one.level == level.asked.level &&
             !one.size_bytes && !one.problem.empty();
    });
  });
  return levels;
}

// MPICH was told to refuse what an algorithm cannot do. Its tree asks the same before it takes one
// (tuning/files/mpich_json.cpp), and nothing breaks in programs.
struct GuardedByTree {
  bool empty = false;
  bool ordered = false;
};

GuardedByTree guarded_by_tree(const design::TunedLibrary& library, const store::TriedLevel& level,
                              const tuning::Candidate& candidate) {
  if (library.library != tuning::Library::kMpich) return {};
  const tuning::LibraryAlgorithm* const row =
      tuning::find_algorithm(library.library, library.version, level.operation, candidate.name);
  if (row == nullptr) return {};
  return {.empty = row->count_from_ranks,
          .ordered = (row->commutative_only && level.operation != "scan") || row->built_in_only};
}

// What entries would break for programs that use more of MPI than a race does.
std::vector<tuning::Breakage> breakages_of(const design::TunedLibrary& library,
                                           std::span<const store::TriedLevel> tried) {
  std::vector<tuning::Breakage> breakages;
  for (const store::TriedLevel& level : tried) {
    const auto candidate = tuning::parse_candidate(level.level);
    if (!candidate.value) continue;
    const auto add = [&](const std::string& failure, const std::string& what) {
      if (failure.empty()) return;
      breakages.push_back({.operation = level.operation,
                           .candidate = *candidate.value,
                           .what = what + ": " + failure});
    };
    const GuardedByTree guarded = guarded_by_tree(library, level, *candidate.value);
    if (!guarded.empty) add(level.empty_failure, "it breaks a count of 0");
    if (!guarded.ordered) add(level.ordered_failure, "it breaks operators that do not commute");
  }
  return breakages;
}

}  // namespace

tuning::Learned learn(const launch::CheckedArm& arm, const design::TunedLibrary& library,
                      const tuning::DecisionTable& table,
                      std::span<const store::TriedLevel> tried) {
  tuning::Learned learned{.library_version = arm.profile.version};
  const std::vector<std::string> operations = told_operations(table);
  if (operations.empty()) return learned;
  fmt::print(stderr, "asking {} what it compares, and whether it reads its file: {}\n",
             arm.profile.name, base::join(operations, ", "));
  const launch::ProbePlace place{.profile = arm.profile,
                                 .environment = switching_settings(library, operations),
                                 .launcher = std::string(design::kOwnLauncher)};
  const std::vector<launch::ToldLevel> levels =
      working_levels(launch::told_levels(place.profile, place.environment, place.launcher,
                                         all_levels(library, operations)),
                     tried);
  const bool by_messages = launch::counts_messages(arm.profile);
  std::map<std::string, launch::LearnedLaw> laws;
  base::Faults faults;
  for (const std::string& operation : operations) {
    const record::OperationInfo* info = design::find_info(library.operations, operation);
    const bool typed = info != nullptr && !info->datatypes.empty();
    launch::LearnedLaw law = launch::learn_size_law(
        place, {.operation = operation,
                .ranks = by_messages ? kRanksByMessages : kRanksByTime,
                .element_bytes = typed ? info->datatypes.front().size_bytes : 1,
                .levels = levels});
    fmt::print(stderr, "  {}: {}{}\n", operation, law.finding.words,
               law.seen_by.empty() ? "" : " (seen by " + law.seen_by + ")");
    if (!law.finding.reads_file && !law.seen_by.empty()) {
      faults.add("arm '" + arm.label + "'", operation + ": " + law.finding.words,
                 "nothing is written that would change nothing; is the component that reads it "
                 "there ('invar mpi show " +
                     arm.profile.name + "')?");
    }
    laws.emplace(operation, std::move(law));
  }
  faults.throw_if_any();
  learned.laws = launch::laws_of(laws);
  learned.breakages = breakages_of(library, tried);
  return learned;
}

}  // namespace invar::cli
