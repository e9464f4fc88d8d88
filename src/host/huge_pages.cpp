#include "host/huge_pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "host/files.hpp"

namespace invar::host {
namespace {

constexpr std::string_view kPools = "sys/kernel/mm/hugepages/hugepages-";
constexpr std::string_view kReserved = "nr_hugepages";
constexpr std::string_view kFree = "free_hugepages";

struct PageSize {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<PageSize, 2> kPageSizes{
    {{"2MiB", std::uint64_t{2} << 20U}, {"1GiB", std::uint64_t{1} << 30U}}};

std::string pool_file(std::uint64_t page_bytes, std::string_view name) {
  return std::string(kPools) + std::to_string(page_bytes >> 10U) + "kB/" + std::string(name);
}

// Pages that must be added to what is reserved, so that the level's number is free.
std::uint64_t pages_lacking(const HugePages& asked, const HostRoots& roots) {
  const std::uint64_t free = free_huge_pages(asked.page_bytes, roots).value_or(0);
  return asked.count > free ? asked.count - free : 0;
}

}  // namespace

std::optional<HugePages> parse_huge_pages(std::string_view level) {
  const std::size_t sign = level.find('x');
  if (sign == std::string_view::npos) return std::nullopt;
  const auto count = base::parse_u64(level.substr(0, sign));
  const auto* const size =
      std::find_if(kPageSizes.begin(), kPageSizes.end(),
                   [&](const PageSize& one) { return one.name == level.substr(sign + 1); });
  if (!count || *count == 0 || size == kPageSizes.end()) return std::nullopt;
  if (*count > std::numeric_limits<std::uint64_t>::max() / size->bytes) return std::nullopt;
  return HugePages{.count = *count, .page_bytes = size->bytes};
}

std::optional<std::uint64_t> free_huge_pages(std::uint64_t page_bytes, const HostRoots& roots) {
  return read_number(path_of(pool_file(page_bytes, kFree), roots));
}

std::optional<Refusal> huge_pages_refusal(const std::string& level, const HostRoots& roots) {
  const std::optional<HugePages> asked = parse_huge_pages(level);
  if (!asked) return Refusal{"'" + level + "' is not a number of huge pages", "write 64x2MiB"};
  const std::string size = base::size_text(asked->page_bytes);
  const std::string path = path_of(pool_file(asked->page_bytes, kReserved), roots);
  if (!read_number(path)) {
    return Refusal{"this kernel has no huge pages of " + size + ": there is no " + path,
                   "use the other size, or leave huge-pages out"};
  }
  const std::uint64_t lacking = pages_lacking(*asked, roots);
  if (lacking == 0) return std::nullopt;
  if (access(path.c_str(), W_OK) != 0) {
    return Refusal{path + " cannot be written: " + std::strerror(errno),
                   "run as root, or let root reserve them: echo " +
                       std::to_string(read_number(path).value_or(0) + lacking) + " > " + path};
  }
  const std::string memory = base::read_file(roots.proc + "/meminfo").value_or("");
  const auto told = value_of(memory, "MemAvailable");
  const auto available_kib =
      told ? base::parse_u64(told->substr(0, told->find(' '))) : std::nullopt;
  if (available_kib && lacking > (*available_kib << 10U) / asked->page_bytes) {
    return Refusal{base::count_text(lacking, "huge page") + " of " + size +
                       " more than are reserved are " +
                       base::size_text(lacking * asked->page_bytes) + ", and " +
                       base::size_text(*available_kib << 10U) + " are available",
                   "reserve fewer"};
  }
  return std::nullopt;
}

SettingTexts huge_pages_now(const HostRoots& roots) {
  SettingTexts now;
  for (const PageSize& size : kPageSizes) {
    std::string file = pool_file(size.bytes, kReserved);
    if (auto text = read_line(path_of(file, roots))) now.push_back({std::move(file), *text});
  }
  return now;
}

SettingTexts huge_pages_writes(const std::string& level, const HostRoots& roots) {
  const std::optional<HugePages> asked = parse_huge_pages(level);
  if (!asked) return {};
  const std::uint64_t lacking = pages_lacking(*asked, roots);
  if (lacking == 0) return {};
  std::string file = pool_file(asked->page_bytes, kReserved);
  const std::uint64_t reserved = read_number(path_of(file, roots)).value_or(0);
  return {{std::move(file), std::to_string(reserved + lacking)}};
}

bool is_huge_pages_file(std::string_view file) {
  return std::any_of(kPageSizes.begin(), kPageSizes.end(), [&](const PageSize& size) {
    return file == pool_file(size.bytes, kReserved);
  });
}

}  // namespace invar::host
