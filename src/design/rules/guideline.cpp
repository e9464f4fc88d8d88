#include "design/rules/guideline.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "design/campaign/gate.hpp"

namespace invar::design {

std::string statement_of(const Guideline& guideline) {
  if (guideline.kind == GuidelineKind::kPattern) {
    return guideline.operation + "(n) <= " + record::parts_text(guideline.parts);
  }
  return std::string(to_string(guideline.kind)) + '(' + guideline.operation + ')';
}

std::string guideline_text(const Guideline& guideline) {
  std::string text = guideline.name + ": " + statement_of(guideline);
  if (guideline.tolerance > 0) text += " tolerance " + percent_words(guideline.tolerance);
  if (!guideline.why.empty()) text += "  # " + guideline.why;
  return text;
}

std::vector<base::Fault> unknown_operations(std::span<const Guideline> guidelines,
                                            std::span<const std::string> known,
                                            const std::string& place) {
  std::vector<base::Fault> faults;
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(known, name.substr(0, name.find('@'))) != known.end();
  };
  const auto check = [&](const std::string& name, Position at) {
    if (is_known(name)) return;
    const std::optional<std::string> meant = base::nearest(name, known);
    faults.push_back(
        {.place = place,
         .line = at.line,
         .column = at.column,
         .what = "there is no operation '" + name + "'",
         .remedy = meant ? "did you mean '" + *meant + "'?" : "'invar ops' lists operations"});
  };
  for (const Guideline& guideline : guidelines) {
    check(guideline.operation, guideline.operation_at);
    for (std::size_t i = 0; i < guideline.parts.size(); ++i) {
      check(guideline.parts[i].operation, guideline.part_positions.at(i));
    }
  }
  return faults;
}

std::uint64_t part_bytes(record::PartSize size, std::uint64_t block_bytes,
                         std::uint64_t element_bytes, std::uint32_t ranks) {
  const std::uint64_t elements = block_bytes / element_bytes;
  switch (size) {
    case record::PartSize::kBlock:
      return block_bytes;
    case record::PartSize::kShare:
      return (elements / ranks + (elements % ranks == 0 ? 0 : 1)) * element_bytes;
    case record::PartSize::kAll:
      return block_bytes * ranks;
    case record::PartSize::kOne:
      break;
  }
  return element_bytes;
}

}  // namespace invar::design
