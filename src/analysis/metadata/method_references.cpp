// What descriptions of the method cite.
#include <array>

#include "analysis/metadata/method_words.hpp"

namespace invar::analysis {
namespace {

struct Known {
  const char* key;
  const char* text;
};

// By key.
constexpr std::array kKnown{
    Known{"Benjamini 1995",
          "Y. Benjamini, Y. Hochberg. Controlling the false discovery rate: a practical and "
          "powerful approach to multiple testing. J. R. Stat. Soc. B 57, 289-300, 1995."},
    Known{"Freedman 1981",
          "D. Freedman, P. Diaconis. On the histogram as a density estimator: L2 theory. Z. "
          "Wahrscheinlichkeitstheorie verw. Geb. 57, 453-476, 1981."},
    Known{"Gropp 1999",
          "W. Gropp, E. Lusk. Reproducible measurements of MPI performance characteristics. "
          "EuroPVM/MPI 1999, LNCS 1697, 11-18."},
    Known{
        "Hartigan 1985",
        "J. A. Hartigan, P. M. Hartigan. The dip test of unimodality. Ann. Stat. 13, 70-84, 1985."},
    Known{
        "Hodges 1963",
        "J. L. Hodges, E. L. Lehmann. Estimates of location based on rank tests. Ann. Math. Stat. "
        "34, 598-611, 1963."},
    Known{"Holm 1979",
          "S. Holm. A simple sequentially rejective multiple test procedure. Scand. J. Stat. 6, "
          "65-70, 1979."},
    Known{"Hunold 2015",
          "S. Hunold, A. Carpen-Amarie. On the impact of synchronizing clocks and processes on "
          "benchmarking MPI collectives. EuroMPI 2015."},
    Known{"Hunold 2016",
          "S. Hunold, A. Carpen-Amarie. Reproducible MPI benchmarking is still not as easy as you "
          "think. IEEE Trans. Parallel Distrib. Syst. 27 (12), 2016."},
    Known{"Hunold 2016b",
          "S. Hunold, A. Carpen-Amarie, F. D. Luebbe, J. L. Traeff. PGMPI: verifying "
          "self-consistent MPI performance guidelines. 2016."},
    Known{"Hunold 2018",
          "S. Hunold, A. Carpen-Amarie. Hierarchical clock synchronization in MPI. IEEE CLUSTER "
          "2018."},
    Known{"Kalibera 2013",
          "T. Kalibera, R. Jones. Rigorous benchmarking in reasonable time. ISMM 2013, 63-74."},
    Known{"Killick 2012",
          "R. Killick, P. Fearnhead, I. A. Eckley. Optimal detection of changepoints with a linear "
          "computational cost. J. Am. Stat. Assoc. 107, 1590-1598, 2012."},
    Known{"Lan 1983",
          "K. K. G. Lan, D. L. DeMets. Discrete sequential boundaries for clinical trials. "
          "Biometrika 70, 659-663, 1983."},
    Known{
        "Sheather 1991",
        "S. J. Sheather, M. C. Jones. A reliable data-based bandwidth selection method for kernel "
        "density estimation. J. R. Stat. Soc. B 53, 683-690, 1991."},
    Known{"Smirnov 1948",
          "N. Smirnov. Table for estimating the goodness of fit of empirical distributions. Ann. "
          "Math. Stat. 19, 279-281, 1948."},
    Known{"Stanisic 2017",
          "L. Stanisic, L. Mello Schnorr, A. Degomme, F. Heinrich, A. Legrand, B. Videau. "
          "Characterizing the performance of modern architectures through opaque benchmarks: "
          "pitfalls learned the hard way. IPDPS workshop RepPar, 2017."},
    Known{"Student 1908", "Student. The probable error of a mean. Biometrika 6, 1-25, 1908."},
    Known{"Tukey 1977", "J. W. Tukey. Exploratory data analysis. Addison-Wesley, 1977."},
    Known{
        "Welch 1947",
        "B. L. Welch. The generalization of 'Student's' problem when several different population "
        "variances are involved. Biometrika 34, 28-35, 1947."},
    Known{
        "Wilcoxon 1945",
        "F. Wilcoxon. Individual comparisons by ranking methods. Biometrics Bull. 1, 80-83, 1945."},
};

}  // namespace

std::span<const Reference> known_references() {
  static const std::vector<Reference> all = [] {
    std::vector<Reference> references;
    references.reserve(kKnown.size());
    for (const Known& known : kKnown) references.push_back({.key = known.key, .text = known.text});
    return references;
  }();
  return all;
}

}  // namespace invar::analysis
