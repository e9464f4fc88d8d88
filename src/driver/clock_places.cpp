#include "driver/clock_places.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::driver {
namespace {

std::uint32_t hosts_of(const ClockPlace& place) {
  return std::max(1U, static_cast<std::uint32_t>(place.hosts.size()));
}

}  // namespace

std::uint32_t usual_ranks(const std::vector<design::Host>& hosts, std::size_t cores) {
  if (hosts.empty()) return static_cast<std::uint32_t>(cores);
  std::uint32_t each = hosts.front().slots;
  for (const design::Host& host : hosts) each = std::min(each, host.slots);
  return static_cast<std::uint32_t>(hosts.size()) * std::max(1U, each);
}

std::vector<std::uint32_t> usual_numbers(const std::vector<design::Host>& hosts,
                                         std::size_t cores) {
  const std::uint32_t most = usual_ranks(hosts, cores);
  const auto all = std::max(1U, static_cast<std::uint32_t>(hosts.size()));
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t ranks = 2; ranks < all; ranks *= 2) numbers.push_back(ranks);
  for (std::uint32_t ranks = all; ranks <= most; ranks *= 2) {
    if (ranks > 1) numbers.push_back(ranks);
  }
  if (numbers.empty()) numbers.push_back(2);
  if (numbers.back() < most) numbers.push_back(most);
  return numbers;
}

ClockPlace place_of(std::uint32_t ranks, const std::vector<design::Host>& hosts, std::size_t cores,
                    bool some_hosts) {
  if (ranks < 2) {
    throw base::UserError("--ranks", "a single clock has nothing to agree with",
                          "name two ranks at least");
  }
  ClockPlace place{.ranks = ranks, .hosts = hosts};
  if (hosts.empty()) return place;
  if (ranks < hosts.size() && some_hosts) place.hosts.resize(ranks);
  const std::uint32_t on_hosts = hosts_of(place);
  if (ranks % on_hosts != 0) {
    throw base::UserError("--ranks",
                          base::count_text(static_cast<std::uint64_t>(ranks), "rank") +
                              " are not as many on each of " + base::count_text(on_hosts, "host"),
                          ranks < on_hosts ? "name " + std::to_string(on_hosts) +
                                                 " or a multiple of it, or as many hosts"
                                           : "a multiple of " + std::to_string(on_hosts));
  }
  base::Faults faults;
  const std::uint32_t each = ranks_on_each(place);
  for (const design::Host& host : place.hosts) {
    const std::size_t room = host.slots > 0 ? host.slots : cores;
    if (each <= room) continue;
    faults.add("--ranks",
               std::to_string(each) + " of them would be on " + host.name + ", which takes " +
                   std::to_string(room),
               host.slots > 0 ? "fewer ranks, or more behind the host's name"
                              : "fewer ranks; this host has as many cores, and others may have "
                                "more: write " +
                                    host.name + ":" + std::to_string(each));
  }
  faults.throw_if_any();
  return place;
}

std::uint32_t ranks_on_each(const ClockPlace& place) { return place.ranks / hosts_of(place); }

std::optional<std::uint32_t> ranks_on_each(const std::vector<ClockPlace>& places) {
  const std::uint32_t first = ranks_on_each(places.front());
  const bool same = std::all_of(places.begin(), places.end(), [&](const ClockPlace& place) {
    return ranks_on_each(place) == first;
  });
  return same ? std::optional(first) : std::nullopt;
}

const ClockPlace& largest_place(const std::vector<ClockPlace>& places) {
  return *std::max_element(
      places.begin(), places.end(),
      [](const ClockPlace& one, const ClockPlace& other) { return one.ranks < other.ranks; });
}

}  // namespace invar::driver
