#include "design/campaign/presets.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::design {
namespace {

constexpr std::array<Preset, 15> kPresets{{
    {"osu", "OSU 7.5", "barrier", Processing::kMeanOfRanks, "mean over ranks of each rank's mean",
     false, Habit{.small_up_to_bytes = 8192, .large_calls = 100}},
    // -sync on and -root_shift off are its defaults since 2019.
    {"imb", "IMB 2021.11", "barrier", Processing::kMeanOfRanks,
     "t_avg: mean over ranks of each rank's mean", false, Habit{.most_bytes = 40U << 20U}},
    {"imb-root-shift", "IMB 2021.11, -root_shift on", "barrier-rotating", Processing::kMeanOfRanks,
     "t_avg: mean over ranks of each rank's mean", false, Habit{.most_bytes = 40U << 20U}},
    {"imb-papers", "IMB as the papers describe it", "batch-rotating", Processing::kMeanOfRanks,
     "mean over ranks of each rank's time of a batch, per call", false,
     Habit{.most_bytes = 40U << 20U}},
    {"skampi", "SKaMPI 5", "window", Processing::kMiddleHalf,
     "mean of the middle half of the slowest rank's times", false, Habit{.calls = 33}},
    {"mpptest", "mpptest 2.0", "batch", Processing::kLeastBatch,
     "least of rank 0's times of a batch, per call", false,
     Habit{.passes = kMpptestPasses, .calls = 50}},
    {"reprompi", "ReproMPI", "", Processing::kFilteredMedian,
     "median of the run-times inside of Tukey's fences, global ones after an agreed start", true},
    {"pgmpi", "PGMPI", "", Processing::kMedian, "median of the slowest rank's times", true},
    {"mpibench", "MPIBench 1.0", "barrier", Processing::kWithoutOutliers,
     "mean of all ranks' times up to twice their 99 % quantile"},
    {"mpiblib", "MPIBlib", "barrier", Processing::kMeanOfLargest,
     "mean of the slowest rank's times"},
    {"mpiblib-global", "MPIBlib, global times", "barrier-global", Processing::kRootToLast,
     "mean time from the root's start to the last rank's end"},
    {"mpicroscope", "mpicroscope", "barrier", Processing::kLeastOfLargest,
     "least of the slowest rank's times"},
    {"nbcbench", "NBCBench 1.1", "barrier", Processing::kLargestMedian,
     "largest of the ranks' medians"},
    {"phloem", "Phloem 1.0", "batch", Processing::kMeanOfRanks,
     "mean over ranks of each rank's time of a batch, per call"},
    {"phloem-barriers", "Phloem 1.0 with barriers", "batch-barriers", Processing::kMeanOfRanks,
     "the same, an MPI_Barrier after every call included"},
}};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const auto found =
      std::ranges::find_if(kPresets, [&](const Preset& preset) { return preset.name == name; });
  return found == kPresets.end() ? nullptr : &*found;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  names.reserve(kPresets.size());
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

std::vector<std::string> checked_presets(std::vector<std::string> names, const std::string& place) {
  base::Faults faults;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (find_preset(*name) == nullptr) {
      faults.add(place, "there is no preset '" + *name + "'",
                 base::did_you_mean(*name, preset_names()));
    } else if (std::find(names.begin(), name, *name) != name) {
      faults.add(place, "'" + *name + "' is named twice", "name every suite once");
    }
  }
  faults.throw_if_any();
  return names;
}

bool needs_ranks(Processing processing) {
  return processing == Processing::kMeanOfRanks || processing == Processing::kRootToLast ||
         processing == Processing::kWithoutOutliers || processing == Processing::kLargestMedian ||
         processing == Processing::kLeastBatch || processing == Processing::kMeanOfInitiator ||
         processing == Processing::kLargestMean || processing == Processing::kLeastOfPasses;
}

bool any_needs_ranks(std::span<const std::string> presets) {
  return std::ranges::any_of(presets, [](const std::string& name) {
    const Preset* preset = find_preset(name);
    return preset != nullptr && needs_ranks(preset->processing);
  });
}

std::vector<const record::Scheme*> schemes_of(std::span<const std::string> names) {
  std::vector<const record::Scheme*> needed;
  for (const record::Scheme& scheme : record::schemes()) {
    const bool used = std::ranges::any_of(names, [&](const std::string& name) {
      const Preset* preset = find_preset(name);
      return preset != nullptr && preset->scheme == scheme.name;
    });
    if (used) needed.push_back(&scheme);
  }
  return needed;
}

std::uint64_t size_in_suite(const record::Cell& cell, const record::OperationInfo& operation) {
  const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
  if (!operation.reduces) return size_bytes;
  const record::BlockCount count{.elements = size_bytes,
                                 .ranks = cell.ranks,
                                 .neighbours = record::neighbours_in(cell.topology)};
  return std::max(size_bytes, operation.buffers.others.send.elements(count));
}

}  // namespace invar::design
