#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "launch/stress/stress_launch.hpp"

namespace invar::launch {
namespace {

// Parts of names of control variables that say at which size a message goes another way.
constexpr std::array<std::string_view, 5> kLimitNames{"eager", "rndv", "rendezvous",
                                                      "max_send_size", "frag_size"};
constexpr std::uint64_t kLongestHeader = 80;
constexpr std::uint64_t kHeaderStep = 8;

bool names_limit(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::any_of(
      kLimitNames, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

// As the launch will have it: the arm's, else that of our own environment, else the default.
std::string value_of(const ControlVariable& variable, const Environment& environment) {
  const auto told = std::ranges::find_if(environment, [&](const auto& setting) {
    // A library may know its variables without the beginning that they have here.
    return setting.first == variable.name || setting.first.ends_with("_" + variable.name);
  });
  if (told != environment.end()) return told->second;
  const char* const own = std::getenv(variable.name.c_str());
  return own != nullptr ? own : variable.value;
}

}  // namespace

std::vector<std::uint64_t> limits_of(const Profile& profile, const Environment& environment,
                                     std::uint64_t largest_bytes) {
  std::set<std::uint64_t> sizes;
  for (const ControlVariable& variable : profile.variables) {
    if (!names_limit(variable.name)) continue;
    const std::optional<std::uint64_t> limit = base::parse_u64(value_of(variable, environment));
    if (!limit || *limit < 2 || *limit > largest_bytes) continue;
    for (std::uint64_t header = 0; header <= kLongestHeader && header < *limit;
         header += kHeaderStep) {
      sizes.insert(*limit - header);
    }
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace invar::launch
