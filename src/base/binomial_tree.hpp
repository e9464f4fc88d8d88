// The binomial tree by which a word goes down from one place to all others in ceil(log2 n) steps.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace invar::base {

struct TreePlace {
  std::optional<std::size_t> parent = {};  // none: the root
  std::vector<std::size_t> children = {};  // in the order in which they are told: large parts first
};

// `place` of 0 to `places` - 1; the root is 0. Its lowest set bit leads to its parent, lower ones
// to its children.
inline TreePlace tree_place(std::size_t place, std::size_t places) {
  TreePlace found;
  std::size_t bit = 1;
  while (bit < places && (place & bit) == 0) bit *= 2;
  if (place != 0) found.parent = place - bit;
  for (bit /= 2; bit > 0; bit /= 2) {
    if (place + bit < places) found.children.push_back(place + bit);
  }
  return found;
}

}  // namespace invar::base
