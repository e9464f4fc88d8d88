#include "tuning/files/plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/files/given.hpp"
#include "tuning/operations.hpp"

namespace invar::tuning {
namespace {

constexpr std::uint64_t kLargestInt = std::numeric_limits<std::int32_t>::max();
// The reader counts in signed numbers, and one more must fit.
constexpr std::uint64_t kLargestLong = std::numeric_limits<std::int64_t>::max() - 1;

std::string library_words(const TuningRequest& request) {
  return std::string(title_of(request.library)) + ' ' + to_string(request.version);
}

// Only selection trees can ask what a call's operator is, and how many elements it has.
bool asks_of_the_call(FileFormat format) { return format == FileFormat::kMpichJson; }

std::string need_words(RankNeed need) {
  switch (need) {
    case RankNeed::kTwo:
      return "two ranks";
    case RankNeed::kEven:
      return "an even number of ranks";
    case RankNeed::kPowerOfTwo:
      return "a power of two of ranks";
    case RankNeed::kAny:
      break;
  }
  return "any number of ranks";
}

class Planner {
 public:
  Planner(const TuningRequest& request, FileFormat format) : request_(request), format_(format) {}

  FilePlan plan() {
    refuse_given_file(request_);
    base::Faults faults;
    for (const Entry& entry : request_.table.entries()) {
      try {
        add(entry);
      } catch (const base::UserError& error) {
        // What an arm was given is wrong for all entries of an operation alike.
        if (entry.operation == blamed_) continue;
        blamed_ = entry.operation;
        for (const base::Fault& fault : error.faults()) faults.add(fault);
      }
    }
    faults.throw_if_any();
    for (const OperationPlan& operation : plan_.operations) {
      const std::string_view caution = caution_of_rules(request_.library, operation.operation);
      if (!caution.empty()) plan_.cautions.emplace_back(caution);
    }
    return std::move(plan_);
  }

 private:
  void add(const Entry& entry) {
    switch (entry.candidate.kind) {
      case CandidateKind::kAsGiven:
        return;  // what holds where nothing is said
      case CandidateKind::kLibraryDefault:
        if (forced_choice(request_, entry.operation)) {
          if (const std::optional<Range> range = range_of(entry)) put(entry, *range);
        }
        return;
      case CandidateKind::kMockup:
      case CandidateKind::kReference:
        return drop(entry, "no algorithm of " + std::string(title_of(request_.library)) +
                               ": only a shim brings it into a program");
      case CandidateKind::kAlgorithm:
        break;
    }
    const LibraryAlgorithm* row =
        find_algorithm(request_.library, request_.version, entry.operation, entry.candidate.name);
    if (row == nullptr) {
      return drop(entry, library_words(request_) + " has no such algorithm of " + entry.operation);
    }
    const std::string reason = refusal(entry, *row);
    if (!reason.empty()) return drop(entry, reason);
    std::optional<Range> range = range_of(entry);
    if (!range) return;
    Choice& choice = range->choice;
    choice.algorithm = row;
    if (row->fanout != FanoutOf::kNothing) choice.fanout = fanout_of(*row, entry.candidate);
    if (row->segments) choice.segment_bytes = segment_bytes_of(*row, entry.candidate);
    if (holds_for_process(entry, *row, choice)) put(entry, *range);
  }

  // Why the algorithm must not be told for the entry; empty: it may.
  std::string refusal(const Entry& entry, const LibraryAlgorithm& row) const {
    const Candidate& candidate = entry.candidate;
    for (const Breakage& breakage : request_.breakages) {
      if (breakage.operation == entry.operation && breakage.candidate == candidate) {
        return breakage.what;
      }
    }
    if (candidate.fanout != 0 && row.fanout == FanoutOf::kNothing) {
      return "the algorithm has no fan-out";
    }
    if (candidate.fanout == 1 && row.fanout == FanoutOf::kTree) {
      return "a tree with fan-out 1 reaches nobody";
    }
    if (candidate.segment_bytes != 0 && !row.segments) return "the algorithm cuts no messages";
    if (candidate.segment_bytes > kLargestInt || candidate.fanout > kLargestInt) {
      return "a knob is larger than " + std::string(title_of(request_.library)) + " can read";
    }
    if (!allows(row.ranks, entry.ranks)) {
      return "the algorithm needs " + need_words(row.ranks) + ", and " +
             std::string(title_of(request_.library)) + " takes another one in silence";
    }
    if (row.needs_elements && entry.from_bytes == 0) return "the algorithm breaks a zero count";
    if (row.commutative_only && combines(entry.operation) && !asks_of_the_call(format_)) {
      return "the algorithm gives wrong results for operators that do not commute, and nothing "
             "keeps " +
             std::string(title_of(request_.library)) + " from taking it for them";
    }
    if (format_ == FileFormat::kMpichJson && row.tree_name.empty()) {
      return "a selection tree has no name for it";
    }
    return {};
  }

  // A knob of its own variable can have one value only. False: the entry is dropped.
  bool holds_for_process(const Entry& entry, const LibraryAlgorithm& row, Choice& choice) {
    // A tree says its parameters itself.
    if (row.fanout_variable.empty() || asks_of_the_call(format_)) return true;
    const std::string name = environment_name(request_.library, row.fanout_variable);
    const std::string value = std::to_string(choice.fanout);
    choice.fanout = 0;
    const std::string* before = given_value(plan_.process_knobs, name);
    if (before == nullptr) before = given_value(request_.given, name);
    if (before != nullptr && *before != value) {
      drop(entry, name + " is " + *before + " already, and holds for all calls of a program");
      return false;
    }
    if (given_value(plan_.process_knobs, name) == nullptr) {
      plan_.process_knobs.emplace_back(name, value);
      if (before == nullptr && value != std::to_string(row.usual_fanout)) {
        plan_.cautions.push_back(name + '=' + value + " holds for all calls of a program: where " +
                                 std::string(title_of(request_.library)) +
                                 " chooses this algorithm by itself it changes, too");
      }
    }
    return true;
  }

  // The entry's sizes as the library compares them; empty, and the entry dropped, if it cannot.
  std::optional<Range> range_of(const Entry& entry) {
    const auto harm = harm_of_rules(request_.library, entry.operation);
    if (harm) return dropped(entry, std::string(*harm));
    const std::uint64_t largest = largest_bytes(format_);
    // No sizes: one rule for all that the library may compare.
    if (is_unsized(entry.operation)) return Range{.from = 0, .to = largest};
    const auto law = request_.laws.find(entry.operation);
    if (law == request_.laws.end()) {
      return dropped(entry, "which number of bytes " + library_words(request_) + " compares for " +
                                mpi_name_of(entry.operation) + " is not known");
    }
    if (format_ == FileFormat::kMpichJson && mpich_size_key(entry.operation).empty()) {
      return dropped(entry,
                     "a selection tree cannot ask for the size of " + mpi_name_of(entry.operation));
    }
    const auto from = compared_bytes(law->second, entry.from_bytes, entry.ranks);
    const auto to = compared_bytes(law->second, entry.to_bytes, entry.ranks);
    if (law->second == SizeLaw::kNothing || law->second == SizeLaw::kTypeTimesRanks) {
      return dropped(entry, library_words(request_) + " does not look at the size of " +
                                mpi_name_of(entry.operation) +
                                ": the entry would hold for sizes that were not measured");
    }
    if (!from || !to || *to > largest) {
      return dropped(entry, "its sizes are larger than the file can say");
    }
    return Range{.from = *from, .to = *to};
  }

  void put(const Entry& entry, const Range& range) {
    if (plan_.operations.empty() || plan_.operations.back().operation != entry.operation) {
      plan_.operations.push_back({.operation = entry.operation,
                                  .sized = !is_unsized(entry.operation),
                                  .forced = forced_choice(request_, entry.operation)});
    }
    std::vector<RanksPlan>& ranks = plan_.operations.back().ranks;
    if (ranks.empty() || ranks.back().ranks != entry.ranks) ranks.push_back({.ranks = entry.ranks});
    ranks.back().ranges.push_back(range);
    plan_.written.push_back(entry);
  }

  static bool is_unsized(std::string_view operation) { return operation == "barrier"; }

  void drop(const Entry& entry, std::string reason) {
    plan_.dropped.push_back({.entry = entry, .reason = std::move(reason)});
  }
  std::optional<Range> dropped(const Entry& entry, std::string reason) {
    drop(entry, std::move(reason));
    return {};
  }

  const TuningRequest& request_;
  FileFormat format_;
  FilePlan plan_ = {};
  std::string blamed_ = {};
};

}  // namespace

std::uint64_t largest_bytes(FileFormat format) {
  switch (format) {
    case FileFormat::kOpenMpiClassic:
    case FileFormat::kOpenMpiJson:
      return kLargestLong;
    case FileFormat::kMpichJson:
    case FileFormat::kIntelVariables:
      break;
  }
  return kLargestInt;
}

FilePlan plan_file(const TuningRequest& request, FileFormat format) {
  return Planner(request, format).plan();
}

}  // namespace invar::tuning
