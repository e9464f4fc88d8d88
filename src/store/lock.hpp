// One driver at a time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace invar::store {

// An open, close-on-exec, exclusively locked file `lock` in the campaign's directory: gone with the
// process, however that ends.
class Lock {
 public:
  // Throws UserError if another driver holds it (with its pid and host), or if the directory cannot
  // be written.
  static Lock acquire(const std::filesystem::path& dir);
  // Who holds it now ("pid 4711 on node3"); nothing: nobody.
  static std::optional<std::string> holder(const std::filesystem::path& dir);
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&&) = delete;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  explicit Lock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace invar::store
