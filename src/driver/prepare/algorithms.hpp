// The levels of the factor `algorithm`: how the arms' libraries are told, and which work. All is
// tried before anything is timed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/plan/schedule.hpp"
#include "launch/algorithms/proofs.hpp"
#include "launch/algorithms/told_level.hpp"
#include "launch/start/arms.hpp"
#include "record/cell.hpp"
#include "store/manifest/manifest.hpp"
#include "tuning/probes/ran.hpp"

namespace invar::driver {

// What is known of them in one arm.
struct TriedAlgorithms {
  // LaunchSpec::switches of all levels that work.
  std::vector<std::string> switches = {};
  // By operation, level, ranks and size (none: of all sizes); why such a cell is not measured.
  using Place = std::tuple<std::string, std::string, std::uint32_t, std::optional<std::uint64_t>>;
  std::map<Place, std::string> lacks = {};
  // For the manifest.
  std::vector<store::TriedLevel> levels = {};

  // Empty: the cell is measured.
  [[nodiscard]] std::string lack(const record::Cell& cell) const;
};

// Tries the algorithms of every arm of the campaign (`arms` and `cells` are its own). Returns none
// where all cells are `default`. A level that no arm's library knows is a fault of the campaign. A
// level is left out if the library cannot be told it, if it fails its check, or if it sends the
// messages of another level in that cell. Throws UserError with all faults. `sealed`: the arms of a
// campaign that goes on, by their labels. What was found when it began holds, and nothing is tried
// again: a probe may find otherwise today, and cells would have other numbers than in the plans
// that were measured.
std::vector<TriedAlgorithms> try_algorithms(const design::Campaign& campaign,
                                            std::span<const launch::CheckedArm> arms,
                                            const design::ResolvedCells& cells,
                                            const std::string& place,
                                            std::span<const store::ArmRecord> sealed = {});

// A cell, as levels are told apart in it.
struct LevelCell {
  std::string operation = {};
  std::uint32_t ranks = 0;
  std::optional<std::uint64_t> size_bytes = {};

  auto operator<=>(const LevelCell&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Levels of an arm by cell, in the order of the campaign, `default` among them.
using LevelsOfCells = std::map<LevelCell, std::vector<std::string>>;
LevelsOfCells levels_of_cells(const design::ResolvedCells& cells, std::uint32_t arm);

// Cells in which messages are looked at: of every operation and number of ranks (up to
// `most_ranks`) the smallest size and the largest one first, then those between, as long as all
// levels of a cell are within `most_calls`.
std::vector<LevelCell> cells_to_look_at(const LevelsOfCells& cells, std::uint32_t most_ranks,
                                        std::size_t most_calls);

// What proofs say, into `tried`: of levels that can be told, on `ranks`.
void take_proofs(std::span<const launch::Proof> proofs, std::uint32_t ranks,
                 TriedAlgorithms& tried);
// What was found when the campaign began.
void take_sealed(std::span<const store::TriedLevel> levels, TriedAlgorithms& tried);
// What was seen of the levels of a cell.
void take_findings(const LevelCell& cell, std::span<const tuning::LevelFinding> findings,
                   TriedAlgorithms& tried);

}  // namespace invar::driver
