#include "ops/call/scheduled.hpp"

#include <memory>

#include "ops/call/executor.hpp"
#include "ops/catalogue.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

// Messages have as many elements as the longest buffer, at most.
record::Blocks longest(const Shape& shape) {
  const record::BufferTable& lengths = shape.lengths;
  const bool all = lengths.root.send.per_rank > 0 || lengths.root.recv.per_rank > 0;
  return all ? kAllBlocks : kBlock;
}

}  // namespace

Operation scheduled(const Algorithm& algorithm, const Operation& collective,
                    Equipped (*equip)(const Call&)) {
  Operation operation = collective;
  operation.name = algorithm.name;
  operation.summary = algorithm.summary;
  operation.in_place = collective.in_place && algorithm.in_place;
  operation.emulates = collective.name;
  operation.buffers = with_scratch(collective.buffers, algorithm.scratch);
  operation.counted = longest(collective.buffers);
  operation.rank_counts = algorithm.rank_counts;
  operation.reorders = algorithm.reorders;
  operation.segments = algorithm.segments;
  operation.equip = equip;
  operation.call = run_executor;
  return operation;
}

Equipped equip_with(const Algorithm& algorithm, const Call& call) {
  Equipped equipped{.refused = refusal_of(algorithm, call)};
  if (equipped.refused.empty()) {
    equipped.made =
        std::make_unique<Executor>(algorithm, *find_operation(algorithm.collective), call, false);
  }
  return equipped;
}

}  // namespace invar::ops
