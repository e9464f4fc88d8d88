#include "ops/memory/kernels/chains.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

namespace invar::ops {
namespace {

std::uint64_t place_of_line(std::uint64_t line, const ChainOrder& order) {
  if (order.access == record::Access::kLinePerPage) return line_in_page(line);
  return line * order.stride_bytes;
}

// Numbers of lines in the order in which they are visited.
std::vector<std::uint64_t> visited_lines(const ChainOrder& order, base::Random& random) {
  std::vector<std::uint64_t> lines(order.lines);
  std::iota(lines.begin(), lines.end(), std::uint64_t{0});
  const std::span<std::uint64_t> all(lines);
  if (order.access == record::Access::kRandom || order.access == record::Access::kLinePerPage) {
    random.shuffle(all);
  } else if (order.access == record::Access::kRandomInPage) {
    const std::uint64_t in_page = std::max<std::uint64_t>(kPageOfOrders / order.stride_bytes, 1);
    for (std::uint64_t first = 0; first < order.lines; first += in_page) {
      random.shuffle(all.subspan(first, std::min(in_page, order.lines - first)));
    }
  }
  return lines;
}

}  // namespace

ChainHeads make_chains(std::byte* buffer, const ChainOrder& order, base::Random& random) {
  ChainHeads heads{};
  const std::vector<std::uint64_t> lines = visited_lines(order, random);
  const std::uint64_t each = order.lines / order.chains;
  for (std::uint32_t chain = 0; chain < order.chains && each > 0; ++chain) {
    const std::span own = std::span(lines).subspan(chain * each, each);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::byte* const next = buffer + place_of_line(own[(i + 1) % own.size()], order);
      std::memcpy(buffer + place_of_line(own[i], order), &next, sizeof next);
    }
    heads[chain] = buffer + place_of_line(own.front(), order);
  }
  return heads;
}

}  // namespace invar::ops
