// What the launch groups that choose sizes have measured so far, as curves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/steps/size_choices.hpp"
#include "design/plan/adaptive_places.hpp"
#include "driver/decide/decision.hpp"
#include "stats/model/refinement.hpp"

namespace invar::driver {

class SizeRounds {
 public:
  // Refers to `so_far`. `before`: what was decided as yet.
  SizeRounds(const StudySoFar& so_far, const std::optional<analysis::SizeChoice>& before);

  [[nodiscard]] const std::vector<design::AdaptivePlace>& places() const { return places_; }
  // As places().
  [[nodiscard]] const std::vector<stats::RefinedPlace>& refined_places() const { return refined_; }
  // Every place and arm has one curve, or several where its calls are not all timed alike: between
  // a batch and single calls there is no curve.
  [[nodiscard]] const std::vector<stats::RefinedCurve>& curves() const { return curves_; }
  [[nodiscard]] const std::string& arm_of(std::size_t curve) const { return arms_.at(curve); }
  // The first cell of the curve's place.
  [[nodiscard]] std::uint32_t cell_of(std::size_t curve) const;

  // Complete groups that no decision has seen.
  [[nodiscard]] std::size_t new_groups() const { return new_groups_; }

  // What was known before, by curves of this round; what no curve has any more is left out.
  [[nodiscard]] std::vector<stats::SizeBracket> jumps_before() const;

  // For the manifest.
  [[nodiscard]] std::vector<analysis::ChosenPlace> chosen_places() const;
  [[nodiscard]] std::vector<analysis::SizeCandidate> candidates(
      const stats::RefinedRound& round) const;
  [[nodiscard]] std::vector<analysis::ChosenJump> jumps(
      const std::vector<stats::SizeBracket>& brackets) const;
  // Those of before, and these.
  [[nodiscard]] std::vector<analysis::ChosenBend> bends(const stats::RefinedRound& round) const;

 private:
  void add_curves(const store::Data& data, std::size_t first_new);

  const StudySoFar& so_far_;
  const std::optional<analysis::SizeChoice>& before_;
  std::vector<design::AdaptivePlace> places_ = {};
  std::vector<stats::RefinedPlace> refined_ = {};
  std::vector<stats::RefinedCurve> curves_ = {};
  std::vector<std::string> arms_ = {};  // of each curve
  std::size_t new_groups_ = 0;
};

// A cell that a place is to have: as its cell of the next smaller size, in the arms that have the
// next larger one, too.
struct CellBetween {
  store::AddedCell added = {};
  std::vector<record::ArmCell> alike = {};  // what costs as much
};
// `id`: its number. The place has smaller and larger sizes.
CellBetween cell_between(const Prepared& prepared, const design::AdaptivePlace& place,
                         std::uint64_t size_bytes, std::uint32_t id);

// "pingpong 4.1 kB, 2 others": what was added.
std::string added_sizes_text(const std::vector<store::AddedCell>& added);

// Complete groups that are timed as all others will be.
std::size_t usable_groups(const StudySoFar& so_far);
std::uint32_t last_finished(const StudySoFar& so_far);

// Groups that some line of the decision on sizes names: they chose, and judge nothing.
std::vector<std::uint32_t> groups_that_chose_sizes(const store::State& state);

}  // namespace invar::driver
