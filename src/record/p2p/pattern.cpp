#include "record/p2p/pattern.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/circle_method.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace invar::record {
namespace {

constexpr std::uint64_t kMatchingStream = 0x6d61746368;  // "match"
constexpr std::uint64_t kLargestNumber = 10'000'000;
constexpr std::uint64_t kMostMatchings = 1000;
constexpr std::string_view kBack = ":back";
constexpr std::string_view kAllPairs = "all-pairs";
constexpr std::string_view kRandomMatchings = "random-matchings:";

// What is known of a kind without any ranks.
struct KindRow {
  PatternKind kind;
  std::string_view word;
  bool numbered;
  std::uint64_t least = 0;
  std::uint64_t most = kLargestNumber;
};

constexpr std::uint64_t kAnySeed = ~std::uint64_t{0};
constexpr std::array<KindRow, 12> kKinds{{
    {PatternKind::kDistance, "distance", true, 1},
    {PatternKind::kDoubling, "doubling", true, 0, 30},
    {PatternKind::kHypercube, "hypercube", true, 0, 30},
    {PatternKind::kBisection, "bisection", false},
    {PatternKind::kMatching, "matching", true, 0},
    {PatternKind::kRandom, "random", true, 0, kAnySeed},
    {PatternKind::kRing, "ring", false},
    {PatternKind::kShift, "shift", true, 1},
    {PatternKind::kFanOut, "fan-out", true, 1},
    {PatternKind::kFanIn, "fan-in", true, 1},
    {PatternKind::kGrid, "grid", true, 1, 3},
    {PatternKind::kPartners, "partners", true, 2},
}};

const KindRow& row_of_kind(PatternKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

// Ranks by themselves in pairs.
bool has_pairs(PatternKind kind) { return kind <= PatternKind::kRandom; }
bool has_partners(PatternKind kind) { return kind >= PatternKind::kGrid; }

// As short as it can be written.
std::optional<std::uint64_t> shortest_number(std::string_view text) {
  const auto number = base::parse_u64(text);
  if (!number || std::to_string(*number) != text) return std::nullopt;
  return number;
}

// N of "random-matchings:N".
std::optional<std::uint64_t> number_of_matchings(std::string_view level) {
  if (!level.starts_with(kRandomMatchings)) return std::nullopt;
  const auto number = shortest_number(level.substr(kRandomMatchings.size()));
  if (!number || *number < 1 || *number > kMostMatchings) return std::nullopt;
  return number;
}

std::uint32_t narrow(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

// The ranks in the order of a random draw: the first two are a pair, and so on.
std::vector<std::uint32_t> drawn_order(std::uint64_t seed, std::uint32_t ranks) {
  std::vector<std::uint32_t> order(ranks);
  std::iota(order.begin(), order.end(), 0U);
  base::Random random = base::Random::of({kMatchingStream, seed});
  random.shuffle(std::span<std::uint32_t>(order));
  return order;
}

// The other one of the pair that a rank is in; none: it stands by.
std::optional<std::uint32_t> partner_of(const Pattern& pattern, std::uint32_t ranks,
                                        std::uint32_t rank) {
  const auto within = [ranks](std::uint64_t other) {
    return other < ranks ? std::optional(narrow(other)) : std::nullopt;
  };
  switch (pattern.kind) {
    case PatternKind::kDistance:
      if (rank == 0) return within(pattern.number);
      return rank == pattern.number ? std::optional(0U) : std::nullopt;
    case PatternKind::kDoubling:
    case PatternKind::kHypercube:
      return within(rank ^ (std::uint64_t{1} << pattern.number));
    case PatternKind::kBisection:
      return within(rank < ranks / 2 ? rank + ranks / 2 : rank - ranks / 2);
    case PatternKind::kMatching: {
      const int partner = base::circle_partner(static_cast<int>(ranks), static_cast<int>(rank),
                                               static_cast<int>(pattern.number));
      return partner < 0 ? std::nullopt : within(static_cast<std::uint64_t>(partner));
    }
    case PatternKind::kRandom: {
      const std::vector<std::uint32_t> order = drawn_order(pattern.number, ranks);
      const auto place = static_cast<std::size_t>(std::ranges::find(order, rank) - order.begin());
      const std::size_t other = place ^ 1U;
      return other < order.size() ? std::optional(order[other]) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// The matching as pairs, the lower rank first; those that draw do so once.
std::vector<RankPair> matched_pairs(const Pattern& pattern, std::uint32_t ranks) {
  std::vector<RankPair> pairs;
  if (pattern.kind == PatternKind::kRandom) {
    const std::vector<std::uint32_t> order = drawn_order(pattern.number, ranks);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
      pairs.push_back({std::min(order[i], order[i + 1]), std::max(order[i], order[i + 1])});
    }
    return pairs;
  }
  if (pattern.kind == PatternKind::kDistance) return {{0, narrow(pattern.number)}};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::optional<std::uint32_t> partner = partner_of(pattern, ranks, rank);
    if (partner && rank < *partner) pairs.push_back({rank, *partner});
  }
  return pairs;
}

// On a periodic grid: down and up in every dimension.
std::vector<std::uint32_t> grid_neighbours(std::uint32_t dimensions, std::uint32_t ranks,
                                           std::uint32_t rank) {
  const std::vector<std::uint32_t> extents = grid_extents(ranks, dimensions);
  std::vector<std::uint32_t> neighbours;
  std::uint32_t stride = ranks;
  for (const std::uint32_t extent : extents) {
    // Extents multiply to the number of ranks, so that it never is 0.
    stride = std::max(1U, stride / extent);
    const std::uint32_t at = rank / stride % extent;
    for (const std::uint32_t step : {extent - 1, 1U}) {
      neighbours.push_back(rank - at * stride + (at + step) % extent * stride);
    }
  }
  return neighbours;
}

std::vector<std::uint32_t> neighbours_of(const Pattern& pattern, std::uint32_t ranks,
                                         std::uint32_t rank) {
  if (pattern.kind == PatternKind::kGrid) {
    return grid_neighbours(narrow(pattern.number), ranks, rank);
  }
  std::vector<std::uint32_t> neighbours;
  for (std::uint32_t distance = 1; distance <= pattern.number / 2; ++distance) {
    neighbours.push_back(narrow((std::uint64_t{rank} + distance) % ranks));
    neighbours.push_back(narrow((std::uint64_t{rank} + ranks - distance) % ranks));
  }
  return neighbours;
}

// Ranks 1 to N.
std::vector<std::uint32_t> leaves_of_fan(const Pattern& pattern) {
  std::vector<std::uint32_t> leaves(narrow(pattern.number));
  std::iota(leaves.begin(), leaves.end(), 1U);
  return leaves;
}

// How far rings and shifts go.
std::uint32_t step_of(const Pattern& pattern) {
  return pattern.kind == PatternKind::kRing ? 1 : narrow(pattern.number);
}

// The ranks that a rank sends to, or receives from, in a pattern that is not of pairs.
std::vector<std::uint32_t> directed_peers(const Pattern& pattern, std::uint32_t ranks,
                                          std::uint32_t rank, bool sends) {
  if (has_partners(pattern.kind)) return neighbours_of(pattern, ranks, rank);
  if (pattern.kind == PatternKind::kRing || pattern.kind == PatternKind::kShift) {
    const std::uint64_t step = sends ? step_of(pattern) : ranks - step_of(pattern);
    return {narrow((rank + step) % ranks)};
  }
  const bool out = pattern.kind == PatternKind::kFanOut;
  if (rank == 0) return out == sends ? leaves_of_fan(pattern) : std::vector<std::uint32_t>();
  const bool is_leaf = rank <= pattern.number && out != sends;
  return is_leaf ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>();
}

std::vector<std::uint32_t> peers_of(const Pattern& pattern, std::uint32_t ranks, std::uint32_t rank,
                                    bool sends) {
  if (!has_pairs(pattern.kind)) return directed_peers(pattern, ranks, rank, sends);
  const std::optional<std::uint32_t> partner = partner_of(pattern, ranks, rank);
  if (!partner) return {};
  const bool begins = (rank < *partner) != pattern.back;
  return begins == sends ? std::vector{*partner} : std::vector<std::uint32_t>();
}

// "write 4 or 8 ranks": the nearest numbers of which it holds.
template <typename Holds>
std::string other_ranks(std::uint32_t ranks, Holds holds) {
  std::uint32_t below = ranks - 1;
  while (below >= 2 && !holds(below)) --below;
  std::uint32_t above = ranks + 1;
  while (!holds(above)) ++above;
  return "write " + (below >= 2 ? std::to_string(below) + " or " : std::string()) +
         std::to_string(above) + " ranks";
}

// "distance:1 to distance:3", or the one that there is.
std::string numbers_text(PatternKind kind, std::uint64_t low, std::uint64_t high) {
  const auto text = [kind](std::uint64_t number) {
    return pattern_text({.kind = kind, .number = number});
  };
  return low == high ? text(low) : text(low) + " to " + text(high);
}

// The kind is none that the operation takes.
LevelText lack_of_kind(const std::string& quoted, PatternKind kind, Messages messages) {
  const bool of_pairs = messages == Messages::kMatched || messages == Messages::kPairs;
  if (of_pairs && !has_pairs(kind)) {
    return {.complaint = "pattern " + quoted + " has ranks that talk to more than one other",
            .remedy =
                "write distance:D, doubling:K, hypercube:K, bisection, matching:K or "
                "random:SEED"};
  }
  if (messages == Messages::kDirected && has_partners(kind)) {
    return {.complaint = "pattern " + quoted + " has ranks that exchange with several others",
            .remedy = "write ring, shift:K, fan-out:N, fan-in:N or a pattern of pairs"};
  }
  if (messages == Messages::kPartners && !has_partners(kind)) {
    return {.complaint = "pattern " + quoted + " is none in which a rank exchanges with several",
            .remedy = "write grid:D or partners:N"};
  }
  return {};
}

LevelText lack_of_grid(const std::string& quoted, std::uint32_t ranks, std::uint32_t dimensions) {
  const auto fits = [&](std::uint32_t number) {
    return number >= 2 && grid_extents(number, dimensions).back() >= 2;
  };
  if (fits(ranks)) return {};
  std::string extents;
  for (const std::uint32_t extent : grid_extents(ranks, dimensions)) {
    extents += (extents.empty() ? "" : " x ") + std::to_string(extent);
  }
  return {.complaint = "pattern " + quoted + " of " + std::to_string(ranks) + " ranks is " +
                       extents + ": every rank would be its own neighbour",
          .remedy = other_ranks(ranks, fits) + ", or grid:1"};
}

}  // namespace

std::optional<Pattern> parse_pattern(std::string_view text) {
  const bool back = text.ends_with(kBack);
  if (back) text.remove_suffix(kBack.size());
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const auto* const row = std::ranges::find(kKinds, word, &KindRow::word);
  if (row == kKinds.end() || row->numbered != (colon != std::string_view::npos)) {
    return std::nullopt;
  }
  if (back && !has_pairs(row->kind)) return std::nullopt;
  Pattern pattern{.kind = row->kind, .number = 0, .back = back};
  if (!row->numbered) return pattern;
  const auto number = shortest_number(text.substr(colon + 1));
  if (!number || *number < row->least || *number > row->most) return std::nullopt;
  if (row->kind == PatternKind::kPartners && *number % 2 != 0) return std::nullopt;
  pattern.number = *number;
  return pattern;
}

std::string pattern_text(const Pattern& pattern) {
  const KindRow& row = row_of_kind(pattern.kind);
  std::string text(row.word);
  if (row.numbered) text += ':' + std::to_string(pattern.number);
  if (pattern.back) text += kBack;
  return text;
}

std::string_view usual_pattern(Messages messages) {
  if (messages == Messages::kNone) return {};
  return messages == Messages::kPartners ? "grid:1" : "distance:1";
}

LevelText pattern_level(std::string_view written) {
  if (written == kAllPairs || number_of_matchings(written) || parse_pattern(written)) {
    return {.text = std::string(written)};
  }
  return {.complaint = "is '" + std::string(written) + "', no pattern",
          .remedy =
              "write distance:D, doubling:K, hypercube:K, bisection, matching:K, "
              "random:SEED (each also with :back), all-pairs, random-matchings:N, ring, "
              "shift:K, fan-out:N, fan-in:N, grid:D (1 to 3) or partners:N (even)"};
}

std::vector<std::string> expand_pattern(std::string_view level, std::uint32_t ranks) {
  std::vector<std::string> levels;
  const auto add = [&levels](PatternKind kind, std::uint64_t number, bool back) {
    levels.push_back(pattern_text({.kind = kind, .number = number, .back = back}));
  };
  if (level == kAllPairs) {
    const auto rounds =
        static_cast<std::uint64_t>(base::circle_rounds(static_cast<int>(std::max(ranks, 2U))));
    for (std::uint64_t round = 0; round < rounds; ++round) {
      add(PatternKind::kMatching, round, false);
      add(PatternKind::kMatching, round, true);
    }
    return levels;
  }
  const std::optional<std::uint64_t> matchings = number_of_matchings(level);
  if (!matchings) return {std::string(level)};
  for (std::uint64_t seed = 1; seed <= *matchings; ++seed) add(PatternKind::kRandom, seed, false);
  return levels;
}

LevelText lack_of_pattern(const Pattern& pattern, Messages messages, std::uint32_t ranks) {
  const std::string text = pattern_text(pattern);
  const std::string quoted = "'" + text + "'";
  const std::string count = std::to_string(ranks);
  if (LevelText lack = lack_of_kind(quoted, pattern.kind, messages); !lack.complaint.empty()) {
    return lack;
  }
  if (ranks < 2) {
    return {.complaint = "pattern " + quoted + " needs 2 ranks or more, not " + count,
            .remedy = "write 2 ranks or more"};
  }
  if (ranks > kLargestNumber) {  // no list of such pairs is ever made
    return {.complaint = "pattern " + quoted + " has no place for " + count + " ranks",
            .remedy = "write " + std::to_string(kLargestNumber) + " ranks or fewer"};
  }
  const std::uint64_t number = pattern.number;
  const auto among = [&](std::uint64_t low, std::uint64_t high) {
    return "write " + numbers_text(pattern.kind, low, high) + ", or more ranks";
  };
  const auto largest_bit = static_cast<std::uint64_t>(std::bit_width(ranks - 1)) - 1;
  switch (pattern.kind) {
    case PatternKind::kDistance:
      if (number < ranks) return {};
      return {.complaint = "pattern " + quoted + " needs a rank " + std::to_string(number) +
                           ", and " + count + " ranks are 0 to " + std::to_string(ranks - 1),
              .remedy = among(1, ranks - 1)};
    case PatternKind::kHypercube:
      if (!std::has_single_bit(ranks)) {
        const auto is_power = [](std::uint32_t other) { return std::has_single_bit(other); };
        return {.complaint = "pattern " + quoted + " needs a power of two of ranks, not " + count,
                .remedy = other_ranks(ranks, is_power) +
                          ", or doubling:" + std::to_string(std::min(number, largest_bit))};
      }
      [[fallthrough]];
    case PatternKind::kDoubling:
      if (number <= largest_bit) return {};
      return {.complaint = "pattern " + quoted + " has no pair among " + count + " ranks",
              .remedy = among(0, largest_bit)};
    case PatternKind::kBisection:
      if (ranks % 2 == 0) return {};
      return {.complaint = "pattern " + quoted + " needs an even number of ranks, not " + count,
              .remedy = other_ranks(ranks, [](std::uint32_t other) { return other % 2 == 0; })};
    case PatternKind::kMatching: {
      const auto rounds = static_cast<std::uint64_t>(base::circle_rounds(static_cast<int>(ranks)));
      if (number < rounds) return {};
      return {.complaint = "pattern " + quoted + " is none of the " +
                           base::count_text(rounds, "matching") + " of " + count + " ranks",
              .remedy = "write " + numbers_text(pattern.kind, 0, rounds - 1) + ", or all-pairs"};
    }
    case PatternKind::kShift:
      if (number < ranks) return {};
      return {.complaint = "pattern " + quoted + " goes around " + count + " ranks",
              .remedy = among(1, ranks - 1)};
    case PatternKind::kFanOut:
    case PatternKind::kFanIn:
      if (number < ranks) return {};
      return {.complaint = "pattern " + quoted + " needs " + std::to_string(number + 1) +
                           " ranks, not " + count,
              .remedy = among(1, ranks - 1)};
    case PatternKind::kGrid:
      return lack_of_grid(quoted, ranks, narrow(number));
    case PatternKind::kPartners:
      if (number / 2 < ranks) return {};
      return {.complaint = "pattern " + quoted + " goes around " + count + " ranks",
              .remedy = among(2, 2 * (std::uint64_t{ranks} - 1))};
    case PatternKind::kRandom:
    case PatternKind::kRing:
      break;
  }
  return {};
}

std::vector<RankPair> pairs_of(const Pattern& pattern, std::uint32_t ranks) {
  std::vector<RankPair> pairs;
  if (has_pairs(pattern.kind)) {
    pairs = matched_pairs(pattern, ranks);
    if (pattern.back) {
      for (RankPair& pair : pairs) std::swap(pair.from, pair.to);
    }
  } else {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (const std::uint32_t to : directed_peers(pattern, ranks, rank, true)) {
        pairs.push_back({rank, to});
      }
    }
  }
  std::ranges::sort(pairs, [](const RankPair& a, const RankPair& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  return pairs;
}

std::vector<std::uint32_t> sends_to(const Pattern& pattern, std::uint32_t ranks,
                                    std::uint32_t rank) {
  return peers_of(pattern, ranks, rank, true);
}

std::vector<std::uint32_t> receives_from(const Pattern& pattern, std::uint32_t ranks,
                                         std::uint32_t rank) {
  return peers_of(pattern, ranks, rank, false);
}

std::uint32_t most_peers(const Pattern& pattern) {
  switch (pattern.kind) {
    case PatternKind::kGrid:
      return narrow(2 * pattern.number);
    case PatternKind::kFanOut:
    case PatternKind::kFanIn:
    case PatternKind::kPartners:
      return narrow(pattern.number);
    default:
      return 1;
  }
}

std::vector<std::uint32_t> grid_extents(std::uint32_t ranks, std::uint32_t dimensions) {
  // The most equal factors of a number: the divisor next to its square root.
  const auto halves = [](std::uint32_t number) {
    std::uint32_t shorter = 1;
    for (std::uint32_t side = 1; std::uint64_t{side} * side <= number; ++side) {
      if (number % side == 0) shorter = side;
    }
    return std::pair(number / shorter, shorter);
  };
  if (dimensions <= 1) return {ranks};
  if (dimensions == 2) {
    const auto [longer, shorter] = halves(ranks);
    return {longer, shorter};
  }
  std::vector<std::uint32_t> best{ranks, 1, 1};
  for (std::uint32_t side = 1; std::uint64_t{side} * side * side <= ranks; ++side) {
    if (ranks % side != 0) continue;
    const auto [longer, shorter] = halves(ranks / side);
    std::vector<std::uint32_t> extents{longer, shorter, side};
    std::ranges::sort(extents, std::ranges::greater());
    if (extents.front() - extents.back() < best.front() - best.back()) best = extents;
  }
  return best;
}

}  // namespace invar::record
