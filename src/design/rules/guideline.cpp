#include "design/rules/guideline.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "design/campaign/gate.hpp"
#include "design/rules/term_words.hpp"

namespace invar::design {

std::string parts_text(std::span<const GuidelineTerm> parts) {
  std::string text;
  for (const GuidelineTerm& part : parts) {
    if (!text.empty()) text += " + ";
    text += part.operation + '(' + std::string(to_string(part.size)) + ')';
  }
  return text;
}

std::string statement_of(const Guideline& guideline) {
  if (guideline.kind == GuidelineKind::kPattern) {
    return guideline.operation + "(n) <= " + parts_text(guideline.parts);
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
    faults.push_back({.place = place,
                      .line = at.line,
                      .column = at.column,
                      .what = "there is no operation '" + name + "'",
                      .remedy = base::did_you_mean(name, known)});
  };
  for (const Guideline& guideline : guidelines) {
    check(guideline.operation, guideline.operation_at);
    for (const GuidelineTerm& part : guideline.parts) check(part.operation, part.at);
  }
  return faults;
}

std::uint64_t term_bytes(TermSize size, std::uint64_t block_bytes, std::uint64_t element_bytes,
                         std::uint32_t ranks) {
  if (size == TermSize::kBlock) return block_bytes;
  if (size == TermSize::kAll) return block_bytes * ranks;
  const std::uint64_t elements = block_bytes / element_bytes;
  return (elements / ranks + (elements % ranks == 0 ? 0 : 1)) * element_bytes;
}

}  // namespace invar::design
