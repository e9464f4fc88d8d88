#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

// The rules by which NetGauge, PLogP's logp_mpi and LoOgGP's framework find changes of protocol
// over sizes (docs/methods.md, "Piecewise lines"). They are told as they are, mistakes included:
// what they say here is what their users get, of the same times.
namespace invar::stats {

// --- NetGauge, pattern loggp (Hoefler, Lichei and Rehm, IPDPS 2007; as its source of 2009 has it)

/// Medians of a size. PRTT(n, d, s): n messages of s bytes, d between two, until one comes back.
struct NetgaugeTimes {
  double size = 0.0;
  double one_us = 0.0;    ///< PRTT(1, 0, s)
  double train_us = 0.0;  ///< PRTT(n, 0, s)
  /// PRTT(n, d, s) with d = PRTT(1, 0, s), from which only the overhead follows, no change.
  std::optional<double> delayed_us = std::nullopt;
};

struct NetgaugeRule {
  std::size_t messages = 10;   ///< n
  double factor = 2.0;         ///< by which the deviation from the line must have grown
  double least_us = 0.15;      ///< deviation before, below which nothing is a change
  double outliers_us = 100.0;  ///< deviation above which points far above the line are removed
};

/// A stretch of sizes between changes, and its line gap = g + G size.
struct NetgaugeStretch {
  double first_size = 0.0;
  double last_size = 0.0;
  double g_us = 0.0;
  double gap_per_byte_us = 0.0;  ///< G
  double deviation_us = 0.0;     ///< "lsq": root of (squares over (points - 2))
  /// Overhead at the newest size at the time. At a change that is four sizes beyond it.
  std::optional<double> overhead_us = std::nullopt;
};

struct NetgaugeResult {
  std::vector<double> changes = {};  ///< the last size of the protocol before
  std::vector<NetgaugeStretch> stretches = {};
  std::vector<double> removed = {};  ///< sizes of outliers
};

/// gap(s) = (PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1), size after size. With five sizes more than
/// before, the line from the last change to there, exclusively, has a deviation; if each of the
/// four lines that take in one, two, three and four of them deviates by twice as much, and the
/// first deviation was at least 0.15 us, the first of the five sizes is the last one of the old
/// protocol, and the next one begins the new. (The paper speaks of five sizes; the source has four
/// fits.) Two points have no deviation, and are no base for a change. Where the deviation is above
/// 100 us, points more than twice that above the line leave the data. L is PRTT(1, 0, first) / 2
/// there, with the overheads in it.
///
/// Its source has sizes 1, 1025, 2049, ... Other sizes are taken as they come, ascending. Throws
/// std::invalid_argument where they are not, on NaN and infinity, and for fewer than 2 messages.
NetgaugeResult netgauge_changes(std::span<const NetgaugeTimes> times, const NetgaugeRule& rule);

// --- PLogP, logp_mpi (Kielmann, Bal and Verstoep, IPDPS 2000; as its source of 1999 to 2003 has
// it)

/// What it measures of a size; what is not there says nothing.
struct PlogpTimes {
  std::optional<double> send_overhead_ns = std::nullopt;
  std::optional<double> receive_overhead_ns = std::nullopt;
  std::optional<double> gap_ns = std::nullopt;
};

struct PlogpRule {
  double difference = 0.2;       ///< off the extrapolation, relative to it
  double precision = 0.03;       ///< two sizes come no nearer than this share of the upper one
  double least_distance = 32.0;  ///< and no nearer than this, in bytes
  std::size_t most_sizes = 1024;
};

struct PlogpBracket {
  double below = 0.0;
  double above = 0.0;
};

struct PlogpResult {
  std::vector<double> sizes = {};  ///< that were measured, ascending
  /// Neighbours of which the upper one is off the line through the two sizes before it, and that
  /// were too near to each other to be halved again. The tool itself names no changes: it only adds
  /// sizes there. The size above a jump is off as well, against the line through the jump.
  std::vector<PlogpBracket> changes = {};
};

/// Sizes 0, then 1, 2, 4, ... below `most`, and `most` itself. From the third size on: where a time
/// is off the line through the two sizes before by more than 20 %, the middle of it and the one
/// before (rounded down to 4 bytes) is measured, and looked at first. Overheads above 1 KiB that
/// are extrapolated to less than 10 ns a byte may be off by twice as much, which today all are.
/// (That it doubles the largest size while the gap falls is left out: here sizes are given.)
/// `measure` is asked for each size once. Throws std::invalid_argument for a size below 1.
PlogpResult plogp_changes(const std::function<PlogpTimes(double size)>& measure, double most,
                          const PlogpRule& rule);

struct PlogpMeasured {
  double size = 0.0;
  PlogpTimes times = {};
};

/// The same on sizes that were measured already, ascending: instead of the size that it asks for it
/// gets the nearest one that it does not have yet and that lies between the same neighbours; where
/// there is none between, it can halve no more.
PlogpResult plogp_changes_on(std::span<const PlogpMeasured> measured, const PlogpRule& rule);

// --- LoOgGP (Martinez, Cabaleiro, Pena, Rivera and Blanco, IPDPS 2009)

struct LooggpRule {
  std::size_t neighbours = 5;  ///< to either side; its user chooses
  double fences = 1.5;         ///< outliers: beyond the quartiles by so many of their distance
};

struct LooggpResult {
  std::vector<double> candidates = {};  ///< sizes; whether one is a change the user decides
  std::vector<double> removed = {};     ///< sizes of outliers
};

/// A measurement that is the largest of its neighbourhood marks a change. That much, sizes in equal
/// steps, the removal of outliers before and the user's decision after is what paper 004 says of
/// it; the article itself and the code of its analysis were not to be had. Not known, and therefore
/// ours: of what it is the largest (here its deviation from the least squares line through all
/// measurements, for times that rise have no maximum inside), what an outlier is (Tukey's fences
/// around the deviations of its neighbourhood), and how large the neighbourhood is. Ends of the
/// data, whose neighbourhood lacks a side, mark nothing. It has no notion of noise: of noise alone
/// about one in 2 neighbours + 1 measurements is a candidate. Sizes ascending; throws
/// std::invalid_argument where they are not, on NaN and infinity, for no neighbours.
LooggpResult looggp_changes(std::span<const double> sizes, std::span<const double> times,
                            const LooggpRule& rule);

}  // namespace invar::stats
