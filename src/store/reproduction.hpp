// reproduce.json: what `invar reproduce` set out to measure (docs/formats.md). Its directory holds
// campaign.toml, and in 01/invar, 01/osu, ... a whole campaign for every repeat and method.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::store {

constexpr std::string_view kReproduction = "reproduce.json";

struct Reproduction {
  struct Repeat {
    std::uint64_t seed = 0;               // of all its campaigns
    std::vector<std::string> order = {};  // in which the methods are measured

    bool operator==(const Repeat&) const = default;
  };
  double budget_s = 0;  // of a method in a repeat
  // CRC-32C of campaign.toml beside it; none in directories of before it was written down.
  std::optional<std::uint32_t> campaign_crc = {};
  std::uint64_t seed = 0;                  // of the campaign as it was written
  std::vector<std::string> methods = {};   // "invar" first, then suites with visits of their own
  std::vector<std::string> computed = {};  // presets that look at the visits of "invar"
  std::vector<Repeat> repeats = {};

  bool operator==(const Reproduction&) const = default;
};

// The directory has a reproduce.json and is not a campaign itself.
bool holds_repeats(const std::filesystem::path& dir);

std::string reproduction_json(const Reproduction& reproduction);

// Throws UserError, naming `place`, for what is no such text or another schema.
Reproduction read_reproduction(std::string_view json, const std::string& place);

// DIR/03/osu; repeats count from 1.
std::filesystem::path repeat_dir(const std::filesystem::path& dir, std::size_t repeat,
                                 const std::string& method);

}  // namespace invar::store
