#include "design/recipes/tune_candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/arms.hpp"
#include "design/recipes/known_operations.hpp"
#include "record/operation/cell_limits.hpp"
#include "tuning/algorithm.hpp"
#include "tuning/files/given.hpp"
#include "tuning/tuned_file.hpp"
#include "tuning/variables.hpp"

namespace invar::design {
namespace {

using record::OperationInfo;
using tuning::Candidate;
using tuning::CandidateKind;
using tuning::LibraryAlgorithm;

// Levels of the knobs, besides the library's own.
constexpr std::array<std::uint32_t, 3> kFanouts{2, 4, 8};
constexpr std::array<std::uint64_t, 3> kSegmentsBytes{1024, 8192, 65536};
// Where a file would stand: only what it says of an entry is looked at.
constexpr std::string_view kSomePath = "/tuned";

bool is_reference_of(const OperationInfo& info, const std::string& operation) {
  return info.name.starts_with(operation + '@');
}

bool is_mockup_of(const OperationInfo& info, const std::string& operation) {
  return info.emulates == operation && info.name.find('@') == std::string::npos;
}

// What an algorithm has of knobs, and what they are at where nobody turns them.
struct Knobs {
  bool fans_out = false;
  std::uint32_t usual_fanout = 0;
  bool segments = false;
  std::uint64_t usual_segment_bytes = 0;
};

// One knob at a time: all combinations would be many, and say little more.
void add_with_knobs(const Candidate& plain, const Knobs& knobs, std::vector<Candidate>& all) {
  all.push_back(plain);
  for (const std::uint32_t fanout : kFanouts) {
    if (!knobs.fans_out || fanout == knobs.usual_fanout) continue;
    Candidate turned = plain;
    turned.fanout = fanout;
    all.push_back(std::move(turned));
  }
  for (const std::uint64_t segment_bytes : kSegmentsBytes) {
    if (!knobs.segments || segment_bytes == knobs.usual_segment_bytes) continue;
    Candidate turned = plain;
    turned.segment_bytes = segment_bytes;
    all.push_back(std::move(turned));
  }
}

const OperationInfo* measured_as(const TunedLibrary& library, const Candidate& candidate) {
  return find_info(library.operations, candidate.name);
}

// What a reference algorithm cuts: the block, or one rank's share of it. A segment that is no
// shorter would be the whole of it, which is another candidate (its cell is the same one).
std::uint64_t cut_bytes(const OperationInfo& info, std::uint64_t size_bytes, std::uint32_t ranks) {
  if (info.segments != record::Segments::kOfShare) return size_bytes;
  const std::uint64_t element_bytes =
      info.datatypes.empty() ? 1 : info.datatypes.front().size_bytes;
  const record::BlockCount block{.elements = size_bytes / element_bytes, .ranks = ranks};
  return block.share() * element_bytes;
}

// What no file could say of it, by the writer itself. MPICH's needs the library's own tree: there
// the names tell.
std::string lack_of_form(const TunedLibrary& library, const std::string& operation,
                         const Candidate& candidate, std::optional<std::uint64_t> size_bytes,
                         std::uint32_t ranks, const LibraryAlgorithm& algorithm) {
  if (library.library == tuning::Library::kMpich) {
    return algorithm.tree_name.empty() ? "its file has no name for it" : "";
  }
  const auto law = tuning::expected_size_law(library.library, library.version, operation);
  const tuning::TunedFile file =
      tuning::write_tuned({.table = tuning::DecisionTable({{.operation = operation,
                                                            .ranks = ranks,
                                                            .from_bytes = size_bytes.value_or(0),
                                                            .to_bytes = size_bytes.value_or(0),
                                                            .candidate = candidate}}),
                           .library = library.library,
                           .version = library.version,
                           .laws = {{operation, law.value_or(tuning::SizeLaw::kBlock)}},
                           .path = std::string(kSomePath)});
  return file.dropped.empty() ? "" : file.dropped.front().reason;
}

// Counts in elements of the operation's usual datatype.
std::uint64_t elements_of(const TunedLibrary& library, const std::string& operation,
                          std::optional<std::uint64_t> size_bytes) {
  const OperationInfo* info = find_info(library.operations, operation);
  const bool typed = info != nullptr && !info->datatypes.empty();
  return size_bytes.value_or(0) / (typed ? info->datatypes.front().size_bytes : 1);
}

std::string lack_of_algorithm_race(const TunedLibrary& library, const std::string& operation,
                                   const Candidate& candidate,
                                   std::optional<std::uint64_t> size_bytes, std::uint32_t ranks) {
  const LibraryAlgorithm* algorithm =
      tuning::find_algorithm(library.library, library.version, operation, candidate.name);
  if (algorithm == nullptr) return "this version has no such algorithm";
  if (!tuning::allows(algorithm->ranks, ranks)) {
    return "the library takes another one in silence for " + base::count_text(ranks, "rank");
  }
  if (algorithm->needs_elements && size_bytes == 0U) return "it breaks where a count is 0";
  if (algorithm->count_from_ranks &&
      elements_of(library, operation, size_bytes) < std::bit_floor(ranks)) {
    return "the library takes another one in silence for fewer elements than ranks";
  }
  if (candidate.fanout >= ranks && candidate.fanout > 0) {
    return "so many children are more than there are other ranks";
  }
  return lack_of_form(library, operation, candidate, size_bytes, ranks, *algorithm);
}

}  // namespace

std::vector<std::string> overruling_settings(const TunedLibrary& library,
                                             const std::vector<std::string>& operations) {
  std::vector<std::string> deciding;
  for (const std::string& operation : operations) {
    const std::vector<std::string> names = tuning::overruling_variables(library.library, operation);
    deciding.insert(deciding.end(), names.begin(), names.end());
    deciding.push_back(tuning::environment_name(
        library.library, tuning::algorithm_variable(library.library, operation)));
    // Without anything to be chosen by it, it is another code path all the same.
    for (const auto& [name, value] :
         tuning::enabling_variables(library.library, library.version, operation)) {
      deciding.push_back(tuning::environment_name(library.library, name));
    }
  }
  std::vector<std::string> overruling;
  for (const auto& [name, value] : library.settings) {
    if (std::ranges::find(deciding, name) != deciding.end()) overruling.push_back(name);
  }
  return overruling;
}

Settings plain_settings(const TunedLibrary& library, const std::vector<std::string>& operations) {
  const std::vector<std::string> overruling = overruling_settings(library, operations);
  Settings plain;
  for (const auto& [name, value] : library.settings) {
    const bool rules = std::ranges::find(overruling, name) != overruling.end();
    if (!rules) plain.emplace_back(name, value);
  }
  return plain;
}

Settings arm_settings(const Settings& environment) {
  Settings settings;
  settings.reserve(environment.size());
  for (const auto& [name, value] : environment) {
    const bool of_library = !setting_complaint(name, value).has_value();
    settings.emplace_back(of_library ? name : "env:" + name, value);
  }
  return settings;
}

void put_setting(Settings& settings, const std::string& name, const std::string& value) {
  const auto found = std::ranges::find(settings, name, &std::pair<std::string, std::string>::first);
  if (found == settings.end()) {
    settings.emplace_back(name, value);
  } else {
    found->second = value;
  }
}

Settings switching_settings(const TunedLibrary& library,
                            const std::vector<std::string>& operations) {
  Settings settings = plain_settings(library, operations);
  for (const std::string& operation : operations) {
    for (const auto& [name, value] :
         tuning::enabling_variables(library.library, library.version, operation)) {
      put_setting(settings, tuning::environment_name(library.library, name), value);
    }
  }
  return settings;
}

std::optional<Candidate> forced_candidate(const TunedLibrary& library,
                                          const std::string& operation) {
  const std::optional<tuning::Choice> choice = tuning::forced_choice(
      {.library = library.library, .version = library.version, .given = library.settings},
      operation);
  if (!choice || choice->algorithm == nullptr) return std::nullopt;
  const LibraryAlgorithm& algorithm = *choice->algorithm;
  Candidate candidate{.kind = CandidateKind::kAlgorithm, .name = std::string(algorithm.name)};
  if (choice->fanout != algorithm.usual_fanout) candidate.fanout = choice->fanout;
  if (choice->segment_bytes != algorithm.usual_segment_bytes) {
    candidate.segment_bytes = choice->segment_bytes;
  }
  return candidate;
}

std::vector<Candidate> tune_candidates(const TunedLibrary& library, const std::string& operation) {
  std::vector<Candidate> all;
  for (const LibraryAlgorithm* algorithm :
       tuning::algorithms_of(library.library, library.version, operation)) {
    add_with_knobs({.kind = CandidateKind::kAlgorithm, .name = std::string(algorithm->name)},
                   {.fans_out = algorithm->fanout != tuning::FanoutOf::kNothing,
                    .usual_fanout = algorithm->usual_fanout,
                    .segments = algorithm->segments,
                    .usual_segment_bytes = algorithm->usual_segment_bytes},
                   all);
  }
  if (const auto forced = forced_candidate(library, operation);
      forced && std::ranges::find(all, *forced) == all.end()) {
    all.push_back(*forced);
  }
  for (const OperationInfo& info : library.operations) {
    if (is_mockup_of(info, operation)) {
      all.push_back({.kind = CandidateKind::kMockup, .name = info.name});
    }
  }
  for (const OperationInfo& info : library.operations) {
    if (!is_reference_of(info, operation)) continue;
    add_with_knobs({.kind = CandidateKind::kReference, .name = info.name},
                   {.segments = info.segments != record::Segments::kNone}, all);
  }
  return all;
}

std::string lack_of_race(const TunedLibrary& library, const std::string& operation,
                         const Candidate& candidate, std::optional<std::uint64_t> size_bytes,
                         std::uint32_t ranks) {
  if (candidate.segment_bytes > 0 && candidate.segment_bytes >= size_bytes.value_or(0)) {
    return "its segments are no shorter than the message";
  }
  if (candidate.kind == CandidateKind::kAlgorithm) {
    return lack_of_algorithm_race(library, operation, candidate, size_bytes, ranks);
  }
  if (candidate.kind != CandidateKind::kMockup && candidate.kind != CandidateKind::kReference) {
    return {};
  }
  const OperationInfo* info = measured_as(library, candidate);
  if (info == nullptr) return "its engine does not know it";
  if (!info->missing.empty()) return info->missing;
  if (candidate.segment_bytes > 0 &&
      candidate.segment_bytes >= cut_bytes(*info, size_bytes.value_or(0), ranks)) {
    return "its segments are no shorter than a rank's share of the message";
  }
  return record::lack_of_ranks(info->rank_counts, ranks);
}

}  // namespace invar::design
