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
  // All of these cores (the lowest CPU of each), or none, without waiting until they are free. One
  // process at a time takes cores: else two that begin together could refuse each other, and a
  // third one what it was only looked at. What this process has claimed already it shares. Throws
  // base::UserError with `place`: somebody else has some of them (who, and which of `others` nobody
  // has), or a file is not what it should be.
  static std::shared_ptr<const CoreClaims> take(std::span<const std::uint32_t> cores,
                                                std::span<const std::uint32_t> others,
                                                const std::filesystem::path& dir,
                                                const std::string& place);

  [[nodiscard]] std::vector<std::uint32_t> cores() const;

  // Before every group: files that nobody has touched for days are removed from /tmp by cleaners,
  // and what is locked then nobody finds any more. Says that they are used, and claims anew what
  // was removed. Throws base::UserError with `place` if somebody else has it now.
  void keep(const std::string& place) const;

 private:
  class File;
  // Until it is let go of, no other process takes cores in this directory. Throws UserError.
  static std::shared_ptr<File> take_turn(const std::filesystem::path& dir,
                                         const std::string& place);
  std::map<std::uint32_t, std::shared_ptr<File>> files_ = {};
};

// The cores of these CPUs of this host, in shared_lock_dir(); null, and said on standard error,
// where there is none. Throws as CoreClaims::take().
std::shared_ptr<const CoreClaims> claim_cpus(std::span<const std::uint32_t> cpus,
                                             const std::string& place);

}  // namespace invar::driver
