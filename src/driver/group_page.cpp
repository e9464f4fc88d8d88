#include "driver/group_page.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "base/crc32c.hpp"
#include "base/text.hpp"
#include "host/identity.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSharedMemory = "/dev/shm";

std::string directory_part(const fs::path& campaign_dir) {
  return base::crc_text(base::crc32c(fs::absolute(campaign_dir).lexically_normal().string())) + "-";
}

}  // namespace

GroupPage::GroupPage(const std::string& group_id)
    : name_("/invar-" + engine::Page::name_of(group_id, host::host_identity())),
      descriptor_(shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}

GroupPage::~GroupPage() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  shm_unlink(name_.c_str());
}

std::vector<engine::RankSeen> GroupPage::ranks() const {
  const std::optional<engine::Page> page =
      descriptor_ < 0 ? std::nullopt : engine::Page::look(descriptor_);
  return page ? engine::look_around(*page) : std::vector<engine::RankSeen>();
}

GroupPage::Standstill GroupPage::standstill() {
  const auto now = std::chrono::steady_clock::now();
  const std::optional<engine::Page> page =
      descriptor_ < 0 ? std::nullopt : engine::Page::look(descriptor_);
  if (!page) {
    since_ = now;
    return {};
  }
  const std::uint64_t seen = engine::fingerprint(*page);
  if (seen != last_seen_) since_ = now;
  last_seen_ = seen;
  Standstill result{.seconds = std::chrono::duration<double>(now - since_).count(),
                    .starting = true,
                    .finished = page->header().finished.load() >= page->processes()};
  std::uint32_t latest = 0;
  for (std::uint32_t arm = 0; arm < page->shape().arms; ++arm) {
    const std::uint32_t go = page->arm(arm).go.load();
    if (go <= latest) continue;
    latest = go;
    result.starting = false;
    result.arm = arm;
  }
  return result;
}

std::string group_id_start(const fs::path& campaign_dir) {
  return directory_part(campaign_dir) + std::to_string(getpid()) + "-";
}

void remove_stale_pages(const fs::path& campaign_dir) {
  const std::string start = "invar-" + directory_part(campaign_dir);
  std::vector<fs::path> stale;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kSharedMemory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start)) continue;
    const std::string_view rest = std::string_view(name).substr(start.size());
    const auto pid = base::parse_u64(rest.substr(0, rest.find('-')));
    // Another directory may have the same checksum.
    const bool alive = pid && (::kill(static_cast<pid_t>(*pid), 0) == 0 || errno != ESRCH);
    if (!alive) stale.push_back(entry.path());
  }
  for (const fs::path& page : stale) fs::remove(page, ignored);
}

}  // namespace invar::driver
