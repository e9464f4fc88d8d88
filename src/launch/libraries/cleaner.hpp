// Nothing of an unfinished installation stays, however it ends.
#pragma once

#include <filesystem>
#include <vector>

namespace invar::launch {

// A process of its own that outlives us: when this object or the whole program is gone, and `proof`
// does not exist, it removes `paths`. Ctrl-C and kill -9 do not keep it from that.
class Cleaner {
 public:
  // Throws UserError if no process can be started.
  Cleaner(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& proof);
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;
  // Returns when it is done.
  ~Cleaner();

 private:
  int pid_ = -1;
  int line_ = -1;  // its other end is closed with us
};

}  // namespace invar::launch
