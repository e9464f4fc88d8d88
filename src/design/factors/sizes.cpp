#include "design/factors/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/factors/adaptive_sizes.hpp"

namespace invar::design {
namespace {

using Sizes = base::Parsed<std::vector<std::uint64_t>>;

// As for sizes with a unit: all below are exact in a double.
constexpr std::int64_t kSizeLimit = std::int64_t{1} << 53U;

std::string reversed_text(std::uint64_t from_bytes, std::uint64_t to_bytes) {
  return "the range begins at " + base::size_text(from_bytes) + " and ends before it, at " +
         base::size_text(to_bytes);
}

std::string too_many_text() {
  return "the range has more than " + std::to_string(kMaxSizes) + " sizes";
}

}  // namespace

Sizes sizes_by_factor(std::uint64_t from_bytes, std::uint64_t to_bytes, std::uint64_t factor) {
  if (from_bytes == 0) return {{}, "0 never grows by a factor: begin above 0, or use a step"};
  if (factor < 2) return {{}, "the factor must be 2 or more"};
  if (from_bytes > to_bytes) return {{}, reversed_text(from_bytes, to_bytes)};
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = from_bytes;; size *= factor) {
    sizes.push_back(size);
    if (size > to_bytes / factor) return {std::move(sizes), {}};
  }
}

Sizes sizes_by_step(std::uint64_t from_bytes, std::uint64_t to_bytes, std::uint64_t step_bytes) {
  if (step_bytes == 0) return {{}, "the step must be above 0"};
  if (from_bytes > to_bytes) return {{}, reversed_text(from_bytes, to_bytes)};
  const std::uint64_t count = (to_bytes - from_bytes) / step_bytes + 1;
  if (count > kMaxSizes) return {{}, too_many_text()};
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < count; ++i) sizes.push_back(from_bytes + i * step_bytes);
  return {std::move(sizes), {}};
}

std::vector<std::uint64_t> draw_sizes(const RandomSizes& request, std::uint64_t extent_bytes,
                                      base::Random& random) {
  if (!rounded_size(request, request.low_bytes, extent_bytes)) return {};
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t i = 0; i < request.count; ++i) {
    // [low, high + 1), so that `high` itself is as likely as its logarithmic width.
    auto low = static_cast<double>(request.low_bytes);
    double high = static_cast<double>(request.high_bytes) + 1;
    std::uint64_t bits = random.next();
    for (int bit = 0; bit < 64; ++bit, bits <<= 1U) {
      const double product = low * high;
      const double middle = std::sqrt(product);
      ((bits >> 63U) != 0 ? low : high) = middle;
    }
    const auto drawn = std::min(static_cast<std::uint64_t>(low), request.high_bytes);
    sizes.push_back(*rounded_size(request, drawn, extent_bytes));
  }
  return sizes;
}

std::optional<std::uint64_t> rounded_size(const RandomSizes& request, std::uint64_t drawn_bytes,
                                          std::uint64_t extent_bytes) {
  // Both are at least 1, which clang-tidy cannot see.
  const std::uint64_t step_bytes =
      std::max<std::uint64_t>(1, std::lcm(extent_bytes, request.multiple_bytes));
  const std::uint64_t first = (request.low_bytes + step_bytes - 1) / step_bytes * step_bytes;
  if (first > request.high_bytes) return std::nullopt;
  return std::max(drawn_bytes / step_bytes * step_bytes, first);
}

std::vector<std::uint64_t> first_sizes(const AdaptiveSizes& asked, std::uint64_t extent_bytes) {
  if (asked.rule == RefinementRule::kBreaks) return {};
  const auto rounded_up = [extent_bytes](std::uint64_t bytes) {
    return (bytes + extent_bytes - 1) / extent_bytes * extent_bytes;
  };
  const std::uint64_t low = rounded_up(asked.low_bytes);
  const std::uint64_t high = asked.high_bytes / extent_bytes * extent_bytes;
  if (low > high) return {};
  std::vector<std::uint64_t> sizes{low};
  const auto add = [&sizes](std::uint64_t bytes, std::uint64_t below) {
    if (bytes > sizes.back() && bytes < below) sizes.push_back(bytes);
  };
  for (std::uint64_t power = 1; power < high; power *= 2) add(rounded_up(power), high);
  if (high > low) sizes.push_back(high);
  const std::vector<std::uint64_t> corners = std::exchange(sizes, {low});
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const std::uint64_t middle = corners[i - 1] + (corners[i] - corners[i - 1]) / 2;
    add(middle / extent_bytes * extent_bytes, corners[i]);
    sizes.push_back(corners[i]);
  }
  return sizes;
}

namespace {

// One size: a whole number of bytes, or text with a unit.
std::optional<std::uint64_t> one_size(TomlDocument& document, const toml::node& node,
                                      const std::string& what) {
  if (const auto* text = node.as_string()) {
    const base::Parsed<std::uint64_t> parsed = base::parse_size_bytes(text->get());
    if (!parsed.value) {
      const bool range = text->get().find(':') != std::string::npos;
      document.fault(
          node, parsed.error,
          range ? "a range is written { from = \"4\", to = \"64KiB\", factor = 2 }" : "");
    }
    return parsed.value;
  }
  if (const auto* number = node.as_integer()) {
    const std::int64_t size_bytes = number->get();
    if (size_bytes >= 0 && size_bytes < kSizeLimit) return static_cast<std::uint64_t>(size_bytes);
    document.fault(node, what + (size_bytes < 0 ? " is negative" : " is too large"),
                   "sizes are bytes, 0 or more");
    return std::nullopt;
  }
  document.fault(node, what + " is " + document.written(node) + ", no size",
                 "write whole bytes, as in 8, or text with a unit, as in \"64KiB\"");
  return std::nullopt;
}

class SizesReader {
 public:
  SizesReader(TomlDocument& document, CellsBlock& block) : document_(document), block_(block) {}

  void read(const toml::node& node) {
    if (const auto* list = node.as_array()) {
      if (list->empty()) document_.fault(node, "the list of sizes is empty", "write one or more");
      for (const toml::node& item : *list) {
        if (item.is_array()) {
          document_.fault(item, "a list of sizes inside a list of sizes", "write one list");
        } else {
          read_item(item);
        }
      }
    } else {
      read_item(node);
    }
    if (block_.sizes_bytes.size() > kMaxSizes) {
      document_.fault(node, "more than " + std::to_string(kMaxSizes) + " sizes", "write fewer");
    }
  }

 private:
  void read_item(const toml::node& node) {
    if (const auto* table = node.as_table()) {
      if (table->contains("loguniform")) {
        read_random(*table);
      } else if (table->contains("adaptive")) {
        read_adaptive(*table);
      } else {
        read_range(*table);
      }
    } else if (const auto size = one_size(document_, node, "the size")) {
      block_.sizes_bytes.push_back(*size);
    }
  }

  void read_range(const toml::table& node) {
    TomlTable table(document_, node, "'size'",
                    {"from", "to", "factor", "step", "loguniform", "count", "multiple",
                     "per-launch", "hold-out", "every", "seed", "adaptive"});
    for (const char* key : {"count", "multiple", "per-launch", "hold-out", "every", "seed"}) {
      const toml::node* of_draws = table.find(key);
      if (of_draws == nullptr) continue;
      document_.fault(*of_draws, "'" + std::string(key) + "' goes with 'loguniform' only",
                      "a range takes 'factor' or 'step'");
    }
    const bool factor = table.find("factor") != nullptr;
    const bool step = table.find("step") != nullptr;
    if (factor == step) {
      document_.fault(
          node,
          factor ? "a range with both 'factor' and 'step'" : "a range without 'factor' or 'step'",
          "write one of them, as in { from = \"4\", to = \"64KiB\", factor = 2 }");
    }
    const auto from = bound(table, "from");
    const auto to = bound(table, "to");
    std::uint64_t factor_value = 2;
    const bool factor_good = !factor || table.number("factor", factor_value, {2, 1U << 30U});
    std::optional<std::uint64_t> step_bytes;
    if (step) step_bytes = one_size(document_, *table.find("step"), table.named("step"));
    if (!from || !to || factor == step || !factor_good || (step && !step_bytes)) return;
    append(node, factor ? sizes_by_factor(*from, *to, factor_value)
                        : sizes_by_step(*from, *to, *step_bytes));
  }

  void append(const toml::node& node, const Sizes& sizes) {
    if (!sizes.value) {
      document_.fault(node, sizes.error);
      return;
    }
    block_.sizes_bytes.insert(block_.sizes_bytes.end(), sizes.value->begin(), sizes.value->end());
  }

  std::optional<std::uint64_t> bound(TomlTable& table, std::string_view key) {
    if (!table.require(key, "write { from = \"4\", to = \"64KiB\", factor = 2 }")) {
      return std::nullopt;
    }
    return one_size(document_, *table.find(key), table.named(key));
  }

  void read_random(const toml::table& node) {
    TomlTable table(document_, node, "'size'",
                    {"loguniform", "count", "multiple", "per-launch", "hold-out", "every", "seed"});
    RandomSizes request;
    const bool count_good =
        table.require("count", "write how many sizes to draw, as in count = 50") &&
        table.number("count", request.count, {1, kMaxSizes});
    bool keys_good = read_common_keys(table, request, count_good);
    if (const toml::node* multiple = table.find("multiple")) {
      const auto bytes = one_size(document_, *multiple, table.named("multiple"));
      keys_good = keys_good && bytes.has_value();
      if (bytes == 0U) {
        document_.fault(*multiple, table.named("multiple") + " is 0",
                        "write what all sizes are multiples of, as in \"1KiB\"");
        keys_good = false;
      }
      request.multiple_bytes = bytes.value_or(1);
    }
    const toml::node& range = *table.find("loguniform");
    const auto* list = range.as_array();
    if (list == nullptr || list->size() != 2) {
      document_.fault(range, table.named("loguniform") + " must be a list of two sizes",
                      "write the smallest and the largest, as in [\"1\", \"1MiB\"]");
      return;
    }
    const auto low = one_size(document_, *list->get(0), "the smallest size");
    const auto high = one_size(document_, *list->get(1), "the largest size");
    if (!low || !high || !count_good || !keys_good) return;
    if (*low == 0) {
      document_.fault(*list->get(0), "0 has no logarithm",
                      "begin at 1, and add 0 to the list: [0, { loguniform = ... }]");
    } else if (*low > *high) {
      document_.fault(range, reversed_text(*low, *high));
    } else if (request.multiple_bytes > *high ||
               *high / request.multiple_bytes * request.multiple_bytes < *low) {
      document_.fault(range,
                      "no multiple of " + base::size_text(request.multiple_bytes) + " is from " +
                          base::size_text(*low) + " to " + base::size_text(*high),
                      "write a longer range, or a smaller 'multiple'");
    } else {
      request.low_bytes = *low;
      request.high_bytes = *high;
      block_.random_sizes.push_back(request);
    }
  }

  // What makes a draw one for all blocks.
  bool read_common_keys(TomlTable& table, RandomSizes& request, bool count_good) {
    bool good = true;
    const auto number = [&](std::string_view key, auto& target, Bounds bounds) {
      if (table.find(key) != nullptr) good = table.number(key, target, bounds) && good;
    };
    number("per-launch", request.per_launch, {1, kMaxSizes});
    number("hold-out", request.hold_out, {2, kMaxSizes});
    number("every", request.every, {2, kMaxSizes});
    std::uint64_t seed = 0;
    number("seed", seed, {0, kMaxSeed});
    if (table.find("seed") != nullptr) request.seed = seed;
    if (good && count_good && request.per_launch >= request.count) {
      document_.fault(*table.find("per-launch"),
                      "of " + base::count_text(request.count, "size") +
                          " a launch group is to have " + std::to_string(request.per_launch) +
                          " at most: it has all of them",
                      "write fewer, or leave 'per-launch' out");
      return false;
    }
    return good;
  }

  void read_adaptive(const toml::table& node) {
    TomlTable table(document_, node, "'size'",
                    {"adaptive", "tolerance", "separation", "max", "rule"});
    AdaptiveSizes asked;
    const toml::node& range = *table.find("adaptive");
    const auto* list = range.as_array();
    if (list == nullptr || list->size() != 2) {
      document_.fault(range, table.named("adaptive") + " must be a list of two sizes",
                      "write the smallest and the largest, as in [\"0\", \"64KiB\"]");
      return;
    }
    const auto low = one_size(document_, *list->get(0), "the smallest size");
    const auto high = one_size(document_, *list->get(1), "the largest size");
    std::string rule{rule_word(asked.rule)};
    bool good = low.has_value() && high.has_value();
    const auto takes = [&](std::string_view key, bool read) {
      good = good && (read || table.find(key) == nullptr);
    };
    takes("rule", table.word("rule", rule, rule_words()));
    asked.rule = *parse_rule(rule);
    const bool breaks = asked.rule == RefinementRule::kBreaks;
    if (breaks) asked.most = kMostSizesWithBreaks;
    if (breaks && table.find("separation") == nullptr) asked.separation_share = kBreakSeparation;
    if (const toml::node* tolerance = table.find("tolerance"); breaks && tolerance != nullptr) {
      document_.fault(*tolerance, "rule = \"breaks\" has no tolerance: a fit tells where it breaks",
                      "leave it out; separation = \"2%\" says how near sizes come there");
      return;
    }
    takes("tolerance", table.percent("tolerance", asked.tolerance));
    takes("max", table.number("max", asked.most, {1, kMaxSizes}));
    takes("separation", read_separation(table, asked));
    if (!good) return;
    asked.low_bytes = *low;
    asked.high_bytes = *high;
    if (const auto complaint = adaptive_complaint(asked)) {
      document_.fault(range, complaint->what, complaint->remedy);
      return;
    }
    block_.adaptive.push_back(asked);
  }

  // Bytes, or a share of the size.
  bool read_separation(TomlTable& table, AdaptiveSizes& asked) {
    const toml::node* node = table.find("separation");
    if (node == nullptr) return false;
    const auto* text = node->as_string();
    if (text != nullptr && text->get().ends_with('%')) {
      return table.percent("separation", asked.separation_share);
    }
    const auto bytes = one_size(document_, *node, table.named("separation"));
    if (!bytes) return false;
    if (*bytes == 0) {
      document_.fault(*node, table.named("separation") + " is 0",
                      "write how near two sizes may come, as in \"1\" or \"5%\"");
      return false;
    }
    asked.separation_bytes = *bytes;
    return true;
  }

  TomlDocument& document_;
  CellsBlock& block_;
};

}  // namespace

void read_sizes(TomlTable& cells, CellsBlock& block) {
  const toml::node* node = cells.find("size");
  if (node == nullptr) return;
  block.positions.keys.emplace("size", TomlDocument::position(*node));
  SizesReader(cells.document(), block).read(*node);
}

namespace {

constexpr std::string_view kAdaptiveWord = "adaptive:";

// The words of a command line.
class SizeWords {
 public:
  explicit SizeWords(std::string place) : place_(std::move(place)) {}

  // `adaptive`: the command takes sizes that are chosen under way.
  SizesAsked read(std::string_view text, bool adaptive) {
    for (const std::string_view part : base::split(text, ',')) {
      if (!part.starts_with(kAdaptiveWord)) {
        read_sizes_of(part);
      } else if (adaptive) {
        read_adaptive(part);
      } else {
        fault(part,
              "sizes that are chosen under way are for 'invar race', 'invar p2p' and campaigns",
              "write sizes, as in 8,1KiB:64KiB");
      }
    }
    faults_.throw_if_any();
    return std::move(asked_);
  }

 private:
  void fault(std::string_view part, const std::string& what, const std::string& remedy = {}) {
    faults_.add(place_, "'" + std::string(part) + "': " + what, remedy);
  }

  std::optional<std::uint64_t> size_of(std::string_view word) {
    const base::Parsed<std::uint64_t> size = base::parse_size_bytes(word);
    if (!size.value) faults_.add(place_, size.error);
    return size.value;
  }

  // "8", "1KiB:64KiB"
  void read_sizes_of(std::string_view part) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) {
      if (const auto size = size_of(part)) asked_.sizes_bytes.push_back(*size);
      return;
    }
    const auto from = size_of(part.substr(0, colon));
    const auto to = size_of(part.substr(colon + 1));
    if (!from || !to) return;
    const Sizes range = sizes_by_factor(*from, *to, 2);
    if (!range.value) {
      fault(part, range.error);
    } else {
      asked_.sizes_bytes.insert(asked_.sizes_bytes.end(), range.value->begin(), range.value->end());
    }
  }

  // "adaptive:0:64KiB", "adaptive:0:64KiB:2%"
  void read_adaptive(std::string_view part) {
    const auto words = base::split(part.substr(kAdaptiveWord.size()), ':');
    if (words.size() < 2 || words.size() > 3) {
      fault(part, "takes two sizes, and a tolerance if it is not 5%",
            "write adaptive:0:64KiB, or adaptive:0:64KiB:2%");
      return;
    }
    AdaptiveSizes asked;
    const auto low = size_of(words[0]);
    const auto high = size_of(words[1]);
    if (words.size() == 3) {
      const base::Parsed<double> tolerance = base::parse_percent(words[2]);
      if (!tolerance.value) faults_.add(place_, tolerance.error);
      if (!tolerance.value) return;
      asked.tolerance = *tolerance.value;
    }
    if (!low || !high) return;
    asked.low_bytes = *low;
    asked.high_bytes = *high;
    if (const auto complaint = adaptive_complaint(asked)) {
      fault(part, complaint->what, complaint->remedy);
    } else {
      asked_.adaptive.push_back(asked);
    }
  }

  std::string place_;
  base::Faults faults_ = {};
  SizesAsked asked_ = {};
};

}  // namespace

SizesAsked parse_sizes(std::string_view text, const std::string& place) {
  return SizeWords(place).read(text, true);
}

SizeRange parse_size_range(std::string_view text, const std::string& place) {
  const auto words = base::split(text, ':');
  if (words.size() != 2) {
    throw base::UserError(place, "'" + std::string(text) + "' is not a range of sizes",
                          "write the smallest and the largest, as in 1:4MiB");
  }
  base::Faults faults;
  const auto size_of = [&](std::string_view word) {
    const base::Parsed<std::uint64_t> size = base::parse_size_bytes(word);
    if (!size.value) {
      faults.add(place, size.error);
    } else if (*size.value >= kSizesEnd) {
      faults.add(place, "'" + std::string(word) + "' is 2 GiB or more, and MPI counts in int",
                 "write a size below 2GiB");
    }
    return size.value;
  };
  const auto low = size_of(words[0]);
  const auto high = size_of(words[1]);
  if (low && *low == 0) {
    faults.add(place, "'" + std::string(text) + "' begins at 0, which has no logarithm",
               "begin at 1");
  }
  if (low && high && *low > *high) faults.add(place, reversed_text(*low, *high));
  faults.throw_if_any();
  return {.low_bytes = *low, .high_bytes = *high};
}

std::vector<std::uint64_t> parse_size_list(std::string_view text, const std::string& place) {
  return SizeWords(place).read(text, false).sizes_bytes;
}

}  // namespace invar::design
