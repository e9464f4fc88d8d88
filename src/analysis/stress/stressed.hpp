// What came of a stress run: how much was looked at, and what was wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "record/stress/stress_fault.hpp"

namespace invar::analysis {

struct StressedArm {
  std::string label = {};
  std::string library = {};  // "openmpi 4.1.4"
  std::string written = {};  // the arm as a command takes it
  std::vector<std::uint32_t> sizes_bytes = {};
  record::StressCounts counts = {};
  std::vector<record::StressFault> faults = {};
  bool interrupted = false;
  bool lingered = false;  // all was done, and the launch had to be ended all the same
};

struct Stressed {
  std::uint64_t seed = 0;
  double seconds = 0;  // that each arm was to take
  std::uint32_t ranks = 2;
  std::uint32_t hosts = 1;
  std::string place_words = {};  // options that say where it ran: "--hosts a,b"
  // Options that say which sizes: "--size 8,1KiB --steps DIR". A message's size follows from its
  // number and all sizes together, so that no other ones repeat it.
  std::string size_words = {};
  std::vector<std::string> kinds = {};
  std::vector<StressedArm> arms = {};  // the first one's are not the reference: nothing is compared
  std::vector<Warning> warnings = {};
  std::string dir = {};  // where the data are; empty: they were not kept
};

// A fault that comes in one of so many messages at random would have been seen with 95 %: the rule
// of three (docs/methods.md, "Stress"). 0: in none.
std::uint64_t seen_from(std::uint64_t messages);

// The command that sends the same message once more, and those around it, all of them as they were.
std::string repeat_command(const Stressed& stressed, const StressedArm& arm,
                           const record::StressFault& fault);

Answer answer_of(const Stressed& stressed);

}  // namespace invar::analysis
