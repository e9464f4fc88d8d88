// Cores that a campaign has to itself on this host: a lock on a file for each, in a directory that
// all users share. The kernel lets go of it when the process ends, however it does. Nothing is
// written into the files, and nothing in them is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace invar::driver {

// The first of /run/lock and /tmp that is root's and open to all, who may not remove what is
// others'. So all users of a host have the same one. None: there is no such directory.
std::optional<std::filesystem::path> shared_lock_dir();

class CoreClaims {
 public:
  // All of these cores (the lowest CPU of each), or none: in ascending order, without waiting. What
  // this process has claimed already it shares. Throws base::UserError with `place`: somebody else
  // has some of them (who, and which of `others` nobody has), or a file is not what it should be.
  static std::shared_ptr<const CoreClaims> take(std::span<const std::uint32_t> cores,
                                                std::span<const std::uint32_t> others,
                                                const std::filesystem::path& dir,
                                                const std::string& place);

  [[nodiscard]] std::vector<std::uint32_t> cores() const;

 private:
  class File;
  std::map<std::uint32_t, std::shared_ptr<const File>> files_ = {};
};

// The cores of these CPUs of this host, in shared_lock_dir(); null, and said on standard error,
// where there is none. Throws as CoreClaims::take().
std::shared_ptr<const CoreClaims> claim_cpus(std::span<const std::uint32_t> cpus,
                                             const std::string& place);

}  // namespace invar::driver
