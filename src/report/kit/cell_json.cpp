#include "report/kit/cell_json.hpp"

#include "base/text.hpp"

namespace invar::report {

void write_levels(base::JsonWriter& json, const record::Cell& cell) {
  json.field("operation", cell.operation)
      .field("size_bytes", cell.size_bytes)
      .field("ranks", cell.ranks)
      .key("factors")
      .begin_object();
  for (const record::Factor& factor : record::factors()) {
    using enum record::FactorRole;
    if (factor.role == kSubject || factor.role == kRanks) continue;
    const std::string level = factor.text(cell);
    if (level.empty() || (!factor.always_written && level == factor.absent)) continue;
    if (const auto number = base::parse_u64(level)) {
      json.field(factor.name, *number);
    } else {
      json.field(factor.name, level);
    }
  }
  json.end_object();
}

}  // namespace invar::report
