#include "report/kit/cell_columns.hpp"

#include "analysis/words/sync_words.hpp"
#include "base/units.hpp"

namespace invar::report {

std::vector<record::Factor> varying_factors(std::span<const record::Cell> cells,
                                            std::optional<record::FactorRole> without) {
  std::vector<record::Factor> varying;
  for (const record::Factor& factor : record::factors()) {
    if (factor.role == record::FactorRole::kSubject || factor.role == without) continue;
    if (record::tells_cells_apart(factor, cells)) varying.push_back(factor);
  }
  return varying;
}

SyncColumns::SyncColumns(std::vector<record::Cell> cells) : cells_(std::move(cells)) {
  factors_ = varying_factors(cells_, record::FactorRole::kStart);
  for (const record::Cell& cell : cells_) {
    const record::Cell& first = cells_.front();
    operations_ = operations_ || cell.operation != first.operation;
    sizes_ = sizes_ || cell.size_bytes != first.size_bytes;
    dithers_ = dithers_ || cell.dither_ns != first.dither_ns;
  }
}

std::string SyncColumns::place() const {
  if (cells_.empty() || analysis::by_place(cells_).size() > 1) return {};
  return record::cell_text(analysis::place_of(cells_.front()));
}

std::vector<std::string> SyncColumns::headers() const {
  std::vector<std::string> headers;
  if (operations_) headers.emplace_back("operation");
  if (sizes_) headers.emplace_back("size");
  for (const record::Factor& factor : factors_) headers.emplace_back(factor.name);
  headers.emplace_back("sync");
  if (dithers_) headers.emplace_back("dither");
  return headers;
}

std::vector<std::string> SyncColumns::fields(const record::Cell& cell) const {
  std::vector<std::string> fields;
  if (operations_) fields.push_back(cell.operation);
  if (sizes_) fields.push_back(cell.size_bytes ? base::size_text(*cell.size_bytes) : "");
  for (const record::Factor& factor : factors_) fields.push_back(factor.text(cell));
  fields.push_back(cell.sync);
  if (dithers_) fields.push_back(analysis::dither_text(cell));
  return fields;
}

}  // namespace invar::report
