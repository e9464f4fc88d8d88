#include "tuning/algorithms/tables.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace invar::tuning {
namespace {

constexpr Version k41{.generation = 4, .feature = 1};
constexpr Version k42{.generation = 4, .feature = 2};
constexpr Version k43{.generation = 4, .feature = 3};
constexpr Version k50{.generation = 5};
constexpr Version k60{.generation = 6};
// Later than any that there was.
constexpr Version kBefore41{.generation = 4, .feature = 0, .fix = 999};
constexpr Version kBefore43{.generation = 4, .feature = 2, .fix = 999};
constexpr Version kBefore60{.generation = 5, .feature = 999, .fix = 999};

constexpr std::uint32_t kTunedFanout = 4;  // coll_tuned_init_tree_fanout, ..._chain_fanout

// The last name stands first in the dots: clang 14 warns of a macro that is given none for them.
#define INVAR_ALGORITHM(operation_, ours, value, ...) \
  LibraryAlgorithm{.library = Library::kOpenMpi,      \
                   .operation = (operation_),         \
                   .name = (ours),                    \
                   .number = (value),                 \
                   .item = __VA_ARGS__},
constexpr std::array kOpenMpiAlgorithms{
#include "tuning/algorithms/open_mpi.def"
};
#undef INVAR_ALGORITHM

#define INVAR_ALGORITHM(operation_, ours, its, ...) \
  LibraryAlgorithm{.library = Library::kMpich,      \
                   .operation = (operation_),       \
                   .name = (ours),                  \
                   .item = (its),                   \
                   .tree_name = __VA_ARGS__},
constexpr std::array kMpichAlgorithms{
#include "tuning/algorithms/mpich.def"
};
#undef INVAR_ALGORITHM

struct Presets {
  std::string_view operation;
  int count;
};

#define INVAR_PRESETS(operation_, count_) Presets{.operation = (operation_), .count = (count_)},
constexpr std::array kIntelPresets{
#include "tuning/algorithms/intel.def"
};
#undef INVAR_PRESETS

constexpr std::array<std::string_view, 32> kPresetNames{
    "preset-1",  "preset-2",  "preset-3",  "preset-4",  "preset-5",  "preset-6",  "preset-7",
    "preset-8",  "preset-9",  "preset-10", "preset-11", "preset-12", "preset-13", "preset-14",
    "preset-15", "preset-16", "preset-17", "preset-18", "preset-19", "preset-20", "preset-21",
    "preset-22", "preset-23", "preset-24", "preset-25", "preset-26", "preset-27", "preset-28",
    "preset-29", "preset-30", "preset-31", "preset-32"};

constexpr bool all_presets_named() {
  for (const Presets& presets : kIntelPresets) {
    if (presets.count > static_cast<int>(kPresetNames.size())) return false;
  }
  return true;
}
static_assert(all_presets_named());

}  // namespace

std::span<const LibraryAlgorithm> open_mpi_algorithms() { return kOpenMpiAlgorithms; }

std::span<const LibraryAlgorithm> mpich_algorithms() { return kMpichAlgorithms; }

std::vector<LibraryAlgorithm> intel_algorithms() {
  std::vector<LibraryAlgorithm> rows;
  for (const Presets& presets : kIntelPresets) {
    for (int number = 1; number <= presets.count; ++number) {
      rows.push_back({.library = Library::kIntel,
                      .operation = presets.operation,
                      .name = kPresetNames[static_cast<std::size_t>(number) - 1],
                      .number = number});
    }
  }
  return rows;
}

}  // namespace invar::tuning
