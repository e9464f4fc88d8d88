// While something measures with an engine nobody builds another one in its place: what is measured
// would not be the same any more, and compilers would run on the cores that measure.
#pragma once

#include <filesystem>

namespace invar::launch {

// A lock on the engine's file, shared with others that use it. The kernel lets go of it when the
// process ends, however it does. Nothing is held where the file cannot be opened, or its file
// system has no locks.
class EngineUse {
 public:
  explicit EngineUse(const std::filesystem::path& engine);
  EngineUse(const EngineUse&) = delete;
  EngineUse& operator=(const EngineUse&) = delete;
  ~EngineUse();

 private:
  int descriptor_;
};

// Whether anybody holds one; false where that cannot be told.
bool engine_in_use(const std::filesystem::path& engine);

}  // namespace invar::launch
