// A platform against the machine that it was made from: what was measured beside what a simulation
// on it takes (docs/methods.md, "Checking a platform").
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/network/network.hpp"
#include "analysis/study/study.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

// Three machines are simulated: the emitted platform, the cluster without a calibration (SimGrid's
// own parameters), and the usual formulas.
enum class CheckedBy : std::uint8_t { kPlatform, kDefaults, kUsual };
inline constexpr std::size_t kCheckedBy = 3;

// Label of the simulated arm, of a platform whose files have this stem.
std::string simulated_arm(const std::string& stem, CheckedBy by);

struct CheckedPoint {
  std::string arm = {};
  std::string place = {};
  std::string operation = {};  // a series' name, or a collective
  std::uint32_t ranks = 2;
  bool calibrated = false;  // the platform was fitted to it
  bool held_out = false;    // a size that no fit saw
  std::uint64_t size_bytes = 0;
  double measured_ns = 0;
  std::optional<stats::Interval> interval_ns = {};
  std::size_t groups = 0;
  // Measured in the model's regime of the machine. False: in another one.
  bool in_regime = true;
  std::optional<double> simulated_ns[kCheckedBy] = {};  // by CheckedBy

  // simulated / measured - 1; none of two regimes, which would be an error of two machines.
  [[nodiscard]] std::optional<double> error(CheckedBy by = CheckedBy::kPlatform) const;
};

// Errors over all sizes of an operation. They are absolute, but for `bias`.
struct CheckedErrors {
  std::string arm = {};
  std::string place = {};
  std::string operation = {};
  std::uint32_t ranks = 2;
  bool calibrated = false;
  bool held_out = false;
  std::size_t sizes = 0;
  std::size_t elsewhere = 0;  // further sizes, measured in another regime than the model's
  struct Spread {
    double median = 0;
    double most = 0;  // 95th percentile
  };
  std::optional<Spread> errors[kCheckedBy] = {};
  std::optional<double> bias = {};  // median of signed errors
  std::string why = {};             // why there are none
};

// What the usual formulas make of an arm's lines cannot be written as a platform.
struct MissingUsual {
  std::string arm = {};
  std::string why = {};
};

struct NetworkCheck {
  std::string sentence = {};
  std::string scope = {};
  std::vector<CheckedPoint> points = {};
  std::vector<CheckedErrors> errors = {};
  std::vector<MissingUsual> usual_missing = {};
  std::uint32_t ranks = 2;  // of the collectives
  std::filesystem::path dir = {};
  // The platform's files are those that were simulated.
  bool current = true;
  std::vector<Warning> warnings = {};
  Health health = {};
};

// DIR/check, and the campaigns and the platforms' files in it.
std::filesystem::path check_dir(const std::filesystem::path& dir);
std::filesystem::path measured_check_dir(const std::filesystem::path& dir);
std::filesystem::path simulated_check_dir(const std::filesystem::path& dir);
std::filesystem::path checked_platforms_dir(const std::filesystem::path& dir);

// Canaries of the model's regime of the machine. Where the campaign saw that one alone, as far
// around its median as regimes are apart at least. None: it has no reference.
std::optional<base::CanaryBand> model_band(const Network& found);

// What was measured and simulated. Points are compared where both are, and where what was measured
// is of the model's regime.
NetworkCheck network_check(const Network& found, const Study& measured, const Study& simulated);

// Some error of the arm is known, of a simulation by this.
bool has_times(const NetworkCheck& check, const std::string& arm, CheckedBy by);
// Arms in the order of the tables; the operation that is worst is named.
std::string check_sentence(const NetworkCheck& check);

// The check in the campaign's directory. None: nothing was checked, or not to the end.
std::optional<NetworkCheck> network_check_in(const Network& found);

// Times of an operation in a study's arm over sizes: geometric means of launch groups' medians,
// less what reading the clock costs; of visits in the band where enough launch groups have some
// (kRegimeGroups, or all there are), else of all.
struct OperationTime {
  std::uint64_t size_bytes = 0;
  double time_ns = 0;
  std::optional<stats::Interval> interval_ns = {};
  std::size_t groups = 0;
  bool in_band = true;  // of visits in it; false: there were too few
};
std::vector<OperationTime> operation_times(const Study& study, const std::string& arm,
                                           const std::string& operation,
                                           const std::optional<base::CanaryBand>& band,
                                           double confidence = 0.95);

// What reductions take, for the simulator (INVAR_SIMULATED_REDUCTION): straight lines from size to
// size, the last one holds on. Empty: there are no times.
std::string reduction_costs_text(const std::vector<OperationTime>& times);

// "check_errors" and "check"; `all`: both are shown to people, else the first one alone.
std::vector<TidyTable> check_tables(const NetworkCheck& check, bool all);
Value check_value(const NetworkCheck& check);  // for machines, beside the tables
Answer answer_of(const NetworkCheck& check);

}  // namespace invar::analysis
