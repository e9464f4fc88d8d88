// The libraries whose tuning is known, and their versions.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace invar::tuning {

enum class Library : std::uint8_t { kOpenMpi, kMpich, kIntel };

constexpr std::array<Library, 3> kLibraries{Library::kOpenMpi, Library::kMpich, Library::kIntel};

// As profiles have it (launch::Profile::family): "openmpi", "mpich", "intel".
constexpr std::string_view family_of(Library library) {
  constexpr std::string_view kFamilies[] = {"openmpi", "mpich", "intel"};
  return kFamilies[static_cast<std::size_t>(library)];
}

// In messages: "Open MPI".
constexpr std::string_view title_of(Library library) {
  constexpr std::string_view kTitles[] = {"Open MPI", "MPICH", "Intel MPI"};
  return kTitles[static_cast<std::size_t>(library)];
}

// By family; nothing for a library without tunables that are known.
std::optional<Library> find_library(std::string_view family);

struct Version {
  int generation = 0;  // 4 of 4.1.2
  int feature = 0;
  int fix = 0;

  auto operator<=>(const Version&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The first number with a point in it: of "4.1.4", "Open MPI v5.0.8rc1, package: ...", "Intel(R)
// MPI Library 2021.18 for Linux". Nothing if there is none.
std::optional<Version> parse_version(std::string_view text);
std::string to_string(const Version& version);

}  // namespace invar::tuning
