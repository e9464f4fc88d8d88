#include "engine/stress/stress_death.hpp"

#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace invar::engine {
namespace {

constexpr std::array<int, 5> kDeadlySignals{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

std::atomic<record::StressState*> dying_state{nullptr};
// What was to happen before we came.
std::array<struct sigaction, kDeadlySignals.size()> former_actions{};

void die_by_signal(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  if (record::StressState* const state = dying_state.load(); state != nullptr) state->dies(signal);
  for (std::size_t i = 0; i < kDeadlySignals.size(); ++i) {
    if (kDeadlySignals[i] == signal) sigaction(signal, &former_actions[i], nullptr);
  }
  // What a processor refused comes again by itself, as soon as we return.
  const bool sent = info->si_code <= 0;
  if (sent) raise(signal);
  errno = error;
}

void die_by_exit() {
  if (record::StressState* const state = dying_state.load(); state != nullptr) state->dies(0);
}

}  // namespace

StressDeath::StressDeath(record::StressState& state) {
  dying_state.store(&state);
  static const bool asked = std::atexit(die_by_exit) == 0;
  static_cast<void>(asked);
  struct sigaction action {};
  action.sa_sigaction = die_by_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kDeadlySignals.size(); ++i) {
    sigaction(kDeadlySignals[i], &action, &former_actions[i]);
  }
}

StressDeath::~StressDeath() {
  for (std::size_t i = 0; i < kDeadlySignals.size(); ++i) {
    struct sigaction now {};
    const bool ours = sigaction(kDeadlySignals[i], nullptr, &now) == 0 &&
                      (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == die_by_signal;
    if (ours) sigaction(kDeadlySignals[i], &former_actions[i], nullptr);
  }
  dying_state.store(nullptr);
}

}  // namespace invar::engine
