#include "record/p2p/message_factors.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "record/p2p/cell_roles.hpp"
#include "record/p2p/compute_level.hpp"
#include "record/p2p/levels.hpp"
#include "record/p2p/train_delay.hpp"

namespace invar::record {
namespace {

// The text is kept; false if it is none of the words.
template <std::size_t Count>
bool take_word(std::string& level, const std::array<std::string_view, Count>& words,
               std::string_view text) {
  level = text;
  return std::ranges::find(words, text) != words.end();
}

}  // namespace

bool has_pattern(const OperationInfo& info) { return info.messages != Messages::kNone; }
bool has_messages(const OperationInfo& info) { return has_pattern(info) && !info.copies; }
bool chooses_calls(const OperationInfo& info) {
  return has_messages(info) && info.chooses == CallChoice::kCalls;
}
bool chooses_receives(const OperationInfo& info) {
  return has_messages(info) && info.chooses != CallChoice::kNothing;
}
bool has_windows(const OperationInfo& info) { return info.windowed; }
bool has_train_delays(const OperationInfo& info) { return info.delays; }
bool has_two_sides(const OperationInfo& info) {
  return has_pattern(info) && info.messages != Messages::kPartners;
}
bool can_be_overlapped(const OperationInfo& info) { return info.overlaps; }

LevelText pattern_of_operation(const OperationInfo& info, const Cell& /*cell*/) {
  return {.text = std::string(usual_pattern(info.messages))};
}

LevelText form_of_operation(const OperationInfo& info, const Cell& /*cell*/) {
  if (!info.windowed) return {};
  return {.text = std::string(name_of(P2pForm::kNonBlocking))};
}

LevelText window_of_operation(const OperationInfo& /*info*/, const Cell& /*cell*/) {
  return {.text = std::to_string(kUsualWindow)};
}

LevelText check_pattern(const OperationInfo& info, const Cell& cell) {
  LevelText lack = lack_in_cell(info.messages, cell);
  if (!lack.complaint.empty()) lack.complaint = info.name + ": " + lack.complaint;
  return lack;
}

// Form, mode, source and tag are set.
LevelText check_receives(const OperationInfo& info, const Cell& cell) {
  const bool before = posts_before(cell);
  if (cell.form == name_of(P2pForm::kSendrecv)) {
    if (before) {
      return {.complaint = info.name + ": MPI_Sendrecv posts its receive itself",
              .remedy = "write receives = \"in-call\", or another form"};
    }
    if (cell.send_mode != name_of(SendMode::kStandard)) {
      return {.complaint = info.name + ": MPI_Sendrecv has the standard mode alone",
              .remedy = "write send-mode = \"standard\", or another form",
              .blamed_key = "send-mode"};
    }
  }
  if (before && cell.form == name_of(P2pForm::kMatchedProbe)) {
    return {.complaint = info.name + ": a message that is probed for has no receive before",
            .remedy = "write receives = \"in-call\", or another form"};
  }
  return {};
}

// The window is set.
LevelText check_train_delay(const OperationInfo& info, const Cell& cell) {
  const Amount one = parse_train_delay(cell.train_delay).value_or(Amount{});
  const double delays = cell.window - 1;
  if (!Amount{.ns = delays * one.ns, .calls = delays * one.calls}.too_long()) return {};
  return {.complaint = info.name + ": " + std::to_string(cell.window) + " messages with " +
                       cell.train_delay + " between them take longer than 1 s or 1000 calls",
          .remedy = "write a shorter train-delay, or a smaller window"};
}

void settle_train_delay(const OperationInfo& /*info*/, Cell& cell) {
  if (cell.window == 1) cell.train_delay = kNoTrainDelay;
}

LevelText check_packing(const OperationInfo& info, const Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  if (cell.packing == kPackings.front() || type == nullptr ||
      type->extent_bytes != type->size_bytes) {
    return {};
  }
  return {.complaint = info.name + ": datatype '" + cell.datatype +
                       "' has no gaps, so that nothing is to be packed",
          .remedy =
              "write a datatype with gaps, as in datatype = \"vector\", or packing = "
              "\"type\""};
}

// The form is set. Collectives have forms of their own, which say themselves whether they can be
// overlapped.
LevelText check_compute(const OperationInfo& info, const Cell& cell) {
  const bool in_parts =
      cell.form == name_of(P2pForm::kNonBlocking) || cell.form == name_of(P2pForm::kPersistent);
  if (cell.compute == Cell().compute || !has_messages(info) || in_parts) return {};
  return {.complaint = info.name + ": form = \"" + cell.form +
                       "\" has no start and end between which its ranks could compute",
          .remedy = "write form = \"non-blocking\" or \"persistent\", or compute = \"off\""};
}

LevelText check_compute_side(const OperationInfo& info, const Cell& cell) {
  if (cell.compute_side == kComputeSides.front()) return {};
  // Where some part is taken by no rank, the pattern has been complained of.
  if (!all_parts_taken(info.roles, info.messages, cell)) return {};
  const std::vector<Role> roles = roles_of(info.roles, info.messages, cell);
  if (std::ranges::find(roles, Role::kAnswers) != roles.end()) return {};
  const bool by_pattern = info.messages != Messages::kNone;
  return {.complaint = info.name + ": all its ranks start, and none answers" +
                       (by_pattern ? " in pattern '" + cell.pattern + "'" : ""),
          .remedy = by_pattern ? "leave compute-side out, or write a pattern of pairs"
                               : "leave compute-side out"};
}

double compute_seconds(const Cell& cell, double calls_s) {
  const Compute compute = parse_compute(cell.compute).value_or(Compute{});
  return compute.ns * 1e-9 + compute.calls * calls_s;
}

bool takes_from_several(const Cell& cell, Messages messages) {
  if (cell.source == kSpecificOrAny.front() || messages == Messages::kNone) return false;
  if (!lack_in_cell(messages, cell).complaint.empty()) return false;
  // In every pattern no rank has more senders than this one.
  const std::vector<std::uint32_t> from = receives_from(pattern_of(cell, messages), cell.ranks, 0);
  return std::ranges::any_of(from, [&](std::uint32_t rank) { return rank != from.front(); });
}

bool may_wait_in_a_circle(const Cell& cell, Messages messages) {
  return messages == Messages::kPartners && cell.form == name_of(P2pForm::kSendrecv) &&
         takes_from_several(cell, messages) && most_peers(pattern_of(cell, messages)) > 2;
}

bool posts_before(const Cell& cell) { return cell.receives == kReceivesPosted.back(); }

bool needs_calls_apart(const Cell& cell) {
  return !cell.pattern.empty() && takes_from_several(cell, Messages::kPartners);
}

bool parse_pattern_column(Cell& cell, std::string_view text) {
  cell.pattern = text;
  return text.empty() || parse_pattern(text).has_value();
}

bool parse_form_column(Cell& cell, std::string_view text) {
  return take_word(cell.form, kP2pForms, text);
}

bool parse_send_mode_column(Cell& cell, std::string_view text) {
  return take_word(cell.send_mode, kSendModes, text);
}

bool parse_source_column(Cell& cell, std::string_view text) {
  return take_word(cell.source, kSpecificOrAny, text);
}

bool parse_tag_column(Cell& cell, std::string_view text) {
  return take_word(cell.tag, kSpecificOrAny, text);
}

bool parse_receives_column(Cell& cell, std::string_view text) {
  return take_word(cell.receives, kReceivesPosted, text);
}

bool parse_pending_column(Cell& cell, std::string_view text) {
  cell.pending = text;
  return parse_queue(text).has_value();
}

bool parse_unexpected_column(Cell& cell, std::string_view text) {
  cell.unexpected = text;
  const std::optional<Queue> queue = parse_queue(text);
  return queue && queue->kind != QueueKind::kAnySource;
}

bool parse_window_column(Cell& cell, std::string_view text) {
  const auto number = base::parse_u64(text);
  if (!number || *number < 1 || *number > kMostInWindow) return false;
  cell.window = static_cast<std::uint32_t>(*number);
  return true;
}

bool parse_train_delay_column(Cell& cell, std::string_view text) {
  cell.train_delay = text;
  return parse_train_delay(text).has_value();
}

bool parse_packing_column(Cell& cell, std::string_view text) {
  return take_word(cell.packing, kPackings, text);
}

bool parse_others_column(Cell& cell, std::string_view text) {
  return take_word(cell.others, kOthers, text);
}

bool parse_cold_side_column(Cell& cell, std::string_view text) {
  return take_word(cell.cold_side, kColdSides, text);
}

bool parse_compute_column(Cell& cell, std::string_view text) {
  cell.compute = text;
  return parse_compute(text).has_value();
}

bool parse_compute_kernel_column(Cell& cell, std::string_view text) {
  return take_word(cell.compute_kernel, kComputeKernels, text);
}

bool parse_compute_side_column(Cell& cell, std::string_view text) {
  return take_word(cell.compute_side, kComputeSides, text);
}

}  // namespace invar::record
