#include "ops/buffers/paged.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "host/files.hpp"

namespace invar::ops {
namespace {

// Linux's numbers, which not every C library's headers have.
constexpr int kPreferLocal = 4;  // MPOL_LOCAL
constexpr int kBind = 2;         // MPOL_BIND
constexpr int kInterleave = 3;   // MPOL_INTERLEAVE
constexpr unsigned kHugeShift = 26;
constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr std::size_t kThpBytes = 2 * kMiB;
constexpr std::size_t kMostNodes = 1024;
constexpr std::size_t kMostFrames = 65'536;

[[noreturn]] void no_memory(std::size_t bytes, const std::string& what, const std::string& remedy) {
  throw base::CommandError(base::Exit::kMeasurementFailed,
                           {base::Fault{.place = "buffers",
                                        .what = "cannot have " + base::size_text(bytes) + " " +
                                                what + ": " + std::strerror(errno),
                                        .remedy = remedy}});
}

class PagedMemory final : public MemorySpace {
 public:
  PagedMemory(const std::string& pages, record::NumaPlace numa, std::vector<std::uint32_t> nodes)
      : thp_(pages == record::kPageKinds[2]),
        small_(pages == record::kPageKinds[1]),
        reserved_bytes_(record::page_bytes_of(pages).value_or(0)),
        numa_(numa),
        nodes_(std::move(nodes)) {}

  [[nodiscard]] std::string_view name() const override { return "host"; }

  // Buffers lie at any of the usual pages, whatever is below them.
  [[nodiscard]] std::size_t page_bytes() const override { return host_memory().page_bytes(); }

  [[nodiscard]] std::byte* allocate(std::size_t bytes) const override {
    const std::size_t mapped = mapped_bytes(bytes);
    std::byte* const memory = map(mapped);
    bind(memory, mapped);
    return memory;
  }

  void release(std::byte* memory, std::size_t bytes) const noexcept override {
    munmap(memory, mapped_bytes(bytes));
  }

  void write(std::byte* to, std::span<const std::byte> from) const override {
    host_memory().write(to, from);
  }
  void read(const std::byte* from, std::span<std::byte> to) const override {
    host_memory().read(from, to);
  }
  void flush(const std::byte* from, std::size_t bytes) const override {
    host_memory().flush(from, bytes);
  }

 private:
  [[nodiscard]] std::size_t mapped_bytes(std::size_t bytes) const {
    std::size_t unit = page_bytes();
    if (thp_) unit = kThpBytes;
    if (reserved_bytes_ != 0) unit = reserved_bytes_;
    return (bytes + unit - 1) / unit * unit;
  }

  [[nodiscard]] std::byte* map(std::size_t bytes) const {
    // Huge pages begin at multiples of theirs: what is beside is given back.
    const std::size_t more = thp_ ? kThpBytes : 0;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (reserved_bytes_ != 0) {
      const int log = reserved_bytes_ == kThpBytes ? 21 : 30;
      flags |= MAP_HUGETLB | (log << kHugeShift);
    }
    void* const all = mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (all == MAP_FAILED && reserved_bytes_ != 0) {
      const std::string page = base::size_text(reserved_bytes_);
      no_memory(bytes, "in pages of " + page,
                "reserve " + std::to_string(bytes / reserved_bytes_) +
                    " more of them for each "
                    "rank (huge-pages in [engine], or vm.nr_hugepages)");
    }
    if (all == MAP_FAILED) no_memory(bytes, "of memory", "use smaller sizes or fewer ranks");
    auto* memory = static_cast<std::byte*>(all);
    if (thp_) {
      const auto begin = reinterpret_cast<std::uintptr_t>(all);
      const std::size_t before = (kThpBytes - begin % kThpBytes) % kThpBytes;
      if (before > 0) munmap(memory, before);
      if (before < more) munmap(memory + before + bytes, more - before);
      memory += before;
      if (madvise(memory, bytes, MADV_HUGEPAGE) != 0) {
        munmap(memory, bytes);
        no_memory(bytes, "in transparent huge pages",
                  "write pages = \"default\", or \"2MiB\" where some are reserved");
      }
    }
    // A kernel without huge pages has none to leave out.
    if (small_) static_cast<void>(madvise(memory, bytes, MADV_NOHUGEPAGE));
    return memory;
  }

  void bind(std::byte* memory, std::size_t bytes) const {
    if (numa_.kind == record::NumaKind::kDefault) return;
    std::array<unsigned long, kMostNodes / (8 * sizeof(unsigned long))> mask{};
    for (const std::uint32_t node : nodes_) {
      constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
      mask[node / kWordBits] |= 1UL << (node % kWordBits);
    }
    const bool local = numa_.kind == record::NumaKind::kLocal;
    int mode = kBind;
    if (local) mode = kPreferLocal;
    if (numa_.kind == record::NumaKind::kInterleaved) mode = kInterleave;
    const long result = syscall(SYS_mbind, memory, bytes, mode, local ? nullptr : mask.data(),
                                local ? 0UL : kMostNodes + 1, 0U);
    if (result == 0) return;
    const int reason = errno;
    munmap(memory, bytes);
    errno = reason;
    no_memory(bytes, "on the NUMA nodes that numa asks for",
              "write numa = \"default\"; a container may forbid mbind");
  }

  bool thp_;
  bool small_;
  std::size_t reserved_bytes_;  // 0: the usual pages
  record::NumaPlace numa_;
  std::vector<std::uint32_t> nodes_;  // that it binds to
};

// "0-1,4".
std::vector<std::uint32_t> numbers_of_list(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  for (const std::string_view part : base::split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = base::parse_u64(base::trim(part.substr(0, dash)));
    const auto last =
        dash == std::string_view::npos ? first : base::parse_u64(base::trim(part.substr(dash + 1)));
    if (!first || !last || *last >= kMostNodes) continue;
    for (std::uint64_t number = *first; number <= *last; ++number) {
      numbers.push_back(static_cast<std::uint32_t>(number));
    }
  }
  return numbers;
}

bool parse_hex(std::string_view text, std::uintptr_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

// "7f00-7f20 rw-p ...": begin and end; false: no such line.
bool begins_mapping(std::string_view line, std::uintptr_t& begin, std::uintptr_t& end) {
  const std::string_view range = line.substr(0, line.find(' '));
  const std::size_t dash = range.find('-');
  return dash != std::string_view::npos && parse_hex(range.substr(0, dash), begin) &&
         parse_hex(range.substr(dash + 1), end);
}

}  // namespace

std::vector<std::uint32_t> memory_nodes(const std::string& root) {
  const auto text = host::read_line(root + "/sys/devices/system/node/has_memory");
  std::vector<std::uint32_t> nodes = numbers_of_list(text.value_or(""));
  if (nodes.empty()) nodes.push_back(0);
  return nodes;
}

std::unique_ptr<MemorySpace> paged_memory(const std::string& pages, const std::string& numa) {
  const record::NumaPlace place = record::parse_numa(numa).value_or(record::NumaPlace{});
  std::vector<std::uint32_t> nodes = memory_nodes();
  if (place.kind == record::NumaKind::kNode) {
    if (std::ranges::find(nodes, place.node) == nodes.end()) {
      throw base::UserError("numa = \"" + numa + "\"",
                            "this host has no memory on node " + std::to_string(place.node),
                            "write a node up to " + std::to_string(nodes.back()));
    }
    nodes = {place.node};
  }
  return std::make_unique<PagedMemory>(pages, place, std::move(nodes));
}

std::optional<std::uint32_t> huge_ppm_of(const std::string& smaps, std::uintptr_t at) {
  bool inside = false;
  std::uint64_t resident = 0;
  std::uint64_t huge = 0;
  bool found = false;
  for (const std::string_view line : base::split(smaps, '\n')) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (begins_mapping(line, begin, end)) {
      if (found) break;
      inside = begin <= at && at < end;
      found = inside;
      continue;
    }
    if (!inside) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    std::string_view value = base::trim(line.substr(colon + 1));
    if (!value.ends_with(" kB")) continue;
    value.remove_suffix(3);
    const std::uint64_t kib = base::parse_u64(value).value_or(0);
    // Reserved pages are not in Rss.
    if (key == "Rss") resident += kib;
    if (key == "Private_Hugetlb" || key == "Shared_Hugetlb") {
      resident += kib;
      huge += kib;
    }
    if (key == "AnonHugePages") huge += kib;
  }
  if (!found || resident == 0) return std::nullopt;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(huge * 1'000'000 / resident, 1'000'000));
}

std::optional<std::uint32_t> huge_ppm(const std::byte* at) {
  const auto text = base::read_file("/proc/self/smaps");
  return text ? huge_ppm_of(*text, reinterpret_cast<std::uintptr_t>(at)) : std::nullopt;
}

std::vector<std::uint64_t> frames_of(const std::byte* from, std::size_t bytes) {
  std::vector<std::uint64_t> frames;
  if (bytes == 0) return frames;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(from) / page;
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(from) + bytes - 1) / page;
  const std::size_t count = std::min<std::size_t>(last - first + 1, kMostFrames);
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) return frames;
  std::vector<std::uint64_t> entries(count);
  const auto length = static_cast<ssize_t>(count * sizeof(std::uint64_t));
  const bool read = pread(file, entries.data(), static_cast<std::size_t>(length),
                          static_cast<off_t>(first * sizeof(std::uint64_t))) == length;
  close(file);
  for (const std::uint64_t entry : entries) {
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63U;
    constexpr std::uint64_t kFrame = (std::uint64_t{1} << 55U) - 1;
    // Without the right to see them all are 0.
    if (read && (entry & kPresent) != 0 && (entry & kFrame) != 0) frames.push_back(entry & kFrame);
  }
  std::ranges::sort(frames);
  return frames;
}

void VisitMemory::Free::operator()(std::byte* memory) const { std::free(memory); }

std::byte* VisitMemory::placed(Block& block, std::size_t bytes) {
  const std::size_t all = bytes + 2 * kGuardBytes + kLineBytes;
  block.reset(static_cast<std::byte*>(std::malloc(all)));
  if (!block) no_memory(all, "by malloc", "use smaller sizes or fewer ranks");
  std::memset(block.get(), 0x5a, all);
  const auto begin = reinterpret_cast<std::uintptr_t>(block.get());
  return block.get() + (kLineBytes - begin % kLineBytes) % kLineBytes + kGuardBytes;
}

VisitMemory::VisitMemory(BufferNeed need) : need_(need) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto offset = [page](const std::byte* at) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at) % page);
  };
  placement_.send = placed(send_, need.send_bytes);
  placement_.recv = placed(recv_, need.recv_bytes);
  placement_.send_offset_bytes = offset(placement_.send);
  placement_.recv_offset_bytes = offset(placement_.recv);
  if (need.scratch_bytes == 0) return;
  placement_.scratch = placed(scratch_, need.scratch_bytes);
  placement_.scratch_offset_bytes = offset(placement_.scratch);
}

std::vector<std::uint64_t> VisitMemory::frames() const {
  std::vector<std::uint64_t> all;
  for (const auto& [from, bytes] :
       {std::pair{placement_.send, need_.send_bytes}, std::pair{placement_.recv, need_.recv_bytes},
        std::pair{placement_.scratch, need_.scratch_bytes}}) {
    const std::vector<std::uint64_t> own = frames_of(from, bytes);
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace invar::ops
