// A reduce_scatter as several, each of a part of every block, which is packed as for
// reduce_scatter_block.
#include <memory>
#include <vector>

#include "ops/mockups/bodies/reduce_scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

// Counts of a part's call: they follow from the blocks, of which a setup does not know more than
// the number.
class PartCounts final : public Equipment {
 public:
  explicit PartCounts(const Call& call) : counts_(static_cast<std::size_t>(call.ranks)) {}
  [[nodiscard]] int* room() const { return counts_.data(); }

 private:
  mutable std::vector<int> counts_;
};

Equipped make_part_counts(const Call& call) { return {.made = std::make_unique<PartCounts>(call)}; }

template <int kParts>
int call_reduce_scatter_in_packed_parts(Call& c) {
  return body::reduce_scatter_in_packed_parts(
      c.input(), c.recv, elements_of(c), c.reduction, group_of(c), blocks_of(c), c.scratch,
      static_cast<const PartCounts&>(*c.equipment).room(), kParts);
}

template <int kParts>
constexpr Operation packed_reduce_scatter(const char* name, const char* summary) {
  return mockup({
      .of = kPromisedReduceScatter,
      .name = name,
      .summary = summary,
      .scratch = on_all_ranks(kAllBlocks),
      .equip = make_part_counts,
      .call = call_reduce_scatter_in_packed_parts<kParts>,
  });
}

}  // namespace

extern constexpr Operation kReduceScatterIn2PackedParts = packed_reduce_scatter<2>(
    "reduce_scatter=2-packed-parts", "reduce_scatter as 2 calls on packed parts of all blocks");
extern constexpr Operation kReduceScatterIn4PackedParts = packed_reduce_scatter<4>(
    "reduce_scatter=4-packed-parts", "reduce_scatter as 4 calls on packed parts of all blocks");
extern constexpr Operation kReduceScatterIn8PackedParts = packed_reduce_scatter<8>(
    "reduce_scatter=8-packed-parts", "reduce_scatter as 8 calls on packed parts of all blocks");

}  // namespace invar::ops
