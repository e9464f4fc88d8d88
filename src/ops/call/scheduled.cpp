#include "ops/call/scheduled.hpp"

#include <iterator>
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

// Each phase lasts on a rank from the end of the one before to its own. What it takes of the call
// is told by the rank that ends last.
void add_phases(const Algorithm& algorithm, Scheduled& made) {
  made.times.assign(std::begin(kWhole), std::end(kWhole));
  for (const Phase& phase : algorithm.phases) {
    const char* const begin =
        made.marks.empty() ? record::kStartPoint.data() : made.marks.back().name;
    const bool last = &phase == &algorithm.phases.back();
    if (!last) made.marks.push_back({.name = phase.name, .summary = phase.summary});
    made.times.push_back({.name = phase.name,
                          .summary = phase.summary,
                          .kind = record::TimeKind::kLast,
                          .from = begin,
                          .to = last ? record::kEndPoint.data() : phase.name});
  }
  made.operation.marks = made.marks;
  made.operation.optional_marks = !made.marks.empty();
  made.operation.times = made.times;
}

}  // namespace

Scheduled scheduled(const Algorithm& algorithm, const Operation& collective,
                    Equipped (*equip)(const Call&)) {
  Scheduled made{.operation = collective};
  Operation& operation = made.operation;
  operation.name = algorithm.name;
  operation.summary = algorithm.summary;
  operation.in_place = collective.in_place && algorithm.in_place;
  operation.emulates = collective.name;
  operation.buffers = with_scratch(collective.buffers, algorithm.scratch);
  operation.chain = algorithm.chain;
  operation.counted = longest(collective.buffers);
  operation.rank_counts = algorithm.rank_counts;
  operation.reorders = algorithm.reorders;
  operation.segments = algorithm.segments;
  operation.equip = equip;
  operation.call = run_executor;
  add_phases(algorithm, made);
  return made;
}

Equipped equip_with(const Algorithm& algorithm, const Call& call) {
  Equipped equipped{.refused = refusal_of(algorithm, call)};
  if (equipped.refused.empty()) {
    equipped.made = std::make_unique<Executor>(algorithm, *find_operation(algorithm.collective),
                                               call, call.marked);
  }
  return equipped;
}

}  // namespace invar::ops
