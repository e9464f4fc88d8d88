#include "tuning/probes/ran.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::tuning {
namespace {

// "1024 bytes" -> 1024.
std::optional<std::uint64_t> number_before(std::string_view field, std::string_view unit) {
  if (!field.ends_with(unit)) return std::nullopt;
  return base::parse_u64(base::trim(field.substr(0, field.size() - unit.size())));
}

std::optional<Messages> messages_of(std::string_view line) {
  const std::vector<std::string_view> fields = base::split(line, '\t');
  if (fields.size() < 5) return std::nullopt;
  const auto from = base::parse_u64(fields[1]);
  const auto to = base::parse_u64(fields[2]);
  const auto bytes = number_before(fields[3], "bytes");
  const auto messages = number_before(fields[4], "msgs sent");
  constexpr std::uint64_t kLargestRank = 1U << 30U;
  if (!from || !to || !bytes || !messages || *from > kLargestRank || *to > kLargestRank) {
    return std::nullopt;
  }
  return Messages{.from = static_cast<int>(*from),
                  .to = static_cast<int>(*to),
                  .messages = *messages,
                  .bytes = *bytes};
}

// Every collective of which each rank has a part joins all ranks, directly or by way of others.
bool joins_all(std::span<const Messages> seen, int ranks) {
  std::vector<int> island(static_cast<std::size_t>(ranks));
  std::iota(island.begin(), island.end(), 0);
  int islands = ranks;
  const auto of = [&](int rank) -> int& { return island[static_cast<std::size_t>(rank)]; };
  for (const Messages& one : seen) {
    if (one.from < 0 || one.to < 0 || one.from >= ranks || one.to >= ranks) continue;
    const int gone = of(one.from);
    const int stays = of(one.to);
    if (gone == stays) continue;
    std::ranges::replace(island, gone, stays);
    --islands;
  }
  return islands <= 1;
}

bool same_messages(std::span<const Messages> a, std::span<const Messages> b) {
  return std::ranges::equal(a, b);
}

// The order of the level's own reference, if its messages are these.
std::optional<std::string> own_order(const SeenLevel& level) {
  for (const ReferenceTraffic& reference : level.references) {
    if (reference.name == level.reference && same_messages(reference.messages, level.seen)) {
      return reference.order;
    }
  }
  return std::nullopt;
}

// Its own reference is there, and sends something else in every segment.
bool differs_from_own(const SeenLevel& level) {
  const bool known = std::ranges::any_of(
      level.references, [&](const ReferenceTraffic& one) { return one.name == level.reference; });
  return known && !own_order(level);
}

// Some reference sends these messages in another order.
bool has_twin(const SeenLevel& level, const std::string& order) {
  return std::ranges::any_of(level.references, [&](const ReferenceTraffic& one) {
    return one.order != order && same_messages(one.messages, level.seen);
  });
}

bool are_one(const SeenLevel& earlier, const SeenLevel& later) {
  if (!same_messages(earlier.seen, later.seen)) return false;
  const auto order = own_order(earlier);
  const auto other = own_order(later);
  if (!other) return true;
  // Whatever `default` runs may be the twin.
  return order ? *order == *other : !has_twin(later, *other);
}

}  // namespace

Traffic read_monitoring(std::string_view text, const std::string& place) {
  std::map<std::pair<int, int>, Messages> pairs;
  int number = 0;
  for (const std::string_view line : base::split(text, '\n')) {
    ++number;
    if (!line.starts_with("E\t") && !line.starts_with("I\t")) continue;
    const auto one = messages_of(line);
    if (!one) {
      throw base::UserError({.place = place,
                             .line = number,
                             .what = "'" + std::string(line.substr(0, 60)) +
                                     "' is not a line of Open MPI's pml_monitoring"});
    }
    Messages& sum = pairs[{one->from, one->to}];
    sum.from = one->from;
    sum.to = one->to;
    sum.messages += one->messages;
    sum.bytes += one->bytes;
  }
  Traffic traffic;
  traffic.reserve(pairs.size());
  for (const auto& [pair, messages] : pairs) traffic.push_back(messages);
  return traffic;
}

Traffic traffic_of_group(std::span<const Messages> world, int first_rank, int ranks) {
  const auto inside = [&](int rank) { return rank >= first_rank && rank < first_rank + ranks; };
  Traffic traffic;
  traffic.reserve(world.size());
  for (Messages one : world) {
    if (!inside(one.from) || !inside(one.to)) continue;
    one.from -= first_rank;
    one.to -= first_rank;
    traffic.push_back(one);
  }
  std::ranges::sort(traffic);
  return traffic;
}

RanFinding find_ran(std::span<const Messages> seen, int ranks,
                    std::span<const ReferenceTraffic> references) {
  if (!joins_all(seen, ranks)) return {.ran = Ran::kNotSeen};
  RanFinding finding{.ran = Ran::kUnknown};
  if (ranks < kLeastRanksToName) return finding;
  std::vector<std::string> bare;
  for (const ReferenceTraffic& reference : references) {
    if (!same_messages(reference.messages, seen)) continue;
    // In other segments it is the same algorithm.
    if (std::ranges::find(bare, reference.name) != bare.end()) continue;
    bare.push_back(reference.name);
    finding.names.push_back(reference.segment_bytes == 0
                                ? reference.name
                                : reference.name + " in segments of " +
                                      std::to_string(reference.segment_bytes) + " B");
  }
  if (!finding.names.empty()) finding.ran = Ran::kNamed;
  return finding;
}

std::string ran_text(const RanFinding& finding) {
  if (finding.ran == Ran::kNotSeen) return "not seen";
  if (finding.ran == Ran::kUnknown) return "unknown";
  return "messages as of " + base::join(finding.names, " or ");
}

std::vector<LevelFinding> find_levels(std::span<const SeenLevel> levels, int ranks) {
  std::vector<LevelFinding> findings;
  findings.reserve(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const SeenLevel& level = levels[i];
    LevelFinding& finding = findings.emplace_back();
    finding.level = level.level;
    if (!level.counted) continue;
    finding.ran = find_ran(level.seen, ranks, level.references);
    // What went past the counters looks like everything else that did.
    if (finding.ran.ran == Ran::kNotSeen) continue;
    finding.unlike_own = differs_from_own(level);
    for (std::size_t k = 0; k < i; ++k) {
      const bool stands =
          levels[k].counted && findings[k].same_as.empty() && findings[k].ran.ran != Ran::kNotSeen;
      if (!stands || !are_one(levels[k], level)) continue;
      finding.same_as = levels[k].level;
      break;
    }
  }
  return findings;
}

}  // namespace invar::tuning
