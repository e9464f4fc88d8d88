// The word that a visit is over: how it comes to hosts none of whose ranks takes part. Knows no
// MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace invar::group {

// From whom a rank gets the word, and to whom it hands it on.
struct VisitWord {
  std::optional<std::uint32_t> from = {};  // none: it needs no message to know
  std::vector<std::uint32_t> to = {};

  bool operator==(const VisitWord&) const = default;
};

// Rank `mine`'s part in a binomial tree: at its root the lowest of `members` (ranks that take part,
// in any order), below it the lowest rank of every host without one. ceil(log2 h) messages one
// after the other for h such hosts; none where every host has a member. `host_of_rank`: index of
// each rank's host.
VisitWord visit_word(std::span<const std::uint32_t> members,
                     std::span<const std::uint32_t> host_of_rank, std::uint32_t mine);

}  // namespace invar::group
