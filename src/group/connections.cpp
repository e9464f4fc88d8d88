#include "group/connections.hpp"

#include <algorithm>

namespace invar::group {

std::optional<Connect> connect_of(std::string_view level, std::uint32_t ranks,
                                  std::uint32_t hosts) {
  if (level == "none") return Connect::kNone;
  if (level == "pattern") return Connect::kPattern;
  if (level == "all") return Connect::kAll;
  if (level != "auto" && level != "hosts") return std::nullopt;
  if (hosts <= 1) return Connect::kNone;
  return level == "hosts" || ranks <= kConnectAllUpTo ? Connect::kAll : Connect::kPattern;
}

std::vector<std::uint32_t> pattern_partners(std::span<const std::uint32_t> order,
                                            std::uint32_t mine) {
  std::vector<std::uint32_t> partners;
  const auto own = std::ranges::find(order, mine);
  if (own == order.end()) return partners;
  const auto place = static_cast<std::size_t>(own - order.begin());
  const std::size_t ranks = order.size();
  for (std::size_t distance = 1; distance < ranks; distance *= 2) {
    partners.push_back(order[(place + distance) % ranks]);
    partners.push_back(order[(place + ranks - distance) % ranks]);
  }
  std::sort(partners.begin(), partners.end());
  partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
  return partners;
}

}  // namespace invar::group
