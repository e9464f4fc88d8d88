// A launch that tries algorithms and is watched: it may crash, or never end.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"
#include "launch/process/files.hpp"
#include "record/algorithms/tries.hpp"

namespace invar::launch {

// With what a probe is started.
struct ProbePlace {
  const Profile& profile;
  Environment environment = {};  // the arm's settings
  std::string launcher = {};     // as StartOptions::launcher has it
};

// Where ranks find their orders and leave their answers; gone at the end. Beside the engine where
// they may start on another host, which sees that folder.
class ProbeDir {
 public:
  explicit ProbeDir(const ProbePlace& place);
  ProbeDir(const ProbeDir&) = delete;
  ProbeDir& operator=(const ProbeDir&) = delete;
  ~ProbeDir();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // The content of a file in it; empty: there is none.
  [[nodiscard]] std::string read(std::string_view name) const;

 private:
  ScratchDir scratch_ = {};
  std::filesystem::path path_;
  bool elsewhere_;
};

// By what a launch is watched.
struct Watch {
  std::string_view file = {};  // of the directory; it grows while something comes
  // By its content: all has come, the launch only has to end. Null: nobody can tell.
  std::function<bool(const std::string&)> is_whole = {};
  std::chrono::seconds patience{60};  // with a file that does not grow
};

// Writes the tries into `dir` and runs `invar-engine MODE DIR` on so many ranks, on this host or
// wherever the launcher starts them; more ranks than cores share them: nothing is pinned. Returns
// why it did not end well, "exit status 139: ..." or "hung: nothing came for 60 s"; empty: it did,
// or did not end after all had come. Throws UserError only if nothing can be started at all.
std::string run_watched(const ProbePlace& place, const ProbeDir& dir, const std::string& mode,
                        std::uint32_t ranks, const std::vector<record::Try>& tries,
                        const Watch& watch);

}  // namespace invar::launch
