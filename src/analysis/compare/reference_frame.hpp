// What every answer by a model rests on: all arms of the campaign, the regimes of the machine, and
// the one that its figures are of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/study.hpp"
#include "analysis/study/taken_visits.hpp"

namespace invar::analysis {

class ReferenceFrame {
 public:
  explicit ReferenceFrame(const Study& study);

  [[nodiscard]] const Summaries& summaries() const { return summaries_; }
  [[nodiscard]] const Rules& rules() const { return rules_; }
  [[nodiscard]] const Regimes& regimes() const { return regimes_; }
  [[nodiscard]] const Contest& contest() const { return contest_; }
  [[nodiscard]] const std::vector<std::uint32_t>& arms() const { return arms_; }

  // Those of the reference regime, and those that no canary tells the regime of.
  [[nodiscard]] TakenVisits reference_visits() const;
  // Calls f for each other regime, and for all visits together where the reference splits them.
  // Calls it for none where an arm moves the canaries (ReferenceChoice::moved) and no band is
  // fixed.
  void for_each_elsewhere(
      const std::function<void(const std::string& regime, const TakenVisits& takes)>& f) const;
  // "2 ranks, 1 host, this session, canary 0.130 us (46 % of visits)".
  [[nodiscard]] std::string scope() const;
  // What the data, and their regimes, leave in doubt.
  void append_warnings(std::vector<Warning>& warnings) const;

 private:
  const Study& study_;
  const store::Data& data_;
  const Summaries& summaries_;
  Rules rules_;
  Regimes regimes_;
  ReferenceChoice reference_;
  std::vector<std::uint32_t> arms_;
  Contest contest_ = {};
};

}  // namespace invar::analysis
