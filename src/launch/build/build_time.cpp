#include "launch/build/build_time.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "launch/build/build.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

// Where nothing was compiled yet: g++ 12 on a core of 2020. What was measured corrects it.
constexpr double kHeadersS = 1.0;
constexpr double kOfAByteS = 50e-6;
// The wrapper is tried before, two ranks after; between them the engine is linked.
constexpr double kAroundS = 4;

double guess(const CompiledUnit& unit) {
  return kHeadersS + kOfAByteS * static_cast<double>(unit.size_bytes);
}

}  // namespace

std::vector<double> expected_seconds(std::span<const CompiledUnit> units,
                                     const std::vector<fs::path>& folders) {
  std::vector<std::optional<double>> measured;
  double measured_s = 0;
  double guessed_s = 0;
  for (const CompiledUnit& unit : units) {
    measured.push_back(compile_seconds(unit, folders));
    if (!measured.back()) continue;
    measured_s += *measured.back();
    guessed_s += guess(unit);
  }
  const double scale = guessed_s > 0 ? measured_s / guessed_s : 1;
  std::vector<double> expected;
  for (std::size_t i = 0; i < units.size(); ++i) {
    expected.push_back(measured[i].value_or(scale * guess(units[i])));
  }
  return expected;
}

double wall_seconds(std::span<const double> seconds, std::size_t jobs) {
  if (seconds.empty()) return 0;
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return std::max(all / static_cast<double>(std::max<std::size_t>(1, jobs)),
                  *std::max_element(seconds.begin(), seconds.end()));
}

double seconds_to_build(std::span<const BuildOrder> orders) {
  double all_s = 0;
  std::set<std::string> in_common;
  for (const BuildOrder& order : orders) {
    const ObjectKeys keys = object_keys(order);
    std::vector<fs::path> folders = sibling_objects(order.dir);
    const std::vector<CompiledUnit> units = units_of(order);
    std::vector<fs::path> known = folders;
    known.insert(known.begin(), order.dir / "objects");
    const std::vector<double> expected = expected_seconds(units, known);
    std::vector<double> missing;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const CompiledUnit& unit = units[i];
      if (is_current(unit, order, keys) || is_adoptable(unit, order, keys, folders)) continue;
      const bool shared = !unit.may_know_mpi && !keys.shared.empty();
      if (shared && !in_common.insert(keys.shared + unit.object.filename().string()).second) {
        continue;
      }
      missing.push_back(expected[i]);
    }
    all_s += wall_seconds(missing, compile_jobs()) + kAroundS;
  }
  return all_s;
}

}  // namespace invar::launch
