// What a library compares with the limits in its tuning file, and whether it reads the file:
// learned from probes, in which a file makes it run a plainly different algorithm.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "launch/algorithms/probe_launch.hpp"
#include "launch/algorithms/told_level.hpp"
#include "tuning/probes/size_law_probe.hpp"
#include "tuning/size_law.hpp"

namespace invar::launch {

struct SizeLawOrder {
  std::string operation = {};
  // Where the library counts its messages, four are better than two, even if they share cores: with
  // two ranks few algorithms differ in what they send. Times are of two, whatever is written.
  std::uint32_t ranks = 2;
  std::uint64_t element_bytes = 1;  // of the usual datatype
  // Levels that the library knows and that work here (prove_levels()), those of other operations
  // among them: one is looked for that stands out. Where they cannot be told inside a launch, they
  // are told when it starts.
  std::span<const ToldLevel> levels = {};
};

struct LearnedLaw {
  tuning::SizeLawFinding finding = {};
  // By which level it was seen, and how: "algorithm:pipeline:segment=64, by its messages". Empty:
  // none stands out here, or the file cannot say one that does.
  std::string seen_by = {};
};

// The library's own selection tree, where its file replaces one (MPICH); empty: there is none, or
// it is not found among the files that the profile's engine maps.
std::string own_selection_tree(const Profile& profile);
// The same of its device, which is asked before that one; empty, too, where the library cannot be
// told another one.
std::string own_device_tree(const Profile& profile);

// Runs the probes of one operation: by messages where the library counts them, else by times of two
// ranks. Files lie in a scratch directory.
LearnedLaw learn_size_law(const ProbePlace& place, const SizeLawOrder& order);

// By operation, those that are known: what a writer takes (tuning::TuningRequest::laws).
tuning::SizeLaws laws_of(const std::map<std::string, LearnedLaw>& learned);

}  // namespace invar::launch
