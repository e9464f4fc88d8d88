// Which factors of a campaign matter: the effect of every level against the first one, what each
// factor has of the variance, and tests. Operation and size are no factors here: each pair of them
// is a target, analysed by itself. What a claim rests on: docs/methods.md, "Factors".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "record/cell.hpp"
#include "stats/model/variance_analysis.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

enum class Influence { kMatters, kDoesNotMatter, kUndecided };
// "matters", "does not matter", "undecided".
std::string_view to_string(Influence influence);

// A level against the factor's first one: ratio = time of the level / time of the reference.
struct LevelEffect {
  std::string level = {};
  std::string reference = {};
  double ratio = 1;
  // At 1 - alpha, wider where the correction rejected. No p where there are no verdicts.
  std::optional<stats::Interval> interval = {};
  std::size_t groups = 0;
  bool this_launch_only = false;
  std::optional<double> p = {};
  std::optional<double> p_adjusted = {};
  std::optional<Influence> influence = {};  // none: these data allow no verdict
};

struct FactorTest {
  std::string name = {};   // "F", "Wilcoxon signed-rank", "Friedman", "F of aligned ranks"
  stats::FTest test = {};  // without p where there are no verdicts
  // Only the launches' F is adjusted: the other tests ask what effects ask, which are in the table.
  std::optional<double> p_adjusted = {};
};

struct FactorResult {
  std::string factor = {};  // "arm", "aslr", "cache", ..., "launch", "visit", "repetition"
  // Levels are measured in launches of their own (paired in a group), else within each launch.
  bool between_launches = false;
  std::vector<std::string> levels = {};      // the reference first; none of what varies by itself
  std::vector<LevelEffect> effects = {};     // of all levels but the first
  std::optional<FactorTest> anova = {};      // on log medians
  std::optional<FactorTest> rank_test = {};  // on the same values
  double variance = 0;                       // of log times, at least 0
  double share = 0;                          // of the sum of all
  // Launches have a standard deviation of logs, with its interval.
  std::optional<double> sd = {};
  std::optional<stats::Interval> sd_interval = {};
  std::optional<Influence> influence = {};
};

// One operation and size.
struct FactorsTarget {
  record::Cell cell = {};  // its first one
  std::vector<FactorResult> factors = {};
  // Share of what factors do together beyond the sum of their effects; none: for this reason.
  std::optional<double> interactions = {};
  std::string no_interactions = {};
  std::uint64_t visits = 0;
};

// A level that was asked for and that there are no data of.
struct MissingLevel {
  std::string factor = {};
  std::string level = {};
  std::string reason = {};
  std::string where = {};          // "allreduce 8 B"; empty: everywhere
  std::string reference_now = {};  // it was to be the reference: what is instead

  // "cache warm in allreduce 8 B (the reference is cold-flush instead)"
  [[nodiscard]] std::string name() const;
};

// Data of figures, after Hunold and Carpen-Amarie 2016, section 4. All of them with every other
// factor at its first level.
struct LaunchMean {  // figure 3
  std::size_t target = 0;
  std::uint32_t launch = 0;
  std::uint64_t observations = 0;  // after Tukey's filter
  double mean_ns = 0;
  std::optional<stats::Interval> interval_ns = {};
  double median_ns = 0;
};
struct HistogramBin {  // figures 5 to 8
  std::size_t target = 0;
  std::string factor = {};
  std::string level = {};
  double low_ns = 0;
  double high_ns = 0;
  std::uint64_t count = 0;
  double density_per_ns = 0;  // count / (all observations of the level x width)
};
struct QuantilePair {  // figure 2: means of random samples against a normal distribution
  std::size_t target = 0;
  std::uint32_t sample_size = 0;
  double normal = 0;   // quantile of the standard normal distribution
  double mean_ns = 0;  // quantile of the sample means
};
struct FactorFigures {
  std::vector<LaunchMean> launches = {};
  std::vector<HistogramBin> histograms = {};
  std::vector<QuantilePair> quantiles = {};
};

struct Factors {
  std::string sentence = {};
  std::string scope = {};
  std::vector<FactorsTarget> targets = {};
  std::vector<MissingLevel> missing = {};
  FactorFigures figures = {};
  std::vector<Warning> warnings = {};
  bool global_runtime = false;
  double alpha = 0.05;
  double min_effect = 0.02;
  stats::Correction correction = stats::Correction::kBenjaminiHochberg;
  std::size_t tests = 0;  // in the table that was corrected
  std::size_t groups = 0;
  std::string no_verdict = {};
  std::filesystem::path dir = {};
  Health health = {};
};

// Data of figures, or none: these take most of the time and room.
enum class FactorPictures { kAll, kNone };

// Throws what factors_lack() says.
Factors factors(const Study& study, FactorPictures pictures = FactorPictures::kAll);

// Keeps of the figures what a page can hold: those of the first targets. A warning says so.
void limit_figures(Factors& factors);
// No complete launch group, no valid repetition.
std::optional<Lack> factors_lack(const Study& study);

// Tables "effects" (a row for every level but the first of each factor, and one for launch, visit
// and repetition) and the figures' data: "launches", "histograms", "quantiles".
Answer answer_of(const Factors& factors);

}  // namespace invar::analysis
