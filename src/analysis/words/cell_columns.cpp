#include "analysis/words/cell_columns.hpp"

#include "analysis/words/sync_words.hpp"
#include "base/units.hpp"

namespace invar::analysis {

std::vector<record::Factor> varying_factors(std::span<const record::Cell> cells,
                                            std::optional<record::FactorRole> without) {
  std::vector<record::Factor> varying;
  for (const record::Factor& factor : record::factors()) {
    if (factor.role == record::FactorRole::kSubject || factor.role == without) continue;
    if (record::tells_cells_apart(factor, cells)) varying.push_back(factor);
  }
  return varying;
}

std::vector<std::string> sync_factors(std::span<const record::Cell> cells) {
  bool operations = false;
  bool sizes = false;
  bool dithers = false;
  for (const record::Cell& cell : cells) {
    const record::Cell& first = cells.front();
    operations = operations || cell.operation != first.operation;
    sizes = sizes || cell.size_bytes != first.size_bytes;
    dithers = dithers || cell.dither_ns != first.dither_ns;
  }
  std::vector<std::string> names;
  if (operations) names.emplace_back("operation");
  if (sizes) names.emplace_back("size_bytes");
  for (const record::Factor& factor : varying_factors(cells, record::FactorRole::kStart))
    names.emplace_back(factor.name);
  names.emplace_back("sync");
  if (dithers) names.emplace_back("dither_ns");
  return names;
}

std::string only_place(std::span<const record::Cell> cells) {
  if (cells.empty() || by_place(cells).size() > 1) return {};
  return record::cell_text(place_of(cells.front()));
}

std::string level_header(const record::Factor& factor) {
  if (factor.name == "size_bytes") return "size";
  return factor.name == "dither_ns" ? "dither" : std::string(factor.name);
}

std::string level_words(const record::Factor& factor, const record::Cell& cell) {
  if (factor.name == "size_bytes") {
    return cell.size_bytes ? base::size_text(*cell.size_bytes) : std::string();
  }
  return factor.name == "dither_ns" ? dither_text(cell) : factor.text(cell);
}

}  // namespace invar::analysis
