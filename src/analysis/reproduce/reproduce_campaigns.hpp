// From finished campaigns to `reproduce`: one of ours a repeat, and one of each suite that was
// measured by itself.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/reproduce/reproduce.hpp"
#include "analysis/reproduce/reproduce_values.hpp"
#include "analysis/study/study.hpp"
#include "analysis/suites/preset_values.hpp"
#include "base/error.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

class ReproducedCampaigns {
 public:
  // One repeat after the other: ours first, then the suites'. Records are read here and not kept.
  // `presets`: those that are computed from these data as well.
  void add_own(const Study& study, const std::vector<std::string>& presets);
  // A campaign of this suite's visits alone.
  void add_suite(const Study& study, const std::string& preset);

  // What differs from the first campaign of the same method, campaign by campaign.
  [[nodiscard]] const base::Faults& faults() const { return faults_; }

  // `asked`: presets that must have a number somewhere; others without any are left out. Throws
  // UserError for what differs and for a preset without numbers.
  [[nodiscard]] Reproduced result(const std::vector<std::string>& asked) const;

 private:
  void add_suite_values(const PresetValues& reported, const std::string& preset, bool shares_time);
  Study in_common_regime(const Study& study);
  [[nodiscard]] std::optional<std::string> regimes_apart() const;
  [[nodiscard]] std::string why_no_number(const std::string& preset) const;
  void note(const Study& study, const std::string& method);
  std::vector<RepeatValues>& repeats_of(const std::string& method, Taken taken, bool shares_time);

  std::vector<MethodRepeats> methods_ = {};
  std::vector<CampaignHead> firsts_ = {};        // of each method
  std::vector<std::string> first_methods_ = {};  // of which method each is
  std::vector<record::Cell> cells_ = {};
  std::vector<ComparedArm> arms_ = {};
  double min_effect_ = 0.02;
  std::set<std::string> reported_ = {};                            // presets that have a number
  std::vector<std::pair<std::string, std::string>> missing_ = {};  // preset, why: of the others
  std::vector<std::string> sessions_ = {};
  std::vector<std::string> warnings_ = {};
  std::vector<std::string> noted_ = {};   // by the drivers of single campaigns
  std::vector<double> canaries_ns_ = {};  // of our campaigns, median, of the first one's kind
  base::CanaryKind canary_kind_ = base::CanaryKind::kLine;
  // The regimes that our campaigns are judged in, by directory; none: over everything.
  std::vector<std::pair<std::string, std::optional<base::CanaryBand>>> judged_in_ = {};
  base::Faults faults_ = {};
  Health health_ = {};
};

}  // namespace invar::analysis
