// Where the ranks of an experiment with clocks run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "design/campaign/hosts.hpp"

namespace invar::driver {

// A launch: ranks / hosts.size() of them on each; no host: this one, or where a launch template
// puts them.
struct ClockPlace {
  std::uint32_t ranks = 0;
  std::vector<design::Host> hosts = {};
};

// `cores`: of this host; what a host takes that does not say it.

// All that there is room for: one a core of this host; on hosts as many on each as all of them say
// that they take, and one where they say nothing.
std::uint32_t usual_ranks(const std::vector<design::Host>& hosts, std::size_t cores);

// What an experiment goes over if nothing is said: 2, 4, 8, ... ranks, each on a host of its own
// while there are more hosts, then 1, 2, 4, ... on each of them, and the usual ranks at the end.
std::vector<std::uint32_t> usual_numbers(const std::vector<design::Host>& hosts, std::size_t cores);

// `some_hosts`: fewer ranks than hosts take the first of these. Throws UserError where so many
// ranks cannot be spread over the hosts.
ClockPlace place_of(std::uint32_t ranks, const std::vector<design::Host>& hosts, std::size_t cores,
                    bool some_hosts);

std::uint32_t ranks_on_each(const ClockPlace& place);

// The same in all places, which there must be; none: they differ.
std::optional<std::uint32_t> ranks_on_each(const std::vector<ClockPlace>& places);

// The one with the most ranks; there must be one.
const ClockPlace& largest_place(const std::vector<ClockPlace>& places);

}  // namespace invar::driver
