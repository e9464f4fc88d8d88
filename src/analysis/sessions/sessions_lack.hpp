// What a comparison over sessions needs, and which of it is missing.
#pragma once

#include <cstddef>
#include <optional>

#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// The fewest on either side: two say next to nothing of how sessions vary.
constexpr std::size_t kFewestSessions = 3;

// All of it at once: a session that is named twice or is a copy of another one, fewer than three a
// side, campaigns without data, no common arm of a side, no common cell, no common reference
// regime, a method that knows no sessions.
std::optional<Lack> lack_of_sessions(const Study& study);

}  // namespace invar::analysis
