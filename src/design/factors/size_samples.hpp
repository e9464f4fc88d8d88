// Random sizes that the blocks of a campaign have in common. Every launch group measures a part of
// them, because preparing all of them in every launch would take the time that measuring needs; and
// some are held out of fits (docs/methods.md, "Random sizes in parts").
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "design/campaign/campaign.hpp"

namespace invar::design {

// In so many launch groups every size of a draw that is measured in parts has to be: means over
// fewer say little of how launches differ.
constexpr std::uint32_t kLeastGroupsOfSize = 5;

// One draw. The same low, high, count and seed are the same one, in whichever block they stand.
struct SizeSample {
  RandomSizes asked = {};                       // but for `every`, which is a block's
  std::vector<std::uint64_t> sizes_bytes = {};  // the different ones, ascending, of single bytes
  // Launch groups that have them all, each another part: every size is in one of so many.
  std::uint32_t parts = 1;

  // Whether fits leave this size out. They leave out the middle one of every `hold_out` sizes, in
  // ascending order. They never leave out the smallest or the largest, beyond which a fit would
  // have to guess.
  [[nodiscard]] bool is_held_out(std::size_t size) const;
  // Those that a block has, which takes one in `every` of them: of each run of so many, ascending,
  // the last one.
  [[nodiscard]] std::vector<std::size_t> chosen(std::uint32_t every) const;
};

// A size of a sample: indices.
struct SampledSize {
  std::uint32_t sample = 0;
  std::uint32_t size = 0;

  // clang-tidy 14 takes the 0 of the comparison that this stands for.
  auto operator<=>(const SampledSize&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Whose draw the request is, those of other blocks among them.
bool same_sample(const RandomSizes& a, const RandomSizes& b);

// In the order in which the campaign writes them. Follows from the campaign and its seed alone.
std::vector<SizeSample> size_samples(const Campaign& campaign);

// By size: does the launch group have it? `part`: from 1 on, of the groups that have parts. Of each
// run of `parts` sizes, ascending, every group of a cycle has one, by lot: so that every part has
// small and large ones, costs as much as any other, and two sizes meet in other groups each time.
std::vector<bool> sizes_of_part(const SizeSample& sample, std::uint32_t number, std::uint64_t seed,
                                std::uint32_t part);

// Sizes that fits leave out, of a datatype with elements of so many bytes: those that no draw has
// but as a held out one. Follows from the campaign alone.
std::set<std::uint64_t> held_out_sizes(const Campaign& campaign, std::uint64_t element_bytes = 1);

// Some sizes are measured in parts, so that launch groups differ in their cells.
bool has_parts(const Campaign& campaign);

// What cannot go together with draws that blocks have in common; also too few launch groups for
// every size to be in kLeastGroupsOfSize of them.
std::vector<Conflict> sample_conflicts(const Campaign& campaign);

}  // namespace invar::design
