#include "analysis/metadata/method_analysis_words.hpp"

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/words/words.hpp"
#include "design/campaign/presets.hpp"
#include "store/version.hpp"

namespace invar::analysis {
namespace {

// "at alpha = 0.05, corrected after Benjamini and Hochberg over 41 comparisons".
std::string family_words(double alpha, stats::Correction correction, std::size_t comparisons,
                         Citations& cite) {
  std::string text = "at alpha = " + number_text(alpha);
  const std::string over = " over " + count_text(comparisons, "comparison");
  switch (correction) {
    case stats::Correction::kBenjaminiHochberg:
      return text + ", corrected after Benjamini and Hochberg" + cite("Benjamini 1995") + over;
    case stats::Correction::kHolm:
      return text + ", corrected after Holm" + cite("Holm 1979") + over;
    case stats::Correction::kNone:
      break;
  }
  return text + ", not corrected for " + count_text(comparisons, "comparison");
}
std::string family_words(const Comparison& comparison, Citations& cite) {
  return family_words(comparison.alpha, comparison.correction, comparison.comparisons, cite);
}

// There may be intervals, but no test that a family could be made of.
bool gives_verdicts(const Comparison& comparison) {
  return comparison.no_verdict.empty() && comparison.comparisons > 0;
}

std::string own_method(const MethodSource& source, const Comparison& comparison, Citations& cite) {
  std::string text =
      "A visit counts by the median of its repetitions. Arms were compared on log times, one value "
      "a launch group: ";
  text += comparison.pairing == Pairing::kTurns
              ? "the median over blocks of the difference of the block's two visits"
              : "the difference of the two launches' medians";
  const bool verdicts = gives_verdicts(comparison);
  text += "; ratios are exp of the mean difference, with ";
  text += verdicts ? "the interval and the test of Student's t" : "Student's t interval";
  text += cite("Student 1908");
  text += verdicts ? ", " + family_words(comparison, cite)
                   : " at " + percent_text(1 - comparison.alpha);
  text += "; the variance is at least what the clock's step allows.";
  if (verdicts && comparison.gate) {
    const std::string bound = number_text(1 + *comparison.gate);
    text +=
        " The question was a gate: an arm fails where the null hypothesis that its ratio to the "
        "first one is at most " +
        bound +
        " is rejected, one-sided at half of alpha, passes where the whole interval lies below "
        "it, and is undecided elsewhere.";
  } else if (verdicts) {
    text += " Two arms are equivalent where the whole interval lies within " +
            percent_text(comparison.min_effect) +
            " of 1, one is faster where the corrected p is at most alpha, and everything else is "
            "undecided, which never means equal.";
  }
  if (source.data->groups.size() == 1) {
    text +=
        " There is one launch group only: intervals speak of it and not of the next one, and "
        "there are no verdicts.";
  }
  if (!comparison.no_verdict.empty()) {
    text += " These data allow no verdict: " + comparison.no_verdict + ".";
  }
  if (verdicts && comparison.sequential) {
    text += " Each verdict is that of the look that found it.";
  }
  return text;
}

// How a rule is judged at a size.
std::string guidelines_method(const Guidelines& found, Citations& cite) {
  std::string text =
      "Performance guidelines" + cite("Hunold 2016b") +
      " were judged, each library by itself. Both sides of a rule, a call of the library and what "
      "could replace it, were measured one behind the other in the same launch; a launch counts by "
      "the median over its rounds of the difference of their log times, and their factor is exp of "
      "the mean.";
  if (!found.no_verdict.empty()) {
    return text + " These data allow no verdict: " + found.no_verdict + ".";
  }
  if (found.comparisons > 0) {
    text += " A rule is violated at a size where Student's t" + cite("Student 1908") +
            " rejects that the factor is at most 1 + the rule's tolerance, one-sided at half of "
            "alpha, so that its interval begins above that (" +
            family_words(found.alpha, found.correction, found.comparisons, cite) +
            "); it holds where the interval ends below, and is undecided elsewhere, which never "
            "means equal.";
  }
  if (found.splits_chosen) {
    text +=
        " Into how many calls a call is split was chosen in a pilot launch, which judges no "
        "split.";
  }
  if (found.sequential) text += " Each verdict is that of the look that found it.";
  return text;
}

std::string test_source(design::LaunchTest test, Citations& cite) {
  switch (test) {
    case design::LaunchTest::kWilcoxon:
      return cite("Wilcoxon 1945");
    case design::LaunchTest::kKolmogorovSmirnov:
      return cite("Smirnov 1948");
    case design::LaunchTest::kStudent:
      return cite("Welch 1947");
  }
  return {};
}

std::string launch_test_method(const Comparison& comparison, Citations& cite) {
  const design::LaunchTestInfo& info = design::launch_test_info(comparison.launch_test);
  const bool filtered = comparison.preset != "pgmpi";
  std::string text = "After ReproMPI" + cite("Hunold 2016") +
                     (filtered ? "" : " and PGMPI" + cite("Hunold 2016b")) +
                     ", a launch counts by the " + std::string(info.value) + " of its repetitions";
  if (filtered) text += " inside of Tukey's fences" + cite("Tukey 1977");
  if (!gives_verdicts(comparison)) {
    return text + "; arms were not tested against each other" +
           (comparison.no_verdict.empty() ? "." : ": " + comparison.no_verdict + ".");
  }
  text += "; arms were compared by " + std::string(info.words) + " over launches" +
          test_source(info.test, cite) + " " + family_words(comparison, cite);
  if (comparison.alternative == stats::Alternative::kTwoSided) return text + ".";
  return text + ", one-sided: the alternative hypothesis is that the first arm takes " +
         (comparison.alternative == stats::Alternative::kLess ? "less" : "more") + " time.";
}

std::string preset_method(const Comparison& comparison, Citations& cite) {
  if (comparison.method == Method::kLaunchTest) return launch_test_method(comparison, cite);
  const design::Preset* preset = design::find_preset(comparison.preset);
  return "Numbers are those that " +
         (preset != nullptr ? std::string(preset->suite) : comparison.preset) +
         " reports of such a measurement, which compares without a test.";
}

std::string canary_words(base::CanaryKind kind) {
  switch (kind) {
    case base::CanaryKind::kAcross:
      return "the round trip of a cache line between two sockets without MPI";
    case base::CanaryKind::kChain:
      return "a chain of dependent multiplications on one core, which follows the core's clock";
    case base::CanaryKind::kLine:
      break;
  }
  return "the round trip of a cache line between two cores without MPI";
}

}  // namespace

std::string measured_with_words(const std::vector<std::string>& measured_by, Citations& cite) {
  const std::string now = store::version_text();
  const bool same = measured_by == std::vector{now};
  const std::string measured = measured_by.empty() ? "" : " " + list_text(measured_by);
  return (same ? "Measured and analysed with Invar " + now
               : "Measured with Invar" + measured + " and analysed with Invar " + now) +
         cite("Hunold 2016") +
         " (the first reference describes the experimental method that it builds on). Raw "
         "observations were kept, with checksums; every number and figure here follows from them.";
}

std::string statistics_words(const MethodSource& source, Citations& cite) {
  std::string text;
  if (source.comparison != nullptr) {
    text = source.comparison->method == Method::kInvar
               ? own_method(source, *source.comparison, cite)
               : preset_method(*source.comparison, cite);
    text += " ";
  }
  if (source.guidelines != nullptr) text += guidelines_method(*source.guidelines, cite) + " ";
  text +=
      "Absolute times are Hodges and Lehmann's estimates over launch medians with their "
      "intervals" +
      cite("Hodges 1963") +
      " from six launches on, below geometric means with Student's t on the logs.";
  if (source.comparison != nullptr && !source.comparison->regimes.found.empty()) {
    const std::size_t regimes = source.comparison->regimes.found.size();
    const std::size_t stretches = source.comparison->perturbations.size();
    text += " The state of the machine was watched by a canary before every visit, " +
            canary_words(source.comparison->regimes.kind) + ": by the dip test" +
            cite("Hartigan 1985") + " it was in " + count_text(regimes, "regime") +
            ". Slowed stretches were sought as change points of all visits in order of time" +
            cite("Killick 2012") + ": " +
            (stretches == 0 ? std::string("there was none")
                            : count_text(stretches, "stretch") + ", which were kept") +
            ".";
  }
  return text;
}

std::string figure_words(const MethodSource& /*source*/, Citations& cite) {
  return "Figures of distributions show the bulk of the observations, at least 95 %: histograms "
         "with "
         "the bin width of Freedman and Diaconis" +
         cite("Freedman 1981") + ", densities with the bandwidth of Sheather and Jones" +
         cite("Sheather 1991") +
         "; what lies outside is counted, and shown by the distribution's tail. Boxes are Tukey's" +
         cite("Tukey 1977") +
         ": quartiles, and whiskers to the last value within 1.5 times their "
         "distance.";
}

}  // namespace invar::analysis
