#include "record/p2p/levels.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"

namespace invar::record {
namespace {

// The value whose word it is; the words stand in the order of the values.
template <typename Level, std::size_t Count>
Level level_named(const std::array<std::string_view, Count>& words, const std::string& text) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end())
    throw std::invalid_argument("'" + text + "' is not a level of messages");
  return static_cast<Level>(found - words.begin());
}

Queue queue_of(const std::string& text) {
  const std::optional<Queue> queue = parse_queue(text);
  if (!queue) throw std::invalid_argument("'" + text + "' is not a queue");
  return *queue;
}

LevelText queue_level(std::string_view written, std::string_view what, const std::string& remedy) {
  if (parse_queue(written)) return {.text = std::string(written)};
  return {.complaint = "is '" + std::string(written) + "', no " + std::string(what),
          .remedy = remedy + " (1 to " + std::to_string(kMostQueued) + ")"};
}

}  // namespace

std::optional<Queue> parse_queue(std::string_view text) {
  if (text == kQueueKinds.front()) return Queue{};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto kind = std::ranges::find(kQueueKinds, text.substr(0, colon));
  const std::string_view digits = text.substr(colon + 1);
  const auto count = base::parse_u64(digits);
  const bool known = kind != kQueueKinds.end() && kind != kQueueKinds.begin();
  if (!known || !count || *count < 1 || *count > kMostQueued || std::to_string(*count) != digits) {
    return std::nullopt;
  }
  return Queue{.kind = static_cast<QueueKind>(kind - kQueueKinds.begin()),
               .count = static_cast<std::uint32_t>(*count)};
}

std::string queue_text(const Queue& queue) {
  std::string text(kQueueKinds.at(static_cast<std::size_t>(queue.kind)));
  if (queue.kind != QueueKind::kNone) text += ':' + std::to_string(queue.count);
  return text;
}

LevelText pending_level(std::string_view written) {
  return queue_level(written, "queue of pending receives",
                     "write \"none\", or so many receives from the same peer, from any source, or "
                     "on another communicator: \"same:16\", \"any:16\", \"other:16\"");
}

LevelText unexpected_level(std::string_view written) {
  const std::string remedy =
      "write \"none\", or so many messages of the same peer, or on another communicator: "
      "\"same:16\", \"other:16\"";
  const std::optional<Queue> queue = parse_queue(written);
  if (queue && queue->kind == QueueKind::kAnySource) {
    return {.complaint = "is '" + std::string(written) + "', and a message has a sender",
            .remedy = remedy};
  }
  return queue_level(written, "queue of unexpected messages", remedy);
}

Pattern pattern_of(const Cell& cell, Messages messages) {
  const std::string_view text =
      cell.pattern.empty() ? usual_pattern(messages) : std::string_view(cell.pattern);
  const std::optional<Pattern> pattern = parse_pattern(text);
  if (!pattern) throw std::invalid_argument("'" + std::string(text) + "' is not a pattern");
  return *pattern;
}

P2pLevels p2p_levels(const Cell& cell, Messages messages) {
  return {.pattern = messages == Messages::kNone ? Pattern{} : pattern_of(cell, messages),
          .mode = level_named<SendMode>(kSendModes, cell.send_mode),
          .form = level_named<P2pForm>(kP2pForms, cell.form),
          .any_source = cell.source == "any",
          .any_tag = cell.tag == "any",
          .posted = cell.receives == "before",
          .pending = queue_of(cell.pending),
          .unexpected = queue_of(cell.unexpected),
          .window = cell.window,
          .packing = level_named<Packing>(kPackings, cell.packing),
          .others = level_named<Others>(kOthers, cell.others)};
}

std::uint64_t messages_of(const Cell& cell, Messages messages) {
  if (messages == Messages::kNone) return 1;
  return std::uint64_t{cell.window} * most_peers(pattern_of(cell, messages));
}

std::uint64_t packed_messages_of(const Cell& cell, Messages messages) {
  const bool packed = messages != Messages::kNone && cell.packing != kPackings.front();
  return packed ? messages_of(cell, messages) : 0;
}

std::uint64_t buffered_messages_of(const Cell& cell, Messages messages) {
  const bool buffered =
      messages != Messages::kNone && cell.send_mode == name_of(SendMode::kBuffered);
  return buffered ? kCallsInBuffer * messages_of(cell, messages) : 0;
}

}  // namespace invar::record
