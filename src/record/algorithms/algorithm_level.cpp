#include "record/algorithms/algorithm_level.hpp"

#include <algorithm>
#include <string>

#include "record/operation/operation_info.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kOfLibrary = "algorithm:";
constexpr std::string_view kMockup = "mockup:";
constexpr std::string_view kReference = "reference:";

// Stands in a plan's column, and between the spaces of a switch.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':' || c == '=' || c == '.';
  });
}

}  // namespace

bool is_algorithm_level(std::string_view text) {
  if (text == kAsGivenAlgorithm) return true;
  return text.starts_with(kOfLibrary) && text.size() > kOfLibrary.size() && is_plain(text);
}

LevelText algorithm_level(std::string_view written) {
  if (is_algorithm_level(written)) return {.text = std::string(written)};
  for (const std::string_view other : {kMockup, kReference}) {
    if (!written.starts_with(other)) continue;
    return {.complaint = "'" + std::string(written) + "' is an operation of its own",
            .remedy = "write operation = \"" + std::string(written.substr(other.size())) + "\""};
  }
  if (written == "library-default") {
    return {.complaint = "'library-default' is what an arm without settings measures",
            .remedy = "name the library as an arm of its own"};
  }
  return {.complaint = "'" + std::string(written) + "' is not an algorithm",
          .remedy =
              "write \"default\", or \"algorithm:NAME\" with a name of `invar ops "
              "--algorithms`, as in \"algorithm:chain:segment=64\""};
}

bool has_algorithms(const OperationInfo& info) {
  return info.emulates.empty() && info.form_of.empty() && !info.persistent && !info.neighbours;
}

}  // namespace invar::record
