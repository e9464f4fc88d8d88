#include "design/recipes/tune_campaign.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/plan/call_limits.hpp"
#include "design/races/race.hpp"
#include "design/recipes/known_operations.hpp"
#include "record/factors.hpp"
#include "tuning/algorithm.hpp"
#include "tuning/variables.hpp"

namespace invar::design {
namespace {

using record::OperationInfo;
using tuning::Candidate;
using tuning::CandidateKind;

class Races {
 public:
  explicit Races(const TuneOrder& order) : order_(order) {}

  Campaign make() {
    campaign_ = begin_campaign(order_.quick, "tune", Question::kTune);
    campaign_.stopping = Stopping::kLooks;
    campaign_.launches = kLookLaunches;
    check_operations();
    check_levels();
    faults_.throw_if_any();
    label_arms(campaign_.arms, "tune");
    add_arms();
    for (const TuneCell& cell : cells_of_order()) add_race(cell);
    if (campaign_.races.empty()) {
      faults_.add("tune", "nothing can be raced in any of these cells",
                  "take other operations, sizes or numbers of ranks");
    }
    faults_.throw_if_any();
    add_blocks();
    campaign_.rounds = quick_rounds(campaign_.families.size() * kTypicalCandidates);
    return std::move(campaign_);
  }

 private:
  static constexpr std::size_t kTypicalCandidates = 8;

  void check_operations() {
    const std::vector<std::string> tunable =
        tuning::tunable_operations(order_.library.library, order_.library.version);
    const std::string title(tuning::title_of(order_.library.library));
    for (const std::string& operation : order_.quick.operations) {
      const OperationInfo* info = find_info(order_.library.operations, operation);
      if (info == nullptr) {
        faults_.add("--operation", "there is no operation '" + operation + "'",
                    base::did_you_mean(operation, tunable));
      } else if (!info->missing.empty()) {
        faults_.add("--operation", operation + ": " + info->missing, "leave it out");
      } else if (std::ranges::find(tunable, operation) == tunable.end() &&
                 tune_candidates(order_.library, operation).empty()) {
        faults_.add("--operation",
                    title + " " + tuning::to_string(order_.library.version) +
                        " has nothing to choose among for " + operation,
                    "tunable: " + base::join(tunable, ", "));
      }
    }
  }

  void check_levels() {
    for (const auto& [key, levels] : order_.quick.cell_levels) {
      if (levels.size() > 1) {
        faults_.add("--with", "'" + key + "' has several levels, and a file knows none of them",
                    "write one level of it, and tune for the others in campaigns of their own");
      } else if (const record::Factor& factor = *record::find_factor_by_key(key);
                 !is_taken(factor)) {
        faults_.add("--with",
                    "'" + key + "' is not a factor here: none of these operations " +
                        std::string(factor.lack),
                    "leave it out");
      }
    }
  }

  [[nodiscard]] bool is_taken(const record::Factor& factor) const {
    if (factor.applies == nullptr) return true;
    return std::ranges::any_of(order_.quick.operations, [&](const std::string& operation) {
      const OperationInfo* info = find_info(order_.library.operations, operation);
      return info == nullptr || factor.applies(*info);
    });
  }

  // Whose settings the file will take the place of; whatever else is set stays in every arm.
  void add_arms() {
    // No reference into the list that grows.
    const Arm given = campaign_.arms.front();
    const std::vector<std::string> overruling =
        overruling_settings(order_.library, order_.quick.operations);
    const Settings rest = plain_settings(order_.library, order_.quick.operations);
    given_ = given.label;
    plain_ = given.label;
    if (!overruling.empty()) {
      plain_ = add_arm(given, kLibraryDefaultArm, rest);
      has_default_ = true;
    }
    if (switches_inside(order_.library.library)) {
      switching_ = add_arm(given, kAlgorithmsArm,
                           switching_settings(order_.library, order_.quick.operations));
      return;
    }
    add_forced_arms(given, rest);
  }

  // The k-th arm has the k-th algorithm of every operation.
  void add_forced_arms(const Arm& given, const Settings& rest) {
    std::vector<Settings> settings;
    for (const std::string& operation : order_.quick.operations) {
      std::size_t arm = 0;
      for (const Candidate& candidate : tune_candidates(order_.library, operation)) {
        if (candidate.kind != CandidateKind::kAlgorithm) continue;
        if (arm == settings.size()) settings.push_back(rest);
        for (const auto& [name, value] : tuning::forcing_variables(
                 order_.library.library, order_.library.version, operation, candidate)) {
          put_setting(settings[arm], tuning::environment_name(order_.library.library, name), value);
        }
        forced_[{operation, tuning::to_string(candidate)}] = arm++;
      }
    }
    for (std::size_t i = 0; i < settings.size(); ++i) {
      forced_arms_.push_back(
          add_arm(given, std::string(kAlgorithmsArm) + '-' + std::to_string(i + 1), settings[i]));
    }
  }

  std::string add_arm(const Arm& given, std::string label, const Settings& settings) {
    while (campaign_.find_arm(label) != nullptr) label += '+';  // the user's may be called so
    Arm arm = given;
    arm.label = label;
    arm.settings = arm_settings(settings);
    campaign_.arms.push_back(std::move(arm));
    return label;
  }

  [[nodiscard]] std::vector<TuneCell> cells_of_order() const {
    if (!order_.cells.empty()) return order_.cells;
    std::vector<TuneCell> cells;
    const std::set<std::uint64_t> sizes(order_.quick.sizes_bytes.begin(),
                                        order_.quick.sizes_bytes.end());
    for (const std::string& operation : order_.quick.operations) {
      const bool sized = find_info(order_.library.operations, operation)->sized;
      for (const std::uint32_t ranks : order_.ranks) {
        if (!sized) cells.push_back({.operation = operation, .ranks = ranks});
        for (const std::uint64_t size_bytes : sizes) {
          if (!sized) break;
          cells.push_back({.operation = operation, .size_bytes = size_bytes, .ranks = ranks});
        }
      }
    }
    return cells;
  }

  void add_race(const TuneCell& cell) {
    const OperationInfo& info = *find_info(order_.library.operations, cell.operation);
    if (const std::string lack = lack_of_cell_size(info, cell); !lack.empty()) {
      faults_.add("--size", lack, "write other sizes, or give the operation a tune of its own");
      return;
    }
    RaceBlock race{.operation = cell.operation, .size_bytes = cell.size_bytes, .ranks = cell.ranks};
    race.family = race_name(cell.operation, cell.size_bytes, cell.ranks);
    FamilyBlock family{.name = race.family};
    enter({.kind = CandidateKind::kAsGiven}, given_, race, family);
    if (has_default_) enter({.kind = CandidateKind::kLibraryDefault}, plain_, race, family);
    for (const Candidate& candidate : tune_candidates(order_.library, cell.operation)) {
      const std::string why = why_not(cell, candidate);
      if (why.empty()) {
        enter(candidate, arm_of(cell.operation, candidate), race, family);
      } else {
        race.not_raced.push_back({.is = tuning::to_string(candidate), .why = why});
      }
    }
    if (race.candidates.size() < 2) return;
    campaign_.races.push_back(std::move(race));
    campaign_.families.push_back(std::move(family));
  }

  [[nodiscard]] std::string why_not(const TuneCell& cell, const Candidate& candidate) const {
    std::string why =
        lack_of_race(order_.library, cell.operation, candidate, cell.size_bytes, cell.ranks);
    if (!why.empty() || candidate.kind == CandidateKind::kAlgorithm) return why;
    return lack_of_cell_size(*find_info(order_.library.operations, candidate.name), cell);
  }

  // Also what its calls cannot count: what the raced operation cannot is told once then, and not of
  // each of its candidates; what a candidate alone cannot takes that one out of the race.
  [[nodiscard]] std::string lack_of_cell_size(const OperationInfo& info,
                                              const TuneCell& cell) const {
    std::string lack = lack_of_size(info, cell.size_bytes, order_.quick.cell_levels);
    if (!lack.empty() || !cell.size_bytes || info.datatypes.empty() || info.large_counts) {
      return lack;
    }
    const auto datatype = order_.quick.cell_levels.find("datatype");
    const record::DatatypeInfo* const type = datatype == order_.quick.cell_levels.end()
                                                 ? &info.datatypes.front()
                                                 : info.datatype(datatype->second.front());
    // One that it does not have is told where levels are checked.
    if (type == nullptr) return lack;
    const std::uint64_t count = *cell.size_bytes / type->size_bytes;
    const std::string number =
        count > kMaxCount ? "a count of " + std::to_string(count)
                          : too_large_number(info, {.operation = info.name, .ranks = cell.ranks},
                                             *type, *cell.size_bytes);
    if (number.empty()) return {};
    return info.name + " of " + base::size_text(*cell.size_bytes) + " on " +
           base::count_text(cell.ranks, "rank") + " needs " + number + ", above " +
           std::to_string(kMaxCount) + ", the largest that MPI's calls take";
  }

  [[nodiscard]] std::string arm_of(const std::string& operation, const Candidate& candidate) const {
    if (candidate.kind != CandidateKind::kAlgorithm) return plain_;
    if (!switching_.empty()) return switching_;
    return forced_arms_.at(forced_.at({operation, tuning::to_string(candidate)}));
  }

  void enter(const Candidate& candidate, const std::string& arm, RaceBlock& race,
             FamilyBlock& family) {
    const RacedAs as = raced_as(race.operation, candidate,
                                candidate.kind == CandidateKind::kAlgorithm && switching_.empty());
    race.candidates.push_back({.is = tuning::to_string(candidate), .arm = arm});
    std::set<std::uint64_t>& sizes =
        wanted_[{as.operation, race.ranks, as.segment_bytes}][as.algorithm][arm];
    if (race.size_bytes) sizes.insert(*race.size_bytes);

    CellsBlock selector{.operations = {as.operation}};
    if (race.size_bytes) selector.sizes_bytes = {*race.size_bytes};
    selector.levels["ranks"] = {std::to_string(race.ranks)};
    selector.levels["algorithm"] = {as.algorithm};
    if (as.segment_bytes > 0) selector.levels["segment"] = {std::to_string(as.segment_bytes)};
    const bool there = std::ranges::find(family.cells, selector) != family.cells.end();
    if (!there) family.cells.push_back(std::move(selector));
  }

  // Cells with the same sizes in the same arms stand in one block, whatever their algorithms.
  void add_blocks() {
    for (const auto& [key, of_algorithms] : wanted_) {
      const auto& [operation, ranks, segment_bytes] = key;
      for (const auto& [algorithm, of_arms] : of_algorithms) {
        for (const auto& [arm, sizes] : of_arms) {
          CellsBlock block{.operations = {operation},
                           .sizes_bytes = {sizes.begin(), sizes.end()},
                           .levels = levels_taken(order_.quick.cell_levels,
                                                  *find_info(order_.library.operations, operation)),
                           .arms = {arm}};
          block.levels["ranks"] = {std::to_string(ranks)};
          if (segment_bytes > 0) block.levels["segment"] = {std::to_string(segment_bytes)};
          if (algorithm != tuning::kAsGivenText) block.levels["algorithm"] = {algorithm};
          join_or_add(std::move(block));
        }
      }
    }
  }

  // A block that differs in its arms, or in its algorithms, alone takes this one in.
  void join_or_add(CellsBlock block) {
    const auto algorithms_of = [](const CellsBlock& cells) {
      const auto found = cells.levels.find("algorithm");
      return found == cells.levels.end() ? std::vector<std::string>() : found->second;
    };
    const auto but_algorithm = [](CellsBlock cells) {
      cells.levels.erase("algorithm");
      return cells;
    };
    for (CellsBlock& known : campaign_.cells) {
      CellsBlock of_all_arms = known;
      of_all_arms.arms = block.arms;
      if (of_all_arms == block) {
        known.arms.insert(known.arms.end(), block.arms.begin(), block.arms.end());
        return;
      }
      const bool both = !algorithms_of(known).empty() && !algorithms_of(block).empty();
      if (both && but_algorithm(known) == but_algorithm(block)) {
        known.levels["algorithm"].push_back(algorithms_of(block).front());
        return;
      }
    }
    campaign_.cells.push_back(std::move(block));
  }

  const TuneOrder& order_;
  Campaign campaign_ = {};
  base::Faults faults_ = {};
  std::string given_ = {};    // labels
  std::string plain_ = {};    // the library without what decides in its settings
  bool has_default_ = false;  // that is another arm
  std::string switching_ = {};
  std::vector<std::string> forced_arms_ = {};
  std::map<std::pair<std::string, std::string>, std::size_t> forced_ = {};
  // (operation, ranks, segment) -> algorithm -> arm -> sizes
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t>,
           std::map<std::string, std::map<std::string, std::set<std::uint64_t>>>>
      wanted_ = {};
};

}  // namespace

bool switches_inside(tuning::Library library) { return library != tuning::Library::kIntel; }

Campaign tune_campaign(const TuneOrder& order) { return Races(order).make(); }

std::vector<TuneCell> with_sizes_between(const std::vector<TuneCell>& cells,
                                         const std::vector<std::uint64_t>& sizes_bytes) {
  std::map<std::pair<std::string, std::uint32_t>, std::set<std::uint64_t>> sizes;
  std::set<TuneCell> all(cells.begin(), cells.end());
  for (const TuneCell& cell : cells) {
    if (cell.size_bytes) sizes[{cell.operation, cell.ranks}].insert(*cell.size_bytes);
  }
  for (const auto& [place, of_place] : sizes) {
    for (const std::uint64_t size_bytes : sizes_bytes) {
      if (size_bytes < *of_place.begin() || size_bytes > *of_place.rbegin()) continue;
      all.insert({.operation = place.first, .size_bytes = size_bytes, .ranks = place.second});
    }
  }
  return {all.begin(), all.end()};
}

}  // namespace invar::design
