#include "driver/prepare/own_host.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "host/identity.hpp"

namespace invar::driver {
namespace {

// Family and bytes of an address; empty: it is of another family.
std::string address_bytes(const sockaddr* address) {
  const auto text = [](char family, const void* bytes, std::size_t size) {
    return family + std::string(static_cast<const char*>(bytes), size);
  };
  if (address == nullptr) return "";
  if (address->sa_family == AF_INET) {
    sockaddr_in of_four{};
    std::memcpy(&of_four, address, sizeof of_four);
    return text('4', &of_four.sin_addr, sizeof of_four.sin_addr);
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 of_six{};
    std::memcpy(&of_six, address, sizeof of_six);
    return text('6', &of_six.sin6_addr, sizeof of_six.sin6_addr);
  }
  return "";
}

std::set<std::string> own_addresses() {
  std::set<std::string> own;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return own;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    own.insert(address_bytes(one->ifa_addr));
  }
  freeifaddrs(all);
  own.erase("");
  return own;
}

// Debian gives a host's own name 127.0.1.1, which no interface has.
bool is_loopback(const std::string& address) {
  constexpr char kLoopback = 127;
  return address.size() == 1 + sizeof(in_addr) && address[0] == '4' && address[1] == kLoopback;
}

std::string short_name(std::string_view name) {
  std::string text(name.substr(0, name.find('.')));
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_number(const std::string& host) {
  in6_addr any{};
  return inet_pton(AF_INET, host.c_str(), &any) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

}  // namespace

Whereabouts whereabouts_of(const std::string& host) {
  if (!is_number(host)) {
    const std::string name = short_name(host);
    if (name == "localhost" || name == short_name(host::host_name())) return Whereabouts::kHere;
  }
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return Whereabouts::kUnknown;
  const std::set<std::string> own = own_addresses();
  bool here = false;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const std::string address = address_bytes(one->ai_addr);
    here = here || own.contains(address) || is_loopback(address);
  }
  freeaddrinfo(found);
  return here ? Whereabouts::kHere : Whereabouts::kElsewhere;
}

bool some_are_here(std::span<const design::Host> hosts) {
  if (hosts.empty()) return true;
  std::vector<std::string> unknown;
  for (const design::Host& host : hosts) {
    const Whereabouts whereabouts = whereabouts_of(host.name);
    if (whereabouts == Whereabouts::kHere) return true;
    if (whereabouts == Whereabouts::kUnknown) unknown.push_back(host.name);
  }
  if (!unknown.empty()) {
    fmt::print(stderr,
               "invar: no cores of this host ({}) are claimed, because none of the hosts is known "
               "to be it; if {} is, other campaigns here do not see which cores this one takes\n",
               host::host_name(), base::first_items(unknown, 3, ", "));
  }
  return false;
}

}  // namespace invar::driver
