#include "analysis/answer/tidy_table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace invar::analysis {

namespace {

struct KindWords {
  Kind kind;
  std::string_view name;
  std::string_view unit;
};

constexpr std::array<KindWords, 16> kKinds{{{Kind::kText, "text", ""},
                                            {Kind::kCell, "cell", ""},
                                            {Kind::kYesNo, "yes-no", ""},
                                            {Kind::kVerdict, "verdict", ""},
                                            {Kind::kCount, "count", ""},
                                            {Kind::kBytes, "bytes", "bytes"},
                                            {Kind::kCapacity, "bytes", "bytes"},
                                            {Kind::kTime, "time", "ns"},
                                            {Kind::kSeconds, "time", "s"},
                                            {Kind::kRatio, "ratio", ""},
                                            {Kind::kShare, "share", ""},
                                            {Kind::kP, "p", ""},
                                            {Kind::kStarredP, "p", ""},
                                            {Kind::kLogSd, "log-sd", ""},
                                            {Kind::kBandwidth, "bandwidth", "GB/s"},
                                            {Kind::kRate, "rate", "1/s"}}};

// Any other kind is a plain number.
KindWords words_of(Kind kind) {
  const auto found = std::ranges::find(kKinds, kind, &KindWords::kind);
  return found == kKinds.end() ? KindWords{kind, "number", ""} : *found;
}

}  // namespace

std::string_view kind_name(Kind kind) { return words_of(kind).name; }

std::string_view unit_of(Kind kind) { return words_of(kind).unit; }

std::size_t column_index(const TidyTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &TidyColumn::name);
  if (found == table.columns.end()) {
    throw std::invalid_argument("table '" + table.id + "' has no column '" + std::string(name) +
                                "'");
  }
  return static_cast<std::size_t>(found - table.columns.begin());
}

void hide_rates(TidyTable& table) {
  std::erase_if(table.shown, [&](const ShownColumn& shown) {
    const Kind kind = table.columns[column_index(table, shown.column)].kind;
    return kind == Kind::kBandwidth || kind == Kind::kRate;
  });
}

}  // namespace invar::analysis
