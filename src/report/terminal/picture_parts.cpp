#include "report/terminal/picture_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text.hpp"
#include "record/cell.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

constexpr std::array<const char*, 12> kSymbols{"●", "○", "◆", "◇", "▲", "△",
                                               "■", "□", "▼", "▽", "★", "☆"};
constexpr std::string_view kAsciiSymbols = "ox+*#%&$";
// Without those that look like a symbol or a part of a picture.
constexpr std::string_view kMoreSymbols = "ABCDEFGHIJKLMNPQRSTUVWYZabcdefghjkmnpqrstuvwyz23456789";

// A code point of the blocks that are used here, three bytes long.
std::string utf8(std::uint32_t point) {
  return {static_cast<char>(0xE0U | (point >> 12U)),
          static_cast<char>(0x80U | ((point >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (point & 0x3FU))};
}

bool are_apart(const PictureAxis& axis, const std::vector<double>& ticks, double apart) {
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    if (axis.share(ticks[i]) - axis.share(ticks[i - 1]) < apart) return false;
  }
  return true;
}

// A little beyond the ends, where rounding puts a tick that belongs there.
bool is_within(const PictureAxis& axis, double value) {
  constexpr double kSlack = 1e-9;
  return axis.share(value) >= -kSlack && axis.share(value) <= 1 + kSlack;
}

// Multiples of step * 10^k.
std::vector<double> multiples(const PictureAxis& axis, double step) {
  std::vector<double> ticks;
  const auto first = static_cast<std::int64_t>(std::floor(axis.low() / step));
  const auto last = static_cast<std::int64_t>(std::ceil(axis.high() / step));
  for (std::int64_t i = first; i <= last; ++i) {
    const double tick = static_cast<double>(i) * step;
    if (is_within(axis, tick)) ticks.push_back(tick);
  }
  return ticks;
}

std::vector<double> round_multiples(const PictureAxis& axis, double apart) {
  const int finest = static_cast<int>(std::floor(std::log10(axis.high() - axis.low()))) - 2;
  for (int exponent = finest; exponent < finest + 5; ++exponent) {
    for (const double step : {1.0, 2.0, 5.0}) {
      std::vector<double> ticks = multiples(axis, step * std::pow(10, exponent));
      if (are_apart(axis, ticks, apart)) return ticks;
    }
  }
  return {};
}

std::vector<double> round_decades(const PictureAxis& axis, std::span<const double> digits,
                                  int every) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(axis.low())));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high())));
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % every != 0) continue;
    for (const double digit : digits) {
      const double tick = digit * std::pow(10, exponent);
      if (is_within(axis, tick)) ticks.push_back(tick);
    }
  }
  return ticks;
}

}  // namespace

std::string arm_symbol(std::size_t arm, bool unicode) {
  const std::size_t first = unicode ? kSymbols.size() : kAsciiSymbols.size();
  arm %= first + kMoreSymbols.size();
  if (arm >= first) return std::string(1, kMoreSymbols[arm - first]);
  return unicode ? kSymbols.at(arm) : std::string(1, kAsciiSymbols[arm]);
}

std::string meeting_symbol(bool unicode) { return unicode ? "✱" : "@"; }

std::vector<PictureFamily> picture_families(const analysis::Pictured& pictured) {
  std::vector<record::Cell> cells;
  for (const analysis::PicturedCell& cell : pictured.cells) cells.push_back(cell.cell);
  const std::vector<record::Cell> rows = record::without_sizes(cells);
  const record::CellTexts text(rows);
  std::vector<PictureFamily> families;
  for (std::size_t i = 0; i < pictured.cells.size(); ++i) {
    const std::string name = text(rows[i]);
    auto found = std::ranges::find(families, name, &PictureFamily::name);
    if (found == families.end()) found = families.insert(families.end(), {.name = name});
    found->cells.push_back(&pictured.cells[i]);
  }
  for (PictureFamily& family : families) {
    std::ranges::stable_sort(family.cells, {}, [](const analysis::PicturedCell* cell) {
      return cell->cell.size_bytes.value_or(0);
    });
  }
  return families;
}

PictureAxis::PictureAxis(double low, double high, bool logarithmic)
    : low_(low), high_(high), logarithmic_(logarithmic) {}

double PictureAxis::share(double value) const {
  if (!logarithmic_) return (value - low_) / (high_ - low_);
  return (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_));
}

std::vector<double> PictureAxis::ticks(double apart) const {
  if (!logarithmic_) return round_multiples(*this, apart);
  constexpr std::array kTenth{1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0};
  constexpr std::array kThird{1.0, 2.0, 5.0};
  constexpr std::array kHalf{1.0, 3.0};
  constexpr std::array kWhole{1.0};
  std::vector<double> best;
  const auto consider = [&](std::vector<double> ticks) {
    if (ticks.size() > best.size() && are_apart(*this, ticks, apart)) best = std::move(ticks);
  };
  for (const std::span<const double> digits :
       {std::span<const double>(kThird), std::span<const double>(kHalf),
        std::span<const double>(kWhole), std::span<const double>(kTenth)}) {
    consider(round_decades(*this, digits, 1));
    if (best.size() >= 3) return best;
  }
  for (const int every : {2, 3, 5}) consider(round_decades(*this, kWhole, every));
  // Less than a decade and no round number in it.
  constexpr double kNarrow = 10;
  if (best.size() < 3 && high_ / low_ < kNarrow) consider(round_multiples(*this, apart));
  return best;
}

PictureCanvas::PictureCanvas(std::size_t columns, std::size_t rows, bool unicode)
    : columns_(columns),
      rows_(rows),
      unicode_(unicode),
      characters_(columns * rows),
      dots_(columns * rows, 0) {}

std::size_t PictureCanvas::column_of(double x) const {
  const double last = static_cast<double>(columns_ - 1);
  return static_cast<std::size_t>(std::lround(std::clamp(x, 0.0, 1.0) * last));
}

std::size_t PictureCanvas::row_of(double y) const {
  const double last = static_cast<double>(rows_ - 1);
  return static_cast<std::size_t>(std::lround((1 - std::clamp(y, 0.0, 1.0)) * last));
}

// In dots from the left and from the top.
void PictureCanvas::dot(std::size_t x, std::size_t y) {
  if (!unicode_) {
    if (x < columns_ && y < rows_) dots_[y * columns_ + x] = 1;
    return;
  }
  // Bits of a braille character, by column and row.
  constexpr std::array<std::array<std::uint8_t, 4>, 2> kBits{
      {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
  const std::size_t column = x / 2;
  const std::size_t row = y / 4;
  if (column >= columns_ || row >= rows_) return;
  dots_[row * columns_ + column] =
      static_cast<std::uint8_t>(dots_[row * columns_ + column] | kBits.at(x % 2).at(y % 4));
}

void PictureCanvas::line(double x0, double y0, double x1, double y1) {
  // The middle of the first and of the last character, as column_of and row_of have it.
  const double across = unicode_ ? 2 : 1;
  const double down = unicode_ ? 4 : 1;
  const auto to_x = [&](double x) {
    return x * static_cast<double>(columns_ - 1) * across + (across - 1) / 2;
  };
  const auto to_y = [&](double y) {
    return (1 - y) * static_cast<double>(rows_ - 1) * down + (down - 1) / 2;
  };
  const double length = std::max(std::abs(to_x(x1) - to_x(x0)), std::abs(to_y(y1) - to_y(y0)));
  const auto steps = static_cast<std::size_t>(std::ceil(length)) + 1;
  for (std::size_t i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(steps);
    const double x = to_x(x0 + part * (x1 - x0));
    const double y = to_y(y0 + part * (y1 - y0));
    if (x < 0 || y < 0) continue;
    dot(static_cast<std::size_t>(std::lround(x)), static_cast<std::size_t>(std::lround(y)));
  }
}

void PictureCanvas::put(std::size_t column, std::size_t row, const std::string& character) {
  characters_[row * columns_ + column] = character;
}

bool PictureCanvas::is_free(std::size_t column, std::size_t row) const {
  return characters_[row * columns_ + column].empty();
}

std::string PictureCanvas::row_text(std::size_t row) const {
  std::string text;
  std::size_t used = 0;
  for (std::size_t column = 0; column < columns_; ++column) {
    const std::size_t at = row * columns_ + column;
    if (!characters_[at].empty()) {
      text += characters_[at];
    } else if (dots_[at] == 0) {
      text += ' ';
      continue;
    } else {
      constexpr std::uint32_t kBraille = 0x2800;
      text += unicode_ ? utf8(kBraille + dots_[at]) : ".";
    }
    used = text.size();
  }
  text.resize(used);
  return text;
}

std::string label_line(std::span<const PlacedLabel> labels, std::size_t width) {
  struct Stretch {
    std::size_t begin;
    const PlacedLabel* label;
  };
  std::vector<Stretch> placed;
  for (const PlacedLabel& label : labels) {
    const std::size_t size = display_width(label.text);
    if (size > width) continue;
    std::size_t begin = label.column > size / 2 ? label.column - size / 2 : 0;
    begin = std::min(begin, width - size);
    const bool touches = std::ranges::any_of(placed, [&](const Stretch& other) {
      const std::size_t other_end = other.begin + display_width(other.label->text);
      return begin <= other_end && other.begin <= begin + size;
    });
    if (!touches) placed.push_back({.begin = begin, .label = &label});
  }
  std::ranges::sort(placed, {}, &Stretch::begin);
  std::string line;
  std::size_t column = 0;
  for (const Stretch& one : placed) {
    line += std::string(one.begin - column, ' ') + one.label->text;
    column = one.begin + display_width(one.label->text);
  }
  return line;
}

}  // namespace invar::report
