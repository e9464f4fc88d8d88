#include "driver/prepare/algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/factors/launch_factors.hpp"
#include "launch/algorithms/seen_traffic.hpp"
#include "launch/start/launcher.hpp"
#include "record/algorithms/algorithm_level.hpp"

namespace invar::driver {
namespace {

// Ranks of a launch that counts messages may share cores, but not too many.
constexpr std::uint32_t kMostSeenRanks = 32;
// Calls whose messages are looked at in an arm: a second for 16 on two ranks.
constexpr std::size_t kMostSeenCalls = 128;

bool is_told(const record::Cell& cell) { return cell.algorithm != record::kAsGivenAlgorithm; }

// Messages and checks are those of the usual datatype.
bool has_usual_datatype(const record::Cell& cell) {
  return cell.datatype.empty() || cell.datatype == (cell.reduction.empty() ? "byte" : "int32");
}

std::vector<launch::AskedLevel> asked_in(const design::ResolvedCells& cells, std::uint32_t arm) {
  std::vector<launch::AskedLevel> asked;
  for (const record::Cell& cell : cells.cells) {
    const std::vector<std::uint32_t>& arms = cells.arms.at(cell.id);
    if (!is_told(cell) || std::ranges::find(arms, arm) == arms.end()) continue;
    launch::AskedLevel level{.operation = cell.operation, .level = cell.algorithm};
    if (std::ranges::find(asked, level) == asked.end()) asked.push_back(std::move(level));
  }
  return asked;
}

// Where the campaign writes the level.
design::Position position_of(const design::Campaign& campaign, const launch::AskedLevel& asked) {
  for (const design::CellsBlock& block : campaign.cells) {
    const auto levels = block.levels.find("algorithm");
    const bool named = levels != block.levels.end() &&
                       std::ranges::find(levels->second, asked.level) != levels->second.end();
    if (named && std::ranges::find(block.operations, asked.operation) != block.operations.end()) {
      return block.positions.of("algorithm", block.at);
    }
  }
  return {};
}

// One arm.
class Trial {
 public:
  Trial(const design::Campaign& campaign, const launch::CheckedArm& arm,
        const design::ResolvedCells& cells, std::uint32_t number)
      : place_{.profile = arm.profile,
               .environment = arm.environment,
               .launcher = campaign.engine.launcher},
        cells_(levels_of_cells(cells, number)),
        on_world_(design::level_of(campaign, campaign.arms.at(number), "communicator") ==
                  design::kWorldCommunicator),
        told_(launch::told_levels(arm.profile, arm.environment, campaign.engine.launcher,
                                  asked_in(cells, number))) {}

  [[nodiscard]] std::span<const launch::ToldLevel> told() const { return told_; }

  TriedAlgorithms run() {
    fmt::print(stderr, "invar: trying {} of {} before anything is timed\n",
               base::count_text(told_.size(), "algorithm"), place_.profile.name);
    refuse_what_cannot_be_told();
    prove();
    look();
    take_switches();
    return std::move(tried_);
  }

  TriedAlgorithms as_sealed(std::span<const store::TriedLevel> levels) {
    take_sealed(levels, tried_);
    take_switches();
    return std::move(tried_);
  }

 private:
  void take_switches() {
    for (const launch::ToldLevel* const level : working()) {
      if (level->lacks.empty()) tried_.switches.push_back(record::switch_text(level->told));
    }
  }

  [[nodiscard]] std::set<std::uint32_t> ranks_of(const launch::AskedLevel& asked) const {
    std::set<std::uint32_t> ranks;
    for (const auto& [cell, levels] : cells_) {
      const bool has = std::ranges::find(levels, asked.level) != levels.end();
      if (cell.operation == asked.operation && has) ranks.insert(cell.ranks);
    }
    return ranks;
  }

  // Why the level is not even tried; empty: it is.
  [[nodiscard]] std::string lack_of(const launch::ToldLevel& level, std::uint32_t ranks) const {
    if (!level.lacks.empty()) {
      return level.lacks + (level.remedy.empty() ? "" : " (" + level.remedy + ")");
    }
    if (on_world_ && level.told.at_making) {
      return "MPI_COMM_WORLD is made before the library can be told (use communicator \"split\" or "
             "\"dup\")";
    }
    // Libraries run another one then, in silence.
    if (level.algorithm != nullptr && !tuning::allows(level.algorithm->ranks, ranks)) {
      return "this algorithm is for other numbers of ranks than " + std::to_string(ranks);
    }
    return {};
  }

  void refuse_what_cannot_be_told() {
    for (const launch::ToldLevel& level : told_) {
      const auto& [operation, name] = level.asked;
      for (const std::uint32_t ranks : ranks_of(level.asked)) {
        const std::string why = lack_of(level, ranks);
        if (why.empty()) continue;
        tried_.lacks[{operation, name, ranks, std::nullopt}] = why;
        tried_.levels.push_back(
            {.operation = operation, .level = name, .ranks = ranks, .problem = why});
      }
    }
  }

  [[nodiscard]] bool is_refused(const launch::AskedLevel& asked, std::uint32_t ranks) const {
    return tried_.lacks.contains({asked.operation, asked.level, ranks, std::nullopt});
  }

  // Those that can be told, and work on some number of ranks.
  [[nodiscard]] std::vector<const launch::ToldLevel*> working() const {
    std::vector<const launch::ToldLevel*> levels;
    levels.reserve(told_.size());
    for (const launch::ToldLevel& level : told_) {
      const std::set<std::uint32_t> ranks = ranks_of(level.asked);
      const bool some = std::ranges::any_of(
          ranks, [&](std::uint32_t one) { return !is_refused(level.asked, one); });
      if (some) levels.push_back(&level);
    }
    return levels;
  }

  // Every launch verifies every cell on all its ranks; what crashes or hangs does so on fewer, and
  // a library that does not yield would stand still on more than there are cores. Fewer ranks are a
  // power of two: what needs an even number, or such a one, works there, too.
  void prove() {
    const auto cores = static_cast<std::uint32_t>(launch::core_cpus().size());
    const std::uint32_t most = std::max(cores, 2U);
    std::set<std::uint32_t> all_ranks;
    for (const auto& [cell, levels] : cells_) all_ranks.insert(cell.ranks);
    for (const std::uint32_t ranks : all_ranks) {
      std::vector<launch::ToldLevel> levels;
      for (const launch::ToldLevel& level : told_) {
        const bool has = ranks_of(level.asked).contains(ranks);
        if (has && !is_refused(level.asked, ranks)) levels.push_back(level);
      }
      if (levels.empty()) continue;
      std::set<std::uint64_t> sizes;
      for (const auto& [cell, names] : cells_) {
        if (cell.ranks == ranks && cell.size_bytes) sizes.insert(*cell.size_bytes);
      }
      const std::vector<std::uint64_t> sizes_bytes(sizes.begin(), sizes.end());
      const std::uint32_t proved_on = ranks <= most ? ranks : std::bit_floor(most);
      take_proofs(launch::prove_levels(place_, proved_on, levels, sizes_bytes), ranks, tried_);
    }
  }

  [[nodiscard]] const launch::ToldLevel* told_of(const LevelCell& cell,
                                                 const std::string& level) const {
    const auto found = std::ranges::find_if(told_, [&](const launch::ToldLevel& one) {
      return one.asked.operation == cell.operation && one.asked.level == level;
    });
    return found == told_.end() ? nullptr : &*found;
  }

  void look() {
    if (!launch::counts_messages(place_.profile)) return;
    LevelsOfCells left = cells_;
    for (auto& [cell, levels] : left) {
      std::erase_if(levels, [&, &at = cell](const std::string& level) {
        const record::Cell asked{.operation = at.operation,
                                 .size_bytes = at.size_bytes,
                                 .ranks = at.ranks,
                                 .algorithm = level};
        return level != record::kAsGivenAlgorithm && !tried_.lack(asked).empty();
      });
    }
    look_at(cells_to_look_at(left, kMostSeenRanks, kMostSeenCalls), left);
  }

  void look_at(std::span<const LevelCell> cells, const LevelsOfCells& left) {
    std::vector<launch::TrafficOrder> orders;
    for (const LevelCell& cell : cells) {
      for (const std::string& level : left.at(cell)) {
        orders.push_back({.operation = cell.operation,
                          .ranks = cell.ranks,
                          .size_bytes = cell.size_bytes.value_or(0),
                          .level = told_of(cell, level)});
      }
    }
    std::vector<launch::SeenTraffic> seen = launch::see_traffic(place_, orders);
    std::size_t next = 0;
    for (const LevelCell& cell : cells) {
      std::vector<tuning::SeenLevel> levels;
      for (const std::string& level : left.at(cell)) {
        launch::SeenTraffic& one = seen.at(next++);
        const launch::ToldLevel* const told = told_of(cell, level);
        tuning::SeenLevel& found = levels.emplace_back();
        found.level = level;
        if (told != nullptr && told->algorithm != nullptr) {
          found.reference = told->algorithm->reference;
          found.segment_bytes = told->candidate.segment_bytes;
        }
        found.counted = one.why_not.empty();
        found.seen = std::move(one.messages);
        found.references = std::move(one.references);
      }
      take_findings(cell, tuning::find_levels(levels, static_cast<int>(cell.ranks)), tried_);
    }
  }

  launch::ProbePlace place_;
  LevelsOfCells cells_;
  bool on_world_;
  std::vector<launch::ToldLevel> told_;
  TriedAlgorithms tried_ = {};
};

// A level that no library of the campaign knows was misspelt.
void check_known(const design::Campaign& campaign,
                 std::span<const std::vector<launch::ToldLevel>> arms, const std::string& place) {
  std::map<launch::AskedLevel, const launch::ToldLevel*> unknown;
  std::set<launch::AskedLevel> known;
  for (const std::vector<launch::ToldLevel>& levels : arms) {
    for (const launch::ToldLevel& level : levels) {
      if (level.unknown) {
        unknown.emplace(level.asked, &level);
      } else {
        known.insert(level.asked);
      }
    }
  }
  base::Faults faults;
  for (const auto& [asked, level] : unknown) {
    if (known.contains(asked)) continue;
    const design::Position at = position_of(campaign, asked);
    faults.add({.place = place,
                .line = at.line,
                .column = at.column,
                .what = asked.operation + ", '" + asked.level + "': " + level->lacks,
                .remedy = level->remedy});
  }
  faults.throw_if_any();
}

}  // namespace

std::string TriedAlgorithms::lack(const record::Cell& cell) const {
  if (!is_told(cell)) return {};
  const auto of_all = lacks.find({cell.operation, cell.algorithm, cell.ranks, std::nullopt});
  if (of_all != lacks.end()) return of_all->second;
  if (!cell.size_bytes || !has_usual_datatype(cell)) return {};
  const auto of_size = lacks.find({cell.operation, cell.algorithm, cell.ranks, cell.size_bytes});
  return of_size == lacks.end() ? "" : of_size->second;
}

LevelsOfCells levels_of_cells(const design::ResolvedCells& cells, std::uint32_t arm) {
  LevelsOfCells all;
  std::set<std::string> told_operations;
  for (const record::Cell& cell : cells.cells) {
    if (is_told(cell)) told_operations.insert(cell.operation);
  }
  for (const record::Cell& cell : cells.cells) {
    const std::vector<std::uint32_t>& arms = cells.arms.at(cell.id);
    if (std::ranges::find(arms, arm) == arms.end()) continue;
    if (!told_operations.contains(cell.operation) || cell.scheme != record::kOwnScheme) continue;
    std::vector<std::string>& levels =
        all[{.operation = cell.operation, .ranks = cell.ranks, .size_bytes = cell.size_bytes}];
    if (std::ranges::find(levels, cell.algorithm) == levels.end()) {
      levels.push_back(cell.algorithm);
    }
  }
  // What everything is compared with is never the one that is left out.
  for (auto& [cell, levels] : all) {
    std::stable_partition(levels.begin(), levels.end(), [](const std::string& level) {
      return level == record::kAsGivenAlgorithm;
    });
  }
  return all;
}

std::vector<LevelCell> cells_to_look_at(const LevelsOfCells& cells, std::uint32_t most_ranks,
                                        std::size_t most_calls) {
  // By operation and ranks, sizes ascending: as the map has them.
  std::map<std::pair<std::string, std::uint32_t>, std::vector<const LevelCell*>> rows;
  for (const auto& [cell, levels] : cells) {
    if (cell.ranks < 2 || cell.ranks > most_ranks || levels.size() < 2) continue;
    rows[{cell.operation, cell.ranks}].push_back(&cell);
  }
  std::vector<const LevelCell*> wanted;
  wanted.reserve(cells.size());
  for (const auto& [row, sizes] : rows) wanted.push_back(sizes.front());
  for (const auto& [row, sizes] : rows) {
    if (sizes.size() > 1) wanted.push_back(sizes.back());
  }
  for (const auto& [row, sizes] : rows) {
    for (std::size_t i = 1; i + 1 < sizes.size(); ++i) wanted.push_back(sizes[i]);
  }
  std::vector<LevelCell> chosen;
  std::size_t calls = 0;
  for (const LevelCell* const cell : wanted) {
    calls += cells.at(*cell).size();
    if (calls > most_calls) break;
    chosen.push_back(*cell);
  }
  return chosen;
}

void take_proofs(std::span<const launch::Proof> proofs, std::uint32_t ranks,
                 TriedAlgorithms& tried) {
  for (const launch::Proof& proof : proofs) {
    const auto& [operation, level] = proof.asked;
    const std::string problem =
        proof.failure.empty() ? "" : "it failed its check: " + proof.failure;
    if (!problem.empty()) tried.lacks[{operation, level, ranks, std::nullopt}] = problem;
    tried.levels.push_back({.operation = operation,
                            .level = level,
                            .ranks = ranks,
                            .problem = problem,
                            .empty_failure = proof.empty_failure,
                            .ordered_failure = proof.ordered_failure});
    for (const auto& [size_bytes, why] : proof.refused_sizes) {
      const std::string refused = "the library refuses this size: " + why;
      tried.lacks[{operation, level, ranks, size_bytes}] = refused;
      tried.levels.push_back({.operation = operation,
                              .level = level,
                              .ranks = ranks,
                              .size_bytes = size_bytes,
                              .problem = refused});
    }
  }
}

void take_sealed(std::span<const store::TriedLevel> levels, TriedAlgorithms& tried) {
  tried.levels.assign(levels.begin(), levels.end());
  for (const store::TriedLevel& level : levels) {
    if (level.problem.empty()) continue;
    tried.lacks[{level.operation, level.level, level.ranks, level.size_bytes}] = level.problem;
  }
}

void take_findings(const LevelCell& cell, std::span<const tuning::LevelFinding> findings,
                   TriedAlgorithms& tried) {
  for (const tuning::LevelFinding& finding : findings) {
    store::TriedLevel& level = tried.levels.emplace_back();
    level.operation = cell.operation;
    level.level = finding.level;
    level.ranks = cell.ranks;
    level.size_bytes = cell.size_bytes;
    level.ran = tuning::ran_text(finding.ran);
    level.same_as = finding.same_as;
    if (finding.same_as.empty()) continue;
    level.problem = "its messages are those of '" + finding.same_as + "', which is measured";
    tried.lacks[{cell.operation, finding.level, cell.ranks, cell.size_bytes}] = level.problem;
  }
}

std::vector<TriedAlgorithms> try_algorithms(const design::Campaign& campaign,
                                            std::span<const launch::CheckedArm> arms,
                                            const design::ResolvedCells& cells,
                                            const std::string& place,
                                            std::span<const store::ArmRecord> sealed) {
  if (std::ranges::none_of(cells.cells, is_told)) return {};
  std::vector<std::optional<Trial>> trials(arms.size());
  std::vector<std::vector<launch::ToldLevel>> told(arms.size());
  for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
    if (campaign.arms.at(arm).is_program() || asked_in(cells, arm).empty()) continue;
    trials[arm].emplace(campaign, arms[arm], cells, arm);
    told[arm].assign(trials[arm]->told().begin(), trials[arm]->told().end());
  }
  check_known(campaign, told, place);
  std::vector<TriedAlgorithms> tried(arms.size());
  for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
    if (!trials[arm]) continue;
    const auto before =
        std::ranges::find(sealed, campaign.arms[arm].label, &store::ArmRecord::label);
    if (before != sealed.end() && !before->levels.empty()) {
      tried[arm] = trials[arm]->as_sealed(before->levels);
      continue;
    }
    // Variants of an arm differ in nothing that is tried here.
    std::optional<std::uint32_t> same;
    for (std::uint32_t other = 0; other < arm && !same; ++other) {
      const design::Arm& a = campaign.arms[arm];
      const design::Arm& b = campaign.arms[other];
      const bool variant = !a.variant_of.empty() && a.variant_of == b.variant_of &&
                           a.library == b.library && a.settings == b.settings;
      if (trials[other] && variant) same = other;
    }
    tried[arm] = same ? tried[*same] : trials[arm]->run();
  }
  return tried;
}

}  // namespace invar::driver
