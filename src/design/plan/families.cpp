#include "design/plan/families.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/factors.hpp"
#include "record/p2p/overlap_cells.hpp"

namespace invar::design {
namespace {

// What a selector says of one cell.
struct WantedCell {
  std::string operation = {};
  std::optional<std::uint64_t> size_bytes = {};  // none: any
  std::vector<std::pair<const record::Factor*, std::string>> levels = {};

  [[nodiscard]] bool is(const record::Cell& cell) const {
    return cell.operation == operation && (!size_bytes || cell.size_bytes == size_bytes) &&
           std::ranges::all_of(
               levels, [&](const auto& level) { return level.first->text(cell) == level.second; });
  }

  // "allreduce, 24 B, ranks 4"
  [[nodiscard]] std::string text() const {
    std::string text = operation;
    if (size_bytes) text += ", " + base::size_text(*size_bytes);
    for (const auto& [factor, level] : levels)
      text += ", " + std::string(factor->name) + ' ' + level;
    return text;
  }
};

// The level as cells have it.
std::string text_in_cell(const record::Factor& factor, const std::string& level) {
  record::Cell cell;
  if (!factor.parse(cell, level)) {
    throw std::logic_error("a level that its factor cannot read: " + level);
  }
  return factor.text(cell);
}

// The product of what is written.
std::vector<WantedCell> wanted_cells(const CellsBlock& selector) {
  std::vector<WantedCell> all;
  for (const std::string& operation : selector.operations) {
    if (selector.sizes_bytes.empty()) all.push_back({.operation = operation});
    for (const std::uint64_t size_bytes : selector.sizes_bytes) {
      all.push_back({.operation = operation, .size_bytes = size_bytes});
    }
  }
  for (const auto& [key, levels] : selector.levels) {
    const record::Factor& factor = *record::find_factor_by_key(key);
    std::vector<WantedCell> next;
    for (const WantedCell& wanted : all) {
      for (const std::string& level : levels) {
        next.push_back(wanted);
        next.back().levels.emplace_back(&factor, text_in_cell(factor, level));
      }
    }
    all = std::move(next);
  }
  return all;
}

// Cells by all levels but those of `together`.
std::map<std::string, std::vector<std::uint32_t>> by_other_levels(
    const std::vector<record::Cell>& cells, const std::vector<std::string>& together) {
  std::vector<const record::Factor*> apart;
  apart.reserve(together.size());
  for (const std::string& word : together) apart.push_back(record::find_cell_factor(word));
  const std::vector<std::string> others = record::levels_but(cells, apart);
  std::map<std::string, std::vector<std::uint32_t>> families;
  for (std::size_t i = 0; i < cells.size(); ++i) families[others[i]].push_back(cells[i].id);
  return families;
}

void put_together(const Campaign& campaign, std::vector<record::Cell>& cells) {
  if (campaign.together.empty()) return;
  std::vector<std::vector<std::uint32_t>> families;
  for (auto& [levels, members] : by_other_levels(cells, campaign.together)) {
    if (members.size() > 1) families.push_back(std::move(members));
  }
  std::ranges::sort(families);  // by their first cells
  for (std::size_t i = 0; i < families.size(); ++i) {
    for (const std::uint32_t cell : families[i]) {
      cells[cell].family = std::string(kTogetherName) + std::to_string(i + 1);
    }
  }
}

std::set<std::string_view> families_of_guidelines(const Campaign& campaign) {
  std::set<std::string_view> names;
  for (const GuidelineBlock& guideline : campaign.guidelines) {
    names.insert(guideline.families.begin(), guideline.families.end());
  }
  return names;
}

// Likewise; and one cell that several arms have is race enough.
std::set<std::string_view> families_of_races(const Campaign& campaign) {
  std::set<std::string_view> names;
  for (const RaceBlock& race : campaign.races) names.insert(race.family);
  return names;
}

// The block would have such a cell. A level of which it writes nothing, or one that stands for
// several, may be any.
bool would_have(const CellsBlock& block, const WantedCell& wanted) {
  const auto has = [](const auto& all, const auto& one) {
    return std::ranges::find(all, one) != all.end();
  };
  if (!has(block.operations, wanted.operation)) return false;
  const bool listed = block.random_sizes.empty() && block.adaptive.empty();
  if (wanted.size_bytes && listed && !has(block.sizes_bytes, *wanted.size_bytes)) return false;
  return std::ranges::all_of(wanted.levels, [&](const auto& level) {
    const record::Factor& factor = *level.first;
    const auto written = block.levels.find(factor.key);
    if (written == block.levels.end() || factor.expand != nullptr) return true;
    return std::ranges::any_of(written->second, [&](const std::string& text) {
      record::Cell cell;
      return factor.parse(cell, text) && factor.text(cell) == level.second;
    });
  });
}

// Indices of the cells that the family names, of the first `count`; none: it names one of a refused
// block. `may_lack`: some of them may be left out for all arms.
std::optional<std::set<std::uint32_t>> members_of(const FamilyBlock& family,
                                                  const ResolvedCells& resolved, std::size_t count,
                                                  bool may_lack,
                                                  std::span<const CellsBlock* const> refused,
                                                  const FamilyFault& fault) {
  std::set<std::uint32_t> members;
  bool of_refused = false;
  for (const CellsBlock& selector : family.cells) {
    for (const WantedCell& wanted : wanted_cells(selector)) {
      bool any = false;
      for (std::uint32_t i = 0; i < count; ++i) {
        if (!wanted.is(resolved.cells[i])) continue;
        members.insert(i);
        any = true;
      }
      if (any) continue;
      const bool told = std::ranges::any_of(
          refused, [&](const CellsBlock* block) { return would_have(*block, wanted); });
      of_refused = of_refused || told;
      if (told) continue;
      const auto left_out = std::ranges::find_if(
          resolved.left_out, [&](const LeftOut& cell) { return wanted.is(cell.cell); });
      if (left_out == resolved.left_out.end()) {
        fault(selector.at,
              wanted.text() + " in family '" + family.name + "' is not a cell of this campaign",
              "name operations, sizes and levels that [[cells]] has, or add the cell there");
      } else if (!may_lack) {
        fault(selector.at,
              wanted.text() + " in family '" + family.name +
                  "' cannot be measured: " + left_out->reason,
              "leave it out of the family");
      }
    }
  }
  if (of_refused) return std::nullopt;
  return members;
}

}  // namespace

void put_into_families(const Campaign& campaign, ResolvedCells& resolved, const FamilyFault& fault,
                       std::span<const CellsBlock* const> refused) {
  put_together(campaign, resolved.cells);
  const std::size_t count = resolved.cells.size();
  const record::CellTexts text(resolved.cells);
  const std::set<std::string_view> of_guidelines = families_of_guidelines(campaign);
  const std::set<std::string_view> of_races = families_of_races(campaign);
  for (const FamilyBlock& family : campaign.families) {
    const bool races = of_races.contains(family.name);
    const bool may_lack = races || of_guidelines.contains(family.name);
    const std::optional<std::set<std::uint32_t>> members =
        members_of(family, resolved, count, may_lack, refused, fault);
    if (!members || (may_lack && members->size() < (races ? 1U : 2U))) continue;
    if (members->size() == 1 && !races) {
      fault(family.at,
            "family '" + family.name + "' has one cell: " + text(resolved.cells[*members->begin()]),
            "name what it is compared with too, or remove the family");
    }
    for (const std::uint32_t i : *members) {
      if (resolved.cells[i].family.empty()) {
        resolved.cells[i].family = family.name;
        continue;
      }
      record::Cell again = resolved.cells[i];
      again.id = static_cast<std::uint32_t>(resolved.cells.size());
      again.family = family.name;
      resolved.cells.push_back(std::move(again));
      std::vector<std::uint32_t> arms = resolved.arms[i];
      resolved.arms.push_back(std::move(arms));
      if (const auto parts = resolved.sampled.find(i); parts != resolved.sampled.end()) {
        resolved.sampled[resolved.cells.back().id] = std::vector<SampledSize>(parts->second);
      }
    }
  }
}

std::vector<Conflict> split_families(const Campaign& campaign, const ResolvedCells& resolved) {
  std::vector<Conflict> found;
  if (resolved.sampled.empty()) return found;
  const record::CellTexts text(resolved.cells);
  const auto parts_of = [&](const record::Cell& cell) {
    const auto parts = resolved.sampled.find(cell.id);
    return parts == resolved.sampled.end() ? std::vector<SampledSize>() : parts->second;
  };
  std::map<std::string_view, const record::Cell*> first;
  std::set<std::string_view> told;
  for (const record::Cell& cell : resolved.cells) {
    if (cell.family.empty()) continue;
    const record::Cell& before = *first.try_emplace(cell.family, &cell).first->second;
    if (parts_of(before) == parts_of(cell) || !told.insert(cell.family).second) continue;
    const auto family = std::ranges::find(campaign.families, cell.family, &FamilyBlock::name);
    found.push_back({family == campaign.families.end() ? Position{} : family->at,
                     "family '" + cell.family + "' has " + text(before) + " and " + text(cell) +
                         ", and a launch group with a part of the random sizes ('per-launch') may "
                         "have one of them",
                     "name cells of one size, all with 'per-launch', or leave 'per-launch' out"});
  }
  return found;
}

std::vector<std::uint32_t> families_of(std::span<const record::Cell> cells) {
  std::map<std::string_view, std::uint32_t> first;
  std::vector<std::uint32_t> families;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const std::string& name = cells[i].family;
    families.push_back(name.empty() ? i : first.try_emplace(name, i).first->second);
  }
  return families;
}

FamilySides sides_of(const FamilyBlock& family, std::span<const record::Cell> cells) {
  const auto cell_of = [&](const CellsBlock& side) -> std::optional<std::uint32_t> {
    const WantedCell wanted = wanted_cells(side).front();
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      if (cells[i].family == family.name && wanted.is(cells[i])) return i;
    }
    return std::nullopt;
  };
  FamilySides sides{.left = cell_of(family.cells.front())};
  for (const CellsBlock& side : std::span(family.cells).subspan(1)) {
    const std::optional<std::uint32_t> right = cell_of(side);
    const bool named_before =
        right == sides.left ||
        (right && std::ranges::find(sides.rights, *right) != sides.rights.end());
    if (right && !named_before) sides.rights.push_back(*right);
  }
  return sides;
}

std::vector<SideChoice> sides_to_choose(const Campaign& campaign, const ResolvedCells& resolved) {
  if (campaign.analysis.question != Question::kGuidelines) return {};
  const std::set<std::string_view> of_guidelines = families_of_guidelines(campaign);
  std::vector<SideChoice> choices;
  for (const FamilyBlock& family : campaign.families) {
    if (family.cells.size() <= 2 || !of_guidelines.contains(family.name)) continue;
    const FamilySides sides = sides_of(family, resolved.cells);
    if (!sides.left) continue;
    for (std::uint32_t arm = 0; arm < campaign.arms.size(); ++arm) {
      SideChoice choice{.arm = arm, .left = *sides.left, .rights = sides.rights};
      std::erase_if(choice.rights, [&](std::uint32_t right) {
        const std::vector<std::uint32_t>& arms = resolved.arms[right];
        return std::ranges::find(arms, arm) == arms.end();
      });
      if (choice.rights.size() > 1) choices.push_back(std::move(choice));
    }
  }
  return choices;
}

std::vector<std::uint32_t> late_by_cells(const Campaign& campaign,
                                         std::span<const record::Cell> cells) {
  if (std::ranges::none_of(cells, record::has_multiples)) return {};
  std::vector<std::uint32_t> late_by(cells.size());
  const std::vector<std::optional<std::uint32_t>> plain = record::calls_without_computation(cells);
  for (std::uint32_t i = 0; i < cells.size(); ++i) late_by[i] = cells[plain[i].value_or(i)].id;
  const std::set<std::string_view> of_guidelines = families_of_guidelines(campaign);
  for (const FamilyBlock& family : campaign.families) {
    if (!of_guidelines.contains(family.name)) continue;
    const std::optional<std::uint32_t> left = sides_of(family, cells).left;
    if (!left) continue;
    for (const record::Cell& cell : cells) {
      if (cell.family == family.name) late_by[cell.id] = cells[*left].id;
    }
  }
  return late_by;
}

std::vector<std::string> family_texts(std::span<const record::Cell> cells) {
  std::vector<std::pair<std::string, std::size_t>> families;
  std::map<std::string_view, std::size_t> known;
  for (const record::Cell& cell : cells) {
    if (cell.family.empty()) continue;
    const auto [at, is_new] = known.try_emplace(cell.family, families.size());
    if (is_new) families.emplace_back(cell.family, 0);
    ++families[at->second].second;
  }
  std::vector<std::string> texts;
  texts.reserve(families.size());
  for (const auto& [name, count] : families) {
    texts.push_back(name + ": " + base::count_text(count, "cell"));
  }
  return texts;
}

}  // namespace invar::design
