// Factors of operations that send messages of their own: which operations have them, the level of
// each where nobody chose one, and levels that they cannot have. For the rows of the table
// (factors.cpp). What needs factors behind them in the table, or other cells, is a conflict of the
// plan (design/plan/p2p_conflicts.hpp).
#pragma once

#include <string_view>

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {

// Factor::applies.
bool has_pattern(const OperationInfo& info);
bool has_messages(const OperationInfo& info);
bool chooses_calls(const OperationInfo& info);     // form, send mode, packing
bool chooses_receives(const OperationInfo& info);  // when they are posted
bool has_windows(const OperationInfo& info);
bool has_train_delays(const OperationInfo& info);
bool has_two_sides(const OperationInfo& info);  // who sends and who receives are told apart
bool can_be_overlapped(const OperationInfo& info);

// Factor::of_operation.
LevelText pattern_of_operation(const OperationInfo& info, const Cell& cell);
// Several messages in a row are under way at once, as everybody measures them.
LevelText form_of_operation(const OperationInfo& info, const Cell& cell);
LevelText window_of_operation(const OperationInfo& info, const Cell& cell);

// Factor::check; the earlier factors are set.
LevelText check_pattern(const OperationInfo& info, const Cell& cell);
LevelText check_receives(const OperationInfo& info, const Cell& cell);
LevelText check_packing(const OperationInfo& info, const Cell& cell);
LevelText check_train_delay(const OperationInfo& info, const Cell& cell);
LevelText check_compute(const OperationInfo& info, const Cell& cell);
LevelText check_compute_side(const OperationInfo& info, const Cell& cell);

// Factor::settle: nothing is between the messages where there is one.
void settle_train_delay(const OperationInfo& info, Cell& cell);

// Factor::seconds: of a rank that computes.
double compute_seconds(const Cell& cell, double calls_s);
// Some rank receives from anybody, and has several senders: of two messages that one of them sends
// in calls that follow each other at once it may take the second one for what another one sends in
// the first. Right are such receives only in calls that are apart: no rank begins one before all
// are through with the one before.
bool takes_from_several(const Cell& cell, Messages messages);
// MPI_Sendrecv in the steps of a rank with more than two neighbours, of which each receives from
// anybody: it may take what a neighbour sends in a later step, and be over with its receive while
// the neighbour of this step still waits to be received. Of long messages ranks then wait for each
// other in a circle. Two neighbours cannot: where all are in their first step, whose messages these
// are is certain.
bool may_wait_in_a_circle(const Cell& cell, Messages messages);

// Factor::each_call.
bool posts_before(const Cell& cell);
// takes_from_several() of partners. Other operations keep their calls apart: streams acknowledge,
// and messages one way are never timed in a row.
bool needs_calls_apart(const Cell& cell);

// Factor::parse of words and texts that somebody knows.
bool parse_pattern_column(Cell& cell, std::string_view text);
bool parse_form_column(Cell& cell, std::string_view text);
bool parse_send_mode_column(Cell& cell, std::string_view text);
bool parse_source_column(Cell& cell, std::string_view text);
bool parse_tag_column(Cell& cell, std::string_view text);
bool parse_receives_column(Cell& cell, std::string_view text);
bool parse_pending_column(Cell& cell, std::string_view text);
bool parse_unexpected_column(Cell& cell, std::string_view text);
bool parse_window_column(Cell& cell, std::string_view text);
bool parse_train_delay_column(Cell& cell, std::string_view text);
bool parse_packing_column(Cell& cell, std::string_view text);
bool parse_others_column(Cell& cell, std::string_view text);
bool parse_cold_side_column(Cell& cell, std::string_view text);
bool parse_compute_column(Cell& cell, std::string_view text);
bool parse_compute_kernel_column(Cell& cell, std::string_view text);
bool parse_compute_side_column(Cell& cell, std::string_view text);

}  // namespace invar::record
