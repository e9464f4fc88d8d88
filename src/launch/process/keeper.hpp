// The process between us and a launcher. It is a subreaper: whatever the launcher starts stays its
// descendant, also what leaves the process group or the session, or outlives its parent. So no
// process of a launch survives: not the end of the launcher, not our own, however we die.
#pragma once

namespace invar::launch {

struct KeeperOrder {
  const char* program = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  int line = -1;  // read end of a pipe: a byte in it or its closing means: end the launch
  int out = -1;   // standard output and error of the launcher
  int err = -1;
};

// Runs the launcher in a session of its own and waits for it. Called in a forked child; ends the
// process with the launcher's exit status, 128 + signal if it was killed, 127 if it could not be
// started.
[[noreturn]] void keep(const KeeperOrder& order);

}  // namespace invar::launch
