// Why a question cannot be answered from the data at hand: a value, so that it can be asked for
// before anything is tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/study/summaries.hpp"
#include "base/error.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct Lack {
  base::Exit status = base::Exit::kUsage;  // kUsage: the campaign is of another kind
  std::vector<base::Fault> faults = {};    // at least one

  // What is wrong, without places and remedies.
  [[nodiscard]] std::string text() const;
};

// "invar run --resume -o DIR".
std::string resume_command(const store::Data& data);

// No complete launch group.
std::optional<Lack> lack_of_groups(const store::Data& data);

// Not one repetition of the data is valid: that is never a time of 0.
std::optional<Lack> lack_of_repetitions(const store::Data& data, const Summaries& summaries);

// Throws CommandError with the lack's status and faults, if there is one.
void require(const std::optional<Lack>& lack);

}  // namespace invar::analysis
