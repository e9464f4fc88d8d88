#include "design/plan/p2p_conflicts.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/factors.hpp"
#include "record/p2p/cell_roles.hpp"
#include "record/p2p/levels.hpp"
#include "record/p2p/message_factors.hpp"
#include "record/p2p/overlap_cells.hpp"

namespace invar::design {
namespace {

// MPI_Bsend copies a whole window; more is a typing mistake.
constexpr std::uint64_t kMostBufferedBytes = std::uint64_t{1} << 30U;

constexpr std::string_view kNoSync = "none";
constexpr std::string_view kWindowSync = "window";

// One cell of a block, and what its operation says.
class MessageCell {
 public:
  MessageCell(const record::Cell& cell, const record::OperationInfo& info, const CellsBlock& block,
              const Positions& engine, std::vector<Conflict>& found)
      : cell_(cell), info_(info), block_(block), engine_(engine), found_(found) {}

  void check() {
    check_ready();
    check_ahead();
    check_any_source();
    check_any_tag();
    check_others();
    check_cold_side();
    check_buffered();
  }

 private:
  // A key that the block does not have stands in [engine], or nowhere.
  void add(std::string_view key, const std::string& what, std::string remedy) {
    found_.push_back({block_.positions.of(key, engine_.of(key, block_.at)),
                      info_.name + ": " + what, std::move(remedy)});
  }

  // MPI, 3.4: "A send that uses the ready communication mode may be started only if the matching
  // receive is already posted. Otherwise, the operation is erroneous and its outcome is undefined."
  void check_ready() {
    if (cell_.send_mode != record::name_of(record::SendMode::kReady)) return;
    if (!record::posts_before(cell_)) {
      add("send-mode",
          "a ready send is erroneous unless its receive is posted, and nothing makes certain that "
          "it is",
          "write receives = \"before\", or send-mode = \"standard\"");
    } else if (cell_.sync == kNoSync || cell_.sync == kWindowSync) {
      add("send-mode",
          "a ready send is erroneous unless its receive is posted, and with sync = \"" +
              cell_.sync + "\" a rank may begin before a late one has posted it",
          "use sync = \"round-time\", \"barrier\" or \"dissemination\"");
    }
  }

  // Calls that nothing keeps from following one another are a stream. Windows are acknowledged.
  void check_ahead() {
    if (info_.batches || info_.windowed || cell_.sync != kNoSync) return;
    add("sync", "with sync = \"none\" one rank's calls run ahead of the other's: that is a stream",
        "use another sync, or an operation that acknowledges (stream)");
  }

  // One sender's next call would be taken for another one's this call. Streams acknowledge.
  void check_any_source() {
    if (info_.windowed || !record::takes_from_several(cell_, info_.messages)) return;
    if (record::may_wait_in_a_circle(cell_, info_.messages)) {
      add("source",
          "MPI_Sendrecv from anybody may take what a neighbour sends in a later step, so that "
          "ranks with more than two neighbours may wait for each other for ever",
          "write source = \"specific\", or another form");
    }
    if (cell_.sync != kNoSync && cell_.sync != kWindowSync) return;
    add("source",
        "receives from anybody take what comes, and with sync = \"" + cell_.sync +
            "\" one sender's message of the next call may come before another one's of this call",
        "use sync = \"round-time\", \"barrier\" or \"dissemination\", or write source = "
        "\"specific\"");
  }

  // Receives of any tag match every message of their communicator.
  void check_any_tag() {
    const auto unexpected = record::parse_queue(cell_.unexpected);
    const bool there = unexpected && unexpected->kind == record::QueueKind::kSamePeer;
    if (!there || cell_.tag == record::kSpecificOrAny.front()) return;
    add("tag",
        "receives of any tag would take the messages of unexpected = \"" + cell_.unexpected +
            "\", which nobody is to receive",
        "write unexpected = \"other:" + std::to_string(unexpected->count) +
            "\", or tag = \"specific\"");
  }

  void check_others() {
    if (cell_.others == record::name_of(record::Others::kAsleep)) return;
    const std::vector<record::Role> roles = record::roles_of(info_.roles, info_.messages, cell_);
    const auto bystanders = std::ranges::count(roles, record::Role::kStandsBy);
    if (bystanders == 0) {
      add("others",
          "others = \"" + cell_.others + "\" is about ranks that stand by, and all " +
              std::to_string(cell_.ranks) + " have a part in pattern '" + cell_.pattern + "'",
          "take more ranks, another pattern (\"distance:1\"), or leave others out");
    } else if (bystanders == 1 && cell_.others == record::name_of(record::Others::kTraffic)) {
      add("others",
          "others = \"traffic\" is messages between ranks that stand by, and of " +
              std::to_string(cell_.ranks) + " ranks a single one does in pattern '" +
              cell_.pattern + "'",
          "take one rank more, or write others = \"computing\" or \"receiving\"");
    }
  }

  void check_cold_side() {
    if (cell_.cold_side == record::kColdSides.front()) return;
    const std::string level = "cold-side = \"" + cell_.cold_side + "\"";
    if (cell_.cache == record::Cell().cache) {
      add("cold-side", level + " needs a cold cache",
          "write cache = \"cold-flush\" or \"cold-cycle\", or leave cold-side out");
      return;
    }
    const std::vector<record::Role> roles = record::roles_of(info_.roles, info_.messages, cell_);
    if (std::ranges::find(roles, record::Role::kAnswers) != roles.end()) return;
    add("cold-side",
        level + " tells senders from receivers, and in pattern '" + cell_.pattern +
            "' every rank is both",
        "write cold-side = \"both\", or a pattern of pairs");
  }

  void check_buffered() {
    if (cell_.send_mode != record::name_of(record::SendMode::kBuffered)) return;
    const std::uint64_t messages = record::messages_of(cell_, info_.messages);
    const std::uint64_t size_bytes = cell_.size_bytes.value_or(0);
    if (size_bytes <= kMostBufferedBytes / std::max<std::uint64_t>(messages, 1)) return;
    add("send-mode",
        "buffered sends of " + base::count_text(messages, "message") + " of " +
            base::size_text(size_bytes) + " need a buffer above " +
            base::size_text(kMostBufferedBytes),
        "write smaller sizes or a smaller window");
  }

  const record::Cell& cell_;
  const record::OperationInfo& info_;
  const CellsBlock& block_;
  const Positions& engine_;
  std::vector<Conflict>& found_;
};

// Where the first block that has the key writes it.
Position written_at(const Campaign& campaign, const std::string& key) {
  const auto writes = std::ranges::find_if(
      campaign.cells, [&](const CellsBlock& block) { return block.levels.contains(key); });
  return writes == campaign.cells.end() ? Position{} : writes->positions.of(key, writes->at);
}

// What is said of a computation where no cell has one: it would be measured under a name that means
// nothing.
std::vector<Conflict> levels_of_no_computation(const Campaign& campaign,
                                               const ResolvedCells& resolved) {
  const std::string usual = record::Cell().compute;
  const auto computes = [&](const record::Cell& cell) { return cell.compute != usual; };
  if (std::ranges::any_of(resolved.cells, computes)) return {};
  std::vector<Conflict> found;
  for (const char* key : {"compute-kernel", "compute-side", "progress-calls"}) {
    const record::Factor& factor = *record::find_factor_by_key(key);
    const bool any = std::ranges::any_of(resolved.cells, [&](const record::Cell& cell) {
      return factor.text(cell) != factor.absent;
    });
    if (!any) continue;
    found.push_back({written_at(campaign, key),
                     std::string(key) + " is about a computation, and no cell has one",
                     "write compute = [\"off\", \"10us\"], or leave " + std::string(key) + " out"});
  }
  return found;
}

}  // namespace

std::vector<Conflict> message_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                        std::span<const std::size_t> block_of_cell) {
  std::vector<Conflict> found;
  for (std::size_t i = 0; i < block_of_cell.size(); ++i) {
    const record::Cell& cell = resolved.cells[i];
    const record::OperationInfo& info = resolved.operation(cell.operation);
    if (info.messages == record::Messages::kNone) continue;
    MessageCell(cell, info, campaign.cells[block_of_cell[i]], campaign.engine.positions, found)
        .check();
  }
  return found;
}

std::vector<Conflict> overlap_conflicts(const Campaign& campaign, const ResolvedCells& resolved) {
  std::vector<Conflict> found = levels_of_no_computation(campaign, resolved);
  if (!found.empty()) return found;
  const std::vector<std::optional<std::uint32_t>> plain =
      record::calls_without_computation(resolved.cells);
  for (std::size_t i = 0; i < resolved.cells.size(); ++i) {
    const record::Cell& cell = resolved.cells[i];
    if (!record::computes_multiple(cell)) continue;
    const std::string level = "compute = \"" + cell.compute + "\" is in times of a call, and ";
    if (!plain[i]) {
      return {{written_at(campaign, "compute"), level + "no cell beside it has that call alone",
               "write compute = [\"off\", \"0.5x\"] and together = [\"compute\"] into [design]"}};
    }
    if (campaign.stopping == Stopping::kLooks) {
      return {{written_at(campaign, "compute"),
               level + "with stopping = \"looks\" that call is measured no more once it is decided",
               "use stopping = \"fixed\" (race --fixed), or write times as in \"10us\""}};
    }
  }
  return {};
}

}  // namespace invar::design
