#include "analysis/machine/campaign_regimes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/describe/moments.hpp"

namespace invar::analysis {
namespace {

constexpr double kMostUnmatched = 0.05;  // a rarer regime is none
constexpr double kPartOfMinEffect = 0.5;
constexpr std::size_t kFewestVisits = 3;  // of a regime, to know what it does to a cell's times

std::vector<double> sorted_canaries(const Summaries& summaries, base::CanaryKind kind) {
  std::vector<double> canaries;
  canaries.reserve(summaries.visits.size());
  for (const VisitSummary& visit : summaries.visits) {
    const std::optional<double> canary_ns = visit.canary(kind);
    if (canary_ns && *canary_ns > 0) canaries.push_back(*canary_ns);
  }
  std::ranges::sort(canaries);
  return canaries;
}

// As many of the sorted values, evenly spaced by rank.
std::vector<double> thinned(const std::vector<double>& sorted, std::size_t count) {
  std::vector<double> chosen;
  chosen.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(sorted[(2 * i + 1) * sorted.size() / (2 * count)]);
  }
  return chosen;
}

std::vector<double> shares_of(const std::vector<double>& canaries, const Regimes& regimes) {
  std::vector<double> shares(regimes.found.size(), 0);
  for (const double canary : canaries) {
    if (const auto regime = regimes.of(canary)) shares[*regime] += 1;
  }
  for (double& share : shares) share /= static_cast<double>(canaries.size());
  return shares;
}

// By one kind of canary; none where a campaign has none of it.
Regimes common_by(std::span<const CampaignCanaries> campaigns, base::CanaryKind kind,
                  std::size_t most) {
  std::vector<std::vector<double>> canaries;
  double step_ns = 0;
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (const CampaignCanaries& campaign : campaigns) {
    canaries.push_back(sorted_canaries(*campaign.summaries, kind));
    if (canaries.back().empty()) {
      return {.kind = kind,
              .why_none = campaign.name + ": " +
                          regimes_of(*campaign.data, *campaign.summaries, kind).why_none};
    }
    step_ns = std::max(step_ns, campaign.data->clock_step_ns);
    count = std::min(count, canaries.back().size());
  }
  std::vector<double> all;
  for (const std::vector<double>& own : canaries) {
    const std::vector<double> chosen = thinned(own, count);
    all.insert(all.end(), chosen.begin(), chosen.end());
  }
  Regimes regimes = split_canaries(all, step_ns, kind, most);
  for (const std::vector<double>& own : canaries) {
    const std::vector<double> shares = shares_of(own, regimes);
    for (std::size_t i = 0; i < regimes.found.size(); ++i) {
      regimes.found[i].campaign_shares.push_back(shares[i]);
    }
  }
  for (Regime& regime : regimes.found) regime.share = stats::mean(regime.campaign_shares);
  return regimes;
}

// One arm's visits of a cell in one regime.
struct Stay {
  std::size_t visits = 0;
  double share = 0;
  double mean_log = 0;
};

// One more than there are regimes: the last is of the visits in none of them.
std::vector<Stay> stays_of(const CellVisits& arm, const Regimes& regimes) {
  std::vector<Stay> stays(regimes.found.size() + 1);
  std::size_t all = 0;
  for (const LaunchVisits& launch : arm.launches) {
    for (const VisitSummary& visit : launch.visits) {
      if (!(visit.median_ns > 0)) continue;
      const auto regime = regimes.of(visit);
      Stay& stay = stays[regime.value_or(regimes.found.size())];
      ++stay.visits;
      stay.mean_log += std::log(visit.median_ns);
      ++all;
    }
  }
  for (Stay& stay : stays) {
    if (stay.visits > 0) stay.mean_log /= static_cast<double>(stay.visits);
    if (all > 0) stay.share = static_cast<double>(stay.visits) / static_cast<double>(all);
  }
  return stays;
}

}  // namespace

Regimes common_regimes(std::span<const CampaignCanaries> campaigns,
                       std::optional<base::CanaryKind> fixed) {
  if (fixed) return common_by(campaigns, *fixed, kMostRegimes);
  const auto last = [&](const Regimes& regimes) {
    return std::ranges::all_of(campaigns, [&](const CampaignCanaries& campaign) {
      return regimes_last(campaign.summaries->visits, regimes);
    });
  };
  return chosen_regimes(
      [&](base::CanaryKind kind, std::size_t most) { return common_by(campaigns, kind, most); },
      last);
}

RegimePart regime_part(const CellVisits& a, const CellVisits& b, const Regimes& regimes) {
  const std::vector<Stay> first = stays_of(a, regimes);
  const std::vector<Stay> second = stays_of(b, regimes);
  RegimePart part;
  double shared_a = 0;
  double shared_b = 0;
  std::vector<std::size_t> shared;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool regime = i < regimes.found.size();
    if (regime && std::min(first[i].visits, second[i].visits) >= kFewestVisits) {
      shared.push_back(i);
      shared_a += first[i].share;
      shared_b += second[i].share;
    } else {
      part.unmatched += std::abs(first[i].share - second[i].share);
    }
  }
  for (const std::size_t i : shared) {
    const double more_often = second[i].share / shared_b - first[i].share / shared_a;
    part.log_ratio += more_often * (first[i].mean_log + second[i].mean_log) / 2;
  }
  return part;
}

bool regimes_matter(const RegimePart& part, double min_effect) {
  return part.unmatched > kMostUnmatched ||
         std::abs(part.log_ratio) > kPartOfMinEffect * std::log1p(min_effect);
}

bool times_contradict(const ComparedCell& row, double min_effect, std::optional<double> gate) {
  if (!row.verdict || !row.time_a || !row.time_b) return false;
  if (!(row.time_a->median_ns > 0 && row.time_b->median_ns > 0)) return false;
  const double apart = row.time_b->median_ns / row.time_a->median_ns;
  switch (*row.verdict) {
    case stats::Verdict::kFaster:
      return apart < 1;
    case stats::Verdict::kViolated:
      return apart <= 1 + gate.value_or(0);
    case stats::Verdict::kHolds:
      return gate && apart > 1 + *gate;
    case stats::Verdict::kSlower:
      return apart > 1;
    case stats::Verdict::kEquivalent:
      return std::max(apart, 1 / apart) > 1 + min_effect;
    default:
      return false;
  }
}

bool times_miss_ratio(const ComparedCell& row, double min_effect) {
  if (!row.ratio || !row.time_a || !row.time_b) return false;
  if (!(row.time_a->median_ns > 0 && row.time_b->median_ns > 0)) return false;
  const double apart = row.time_b->median_ns / row.time_a->median_ns;
  const std::optional<stats::Interval>& interval = row.ratio_interval;
  const bool inside = interval && interval->low <= apart && apart <= interval->high;
  return !inside && std::abs(std::log(apart / *row.ratio)) > std::log1p(min_effect);
}

}  // namespace invar::analysis
