#pragma once

#include <functional>

namespace invar::analysis {

struct VisitSummary;

// Which visits a model takes; empty: all of them.
using TakenVisits = std::function<bool(const VisitSummary& visit)>;

}  // namespace invar::analysis
