// Everything that a page says and draws about one campaign.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/factors/factors.hpp"
#include "analysis/machine/canary_series.hpp"
#include "analysis/page/campaign_figures.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/questions/self_test.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// What is wrong with a campaign; the first that fits.
enum class CampaignState { kDamaged, kEmpty, kFailed, kIncomplete, kComplete };
// "damaged", "empty", ...
std::string_view to_string(CampaignState state);
// The state of the data; whether there are any it does not know.
CampaignState state_of(const Health& health);

// Something that was to be measured and gave nothing.
struct PageFailure {
  std::optional<std::uint32_t> group = {};
  std::optional<std::uint32_t> launch = {};
  std::string arm = {};                  // label; empty: of no arm
  std::optional<std::size_t> cell = {};  // index into CampaignPage::cells
  std::string reason = {};
};

// The answer to one of the questions that are asked of it.
struct AnswerOnPage : Answered {
  std::string_view key = {};  // QuestionRow::page_key
};

struct CampaignPage {
  std::string name = {};
  CampaignState state = CampaignState::kComplete;
  // What the state is due to, and why an answer is missing for which the campaign was made.
  std::vector<std::string> problems = {};
  design::Question asked = design::Question::kCompare;  // that it was made for
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  std::vector<record::Cell> cells = {};
  std::vector<PageFailure> failures = {};

  // Why there is no comparison, where it would be the answer; empty: there is one, or nobody asked.
  std::string comparison_missing = {};
  Tally repetitions = {};  // of all arms
  CampaignFigures figures = {};
  std::optional<CanarySeries> canary = {};
  Regimes regimes = {};
  std::vector<Perturbation> perturbations = {};  // seconds are those of TimeAxis
  bool global_runtime = false;
  std::vector<std::uint32_t> local_cells = {};  // indices into `cells`: it is local nevertheless
  double alpha = 0.05;
  double min_effect = 0.02;
  // To all questions that are asked here. Where the campaign is made for one that cannot be judged,
  // `problems` say why.
  std::vector<AnswerOnPage> answers = {};

  Health health = {};

  // What was found for one of the questions; null: it has no answer here.
  template <typename Found>
  [[nodiscard]] const Found* found() const {
    for (const AnswerOnPage& one : answers) {
      if (const Found* what = one.as<Found>()) return what;
    }
    return nullptr;
  }
};

// What cannot be computed from these data is missing, and `problems` or `comparison_missing` say
// why.
CampaignPage campaign_page(const Study& study, const std::string& name,
                           const FigureResolution& resolution);

}  // namespace invar::analysis
