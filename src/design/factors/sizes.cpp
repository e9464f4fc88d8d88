#include "design/factors/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

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
  const std::uint64_t first = (request.low_bytes + extent_bytes - 1) / extent_bytes * extent_bytes;
  if (first > request.high_bytes) return {};
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
    sizes.push_back(std::max(drawn / extent_bytes * extent_bytes, first));
  }
  return sizes;
}

std::vector<std::uint64_t> first_sizes(const AdaptiveSizes& asked, std::uint64_t extent_bytes) {
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
      } else {
        read_range(*table);
      }
    } else if (const auto size = one_size(document_, node, "the size")) {
      block_.sizes_bytes.push_back(*size);
    }
  }

  void read_range(const toml::table& node) {
    TomlTable table(document_, node, "'size'",
                    {"from", "to", "factor", "step", "loguniform", "count"});
    if (const toml::node* count = table.find("count")) {
      document_.fault(*count, "'count' goes with 'loguniform' only",
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
    TomlTable table(document_, node, "'size'", {"loguniform", "count"});
    RandomSizes request;
    const bool count_good =
        table.require("count", "write how many sizes to draw, as in count = 50") &&
        table.number("count", request.count, {1, kMaxSizes});
    const toml::node& range = *table.find("loguniform");
    const auto* list = range.as_array();
    if (list == nullptr || list->size() != 2) {
      document_.fault(range, table.named("loguniform") + " must be a list of two sizes",
                      "write the smallest and the largest, as in [\"1\", \"1MiB\"]");
      return;
    }
    const auto low = one_size(document_, *list->get(0), "the smallest size");
    const auto high = one_size(document_, *list->get(1), "the largest size");
    if (!low || !high || !count_good) return;
    if (*low == 0) {
      document_.fault(*list->get(0), "0 has no logarithm",
                      "begin at 1, and add 0 to the list: [0, { loguniform = ... }]");
    } else if (*low > *high) {
      document_.fault(range, reversed_text(*low, *high));
    } else {
      request.low_bytes = *low;
      request.high_bytes = *high;
      block_.random_sizes.push_back(request);
    }
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

std::vector<std::uint64_t> parse_size_list(std::string_view text, const std::string& place) {
  base::Faults faults;
  std::vector<std::uint64_t> sizes;
  const auto parse = [&](std::string_view part) {
    const base::Parsed<std::uint64_t> size = base::parse_size_bytes(part);
    if (!size.value) faults.add(place, size.error);
    return size.value;
  };
  for (const std::string_view part : base::split(text, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) {
      if (const auto size = parse(part)) sizes.push_back(*size);
      continue;
    }
    const auto from = parse(part.substr(0, colon));
    const auto to = parse(part.substr(colon + 1));
    if (!from || !to) continue;
    const Sizes range = sizes_by_factor(*from, *to, 2);
    if (!range.value) {
      faults.add(place, "'" + std::string(part) + "': " + range.error);
    } else {
      sizes.insert(sizes.end(), range.value->begin(), range.value->end());
    }
  }
  faults.throw_if_any();
  return sizes;
}

}  // namespace invar::design
