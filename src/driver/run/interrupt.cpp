#include "driver/run/interrupt.hpp"

#include <algorithm>
#include <csignal>

namespace invar::driver {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void note_signal(int signal) { signal_seen = signal; }

using Handler = void (*)(int);

Handler take_over(int signal) {
  const Handler before = std::signal(signal, note_signal);
  // Under nohup the user wants us to go on.
  if (before == SIG_IGN) std::signal(signal, SIG_IGN);
  return before;
}

}  // namespace

InterruptGuard::InterruptGuard()
    : before_{take_over(SIGINT), take_over(SIGTERM), take_over(SIGHUP)} {
  if (std::find(before_.begin(), before_.end(), Handler{note_signal}) == before_.end()) {
    signal_seen = 0;
  }
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, before_[0]);
  std::signal(SIGTERM, before_[1]);
  std::signal(SIGHUP, before_[2]);
}

bool interrupted() { return signal_seen != 0; }

}  // namespace invar::driver
