#include "analysis/study/batches.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"

namespace invar::analysis {
namespace {

template <typename F>
void for_each_visit(const store::Data& data, F f) {
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) f(visit);
    }
  }
}

}  // namespace

Batches::Batches(const store::Data& data) {
  for_each_visit(data, [&](const store::Visit& visit) {
    OfCell& cell = cells_[visit.line.cell];
    cell.calls = std::max(cell.calls, visit.line.calls);
  });
  for_each_visit(data, [&](const store::Visit& visit) {
    if (!keeps(visit)) ++cells_[visit.line.cell].left_out;
  });
}

bool Batches::keeps(const store::Visit& visit) const {
  return visit.program || visit.line.calls == cells_.at(visit.line.cell).calls;
}

std::vector<Warning> Batches::warnings(const store::Data& data) const {
  constexpr std::size_t kMostListed = 3;
  std::vector<std::string> listed;
  std::uint64_t left_out = 0;
  const record::CellTexts text_of(data.cells);
  for (const auto& [id, cell] : cells_) {
    if (cell.calls == 1) continue;
    left_out += cell.left_out;
    listed.push_back(text_of(data.cells.at(id)) + " (" + std::to_string(cell.calls) + " calls)");
  }
  if (listed.empty()) return {};
  std::string text = "timed in batches, because single calls are too short for the clock: " +
                     base::first_items(listed, kMostListed, ", ");
  if (left_out > 0) {
    text += "; " + count_text(left_out, "visit") + " with fewer calls left out";
  }
  return {{text, Gravity::kBorne}};
}

}  // namespace invar::analysis
