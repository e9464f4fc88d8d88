// Intel MPI's variables: I_MPI_ADJUST_<OPERATION>="PRESET:FROM-TO@RANKS-RANKS;...", both limits
// included. Ranges never overlap here, so that it does not matter which of several would count.
#include <algorithm>
#include <limits>

#include "tuning/files/plan.hpp"

namespace invar::tuning {
namespace {

constexpr std::uint64_t kMostRanks = std::numeric_limits<std::int32_t>::max();

class Conditions {
 public:
  void add(int preset, std::uint64_t from, std::uint64_t to, std::uint64_t first_ranks,
           std::uint64_t last_ranks) {
    if (from > to || first_ranks > last_ranks) return;
    if (!text_.empty()) text_ += ';';
    text_ += std::to_string(preset) + ':' + std::to_string(from) + '-' + std::to_string(to) + '@' +
             std::to_string(first_ranks) + '-' + std::to_string(last_ranks);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ = {};
};

// What lies between the ranges has the preset that the arm forces; without one nothing is said.
std::string conditions_of(const OperationPlan& plan, std::uint64_t largest) {
  Conditions conditions;
  const bool forced = plan.forced && plan.forced->algorithm != nullptr;
  const auto elsewhere = [&](std::uint64_t from, std::uint64_t to, std::uint64_t first,
                             std::uint64_t last) {
    if (forced) conditions.add(plan.forced->algorithm->number, from, to, first, last);
  };
  std::uint64_t next_ranks = 1;
  for (const RanksPlan& ranks : plan.ranks) {
    elsewhere(0, largest, next_ranks, ranks.ranks - 1);
    std::uint64_t next = 0;
    for (const Range& range : ranks.ranges) {
      if (range.from > next) elsewhere(next, range.from - 1, ranks.ranks, ranks.ranks);
      if (range.choice.algorithm != nullptr) {
        conditions.add(range.choice.algorithm->number, range.from, range.to, ranks.ranks,
                       ranks.ranks);
      }
      next = range.to + 1;
    }
    elsewhere(next, largest, ranks.ranks, ranks.ranks);
    next_ranks = std::uint64_t{ranks.ranks} + 1;
  }
  elsewhere(0, largest, next_ranks, kMostRanks);
  return conditions.text();
}

}  // namespace

void write_intel_variables(const TuningRequest& /*request*/, const FilePlan& plan,
                           TunedFile& file) {
  for (const OperationPlan& operation : plan.operations) {
    const std::string conditions =
        conditions_of(operation, largest_bytes(FileFormat::kIntelVariables));
    const std::string name = algorithm_variable(Library::kIntel, operation.operation);
    if (conditions.empty()) {
      file.unset.push_back(name);  // the library's own choice everywhere
    } else {
      file.set.emplace_back(name, conditions);
    }
  }
}

}  // namespace invar::tuning
