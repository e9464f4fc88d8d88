// The synchronisation algorithms: one table, one file each. Every one leaves in each rank a model
// from its clock to rank 0's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock/link.hpp"
#include "clock/mesh/tracking.hpp"

namespace invar::clock {

// Counts and switches are whole numbers.
enum class Values : std::uint8_t { kWhole, kAny };

// A number that a user may set; switches are 0 or 1.
struct Parameter {
  std::string_view name;
  double value;  // default
  double least, most;
  std::string_view meaning;
  Values values = Values::kWhole;
  // Another parameter of the algorithm, without which (at 0) this one does nothing.
  std::string_view needs = {};
  bool tracking = false;  // does nothing before the clocks are tracked
};

class Settings;

struct Algorithm {
  std::string_view name;
  std::string_view source;
  std::string_view summary;
  std::span<const Parameter> parameters;
  // Between leaders of clock domains only; their ranks get the leader's model.
  bool between_leaders;
  // One of the two: models alone, or models with what the algorithm says of their errors.
  void (*run)(Link& link, const Settings& settings, PerRank<Model>& models) = nullptr;
  void (*run_stating)(Link& link, const Settings& settings, PerRank<StatedClock>& clocks) = nullptr;
  // Offsets are rank 0's with one rank after the other, not of a tree's pairs at once.
  bool one_after_the_other = false;
};

// Every parameter of an algorithm with its value: what is recorded.
class Settings {
 public:
  explicit Settings(const Algorithm& algorithm);
  // Throws UserError for a name that the algorithm does not have, or a value out of range.
  void set(std::string_view name, double value);

  [[nodiscard]] const Algorithm& algorithm() const { return *algorithm_; }
  [[nodiscard]] double operator[](std::string_view name) const;
  [[nodiscard]] int count(std::string_view name) const { return static_cast<int>((*this)[name]); }
  [[nodiscard]] bool on(std::string_view name) const { return (*this)[name] != 0; }
  [[nodiscard]] bool has(std::string_view name) const;
  // A user wrote it, be it the default.
  [[nodiscard]] bool given(std::string_view name) const;
  // Any of them.
  [[nodiscard]] bool given() const;
  // set(), on behalf of a user.
  void give(std::string_view name, double value);
  // The same algorithm with the same values, whoever wrote them.
  [[nodiscard]] bool does_the_same(const Settings& other) const;
  // "hca3:fit-points=500:exchanges=10": what a user wrote, and what else differs from the defaults.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::size_t place_of(std::string_view name) const;
  const Algorithm* algorithm_;
  std::vector<double> values_;
  std::vector<bool> given_;
};

std::span<const Algorithm> algorithms();
// Throws UserError (with a did-you-mean).
const Algorithm& algorithm_named(std::string_view name, const std::string& place);
// "name" or "name:parameter=value:...". Throws UserError with every fault: also for a parameter
// that would do nothing, or that is there twice.
Settings parse_algorithm(std::string_view text, const std::string& place);

// Seconds of exchanges that `duration` leaves no choice about, if a round trip takes that long: of
// all fit points where their number was given, else of two; of mesh's least number of cycles. 0 for
// an algorithm that has no duration. `ranks`: those that it runs between.
double least_duration_s(const Settings& settings, int ranks, double round_trip_s);

// About how long it takes at most, in seconds, between so many ranks, if a round trip takes that
// long: its duration, else all exchanges of all pairs that wait for each other.
double longest_s(const Settings& settings, int ranks, double round_trip_s);

// Roughly, in seconds: the synchronisation before the first visit, and each look at clocks that are
// tracked (0: they are not). mesh's grow with the logarithm of `ranks`.
struct UsualCost {
  double first_s = 0;
  double look_s = 0;
};
UsualCost usual_cost(const Settings& settings, int ranks, double round_trip_s);

struct Synchronised {
  PerRank<Model> models;
  std::optional<PerRank<StatedClock>> stated;  // none: the algorithm says nothing of its error
};
// Runs it, between leaders where the algorithm says so. All ranks leave about when the last one is
// done.
Synchronised synchronise(Link& link, const Settings& settings);

extern const Algorithm kSkampi, kNetgauge, kJk, kHca, kHca2, kHca3, kH2hca, kMesh;

}  // namespace invar::clock
