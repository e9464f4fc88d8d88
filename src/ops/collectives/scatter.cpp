// The root sends a block to every rank, in the order of the ranks.
#include "ops/forms.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_scatter(Call& c) {
  return MPI_Scatter(c.send, c.count, c.type, c.root_output(), c.count, c.type, c.root, c.comm);
}

int start_iscatter(Call& c) {
  return MPI_Iscatter(c.send, c.count, c.type, c.root_output(), c.count, c.type, c.root, c.comm,
                      c.requests);
}

int prepare_scatter(Call& c) {
  return INVAR_INIT(c, Scatter, c.send, c.count, c.type, c.root_output(), c.count, c.type, c.root,
                    c.comm);
}

int call_scatter_c(Call& c) {
  return INVAR_LARGE(c, Scatter, c.send, c.large_count, c.type, c.root_output(), c.large_count,
                     c.type, c.root, c.comm);
}

}  // namespace

extern constexpr Operation kScatter{
    .name = "scatter",
    .summary = "the root sends a block to every rank",
    .rooted = true,
    .in_place = true,
    .buffers = kRootAllToBlock,
    .call = call_scatter,
    .verify = my_block_of_root,
};
extern constexpr Operation kIscatter = nonblocking<start_iscatter>(kScatter, "iscatter");
extern constexpr Operation kScatterInit = persistent(kScatter, "scatter_init", prepare_scatter);
extern constexpr Operation kScatterLarge = large_counts(kScatter, "scatter_c", call_scatter_c);

}  // namespace invar::ops
