#include "launch/libraries/engine_use.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace invar::launch {
namespace {

int open_engine(const std::filesystem::path& engine) {
  return open(engine.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

// Somebody who only looks whether it is in use holds it for a moment.
EngineUse::EngineUse(const std::filesystem::path& engine) : descriptor_(open_engine(engine)) {
  while (descriptor_ >= 0 && flock(descriptor_, LOCK_SH) != 0 && errno == EINTR) continue;
}

EngineUse::~EngineUse() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool engine_in_use(const std::filesystem::path& engine) {
  const int descriptor = open_engine(engine);
  if (descriptor < 0) return false;
  const bool used = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return used;
}

}  // namespace invar::launch
