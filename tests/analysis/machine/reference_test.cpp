// The reference regime on real blocks: six repeats of one campaign on a machine that had two
// regimes, whose shares were 20 to 90 % (tests/golden/regimes.csv: Open MPI 4.1.4 and MPICH 4.0.2,
// 12 cells; a row a launch group of a cell, its blocks side by side).
#include "analysis/machine/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "analysis/compare/looks.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "golden.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

using Repeat = CellTable;  // [cell][0: Open MPI, 1: MPICH]

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> values;
  for (double value = 0; in >> value;) values.push_back(value);
  return values;
}

std::vector<Repeat> repeats() {
  std::istringstream in(test::golden("regimes.csv"));
  std::string line;
  std::getline(in, line);
  std::map<std::string, std::map<std::string, std::vector<CellVisits>>> found;  // repeat, cell
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    std::istringstream row(line);
    for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
    const std::vector<double> logs = numbers(fields.at(4));
    const std::array canaries{numbers(fields.at(5)), numbers(fields.at(6))};
    std::vector<CellVisits>& cell = found[fields[0]][fields[1] + fields[2]];
    cell.resize(2);
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      LaunchVisits launch{.group = static_cast<std::uint32_t>(std::stoul(fields[3]))};
      for (std::uint32_t block = 0; block < logs.size(); ++block) {
        VisitSummary visit{.group = launch.group, .arm = arm, .block = block};
        visit.median_ns = arm == 0 ? 1000 : 1000 * std::exp(logs[block]);
        visit.canary_ns = canaries.at(arm)[block];
        launch.visits.push_back(visit);
      }
      cell[arm].launches.push_back(std::move(launch));
    }
  }
  std::vector<Repeat> all;
  for (auto& [number, cells] : found) {
    Repeat& repeat = all.emplace_back();
    for (auto& [name, arms] : cells) repeat.push_back(std::move(arms));
  }
  return all;
}

std::vector<double> canaries_of(const Repeat& repeat) {
  std::vector<double> canaries_ns;
  for (const auto& row : repeat) {
    for (const CellVisits& arm : row) {
      for (const LaunchVisits& launch : arm.launches) {
        for (const VisitSummary& visit : launch.visits) canaries_ns.push_back(*visit.canary_ns);
      }
    }
  }
  return canaries_ns;
}

// Largest over least ratio of every cell, over the repeats; ascending.
std::vector<double> spreads(const std::vector<Repeat>& all,
                            const std::optional<base::CanaryBand>& band) {
  std::vector<std::vector<double>> ratios(all.front().size());
  for (const Repeat& repeat : all) {
    const Repeat headline = band ? within_band(repeat, *band) : repeat;
    for (std::size_t cell = 0; cell < headline.size(); ++cell) {
      const PairedDifferences paired =
          paired_differences(headline[cell][0], headline[cell][1], Pairing::kTurns);
      EXPECT_GE(paired.d.size(), 3U);
      ratios[cell].push_back(std::exp(stats::mean(paired.d)));
    }
  }
  std::vector<double> spread;
  for (const std::vector<double>& of_cell : ratios) {
    const auto [least, most] = std::ranges::minmax(of_cell);
    spread.push_back(most / least - 1);
  }
  std::ranges::sort(spread);
  return spread;
}

TEST(ReferenceRegime, RepeatsOfOneCampaignAgreeInItAndNotOverEverything) {
  const std::vector<Repeat> all = repeats();
  ASSERT_EQ(all.size(), 6U);
  ASSERT_EQ(all.front().size(), 12U);
  const auto band = reference_band(split_canaries(canaries_of(all.front()), 10));
  ASSERT_TRUE(band);
  // The fastest heap, around 70 ns, holds 2 % and is none.
  EXPECT_GT(band->low_ns, 90) << base::band_text(*band);
  EXPECT_LT(band->high_ns, 400);
  const std::vector<double> mixed = spreads(all, std::nullopt);
  EXPECT_NEAR(stats::quantile_sorted(mixed, 0.5), 0.053, 0.001);
  EXPECT_NEAR(mixed.back(), 0.146, 0.001);
  const std::vector<double> one = spreads(all, band);
  EXPECT_LE(stats::quantile_sorted(one, 0.5), 0.025);
  EXPECT_LE(one.back(), 0.06);
}

// Whichever repeat is first, as long as the fast regime holds a tenth of its visits.
TEST(ReferenceRegime, EveryRepeatChoosesTheSame) {
  const std::vector<Repeat> all = repeats();
  for (const Repeat& repeat : all) {
    const auto band = reference_band(split_canaries(canaries_of(repeat), 10));
    ASSERT_TRUE(band);
    EXPECT_TRUE(band->contains(145)) << base::band_text(*band);
    EXPECT_FALSE(band->contains(480)) << base::band_text(*band);
  }
}

TEST(ReferenceRegime, GroupsCountWhereHalfOfTheCellsAreInIt) {
  const std::vector<Repeat> all = repeats();
  const base::CanaryBand band{.low_ns = 100, .high_ns = 300};
  const std::size_t most = groups_that_count(all[0], std::nullopt).size();
  const std::size_t often = groups_that_count(all[0], band).size();
  const std::size_t rarely = groups_that_count(all[3], band).size();
  EXPECT_EQ(most, 32U);
  EXPECT_GE(often, 28U);
  EXPECT_LE(rarely, 12U);
  EXPECT_GE(rarely, 6U);
}

TEST(ReferenceRegime, StragglersAreNoRegime) {
  Repeat repeat = repeats().front();
  for (auto& row : repeat) {
    for (CellVisits& arm : row) {
      for (LaunchVisits& launch : arm.launches) {
        for (VisitSummary& visit : launch.visits) visit.canary_ns = 145;
        launch.visits.front().canary_ns = launch.group % 4 == 0 ? 500 : 145;
      }
    }
  }
  const base::CanaryBand band{.low_ns = 100, .high_ns = 300};
  EXPECT_LT(share_in(repeat, band).share(), 1);
  EXPECT_FALSE(share_in(repeat, band).splits());
  const Repeat kept = within_band(repeat, band);
  EXPECT_EQ(kept[0][0].launches[3].visits.size(), repeat[0][0].launches[3].visits.size());
}

// Cells of one rank a host have none, and may stand beside others in a campaign.
TEST(ReferenceRegime, VisitsWithoutACanaryStay) {
  Repeat repeat = repeats().front();
  for (CellVisits& arm : repeat[0]) {
    for (LaunchVisits& launch : arm.launches) {
      for (VisitSummary& visit : launch.visits) visit.canary_ns.reset();
    }
  }
  const Repeat kept = within_band(repeat, {.low_ns = 100, .high_ns = 300});
  EXPECT_EQ(kept[0][0].launches.size(), repeat[0][0].launches.size());
  EXPECT_LT(kept[1][0].launches.size(), repeat[1][0].launches.size());
}

TEST(ReferenceRegime, AnotherOneThanLastTimeIsTold) {
  const base::CanaryBand before{.low_ns = 103, .high_ns = 176};
  ReferenceRegime now{.band = {.low_ns = 368, .high_ns = 614}};
  EXPECT_EQ(other_regime_sentence(now, before),
            "The last comparison on this host was of another regime of the machine (103ns:176ns, "
            "this one 368ns:614ns): --regime chooses.");
  EXPECT_EQ(other_regime_sentence(now, std::nullopt), "");
  now.band = {.low_ns = 112, .high_ns = 188};  // never quite the same
  EXPECT_EQ(other_regime_sentence(now, before), "");
}

}  // namespace
}  // namespace invar::analysis
