// Huge pages that the kernel keeps for whoever asks for them by MAP_HUGETLB. A row of the host's
// settings (settings.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/settings.hpp"

namespace invar::host {

// "64x2MiB": so many pages of a size.
struct HugePages {
  std::uint64_t count = 0;
  std::uint64_t page_bytes = 0;

  bool operator==(const HugePages&) const = default;
};
// Nothing for other texts; the size is 2 MiB or 1 GiB.
std::optional<HugePages> parse_huge_pages(std::string_view level);

// Pages of the size that nobody has mapped; none: the kernel has no such pages.
std::optional<std::uint64_t> free_huge_pages(std::uint64_t page_bytes, const HostRoots& roots = {});

// Level "64x2MiB": so many are free while it is set, whatever else is reserved. Refused: a size
// that the kernel lacks, more than the memory that is available, no permission.
std::optional<Refusal> huge_pages_refusal(const std::string& level, const HostRoots& roots);
SettingTexts huge_pages_now(const HostRoots& roots);
SettingTexts huge_pages_writes(const std::string& level, const HostRoots& roots);
bool is_huge_pages_file(std::string_view file);

}  // namespace invar::host
