// Experiments with clocks: what is to be found out (clocks.spec), and the raw rows that come back
// (clocks.csv; docs/clocks.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/virtual_clocks.hpp"

namespace invar::record {

// Calls before the first one that counts in a bin of runtime-over-time.
inline constexpr std::uint32_t kWarmUpsOfABin = 5;

struct ClockSpec {
  std::string experiment = "accuracy";       // a name of engine/experiments/clock_experiments.hpp
  std::string clock = "auto";                // auto | tsc | monotonic-raw | mpi-wtime
  std::vector<std::string> algorithms = {};  // "hca3:fit-points=100"
  std::vector<double> after_s = {0};  // when the error is looked at, after the last rank's end
  // How often each algorithm, each kind of barrier, the operation under each synchronisation, or a
  // clock's reading is repeated.
  std::uint32_t repetitions = 1;
  double duration_s = 0;  // that the experiment is spread over, where it is (docs/clocks.md)
  double interval_s = 1;  // between two points, or two trackings
  std::string operation = {};
  std::uint64_t size_bytes = 0;
  std::uint32_t bins = 1;
  std::string pinning = "core";
  std::vector<std::uint32_t> cpus = {};  // as in LaunchSpec
  VirtualClocks virtual_clocks = {};
  bool virtual_where_possible = false;  // else real clocks, not an error
  // Kinds of windows, side by side: their length, or 0 where they adapt.
  std::vector<double> windows_s = {0};
  std::uint32_t launches = 1;           // of the library, one after the other
  std::vector<std::string> hosts = {};  // "node1", "node2:4"; none: this host
  std::string cpus_host = {};           // as in LaunchSpec; empty in what is kept

  bool operator==(const ClockSpec&) const = default;
};

std::string clock_spec_text(const ClockSpec& spec);
// Throws UserError with every fault; `place` names the file.
ClockSpec read_clock_spec(std::string_view text, const std::string& place);

// What all ranks have found to make no sense where they are, before they measured (clocks.refused).
struct ClockRefused {
  std::string place = {};  // the option
  std::string what = {};
  std::string remedy = {};
};

std::string clock_refused_text(const ClockRefused& refused);
ClockRefused read_clock_refused(std::string_view text, const std::string& place);

// The columns of clocks.csv, in one place for who writes them and who reads them.
enum class RawField { kText, kNumber, kOptional /* a number, or empty */, kCount };

struct RawColumn {
  std::string_view name;
  RawField field;
  bool later = false;  // at the end; rows from before there was it lack it, and mean an empty field
};

// What an engine writes: the error of every algorithm's model against rank 0, some time after its
// end. seconds: what the synchronisation took; half_width_ns: to within which the error is known;
// tracking_share: of the time, 0 where nothing is tracked; stated_ns: what the algorithm says
// that the error is at most, with 95 %, where it says something.
inline constexpr std::array kRawAccuracy{RawColumn{"algorithm", RawField::kText},
                                         RawColumn{"repetition", RawField::kCount},
                                         RawColumn{"seconds", RawField::kNumber},
                                         RawColumn{"after_s", RawField::kNumber},
                                         RawColumn{"rank", RawField::kCount},
                                         RawColumn{"error_ns", RawField::kNumber},
                                         RawColumn{"half_width_ns", RawField::kNumber},
                                         RawColumn{"tracking_share", RawField::kNumber},
                                         RawColumn{"stated_ns", RawField::kOptional, true}};

// What a simulation calls the exits from a barrier, beside the algorithms.
inline constexpr std::string_view kNoAlgorithm = "barrier";

// What a simulation writes: a synchronisation and a time after its end, with the largest and the
// median error over the ranks. The seed makes it again. covered: share of the ranks whose error
// is at most what the algorithm says of it with 95 %, where it says something.
inline constexpr std::array kRawTrials{
    RawColumn{"ranks", RawField::kCount},       RawColumn{"algorithm", RawField::kText},
    RawColumn{"seed", RawField::kCount},        RawColumn{"after_s", RawField::kNumber},
    RawColumn{"seconds", RawField::kNumber},    RawColumn{"worst_ns", RawField::kNumber},
    RawColumn{"typical_ns", RawField::kNumber}, RawColumn{"covered", RawField::kOptional, true}};

// The worst rank's error of the first model, of the prediction and of the smoothed clock.
inline constexpr std::array kRawTracking{
    RawColumn{"seconds", RawField::kNumber},       RawColumn{"untracked_ns", RawField::kNumber},
    RawColumn{"predicted_ns", RawField::kNumber},  RawColumn{"smoothed_ns", RawField::kNumber},
    RawColumn{"sigma_ns", RawField::kNumber},      RawColumn{"half_width_ns", RawField::kNumber},
    RawColumn{"tracking_share", RawField::kNumber}};

// The same of simulated networks.
inline constexpr std::array kRawTrackingTrials{
    RawColumn{"seed", RawField::kCount}, RawColumn{"seconds", RawField::kNumber},
    RawColumn{"untracked_ns", RawField::kNumber}, RawColumn{"predicted_ns", RawField::kNumber},
    RawColumn{"smoothed_ns", RawField::kNumber}};

// What each clock costs and resolves: a number under its name (engine/experiments).
inline constexpr std::array kRawResolution{
    RawColumn{"rank", RawField::kCount}, RawColumn{"source", RawField::kText},
    RawColumn{"quantity", RawField::kText}, RawColumn{"value", RawField::kNumber},
    RawColumn{"text", RawField::kText}};

// Every rank's clock - rank 0's (one rank a host, where there are several); no truth where it is
// not known.
inline constexpr std::array kRawDrift{
    RawColumn{"seconds", RawField::kNumber}, RawColumn{"rank", RawField::kCount},
    RawColumn{"offset_ns", RawField::kNumber}, RawColumn{"half_width_ns", RawField::kNumber},
    RawColumn{"truth_ns", RawField::kOptional}};

// row "repetition": number counts them, time_ns from the last entry to the last exit; row "rank":
// number is a rank, exit_imbalance_ns its median exit after the first one's; count, mean and sd are
// of these exits over the repetitions that count (sd: none of a single one).
inline constexpr std::array kRawBarriers{RawColumn{"row", RawField::kText},
                                         RawColumn{"method", RawField::kText},
                                         RawColumn{"number", RawField::kCount},
                                         RawColumn{"flags", RawField::kCount},
                                         RawColumn{"entry_skew_ns", RawField::kNumber},
                                         RawColumn{"exit_imbalance_ns", RawField::kNumber},
                                         RawColumn{"time_ns", RawField::kNumber},
                                         RawColumn{"sigma_ns", RawField::kNumber},
                                         RawColumn{"count", RawField::kOptional, true},
                                         RawColumn{"mean_ns", RawField::kOptional, true},
                                         RawColumn{"sd_ns", RawField::kOptional, true}};

// Run-times of an operation under MPI_Barrier and under windows by every algorithm's clocks.
// window_s: a window's length, empty where windows adapt and after barriers. global_by: whose
// clocks the global time is of.
inline constexpr std::array kRawRunTimes{RawColumn{"sync", RawField::kText},
                                         RawColumn{"bin", RawField::kCount},
                                         RawColumn{"repetition", RawField::kCount},
                                         RawColumn{"seconds", RawField::kNumber},
                                         RawColumn{"since_sync_s", RawField::kOptional},
                                         RawColumn{"flags", RawField::kCount},
                                         RawColumn{"local_ns", RawField::kNumber},
                                         RawColumn{"global_ns", RawField::kOptional},
                                         RawColumn{"true_ns", RawField::kOptional},
                                         RawColumn{"window_s", RawField::kOptional, true},
                                         RawColumn{"global_by", RawField::kText, true}};

// What the driver puts behind the engine's columns: how many ranks measured, where there are
// several numbers of them, and which launch.
inline constexpr std::array kAddedColumns{RawColumn{"ranks", RawField::kCount},
                                          RawColumn{"launch", RawField::kCount}};

struct AddedColumn {
  std::string_view name;
  std::uint32_t value;
};
// The rows of an engine with these columns behind its own, with the header where they are the
// `first` ones of their file. No field of these rows holds a line break.
std::string with_added_columns(std::string_view rows, const std::vector<AddedColumn>& added,
                               bool first);

// The first line of such a file, with its line feed.
std::string raw_header(std::span<const RawColumn> columns);

}  // namespace invar::record
