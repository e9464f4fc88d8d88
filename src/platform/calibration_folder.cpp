#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "platform/simgrid_csv.hpp"

namespace invar::platform {
namespace {

namespace fs = std::filesystem;

// Names of the folder's files, in alphabetical order.
std::vector<std::string> names_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error) {
    throw base::UserError(folder, "cannot be read: " + error.message(),
                          "name a folder that SimGrid's calibration wrote");
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The one file that is meant; none: there is no such file, or it is not clear which.
std::optional<std::string> only_one(const std::string& folder, std::span<const std::string> found,
                                    const std::string& what, bool is_needed, base::Faults& faults) {
  if (found.empty()) {
    if (is_needed) {
      faults.add(folder, "has no file " + what, "an operation without measurements has no model");
    }
    return std::nullopt;
  }
  if (found.size() > 1) {
    faults.add(folder, "has several files " + what + ": " + base::first_items(found, 3, ", "),
               "leave one calibration in a folder");
    return std::nullopt;
  }
  return found.front();
}

std::optional<double> wtime_of(std::string_view text, const std::string& place) {
  // calibrate.c calls MPI_Wtime as often.
  constexpr double kWtimeCalls = 1e7;
  const std::vector<CalibrationCall> calls = parse_calibration_calls(text, "MPI_Wtime", place);
  double sum_s = 0;
  for (const CalibrationCall& call : calls) sum_s += call.duration_s;
  return sum_s / (kWtimeCalls * static_cast<double>(calls.size()));
}

struct CalibrationFileKind {
  std::string_view ending;
  bool is_needed;
  void (*take)(Calibration&, std::string_view text, const std::string& place);
};

constexpr std::array<CalibrationFileKind, 6> kCalibrationFiles{{
    {"_PingPong.csv", true,
     [](Calibration& all, std::string_view text, const std::string& place) {
       all.ping_pong = parse_calibration_ping_pong(text, place);
     }},
    {"_Isend.csv", true,
     [](Calibration& all, std::string_view text, const std::string& place) {
       all.isend = parse_calibration_calls(text, "MPI_Isend", place);
     }},
    {"_Recv.csv", true,
     [](Calibration& all, std::string_view text, const std::string& place) {
       all.receive = parse_calibration_calls(text, "MPI_Recv", place);
     }},
    {"_Test.csv", false,
     [](Calibration& all, std::string_view text, const std::string& place) {
       all.test = parse_calibration_calls(text, "MPI_Test", place);
     }},
    {"_Iprobe.csv", false,
     [](Calibration& all, std::string_view text, const std::string& place) {
       all.iprobe = parse_calibration_calls(text, "MPI_Iprobe", place);
     }},
    {"_Wtime.csv", false,
     [](Calibration& all, std::string_view text, const std::string& place) {
       all.wtime_s = wtime_of(text, place);
     }},
}};

}  // namespace

Calibration read_calibration(const std::string& folder) {
  const std::vector<std::string> names = names_in(folder);
  Calibration calibration;
  base::Faults faults;
  // The only file whose name `fits`, given to `take`. Its name.
  const auto read = [&](const std::string& what, bool is_needed, auto fits,
                        auto take) -> std::optional<std::string> {
    std::vector<std::string> found;
    std::ranges::copy_if(names, std::back_inserter(found), fits);
    const std::optional<std::string> name = only_one(folder, found, what, is_needed, faults);
    if (!name) return std::nullopt;
    const std::string path = (fs::path(folder) / *name).string();
    const std::optional<std::string> text = base::read_file(path);
    if (text) {
      base::collect(faults, [&] { take(*text, path); });
    } else {
      faults.add(path, "cannot be read", "look at its permissions");
    }
    return name;
  };
  std::vector<std::string> of_prefixes;
  std::set<std::string> prefixes;
  for (const CalibrationFileKind& kind : kCalibrationFiles) {
    const std::optional<std::string> found = read(
        "*" + std::string(kind.ending), kind.is_needed,
        [&](const std::string& name) { return name.ends_with(kind.ending); },
        [&](std::string_view text, const std::string& path) {
          kind.take(calibration, text, path);
        });
    if (!found) continue;
    of_prefixes.push_back(*found);
    const std::string prefix = found->substr(0, found->size() - kind.ending.size());
    if (kind.is_needed) calibration.prefix = prefix;
    prefixes.insert(prefix);
  }
  if (prefixes.size() > 1) {
    faults.add(folder, "has files of several calibrations: " + base::join(of_prefixes, ", "),
               "leave one calibration in a folder: all its files begin alike");
  }
  read(
      "*breakpoints*", false,
      [](const std::string& name) { return name.find("breakpoints") != std::string::npos; },
      [&](std::string_view text, const std::string& path) {
        calibration.breaks = parse_calibration_breaks(text, path);
      });
  faults.throw_if_any();
  return calibration;
}

bool is_calibration(const std::string& folder) {
  std::error_code error;
  const std::string_view ending = kCalibrationFiles.front().ending;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().ends_with(ending)) return true;
  }
  return false;
}

}  // namespace invar::platform
