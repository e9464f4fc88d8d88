#include "analysis/compare/pair.hpp"

namespace invar::analysis {

std::string_view to_string(const Time& time) {
  switch (time.kind) {
    case Time::Kind::kLocal:
      return "local";
    case Time::Kind::kGlobal:
      return "global";
    case Time::Kind::kHeadline:
    case Time::Kind::kDeclared:
      break;
  }
  return "";
}

Pairing pairing_of(const Pair& pair, Pairing between_arms) {
  if (pair.a.campaign != pair.b.campaign || between_arms == Pairing::kNone) return Pairing::kNone;
  const bool one_cell = pair.a.cell == pair.b.cell;
  if (pair.a.arm == pair.b.arm) return one_cell ? Pairing::kVisits : Pairing::kRounds;
  if (between_arms == Pairing::kTurns && !one_cell) return Pairing::kRounds;
  return between_arms;
}

}  // namespace invar::analysis
