// Cells that a decision adds to a campaign under way: what had to be sealed for them, how they are
// taken in, and how many calls a batch of them has.
#pragma once

#include <span>
#include <vector>

#include "driver/decide/decision.hpp"
#include "driver/prepare/prepare.hpp"
#include "record/cell.hpp"
#include "record/plan.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// Before a campaign is sealed: describes the operations that the decisions may add cells of, for
// the arms that have them.
void describe_operations(Prepared& prepared, std::span<const Decision> decisions);

// On a resume: also what was described when the campaign was sealed and no cell of it needs.
void describe_as_sealed(Prepared& prepared, const store::State& state);

// Takes in the cells that the decision added, for every plan from here on. Throws UserError if the
// campaign resolves to other cells or arms than when these were added, and for an operation that
// was not described when the campaign was sealed.
void add_cells(Prepared& prepared, const store::DecidedLine& decided);

// `calls`, and what follows from them for the cells that the pilot group has not measured (by
// Cell::id: not `known`). They have the batches of the cells that they are compared with. A cell of
// a family that is not known, or of none, has those of the next smaller or the next larger size,
// whichever are of more calls: of the cells that differ from it in the size alone, else of its
// operation's.
record::Calls batches_of_all(const Prepared& prepared, const record::Calls& calls,
                             std::span<const record::Cell> cells, const std::vector<bool>& known);

// What was decided on batches, with what follows from it for added cells: those of `cells` behind
// the first `known`. Nothing before batches were decided.
record::Calls batches_with_added(const Prepared& prepared, const store::State& state,
                                 std::span<const record::Cell> cells, std::size_t known);

}  // namespace invar::driver
