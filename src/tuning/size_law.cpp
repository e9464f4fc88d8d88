#include "tuning/size_law.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace invar::tuning {
namespace {

constexpr std::array<std::string_view, 6> kLawWords{
    "block", "block-times-ranks", "block-per-rank", "sum-of-counts", "type-times-ranks", "nothing"};

struct ExpectedLaw {
  Library library;
  std::string_view operation;
  SizeLaw law;
};

// Open MPI: the functions *_dec_dynamic of coll/tuned, alike from 4.0 to 6.0. MPICH: the two sizes
// that a selection tree can ask for, of which an operation has one (docs/methods.md); gather and
// scatter compare elements instead of bytes, and have none here. Intel MPI: its reference.
constexpr std::array kExpectedLaws{
    ExpectedLaw{Library::kOpenMpi, "allgather", SizeLaw::kBlockTimesRanks},
    ExpectedLaw{Library::kOpenMpi, "allgatherv", SizeLaw::kBlockPerRank},
    ExpectedLaw{Library::kOpenMpi, "allreduce", SizeLaw::kBlock},
    ExpectedLaw{Library::kOpenMpi, "alltoall", SizeLaw::kBlockTimesRanks},
    ExpectedLaw{Library::kOpenMpi, "alltoallv", SizeLaw::kNothing},
    ExpectedLaw{Library::kOpenMpi, "barrier", SizeLaw::kNothing},
    ExpectedLaw{Library::kOpenMpi, "bcast", SizeLaw::kBlock},
    ExpectedLaw{Library::kOpenMpi, "exscan", SizeLaw::kTypeTimesRanks},
    ExpectedLaw{Library::kOpenMpi, "gather", SizeLaw::kBlockTimesRanks},
    ExpectedLaw{Library::kOpenMpi, "reduce", SizeLaw::kBlock},
    ExpectedLaw{Library::kOpenMpi, "reduce_scatter", SizeLaw::kSumOfCounts},
    ExpectedLaw{Library::kOpenMpi, "reduce_scatter_block", SizeLaw::kBlockTimesRanks},
    ExpectedLaw{Library::kOpenMpi, "scan", SizeLaw::kTypeTimesRanks},
    ExpectedLaw{Library::kOpenMpi, "scatter", SizeLaw::kBlockTimesRanks},
    ExpectedLaw{Library::kMpich, "allgather", SizeLaw::kBlockTimesRanks},
    ExpectedLaw{Library::kMpich, "allgatherv", SizeLaw::kSumOfCounts},
    ExpectedLaw{Library::kMpich, "allreduce", SizeLaw::kBlock},
    ExpectedLaw{Library::kMpich, "alltoall", SizeLaw::kBlock},
    ExpectedLaw{Library::kMpich, "barrier", SizeLaw::kNothing},
    ExpectedLaw{Library::kMpich, "bcast", SizeLaw::kBlock},
    ExpectedLaw{Library::kMpich, "reduce", SizeLaw::kBlock},
    ExpectedLaw{Library::kMpich, "reduce_scatter", SizeLaw::kSumOfCounts},
    ExpectedLaw{Library::kMpich, "reduce_scatter_block", SizeLaw::kBlockTimesRanks},
    ExpectedLaw{Library::kIntel, "allgather", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "allgatherv", SizeLaw::kSumOfCounts},
    ExpectedLaw{Library::kIntel, "allreduce", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "alltoall", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "barrier", SizeLaw::kNothing},
    ExpectedLaw{Library::kIntel, "bcast", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "exscan", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "gather", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "reduce", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "reduce_scatter", SizeLaw::kSumOfCounts},
    ExpectedLaw{Library::kIntel, "reduce_scatter_block", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "scan", SizeLaw::kBlock},
    ExpectedLaw{Library::kIntel, "scatter", SizeLaw::kBlock},
};

}  // namespace

std::string_view to_string(SizeLaw law) { return kLawWords[static_cast<std::size_t>(law)]; }

std::optional<SizeLaw> parse_size_law(std::string_view text) {
  const auto found = std::ranges::find(kLawWords, text);
  if (found == kLawWords.end()) return {};
  return static_cast<SizeLaw>(found - kLawWords.begin());
}

std::optional<std::uint64_t> compared_bytes(SizeLaw law, std::uint64_t block_bytes,
                                            std::uint32_t ranks) {
  switch (law) {
    case SizeLaw::kBlock:
    case SizeLaw::kBlockPerRank:
      return block_bytes;
    case SizeLaw::kBlockTimesRanks:
    case SizeLaw::kSumOfCounts:
      if (ranks != 0 && block_bytes > std::numeric_limits<std::uint64_t>::max() / ranks) return {};
      return block_bytes * ranks;
    case SizeLaw::kTypeTimesRanks:
    case SizeLaw::kNothing:
      break;
  }
  return {};
}

std::optional<SizeLaw> expected_size_law(Library library, const Version& /*version*/,
                                         std::string_view operation) {
  const auto found = std::ranges::find_if(kExpectedLaws, [&](const ExpectedLaw& row) {
    return row.library == library && row.operation == operation;
  });
  if (found == kExpectedLaws.end()) return {};
  return found->law;
}

}  // namespace invar::tuning
