#include "driver/interrupt.hpp"

#include <csignal>

namespace invar::driver {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

extern "C" void note_signal(int signal) { signal_seen = signal; }

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

InterruptGuard::InterruptGuard() {
  signal_seen = 0;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    before_[i] = std::signal(kSignals[i], note_signal);
    // Under nohup the user wants us to go on.
    if (before_[i] == SIG_IGN) std::signal(kSignals[i], SIG_IGN);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < before_.size(); ++i) std::signal(kSignals[i], before_[i]);
}

bool interrupted() { return signal_seen != 0; }

}  // namespace invar::driver
