// MPICH's selection trees: what chooses an algorithm there. A branch asks something ("comm_size<8")
// or names what runs ("algorithm=MPIR_Bcast_intra_binomial"); branches are tried in their order.
// A library has its own tree as a string; a file replaces it whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::tuning {

struct Branch {
  std::string key = {};
  std::vector<Branch> below = {};

  bool operator==(const Branch&) const = default;
};

using Tree = std::vector<Branch>;

// Objects of objects, nothing else. Throws UserError (place, line, column).
Tree parse_tree(std::string_view json, const std::string& place);
std::string tree_text(const Tree& tree);

// The trees of a libmpi or libmpich, found among the strings of its file. The generic one names
// MPICH's own algorithms, that of the device (CH4) how levels of the machine are combined before
// these are asked. Nothing if there is none.
std::optional<std::string> find_mpich_tree(std::string_view library_bytes);
std::optional<std::string> find_mpich_device_tree(std::string_view library_bytes);

}  // namespace invar::tuning
