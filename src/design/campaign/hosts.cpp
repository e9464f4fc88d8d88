#include "design/campaign/hosts.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::design {
namespace {

constexpr std::uint64_t kMostSlots = 100'000;

struct Written {
  std::string_view name = {};
  std::optional<std::string_view> slots = {};
};

// What is wrong with it; empty: nothing.
std::string complaint(const Written& written) {
  const bool good = !written.name.empty() && written.name[0] != '-' &&
                    written.name.find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789.-_") == std::string_view::npos;
  if (!good) return "'" + std::string(written.name) + "' is not the name of a host";
  if (!written.slots) return {};
  const auto slots = base::parse_u64(*written.slots);
  if (slots && *slots >= 1 && *slots <= kMostSlots) return {};
  return "'" + std::string(*written.slots) + "' is not a number of slots of host '" +
         std::string(written.name) + "'";
}

constexpr const char* kRemedy = "write node1, or node1:4 for four ranks on it";

// Hosts in the order in which they come first.
class HostList {
 public:
  void add(const Written& written) {
    const bool counted = written.slots.has_value();
    const auto slots = counted ? static_cast<std::uint32_t>(*base::parse_u64(*written.slots)) : 0U;
    const auto known = std::find_if(hosts_.begin(), hosts_.end(),
                                    [&](const Host& host) { return host.name == written.name; });
    if (known == hosts_.end()) {
      hosts_.push_back({.name = std::string(written.name), .slots = slots});
      return;
    }
    // A line without a number is one slot, as soon as there is another one.
    known->slots = std::max(known->slots, 1U) + std::max(slots, 1U);
  }
  [[nodiscard]] std::vector<Host> take() { return std::move(hosts_); }

 private:
  std::vector<Host> hosts_ = {};
};

Written split_colon(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return {.name = word};
  return {.name = word.substr(0, colon), .slots = word.substr(colon + 1)};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

}  // namespace

std::string host_text(const Host& host) {
  return host.slots == 0 ? host.name : host.name + ":" + std::to_string(host.slots);
}

std::vector<Host> parse_hosts(std::span<const std::string> words, const std::string& place) {
  HostList hosts;
  base::Faults faults;
  for (const std::string& word : words) {
    const Written written = split_colon(base::trim(word));
    if (const std::string what = complaint(written); !what.empty()) {
      faults.add(place, what, kRemedy);
    } else {
      hosts.add(written);
    }
  }
  if (words.empty()) faults.add(place, "no host is named", kRemedy);
  faults.throw_if_any();
  return hosts.take();
}

std::vector<Host> read_hostfile(std::string_view text, const std::string& place) {
  HostList hosts;
  base::Faults faults;
  int number = 0;
  bool any = false;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++number;
    const std::vector<std::string_view> words = words_of(raw.substr(0, raw.find('#')));
    if (words.empty()) continue;
    any = true;
    Written written = split_colon(words[0]);
    std::string what;
    for (const std::string_view word : std::span(words).subspan(1)) {
      if (word.starts_with("slots=")) {
        if (written.slots)
          what = "the slots of host '" + std::string(written.name) + "' stand twice";
        written.slots = word.substr(6);
      } else if (!word.starts_with("max_slots=") && !word.starts_with("max-slots=")) {
        what = "'" + std::string(word) + "' is not known behind a host";
      }
    }
    if (what.empty()) what = complaint(written);
    if (what.empty()) {
      hosts.add(written);
    } else {
      faults.add({.place = place,
                  .line = number,
                  .what = what,
                  .remedy = "write node1, node1:4 or node1 slots=4, one host a line"});
    }
  }
  if (!any) faults.add(place, "no host is named", "write one a line");
  faults.throw_if_any();
  return hosts.take();
}

}  // namespace invar::design
