#include "analysis/page/page_cards.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "record/cell.hpp"

namespace invar::analysis {
namespace {

// "1 234 567"
std::string grouped_digits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, " ");
  }
  return digits;
}

// What a network's campaign measures is fitted, not compared: most of its cells are sizes that one
// launch in five has, and nobody asks which of its arms is faster in one of them.
bool makes_a_model(const CampaignPage& campaign) {
  return campaign.asked == design::Question::kNetwork;
}

void add_libraries(const Page& page, std::vector<PageCard>& cards) {
  std::set<std::string> libraries;
  std::vector<std::string> versions;
  for (const CampaignPage& campaign : page.campaigns) {
    for (const ComparedArm& arm : campaign.arms) {
      const std::string name = arm.library.empty() ? arm.program : arm.library;
      const std::string version =
          arm.library_version.empty() ? name : short_name(name, arm.library_version);
      libraries.insert(name);
      if (std::ranges::find(versions, version) == versions.end()) versions.push_back(version);
    }
  }
  if (libraries.empty()) return;
  cards.push_back({.label = libraries.size() == 1 ? "library" : "libraries",
                   .value = std::to_string(libraries.size()),
                   .detail = base::first_items(versions, 4, ", ")});
}

void add_observations(const Page& page, std::vector<PageCard>& cards) {
  std::uint64_t observations = 0;
  std::size_t launches = 0;
  std::size_t cells = 0;
  for (const CampaignPage& campaign : page.campaigns) {
    std::set<std::size_t> measured;
    for (const CellTime& time : campaign.figures.times) {
      observations += time.observations;
      measured.insert(time.cell);
    }
    cells += measured.size();
    for (const ComparedArm& arm : campaign.arms) launches += arm.launches;
  }
  if (page.campaigns.empty()) return;
  cards.push_back({.label = "observations",
                   .value = grouped_digits(observations),
                   .detail = count_text(cells, "cell") + ", " + count_text(launches, "launch")});
}

void add_decided(const Page& page, std::vector<PageCard>& cards) {
  std::size_t rows = 0;
  std::size_t judged = 0;
  std::size_t decided = 0;
  std::size_t equivalent = 0;
  const auto count = [&](const Comparison& comparison) {
    for (const ComparedCell& row : comparison.cells) {
      if (row.regime) continue;
      ++rows;
      if (!row.verdict) continue;
      ++judged;
      if (*row.verdict != stats::Verdict::kUndecided) ++decided;
      if (*row.verdict == stats::Verdict::kEquivalent) ++equivalent;
    }
  };
  if (page.comparison) {
    count(*page.comparison);
  } else {
    for (const CampaignPage& campaign : page.campaigns) {
      if (makes_a_model(campaign)) continue;
      if (const auto* comparison = campaign.found<Comparison>()) count(*comparison);
    }
  }
  if (rows == 0) return;
  PageCard card{.label = "comparisons decided",
                .value = std::to_string(decided) + " of " + std::to_string(rows)};
  card.detail = std::to_string(decided - equivalent) + " different, " + std::to_string(equivalent) +
                " equivalent, " + std::to_string(judged - decided) + " undecided";
  if (judged < rows) card.detail += ", " + std::to_string(rows - judged) + " without a verdict";
  cards.push_back(std::move(card));
}

void add_variation(const Page& page, std::vector<PageCard>& cards) {
  double worst = -1;
  std::string where;
  for (const CampaignPage& campaign : page.campaigns) {
    if (makes_a_model(campaign)) continue;
    const record::CellTexts text(campaign.cells);
    for (const LaunchBox& box : campaign.figures.launch_medians) {
      if (box.points.size() < 2) continue;
      const auto [least, largest] = std::ranges::minmax(box.points, {}, &LaunchPoint::median_ns);
      if (!(least.median_ns > 0)) continue;
      const double spread = largest.median_ns / least.median_ns - 1;
      if (spread <= worst) continue;
      worst = spread;
      where = campaign.arms.at(box.arm).label + ", " + text(campaign.cells.at(box.cell)) + ": " +
              count_text(box.points.size(), "launch");
    }
  }
  if (worst < 0) return;
  cards.push_back({.label = "worst variation between launches",
                   .value = percent_text(worst),
                   .detail = "slowest over fastest launch median; " + where});
}

void add_guidelines(const Page& page, std::vector<PageCard>& cards) {
  for (const CampaignPage& campaign : page.campaigns) {
    const auto* found = campaign.found<Guidelines>();
    if (found == nullptr || !found->no_verdict.empty()) continue;
    for (const ComparedArm& arm : found->arms) {
      GuidelineCount all;
      for (const GuidelineCount& count : counts_of(*found)) {
        if (count.arm != arm.label) continue;
        all.rules += count.rules;
        all.measured += count.measured;
        all.violated += count.violated;
        all.holding += count.holding;
        all.undecided += count.undecided;
      }
      PageCard card{.label = "guidelines violated",
                    .value = std::to_string(all.violated) + " of " + std::to_string(all.measured)};
      if (found->arms.size() > 1) card.label += " by " + arm.label;
      card.detail = std::to_string(all.holding) + " hold at every size, " +
                    std::to_string(all.undecided) + " undecided";
      if (all.rules > all.measured) {
        card.detail += ", " + std::to_string(all.rules - all.measured) + " not measured";
      }
      cards.push_back(std::move(card));
    }
  }
}

void add_self_tests(const Page& page, std::vector<PageCard>& cards) {
  for (const CampaignPage& campaign : page.campaigns) {
    const auto* found = campaign.found<SelfTest>();
    if (found == nullptr) continue;
    const SelfTest& test = *found;
    cards.push_back({.label = "self-test",
                     .value = test.tables.empty()     ? "not judged"
                              : test.problems.empty() ? "holds"
                                                      : "does not hold",
                     .detail = test.problems.empty() ? count_text(test.groups, "launch group")
                                                     : test.problems.front()});
  }
}

void add_reproduce(const Page& page, std::vector<PageCard>& cards) {
  if (!page.reproduce) return;
  for (const ReproducedMethod& method : page.reproduce->methods) {
    if (method.name != "invar" || !method.times) continue;
    cards.push_back({.label = "worst spread over repeats",
                     .value = percent_text(method.times->worst),
                     .detail = "invar, " + count_text(page.reproduce->repeats, "repeat") +
                               "; median of cells " + percent_text(method.times->median)});
  }
}

}  // namespace

std::string short_name(const std::string& library, const std::string& version) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t begin = 0; begin < version.size(); ++begin) {
    if (!digit(version[begin])) continue;
    std::size_t end = begin;
    while (end < version.size() && (digit(version[end]) || version[end] == '.')) ++end;
    const std::string number = version.substr(begin, end - begin);
    if (const auto dot = number.find('.'); dot != std::string::npos && dot + 1 < number.size()) {
      return library + " " + (number.back() == '.' ? number.substr(0, number.size() - 1) : number);
    }
    begin = end;
  }
  return version;
}

std::vector<PageCard> cards_of(const Page& page) {
  std::vector<PageCard> cards;
  add_libraries(page, cards);
  add_observations(page, cards);
  add_decided(page, cards);
  add_guidelines(page, cards);
  add_variation(page, cards);
  add_self_tests(page, cards);
  add_reproduce(page, cards);
  if (!page.answers.empty()) {
    std::vector<std::string> questions;
    for (const PageAnswer& one : page.answers) questions.push_back(one.answer.question);
    cards.push_back({.label = "experiments with clocks",
                     .value = std::to_string(page.answers.size()),
                     .detail = base::first_items(questions, 4, ", ")});
  }
  return cards;
}

MethodText method_of(const Page& page, const std::vector<Study>& campaigns,
                     const std::vector<Metadata>& metadata) {
  std::vector<MethodSource> sources;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    const CampaignPage& campaign = page.campaigns[i];
    const record::CellTexts text(campaign.cells);
    std::vector<std::string> local_cells;
    local_cells.reserve(campaign.local_cells.size());
    for (const std::uint32_t cell : campaign.local_cells) {
      local_cells.push_back(text(campaign.cells[cell]));
    }
    sources.push_back({.data = &campaigns[i].all(),
                       .campaign = &campaigns[i].campaign(),
                       .rules = &campaigns[i].rules(),
                       .metadata = &metadata[i],
                       .comparison = campaign.found<Comparison>(),
                       .guidelines = campaign.found<Guidelines>(),
                       .repetitions = &campaign.repetitions,
                       .starts = &campaigns[i].starts(),
                       .global_runtime = campaign.global_runtime,
                       .local_cells = std::move(local_cells),
                       .name = campaign.name});
  }
  return method_text(sources);
}

}  // namespace invar::analysis
