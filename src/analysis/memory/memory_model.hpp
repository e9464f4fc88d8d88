// A memory's model: plateaus and knees of every series, what caches and translation buffers they
// are, bandwidths, latencies and what limits them. From plain numbers alone (docs/methods.md, "The
// memory model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory/memory_data.hpp"
#include "stats/plateaus/plateaus.hpp"

namespace invar::analysis {

struct MemoryOptions {
  double confidence = 0.95;
  double min_effect = 0.02;
  std::size_t resamples = 399;
  std::uint64_t seed = 1;
};

// Fewer sizes say nothing of capacities.
inline constexpr std::size_t kLeastSizesOfWalk = 12;

// A launch group's pass over a buffer of one size.
struct PassTime {
  std::uint64_t size_bytes = 0;
  std::uint32_t group = 0;
  double pass_ns = 0;
  std::optional<double> start_ns = {};  // t0; none: one level of loops, and it is in the pass
};

struct WalkPoint {
  std::uint64_t size_bytes = 0;
  stats::ResampledValue pass_ns = {};
  std::optional<double> start_ns = {};  // median over groups
  std::optional<double> lack_of_fit =
      {};              // of t0 + loops p, relative; three levels of loops or more
  double gb_s = 0;     // named bytes over the pass
  double load_ns = 0;  // of a load, of chains
  std::optional<double> bytes_per_cycle = {};
  double group_sd = 0;  // relative
  std::size_t groups = 0;
  std::size_t visits = 0;
  std::size_t modes = 1;  // of the visits' times, each over its group's
};

// What walks over so much memory are said to be in.
enum class KneeCause { kUnknown, kCache, kTranslation };
std::string_view to_string(KneeCause cause);

struct WalkKnee {
  stats::Knee knee = {};
  KneeCause cause = KneeCause::kUnknown;
  std::string name = {};  // "L2"; "TLB"; empty: unknown
  std::string why = {};   // "gone with huge pages"
};

struct WalkPlateau {
  stats::Plateau plateau = {};
  std::string name = {};                // "L1", "memory"; empty: unknown
  stats::ResampledValue gb_s = {};      // of a buffer of `middle`; of chains 0
  stats::ResampledValue load_ns = {};   // likewise; of walks 0
  std::optional<double> cycle_ns = {};  // of the core, by dependent adds, near `middle`
  std::optional<double> bytes_per_cycle = {};
};

// Launches against visits, in standard deviations of logarithms.
struct WalkVariance {
  double launch_sd = 0;
  std::optional<stats::Interval> launch_interval = {};
  double visit_sd = 0;
  std::optional<double> p = {};  // of no difference between launches
  std::size_t launches = 0;
};

struct WalkModel {
  std::string operation = {};
  std::string place = {};
  record::Cell cell = {};
  record::OperationInfo info = {};
  std::uint32_t width_bytes = 0;
  std::vector<WalkPoint> points = {};
  std::vector<WalkPlateau> plateaus = {};  // empty: too few sizes
  std::vector<WalkKnee> knees = {};
  stats::PlateausEstimate estimate = {};
  std::optional<WalkVariance> variance = {};
  std::optional<double> huge = {};          // least share of a visit's buffer in huge pages
  std::optional<double> frames_again = {};  // median
  bool start_told = false;                  // t0 is apart
};

// A cache as it is told, and as it behaves.
struct CacheBehaviour {
  store::ToldCache told = {};
  std::string name = {};                     // "L1"
  std::string series = {};                   // by which operation
  std::optional<double> behaves_bytes = {};  // none: no knee is near
  std::optional<stats::Interval> interval_bytes = {};
  stats::KneeShape shape = stats::KneeShape::kJump;
  // What it is told is outside of all walks' intervals, and off by a third at least; none: nothing
  // is known within an interval.
  std::optional<bool> contradicts = {};
  std::string why = {};
};

// What bounds a number, beside it.
struct MemoryLimit {
  std::string name = {};
  std::string of = {};  // "read", "L1"
  double value = 0;
  std::optional<double> reached = {};  // share of it
  std::string unit = {};
  std::string how = {};
};

// A level of a factor against the usual one, of the same sizes and launch groups; where all else is
// the same and nobody has the usual level, against the first that was planned.
struct WalkEffect {
  std::string operation = {};
  std::string beside = {};  // what else is unusual of both: "unroll 1"
  std::string factor = {};
  std::string level = {};
  std::string reference = {};
  stats::ResampledValue ratio = {};  // of the times of a named byte
  std::size_t sizes = 0;
  std::size_t groups = 0;
};

enum class PitfallFound { kYes, kNo, kNotJudged };
std::string_view to_string(PitfallFound found);  // "yes", "no", "not judged"

// What misleads a benchmark that does not look for it.
struct WalkPitfall {
  std::string name = {};
  std::string of = {};  // "read (unroll 1), L1"; empty: all
  PitfallFound found = PitfallFound::kNotJudged;
  std::string seen = {};   // what was found, or looked at
  std::string naive = {};  // what one would have concluded; only where it was found
};

struct MemoryModel {
  std::string arm = {};
  std::size_t groups = 0;
  std::vector<WalkModel> walks = {};
  std::vector<CacheBehaviour> caches = {};
  std::vector<MemoryLimit> limits = {};
  std::vector<WalkEffect> effects = {};
  std::vector<WalkPitfall> pitfalls = {};
  std::vector<Warning> warnings = {};

  // The one that an answer tells of: of usual levels where there are some; null: not measured.
  [[nodiscard]] const WalkModel* find(std::string_view operation) const;
};

// A group's visits of a size give t0 + loops p, by least squares of what is left over relative to
// the time. The line goes through levels of loops, each with its visits' median. With one level p =
// time / loops. `lost`: groups' sizes in which more passes took no longer. `times`: by size, then
// by group. `lack`: by size, where there are three levels or more. It is the median over groups of
// the largest |rest| over its own time.
struct PassTimes {
  std::vector<PassTime> times = {};
  std::vector<std::pair<std::uint64_t, double>> lack = {};
  std::size_t lost = 0;
};
PassTimes pass_times(const WalkSeries& series);

MemoryModel memory_model(const MemoryData& data, const MemoryOptions& options = {});

}  // namespace invar::analysis
