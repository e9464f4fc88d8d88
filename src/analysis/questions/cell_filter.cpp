#include "analysis/questions/cell_filter.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

bool within(const record::Cell& cell, const std::pair<std::uint64_t, std::uint64_t>& range) {
  return cell.size_bytes && *cell.size_bytes >= range.first && *cell.size_bytes <= range.second;
}

std::string range_text(const std::pair<std::uint64_t, std::uint64_t>& range) {
  const std::string from = base::size_text(range.first);
  return range.first == range.second ? from : from + " to " + base::size_text(range.second);
}

std::vector<std::string> words_of(const std::string& option, const std::string& text,
                                  base::Faults& faults) {
  std::vector<std::string> words;
  if (text.empty()) return words;
  for (const std::string_view part : base::split(text, ',')) {
    words.emplace_back(base::trim(part));
    if (words.back().empty()) faults.add(option, "'" + text + "' has an empty part");
  }
  return words;
}

}  // namespace

CellFilter parse_cell_filter(const std::string& operations, const std::string& sizes) {
  base::Faults faults;
  CellFilter filter{.operations = words_of("--operation", operations, faults)};
  for (const std::string& word : words_of("--size", sizes, faults)) {
    if (word.empty()) continue;
    const std::size_t colon = word.find(':');
    const auto from = base::parse_size_bytes(word.substr(0, colon));
    const auto to =
        colon == std::string::npos ? from : base::parse_size_bytes(word.substr(colon + 1));
    if (!from.value || !to.value) {
      faults.add("--size", from.value ? to.error : from.error);
    } else if (*from.value > *to.value) {
      faults.add("--size", "'" + word + "' ends before it begins", "write the smaller size first");
    } else {
      filter.sizes.emplace_back(*from.value, *to.value);
    }
  }
  faults.throw_if_any();
  return filter;
}

std::vector<bool> select_cells(const store::Data& data, const CellFilter& filter) {
  base::Faults faults;
  std::set<std::string> known;
  for (const record::Cell& cell : data.cells) known.insert(cell.operation);
  for (const std::string& operation : filter.operations) {
    if (known.contains(operation)) continue;
    faults.add("--operation", "no cell of '" + operation + "' here",
               base::did_you_mean(operation, std::vector(known.begin(), known.end())));
  }
  for (const auto& range : filter.sizes) {
    if (std::ranges::any_of(data.cells, [&](const auto& cell) { return within(cell, range); })) {
      continue;
    }
    faults.add("--size", "no cell of " + range_text(range) + " here",
               "'invar show' without it lists them");
  }
  faults.throw_if_any();
  std::vector<bool> chosen;
  for (const record::Cell& cell : data.cells) {
    const bool operation =
        filter.operations.empty() ||
        std::ranges::find(filter.operations, cell.operation) != filter.operations.end();
    const bool size =
        filter.sizes.empty() ||
        std::ranges::any_of(filter.sizes, [&](const auto& range) { return within(cell, range); });
    chosen.push_back(operation && size);
  }
  if (!std::ranges::any_of(chosen, [](bool one) { return one; })) {
    throw base::UserError("--operation and --size", "no cell here has both",
                          "'invar show' without them lists the cells");
  }
  return chosen;
}

}  // namespace invar::analysis
