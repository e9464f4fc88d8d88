// A scatter whose counts are all the same.
#include "ops/mockups/bodies/scatter.hpp"
#include "ops/mockups/mockup.hpp"

namespace invar::ops {
namespace {

int call_scatter_by_scatterv(Call& c) {
  return body::scatter_by_scatterv(c.send, c.root_output(), c.count, elements_of(c), c.root,
                                   group_of(c), blocks_of(c));
}

}  // namespace

extern constexpr Operation kScatterByScatterv = mockup({
    .of = kPromisedScatter,
    .name = "scatter=scatterv",
    .summary = "scatter by scatterv",
    .parts = {{{"scatterv"}}},
    .arrays = Arrays::kCounts,
    .call = call_scatter_by_scatterv,
});

}  // namespace invar::ops
