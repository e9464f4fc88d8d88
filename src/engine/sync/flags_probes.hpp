// Flags the repetitions in which a rank that waited called the library so that it makes progress:
// such a call may delay the start, or what other ranks still do. Around any synchronisation.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/sync/sync.hpp"
#include "group/turns.hpp"

namespace invar::engine {

template <typename Sync>
class FlagsProbes : public Sync {
 public:
  FlagsProbes(Sync sync, group::Turns& turns) : Sync(std::move(sync)), turns_(turns) {}

  // The visit begins here, before anything in it waits for other ranks.
  void watch_from_here() {
    seen_ = turns_.probes();
    before_ = nullptr;
    turns_.expect_to_wait();
  }

  // What was called since the wait before is of the repetition before, from its start's agreement
  // to its end: looked at here, where nothing is timed.
  bool wait(std::uint16_t& flags) {
    if (const std::uint32_t probes = turns_.probes(); before_ != nullptr && probes != seen_) {
      *before_ |= record::kProbed;
      seen_ = probes;
    }
    before_ = &flags;
    turns_.expect_to_wait();
    return Sync::wait(flags);
  }

 private:
  group::Turns& turns_;
  std::uint32_t seen_ = 0;
  std::uint16_t* before_ = nullptr;  // flags of the repetition before; none: it is the first
};

}  // namespace invar::engine
