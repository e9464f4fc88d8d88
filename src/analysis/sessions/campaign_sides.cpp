#include "analysis/sessions/campaign_sides.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "analysis/compare/method_table.hpp"
#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/describe/moments.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostNamedInFault = 4;

using PathParts = std::vector<std::filesystem::path>;

PathParts path_parts(const store::Data& data) {
  std::filesystem::path normal = data.dir.lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  return {normal.begin(), normal.end()};
}

std::size_t parts_alike(const PathParts& ours, const PathParts& theirs) {
  std::size_t alike = 0;
  while (alike < std::min(ours.size(), theirs.size()) &&
         ours[ours.size() - 1 - alike] == theirs[theirs.size() - 1 - alike]) {
    ++alike;
  }
  return alike;
}

// The arms of the first campaign that the others have as well.
void find_common_arms(CampaignSide& side) {
  for (const std::string& label : labels_of(*side.campaigns.front().data)) {
    std::vector<std::uint32_t> places;
    for (const OneCampaign& campaign : side.campaigns) {
      const std::vector<std::string> known = labels_of(*campaign.data);
      const auto found = std::ranges::find(known, label);
      if (found == known.end()) break;
      places.push_back(static_cast<std::uint32_t>(found - known.begin()));
    }
    if (places.size() < side.campaigns.size()) continue;
    side.labels.push_back(label);
    side.arms.push_back(std::move(places));
  }
}

template <typename Sides, typename Take>
void for_each_campaign(Sides& sides, Take take) {
  for (auto& side : sides) {
    for (auto& campaign : side.campaigns) take(campaign);
  }
}

Regimes regimes_of_all(const CampaignSides& sides, const std::optional<base::CanaryBand>& fixed) {
  std::vector<CampaignCanaries> canaries;
  for_each_campaign(sides, [&](const OneCampaign& one) {
    canaries.push_back({.data = one.data, .summaries = one.summaries, .name = one.name});
  });
  return common_regimes(canaries,
                        fixed ? std::optional<base::CanaryKind>(fixed->kind) : std::nullopt);
}

// Named by the rules, or by the first look: of the first campaign, which is the baseline, else of
// the second. Sessions have looks of their own each, which bind none of the others.
std::optional<base::CanaryBand> fixed_reference(const CampaignSides& sides, const Rules& rules) {
  if (rules.regime) return rules.regime;
  if (sides[0].of_sessions() || sides[1].of_sessions()) return std::nullopt;
  const std::optional<base::CanaryBand> baseline = looked_at(sides[0].campaigns.front());
  return baseline ? baseline : looked_at(sides[1].campaigns.front());
}

// The fastest regime that holds a tenth of the visits of each campaign. `regimes`: shares by
// campaign.
std::optional<base::CanaryBand> common_reference(const Regimes& regimes) {
  if (regimes.found.size() < 2) return std::nullopt;
  Regimes all = regimes;
  for (Regime& regime : all.found) regime.share = std::ranges::min(regime.campaign_shares);
  return reference_band(all);
}

// Puts the mean share of each side in place of each campaign's share.
void take_means_of_sides(Regimes& regimes, std::size_t campaigns_of_first) {
  for (Regime& regime : regimes.found) {
    const std::span<const double> shares(regime.campaign_shares);
    regime.campaign_shares = {stats::mean(shares.first(campaigns_of_first)),
                              stats::mean(shares.subspan(campaigns_of_first))};
  }
}

// "canary 0.143 us of n1 and n2; canary 0.510 us of n3": the fastest one that each was in for a
// tenth of its time.
std::string regimes_by_campaign(const CampaignSides& sides, const Regimes& regimes) {
  std::map<std::size_t, std::vector<std::string>> names;
  std::size_t campaign = 0;
  for_each_campaign(sides, [&](const OneCampaign& one) {
    const auto own = std::ranges::find_if(regimes.found, [&](const Regime& regime) {
      return regime.campaign_shares[campaign] >= kLeastReferenceShare;
    });
    names[static_cast<std::size_t>(own - regimes.found.begin())].push_back(one.name);
    ++campaign;
  });
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const auto& [regime, of] : names) {
    texts.push_back((regime < regimes.found.size() ? regimes.found[regime].name : "none") + " of " +
                    base::first_items(of, kMostNamedInFault, ", "));
  }
  return base::join(texts, "; ");
}

// What a side measured in the cell, by arm.
std::vector<CellVisits> values_of(
    const CampaignSide& side, const std::vector<std::size_t>& cell,
    const std::function<const CellTable&(const OneCampaign&)>& table) {
  std::vector<CellVisits> values;
  for (const std::vector<std::uint32_t>& arm : side.arms) {
    std::vector<const CellVisits*> each;
    for (std::size_t i = 0; i < side.campaigns.size(); ++i) {
      each.push_back(&table(side.campaigns[i])[cell[i]][arm[i]]);
    }
    values.push_back(side.of_sessions() ? over_sessions(each) : *each.front());
  }
  return values;
}

// "allreduce, 8 B, allreduce, 1 KiB and 3 more"; `text` knows the cells of all campaigns: what
// differs between these is told as well.
std::string cells_text(const store::Data& data, const record::CellTexts& text) {
  std::vector<std::string> cells;
  for (const record::Cell& cell : data.cells) cells.push_back(text(cell));
  return base::first_items(cells, 5, ", ");
}

}  // namespace

std::vector<std::uint32_t> arms_in(const CampaignSide& side, const UsedArms& used,
                                   std::size_t campaign) {
  std::vector<std::uint32_t> arms;
  for (const std::uint32_t arm : used) arms.push_back(side.arms[arm][campaign]);
  return arms;
}

std::optional<base::CanaryBand> looked_at(const OneCampaign& campaign) {
  return campaign.data->looks.empty() ? std::nullopt : campaign.data->looks.front().regime;
}

std::string name_of_campaign(const Study& study, std::size_t campaign) {
  const store::Data& data = study.data(campaign);
  const PathParts ours = path_parts(data);
  std::size_t alike = 0;
  for (std::size_t other = 0; other < study.campaigns(); ++other) {
    if (other == campaign) continue;
    const PathParts theirs = path_parts(study.data(other));
    const std::size_t same = parts_alike(ours, theirs);
    if (same == std::min(ours.size(), theirs.size())) return data.dir.string();
    alike = std::max(alike, same);
  }
  std::filesystem::path name;
  for (std::size_t i = ours.size() - 1 - alike; i < ours.size(); ++i) name /= ours[i];
  return name.string();
}

CampaignSides sides_of_study(const Study& study) {
  CampaignSides sides;
  for (std::size_t i = 0; i < study.campaigns(); ++i) {
    OneCampaign campaign{.data = &study.data(i),
                         .summaries = &summaries_by_method(study, i),
                         .starts = &study.starts(i),
                         .name = name_of_campaign(study, i),
                         .table = table_by_method(study, i)};
    drop_failed_cells(*campaign.data, campaign.table);
    sides[i < study.campaigns_of_first_side() ? 0 : 1].campaigns.push_back(std::move(campaign));
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    sides[i].name = study.over_sessions() ? (i == 0 ? "A" : "B") : sides[i].campaigns.front().name;
    find_common_arms(sides[i]);
  }
  return sides;
}

std::vector<SharedCell> shared_cells(const CampaignSides& sides) {
  const store::Data& first = *sides[0].campaigns.front().data;
  std::vector<SharedCell> shared;
  for (const record::Cell& cell : first.cells) {
    SharedCell one{.cell = cell};
    bool everywhere = true;
    for (std::size_t side = 0; side < sides.size(); ++side) {
      for (const OneCampaign& campaign : sides[side].campaigns) {
        const auto match = record::counterpart(cell, first.cells, campaign.data->cells);
        everywhere = everywhere && match;
        if (match) one.in[side].push_back(*match);
      }
    }
    if (everywhere) shared.push_back(std::move(one));
  }
  return shared;
}

Lack lack_of_shared_cells(const CampaignSides& sides) {
  std::vector<record::Cell> all;
  for_each_campaign(sides, [&](const OneCampaign& one) {
    all.insert(all.end(), one.data->cells.begin(), one.data->cells.end());
  });
  const record::CellTexts text(all);
  Lack lack;
  for_each_campaign(sides, [&](const OneCampaign& one) {
    lack.faults.push_back(
        {.place = one.data->dir.string(),
         .what = (lack.faults.empty() ? "no common cell; this campaign has " : "this one has ") +
                 cells_text(*one.data, text)});
  });
  return lack;
}

CommonRegimes split_regimes(CampaignSides& sides, const Rules& rules) {
  for_each_campaign(sides, [](OneCampaign& one) { one.headline = one.table; });
  if (rules.method != Method::kInvar) return {};
  const auto fixed = fixed_reference(sides, rules);
  CommonRegimes common{.regimes = regimes_of_all(sides, fixed)};
  const std::vector<Regime>& found = common.regimes.found;
  const auto band = fixed ? fixed : common_reference(common.regimes);
  take_means_of_sides(common.regimes, sides[0].campaigns.size());
  if (found.empty() || (found.size() < 2 && !fixed)) return common;
  for_each_campaign(sides, [&](const OneCampaign& one) {
    const std::string moved = moved_by(*one.data, *one.summaries, common.regimes, band);
    if (!moved.empty()) common.moved.push_back(one.name + ": " + moved);
  });
  // Regimes that are an arm's own doing tell nothing of the machine.
  if (!fixed && !common.moved.empty()) return common;
  bool splits = false;
  for_each_campaign(sides, [&](const OneCampaign& one) {
    splits = splits || (band && share_in(one.table, *band).splits());
  });
  if (splits) common.reference = band;
  const auto is_reference = [&](const Regime& regime) {
    return common.reference && common.reference->contains(regime.median_ns);
  };
  for (std::size_t i = 0; found.size() > 1 && i < found.size(); ++i) {
    if (is_reference(found[i])) continue;
    common.views.push_back(found[i].name);
    for_each_campaign(sides, [&](OneCampaign& one) {
      one.in_view.push_back(visits_in_regime(one.summaries->visits, common.regimes, i,
                                             one.data->cells.size(), one.data->arms.size(),
                                             kRegimeBlocks));
      drop_failed_cells(*one.data, one.in_view.back());
    });
  }
  if (!common.reference) return common;
  common.views.emplace_back(kAllRegimes);
  for_each_campaign(sides, [&](OneCampaign& one) {
    one.in_view.push_back(one.table);
    // One that is in the reference regime all the time loses nothing.
    one.headline = within_band(one.table, *common.reference);
  });
  return common;
}

std::optional<base::Fault> fault_of_regimes(const CampaignSides& sides, const Rules& rules) {
  if (rules.method != Method::kInvar) return std::nullopt;
  const Regimes regimes = regimes_of_all(sides, rules.regime);
  if (regimes.found.size() < 2 && !rules.regime) return std::nullopt;
  const auto band = rules.regime ? rules.regime : common_reference(regimes);
  if (!band) {
    return base::Fault{
        .place = "reference regime",
        .what = "there is none that all sessions were in for a tenth of their visits: " +
                regimes_by_campaign(sides, regimes),
        .remedy = "compare sessions of one regime, or measure those again that were in another"};
  }
  std::vector<std::string> outside;
  for_each_campaign(sides, [&](const OneCampaign& one) {
    const double share = share_in(one.table, *band).share();
    if (share < kLeastReferenceShare) {
      outside.push_back(one.name + " with " + percent_text(share) + " of its visits");
    }
  });
  if (outside.empty()) return std::nullopt;
  return base::Fault{.place = "reference regime",
                     .what = "too little is in " + base::band_text(*band) + ": " +
                             base::first_items(outside, kMostNamedInFault, ", "),
                     .remedy = "name another one, or leave --regime out"};
}

Contest contest_of_sides(const CampaignSides& sides, const std::vector<SharedCell>& cells,
                         const CommonRegimes& common) {
  Contest contest{.times = {TimedVisits{}},
                  .reference = common.reference,
                  .views = common.views,
                  .over_sessions = sides[0].of_sessions() || sides[1].of_sessions()};
  TimedVisits& timed = contest.times.front();
  timed.in_view.resize(common.views.size());
  for (const CampaignSide& side : sides) {
    for (const std::string& label : side.labels) contest.labels.push_back(label + "@" + side.name);
  }
  for (const SharedCell& shared : cells) {
    const auto row = [&](const auto& table) {
      std::vector<CellVisits> values = values_of(sides[0], shared.in[0], table);
      std::vector<CellVisits> others = values_of(sides[1], shared.in[1], table);
      values.insert(values.end(), std::make_move_iterator(others.begin()),
                    std::make_move_iterator(others.end()));
      return values;
    };
    contest.cells.push_back(shared.cell);
    timed.table.push_back(
        row([](const OneCampaign& one) -> const CellTable& { return one.headline; }));
    if (common.reference) {
      timed.everything.push_back(
          row([](const OneCampaign& one) -> const CellTable& { return one.table; }));
    }
    for (std::size_t view = 0; view < timed.in_view.size(); ++view) {
      timed.in_view[view].push_back(
          row([view](const OneCampaign& one) -> const CellTable& { return one.in_view[view]; }));
    }
  }
  return contest;
}

}  // namespace invar::analysis
