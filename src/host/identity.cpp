#include "host/identity.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstddef>

#include "base/crc32c.hpp"
#include "base/text.hpp"

namespace invar::host {
namespace {

std::string link_text(const char* path) {
  std::array<char, 256> target{};
  const ssize_t length = readlink(path, target.data(), target.size());
  return length < 0 ? std::string("none")
                    : std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace

std::string host_name() {
  utsname names{};
  uname(&names);
  return names.nodename;
}

std::optional<std::string> boot_id(const std::string& root) {
  const auto text = base::read_file(root + "/proc/sys/kernel/random/boot_id");
  if (!text || base::trim(*text).empty()) return std::nullopt;
  return std::string(base::trim(*text));
}

std::string host_identity() {
  return boot_id().value_or("no boot id") + " " + host_name() + " " +
         link_text("/proc/self/ns/time");
}

std::uint64_t host_hash() {
  const std::string identity = host_identity();
  return (std::uint64_t{base::crc32c(identity)} << 32U) | base::crc32c(identity, 0x12345678U);
}

}  // namespace invar::host
