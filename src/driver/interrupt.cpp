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
  for (const int signal : kSignals) std::signal(signal, note_signal);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

bool interrupted() { return signal_seen != 0; }

}  // namespace invar::driver
