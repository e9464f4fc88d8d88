#include "analysis/tuning/chosen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace invar::analysis {
namespace {

using stats::Verdict;
using tuning::Candidate;
using tuning::CandidateKind;

// Time of `b` over time of `a`, whichever stands first in the duels.
std::optional<double> ratio_of(std::span<const Duel> duels, std::size_t a, std::size_t b) {
  for (const Duel& duel : duels) {
    if (!duel.ratio || !(*duel.ratio > 0)) continue;
    if (duel.a == a && duel.b == b) return *duel.ratio;
    if (duel.a == b && duel.b == a) return 1 / *duel.ratio;
  }
  return std::nullopt;
}

bool surely_beats_given(std::span<const Duel> duels, std::size_t number) {
  return std::ranges::any_of(duels, [&](const Duel& duel) {
    return (duel.a == 0 && duel.b == number && duel.verdict == Verdict::kSlower) ||
           (duel.a == number && duel.b == 0 && duel.verdict == Verdict::kFaster);
  });
}

// Time of `b` over that of the arm as given, at the far end of its interval.
std::optional<double> most_of_given(std::span<const Duel> duels, std::size_t b) {
  for (const Duel& duel : duels) {
    if (!duel.ratio_interval) continue;
    if (duel.a == 0 && duel.b == b) return duel.ratio_interval->high;
    if (duel.a == b && duel.b == 0 && duel.ratio_interval->low > 0) {
      return 1 / duel.ratio_interval->low;
    }
  }
  return std::nullopt;
}

// The gain is more than what does not matter, also where calls pay for the shim.
bool gains_enough(std::span<const Candidate> candidates, std::span<const Duel> duels,
                  std::size_t number, double min_effect) {
  if (!tuning::needs_shim(candidates[number])) {
    const std::optional<double> ratio = ratio_of(duels, 0, number);
    return ratio && 1 - *ratio > min_effect;
  }
  const std::optional<double> most = most_of_given(duels, number);
  return most && *most < 1 - min_effect;
}

// Without those of candidates that need the shim and are not worth it.
std::vector<Duel> without_idle_shims(std::span<const Candidate> candidates,
                                     std::span<const Duel> duels, double min_effect) {
  std::vector<Duel> rest(duels.begin(), duels.end());
  std::erase_if(rest, [&](const Duel& duel) {
    return std::ranges::any_of(std::array{duel.a, duel.b}, [&](std::size_t i) {
      return tuning::needs_shim(candidates[i]) && !gains_enough(candidates, duels, i, min_effect);
    });
  });
  return rest;
}

std::size_t fastest_of(const std::vector<std::size_t>& group, std::span<const Duel> duels) {
  std::size_t best = group.front();
  for (const std::size_t other : group) {
    const std::optional<double> ratio = ratio_of(duels, best, other);
    if (other != best && ratio && *ratio < 1) best = other;
  }
  return best;
}

// What is preferred where nothing tells them apart: a smaller number first.
int preference(CandidateKind kind) {
  switch (kind) {
    case CandidateKind::kAsGiven:
      return 0;
    case CandidateKind::kLibraryDefault:
      return 1;
    case CandidateKind::kAlgorithm:
      return 2;
    case CandidateKind::kMockup:
    case CandidateKind::kReference:
      break;
  }
  return 3;
}

void sort_cells(std::vector<ChosenCell>& cells) {
  std::ranges::stable_sort(cells, {}, [](const ChosenCell& cell) {
    return std::tuple(cell.operation, cell.ranks, cell.size_bytes.value_or(0));
  });
}

bool neighbours(const ChosenCell& below, const ChosenCell& above) {
  return below.operation == above.operation && below.ranks == above.ranks && below.size_bytes &&
         above.size_bytes && *below.size_bytes < *above.size_bytes;
}

// The entries are sorted.
std::vector<tuning::Entry> touching_as_one(const std::vector<tuning::Entry>& entries) {
  std::vector<tuning::Entry> all;
  for (const tuning::Entry& entry : entries) {
    const bool goes_on = !all.empty() && all.back().operation == entry.operation &&
                         all.back().ranks == entry.ranks &&
                         all.back().candidate == entry.candidate &&
                         all.back().to_bytes + 1 == entry.from_bytes;
    if (goes_on) {
      all.back().to_bytes = entry.to_bytes;
    } else {
      all.push_back(entry);
    }
  }
  return all;
}

// No size in between is worth a look. A size of 0 has none that is near.
bool is_fine(std::uint64_t low_bytes, std::uint64_t high_bytes) {
  return high_bytes == low_bytes + 1 ||
         static_cast<double>(high_bytes) <= kFinestStep * static_cast<double>(low_bytes);
}

// Two neighbours, and the open cells between them.
struct SizeStretch {
  const ChosenCell* below = nullptr;
  const ChosenCell* above = nullptr;
  std::vector<const ChosenCell*> open = {};
};

// The cells are sorted.
std::vector<SizeStretch> stretches_of(const std::vector<ChosenCell>& cells) {
  std::vector<SizeStretch> stretches;
  SizeStretch next;
  for (const ChosenCell& cell : cells) {
    if (next.below != nullptr && !neighbours(*next.below, cell)) next = {};
    if (cell.open) {
      next.open.push_back(&cell);
      continue;
    }
    if (next.below != nullptr) {
      next.above = &cell;
      stretches.push_back(next);
    }
    next = {.below = &cell};
  }
  return stretches;
}

const SureGain* gain_of(const ChosenCell& cell, const Candidate& candidate) {
  const auto found = std::ranges::find(cell.gains, candidate, &SureGain::candidate);
  return found == cell.gains.end() ? nullptr : &*found;
}

// What may be taken between the two; none: the arm as given stays.
std::optional<Candidate> taken_between(const SizeStretch& stretch, double min_effect) {
  const auto loses = [&](const Candidate& candidate) {
    return std::ranges::any_of(stretch.open, [&](const ChosenCell* cell) {
      return std::ranges::find(cell->losses, candidate) != cell->losses.end();
    });
  };
  const auto& [below, above, open] = stretch;
  if (below->winner == above->winner) {
    return below->winner && !loses(*below->winner) ? below->winner : std::nullopt;
  }
  std::vector<SureGain> both;  // with the mean of both ratios
  for (const SureGain& gain : below->gains) {
    const SureGain* other = gain_of(*above, gain.candidate);
    if (other == nullptr || loses(gain.candidate)) continue;
    both.push_back({.candidate = gain.candidate, .ratio = std::sqrt(gain.ratio * other->ratio)});
  }
  if (both.empty()) return std::nullopt;
  const double least = std::ranges::min(both, {}, &SureGain::ratio).ratio;
  std::erase_if(both, [&](const SureGain& one) { return one.ratio > least * (1 + min_effect); });
  const auto rank = [](const SureGain& one) {
    return std::pair(preference(one.candidate.kind), one.ratio);
  };
  return std::ranges::min(both, {}, rank).candidate;
}

}  // namespace

std::vector<Standing> standings_of(std::size_t candidates, std::span<const Duel> duels) {
  std::vector<Standing> standings(candidates);
  std::vector<double> most(candidates, 0);
  for (const Duel& duel : duels) {
    const bool a_wins = duel.verdict == Verdict::kFaster;
    if (!a_wins && duel.verdict != Verdict::kSlower) continue;
    const std::size_t loser = a_wins ? duel.b : duel.a;
    const std::size_t victor = a_wins ? duel.a : duel.b;
    const double ratio = ratio_of(duels, victor, loser).value_or(1);
    if (!standings[loser].beaten || ratio > most[loser]) {
      standings[loser] = {.beaten = true, .by = victor};
      most[loser] = ratio;
    }
  }
  return standings;
}

std::vector<std::size_t> sure_gains(std::span<const Candidate> candidates,
                                    const std::vector<bool>& allowed, std::span<const Duel> duels,
                                    double min_effect) {
  std::vector<std::size_t> sure;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const bool enough = allowed[i] && gains_enough(candidates, duels, i, min_effect);
    if (enough && surely_beats_given(duels, i)) sure.push_back(i);
  }
  return sure;
}

std::optional<std::size_t> winner_of(std::span<const Candidate> candidates,
                                     const std::vector<bool>& allowed, std::span<const Duel> all,
                                     double min_effect) {
  const std::vector<Duel> duels = without_idle_shims(candidates, all, min_effect);
  const std::vector<Standing> standings = standings_of(candidates.size(), duels);
  if (candidates.empty() || !standings.front().beaten) return std::nullopt;
  std::vector<std::size_t> best;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const bool idle =
        tuning::needs_shim(candidates[i]) && !gains_enough(candidates, duels, i, min_effect);
    if (allowed[i] && !standings[i].beaten && !idle) best.push_back(i);
  }
  if (best.empty()) return std::nullopt;
  // Those that surely beat the arm as given come first: it may have lost to one of them alone.
  const auto beats_given = [&](std::size_t i) { return surely_beats_given(duels, i); };
  if (std::ranges::any_of(best, beats_given)) {
    std::erase_if(best, [&](std::size_t i) { return !beats_given(i); });
  }
  const auto rank = [&](std::size_t i) { return preference(candidates[i].kind); };
  const int first = rank(*std::ranges::min_element(best, {}, rank));
  std::erase_if(best, [&](std::size_t i) { return rank(i) != first; });
  const std::size_t winner = fastest_of(best, duels);
  if (!gains_enough(candidates, duels, winner, min_effect)) return std::nullopt;
  return winner;
}

bool SwitchingGap::coarse() const { return !is_fine(*below.size_bytes, *above.size_bytes); }

std::vector<SwitchingGap> switching_gaps(std::vector<ChosenCell> cells, double min_effect) {
  sort_cells(cells);
  std::vector<SwitchingGap> gaps;
  for (const SizeStretch& stretch : stretches_of(cells)) {
    const bool adjacent = *stretch.above->size_bytes == *stretch.below->size_bytes + 1;
    if (adjacent || stretch.below->winner == stretch.above->winner) continue;
    gaps.push_back({.below = *stretch.below,
                    .above = *stretch.above,
                    .between = taken_between(stretch, min_effect),
                    .tried = !stretch.open.empty()});
  }
  return gaps;
}

tuning::DecisionTable table_of(std::vector<ChosenCell> cells, double min_effect) {
  sort_cells(cells);
  std::vector<tuning::Entry> entries;
  const auto add = [&](const ChosenCell& cell, std::uint64_t from_bytes, std::uint64_t to_bytes,
                       const Candidate& candidate) {
    entries.push_back({.operation = cell.operation,
                       .ranks = cell.ranks,
                       .from_bytes = from_bytes,
                       .to_bytes = to_bytes,
                       .candidate = candidate});
  };
  for (const ChosenCell& cell : cells) {
    if (!cell.winner) continue;
    add(cell, cell.size_bytes.value_or(0), cell.size_bytes.value_or(0), *cell.winner);
  }
  for (const SizeStretch& stretch : stretches_of(cells)) {
    const std::uint64_t from_bytes = *stretch.below->size_bytes + 1;
    if (from_bytes == *stretch.above->size_bytes) continue;
    if (const std::optional<Candidate> between = taken_between(stretch, min_effect)) {
      add(*stretch.below, from_bytes, *stretch.above->size_bytes - 1, *between);
    }
  }
  return tuning::DecisionTable(
      touching_as_one(tuning::DecisionTable(std::move(entries)).entries()));
}

std::optional<std::uint64_t> size_between(std::uint64_t low_bytes, std::uint64_t high_bytes,
                                          std::uint64_t unit_bytes) {
  const std::uint64_t unit = std::max<std::uint64_t>(unit_bytes, 1);
  const double low = static_cast<double>(std::max<std::uint64_t>(low_bytes, 1));
  const double mean = std::sqrt(low * static_cast<double>(high_bytes));
  std::uint64_t size =
      static_cast<std::uint64_t>(std::llround(mean / static_cast<double>(unit))) * unit;
  if (size <= low_bytes) size = (low_bytes / unit + 1) * unit;
  if (size >= high_bytes) return std::nullopt;
  return size;
}

}  // namespace invar::analysis
