#include "group/visit_word.hpp"

#include <algorithm>
#include <set>

#include "base/binomial_tree.hpp"

namespace invar::group {

VisitWord visit_word(std::span<const std::uint32_t> members,
                     std::span<const std::uint32_t> host_of_rank, std::uint32_t mine) {
  if (members.empty()) return {};
  std::set<std::uint32_t> known;  // hosts that need no further rank
  for (const std::uint32_t member : members) known.insert(host_of_rank[member]);
  std::vector<std::uint32_t> told{*std::ranges::min_element(members)};
  for (std::uint32_t rank = 0; rank < host_of_rank.size(); ++rank) {
    if (known.insert(host_of_rank[rank]).second) told.push_back(rank);
  }
  const auto own = std::ranges::find(told, mine);
  if (own == told.end()) return {};
  const auto place = static_cast<std::size_t>(own - told.begin());
  const base::TreePlace tree = base::tree_place(place, told.size());
  VisitWord word;
  if (tree.parent) word.from = told[*tree.parent];
  for (const std::size_t child : tree.children) word.to.push_back(told[child]);
  return word;
}

}  // namespace invar::group
