#include "analysis/questions/grouping.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// What a visit's place in the order and its text are under one factor.
struct Key {
  std::function<std::size_t(const VisitSummary&)> rank = {};
  std::function<std::string(const VisitSummary&)> text = {};
};

Key number_key(std::uint32_t VisitSummary::*member) {
  return {.rank = [member](const VisitSummary& visit) { return std::size_t{visit.*member}; },
          .text = [member](const VisitSummary& visit) { return std::to_string(visit.*member); }};
}

Key arm_key(const store::Data& data, std::span<const std::uint32_t> arms) {
  return {.rank =
              [arms](const VisitSummary& visit) {
                return static_cast<std::size_t>(std::ranges::find(arms, visit.arm) - arms.begin());
              },
          .text = [&data](const VisitSummary& visit) { return data.arms[visit.arm].label; }};
}

// A level's rank is the first cell of the campaign that has it; a size's is the size.
Key cell_key(const store::Data& data, const record::Factor& factor) {
  std::vector<std::size_t> ranks;
  std::map<std::string, std::size_t> first;
  const bool sizes = factor.name == "size_bytes";
  for (const record::Cell& cell : data.cells) {
    const std::size_t level = first.emplace(factor.text(cell), ranks.size()).first->second;
    ranks.push_back(!sizes ? level : cell.size_bytes ? *cell.size_bytes + 1 : 0);
  }
  return {.rank = [ranks](const VisitSummary& visit) { return ranks[visit.cell]; },
          .text = [&data, &factor](
                      const VisitSummary& visit) { return factor.text(data.cells[visit.cell]); }};
}

// What belongs to no regime comes last.
Key regime_key(const Regimes& regimes) {
  const auto index = [&regimes](const VisitSummary& visit) {
    return regimes.of(visit).value_or(regimes.found.size());
  };
  return {.rank = index, .text = [&regimes, index](const VisitSummary& visit) {
            const std::size_t i = index(visit);
            return i < regimes.found.size() ? regimes.found[i].name : std::string("none");
          }};
}

Key key_of(const store::Data& data, std::span<const std::uint32_t> arms, const Regimes& regimes,
           const std::string& name) {
  if (name == "regime") return regime_key(regimes);
  if (name == "arm") return arm_key(data, arms);
  if (name == "group") return number_key(&VisitSummary::group);
  if (name == "launch") return number_key(&VisitSummary::launch);
  if (name == "round") return number_key(&VisitSummary::round);
  return cell_key(data, *record::find_factor(name));
}

}  // namespace

std::vector<std::string> usual_grouping(std::span<const record::Cell> cells) {
  std::vector<std::string> by;
  for (const record::Factor& factor : record::factors()) {
    if (record::tells_cells_apart(factor, cells)) {
      by.emplace_back(factor.name);
    }
  }
  by.emplace_back("arm");
  return by;
}

std::vector<std::string> checked_grouping(const std::vector<std::string>& by) {
  std::vector<std::string> known{"arm", "group", "launch", "round", "regime"};
  for (const record::Factor& factor : record::factors()) known.emplace_back(factor.name);
  base::Faults faults;
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (std::ranges::find(known, by[i]) == known.end()) {
      faults.add("--by", "unknown factor '" + by[i] + "'", base::did_you_mean(by[i], known));
    } else if (std::find(by.begin(), by.begin() + static_cast<std::ptrdiff_t>(i), by[i]) !=
               by.begin() + static_cast<std::ptrdiff_t>(i)) {
      faults.add("--by", "'" + by[i] + "' is named twice", "name every factor once");
    }
  }
  faults.throw_if_any();
  return by;
}

std::vector<VisitGroup> group_visits(const store::Data& data, std::span<const VisitSummary> visits,
                                     std::span<const std::uint32_t> arms,
                                     std::span<const std::string> by, const Regimes& regimes) {
  std::vector<Key> keys;
  for (const std::string& name : by) keys.push_back(key_of(data, arms, regimes, name));
  std::map<std::vector<std::size_t>, VisitGroup> groups;
  std::vector<std::size_t> order(keys.size());
  for (const VisitSummary& visit : visits) {
    for (std::size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].rank(visit);
    VisitGroup& group = groups[order];
    if (group.visits.empty()) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        group.levels.emplace_back(by[i], keys[i].text(visit));
      }
    }
    group.visits.push_back(&visit);
  }
  std::vector<VisitGroup> sorted;
  sorted.reserve(groups.size());
  for (auto& [rank, group] : groups) sorted.push_back(std::move(group));
  return sorted;
}

}  // namespace invar::analysis
