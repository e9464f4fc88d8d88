// `show --as`: what other suites would report of the same cells and machine time, side by side, and
// why it differs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/study/study.hpp"
#include "analysis/suites/preset_values.hpp"
#include "design/campaign/presets.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct ShowAsOptions {
  std::vector<std::string> suites = {};  // names of presets
  std::vector<std::string> arms = {};    // labels; empty: all
  std::string option = "--as";           // of the command that asks: faults are its
};

// One of a suite's numbers over launches: each launch is what one run of the suite would have said.
struct SuiteNumber {
  std::string name = {};  // "avg"
  double median_ns = 0;
  double low_ns = 0;  // least and largest of the launches
  double high_ns = 0;
};

struct SuiteReport {
  std::vector<SuiteNumber> numbers = {};  // the headline first; empty where there is none
  std::uint64_t launches = 0;
  double calls = 0;          // a launch, median
  std::string missing = {};  // why there is none
  std::uint64_t again = 0;   // launches in which the suite measured the point again
  const design::MessagePreset* benchmark = nullptr;  // as in Reported
  std::optional<double> call_bytes = {};             // likewise
};

// MB/s of 10^6 bytes, as a suite prints it instead of this time; nothing where it prints times, or
// the call has no bytes.
std::optional<double> megabytes_per_s(const SuiteReport& report, double time_ns);

struct SuiteRow {
  record::Cell cell = {};
  std::uint64_t suite_size_bytes = 0;  // as the suites count it
  std::string arm = {};
  std::optional<TimeEstimate> own = {};  // ours, as `show` has it
  std::vector<SuiteReport> suites = {};  // as ShownAs::suites
};

struct ShownAs {
  std::string sentence = {};
  std::string scope = {};
  std::vector<const design::Preset*> suites = {};
  std::vector<SuiteRow> rows = {};
  std::vector<record::OperationInfo> operations = {};  // of the rows, each once
  std::vector<std::string> reasons = {};               // why they differ, from these data
  std::vector<Warning> warnings = {};
  bool global_runtime = false;                // ours
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  std::uint32_t repetitions = 0;              // of a visit; suites would have made others
  std::filesystem::path dir = {};
  Health health = {};
};

// Throws UserError for unknown suites and arms (with a did-you-mean), and where these data give
// nothing of any of the suites, saying how each would be measured.
ShownAs show_as(const Study& study, const ShowAsOptions& options);

// "race --presets osu,imb, or presets = [\"osu\", \"imb\"] in [analysis]". `command`: as in
// PresetValues.
std::string how_to_measure(const std::vector<std::string>& presets,
                           std::string_view command = "race");

Answer answer_of(const ShownAs& shown);

}  // namespace invar::analysis
