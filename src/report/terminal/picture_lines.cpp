// Time of a call over size, both axes logarithmic, and all pictures of `show --plot` together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/text_table.hpp"
#include "report/terminal/picture.hpp"
#include "report/terminal/picture_parts.hpp"

namespace invar::report {
namespace {

using analysis::Pictured;
using analysis::PicturedArm;
using analysis::PicturedCell;

constexpr std::size_t kMostPictures = 4;
constexpr std::size_t kRows = 16;

// Sizes on a log2 axis; 0 stands one doubling before the smallest other one.
class SizeAxis {
 public:
  explicit SizeAxis(const PictureFamily& family) {
    std::vector<std::uint64_t> sizes;
    for (const PicturedCell* cell : family.cells) sizes.push_back(*cell->cell.size_bytes);
    zero_ = sizes.front() == 0;
    smallest_ = zero_ ? sizes[1] : sizes.front();
    largest_ = sizes.back();
    low_ = std::log2(static_cast<double>(smallest_)) - (zero_ ? 1 : 0);
    high_ = std::log2(static_cast<double>(largest_));
  }

  [[nodiscard]] double share(std::uint64_t size_bytes) const {
    if (size_bytes == 0) return 0;
    return (std::log2(static_cast<double>(size_bytes)) - low_) / (high_ - low_);
  }

  // Both ends and powers of two between them, as many as `columns` have room for.
  [[nodiscard]] std::vector<std::uint64_t> ticks(std::size_t columns) const {
    std::vector<std::uint64_t> sizes;
    if (zero_) sizes.push_back(0);
    sizes.push_back(smallest_);
    constexpr double kColumnsApart = 10;
    const double doublings = high_ - low_;
    const auto every = static_cast<std::uint64_t>(
        std::max(1.0, std::ceil(doublings * kColumnsApart / static_cast<double>(columns))));
    std::uint64_t size = 1;
    while (size <= smallest_) size <<= 1U;
    const auto begin = static_cast<std::uint64_t>(std::log2(static_cast<double>(smallest_)));
    for (std::uint64_t exponent = begin + every; exponent < 63; exponent += every) {
      const std::uint64_t power = std::uint64_t{1} << exponent;
      if (power >= largest_) break;
      // The label of the last one needs its room.
      if ((1 - share(power)) * static_cast<double>(columns) >= kColumnsApart) {
        sizes.push_back(power);
      }
    }
    if (largest_ > smallest_) sizes.push_back(largest_);
    return sizes;
  }

 private:
  bool zero_ = false;
  std::uint64_t smallest_ = 1;
  std::uint64_t largest_ = 1;
  double low_ = 0;
  double high_ = 1;
};

struct AxisUnit {
  double ns;
  const char* name;
};

// One for the whole axis.
AxisUnit unit_of(const PictureAxis& axis) {
  const double middle_ns = std::sqrt(axis.low() * axis.high());
  if (middle_ns < 10) return {1, "ns"};
  if (middle_ns < 1e6) return {1e3, "us"};
  return middle_ns < 1e9 ? AxisUnit{1e6, "ms"} : AxisUnit{1e9, "s"};
}

// Intervals of few launches may be wider than everything that is measured: they take the axis along
// up to a factor of two only.
constexpr double kMostBeyond = 2;

PictureAxis time_axis(const PictureFamily& family) {
  double least = family.cells.front()->arms.front().time.median_ns;
  double largest = least;
  double low = least;
  double high = least;
  for (const PicturedCell* cell : family.cells) {
    for (const PicturedArm& arm : cell->arms) {
      least = std::min(least, arm.time.median_ns);
      largest = std::max(largest, arm.time.median_ns);
      if (!arm.time.interval_ns) continue;
      low = std::min(low, arm.time.interval_ns->low);
      high = std::max(high, arm.time.interval_ns->high);
    }
  }
  low = std::max(std::min(low, least), least / kMostBeyond);
  high = std::min(std::max(high, largest), largest * kMostBeyond);
  constexpr double kNarrowest = 1.1;
  return {low, std::max(high, low * kNarrowest), true};
}

struct LinePicture {
  std::string text = {};
  bool intervals = false;
  bool cut = false;  // an interval leaves the picture
  bool meeting = false;
};

// Left of the plot: "  20 us ┤".
LinePicture draw(const PictureFamily& family, const PictureLook& look) {
  LinePicture result;
  const PictureAxis times = time_axis(family);
  const SizeAxis sizes(family);
  const AxisUnit unit = unit_of(times);
  std::vector<std::string> labels(kRows);
  std::size_t left = 0;
  constexpr double kRowsApart = 1.9;
  const PictureCanvas rows(1, kRows, look.unicode);
  for (const double tick : times.ticks(kRowsApart / static_cast<double>(kRows - 1))) {
    std::string& label = labels[rows.row_of(times.share(tick))];
    label = fmt::format("{:g} {}", tick / unit.ns, unit.name);
    left = std::max(left, label.size());
  }
  const std::size_t columns = look.width - (left + 5);
  PictureCanvas canvas(columns, kRows, look.unicode);

  std::set<std::size_t> arms;
  for (const PicturedCell* cell : family.cells) {
    for (const PicturedArm& arm : cell->arms) arms.insert(arm.arm);
  }
  // All lines, then all intervals, then all symbols: what is on top can be read.
  const auto each = [&](std::size_t arm, const auto& visit) {
    for (const PicturedCell* cell : family.cells) {
      const auto found = std::ranges::find(cell->arms, arm, &PicturedArm::arm);
      if (found != cell->arms.end()) visit(sizes.share(*cell->cell.size_bytes), *found);
    }
  };
  for (const std::size_t arm : arms) {
    bool first = true;
    double last_x = 0;
    double last_y = 0;
    each(arm, [&](double x, const PicturedArm& point) {
      const double y = times.share(point.time.median_ns);
      if (!first) canvas.line(last_x, last_y, x, y);
      first = false;
      last_x = x;
      last_y = y;
    });
  }
  for (const std::size_t arm : arms) {
    each(arm, [&](double x, const PicturedArm& point) {
      if (!point.time.interval_ns) return;
      const stats::Interval& interval = *point.time.interval_ns;
      const std::size_t top = canvas.row_of(times.share(interval.high));
      const std::size_t bottom = canvas.row_of(times.share(std::max(interval.low, times.low())));
      result.cut = result.cut || interval.low < times.low() || interval.high > times.high();
      for (std::size_t row = top; row <= bottom; ++row) {
        canvas.put(canvas.column_of(x), row, look.unicode ? "│" : "|");
      }
      result.intervals = result.intervals || top < bottom;
    });
  }
  std::set<std::pair<std::size_t, std::size_t>> taken;
  for (const std::size_t arm : arms) {
    each(arm, [&](double x, const PicturedArm& point) {
      const std::size_t column = canvas.column_of(x);
      const std::size_t row = canvas.row_of(times.share(point.time.median_ns));
      const bool free = taken.emplace(column, row).second;
      result.meeting = result.meeting || !free;
      canvas.put(column, row, free ? arm_symbol(arm, look.unicode) : meeting_symbol(look.unicode));
    });
  }

  result.text = wrapped("", family.name, look.width);
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::string& label = labels[row];
    const char* edge = look.unicode ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
    std::string line = "  " + std::string(left - label.size(), ' ') + label + " " + edge + " " +
                       canvas.row_text(row);
    line.erase(line.find_last_not_of(' ') + 1);
    result.text += line + "\n";
  }
  std::string axis = look.unicode ? "└─" : "+-";
  std::vector<PlacedLabel> placed;
  std::set<std::size_t> marks;
  for (const std::uint64_t size : sizes.ticks(columns)) {
    const std::size_t column = canvas.column_of(sizes.share(size));
    placed.push_back({.column = column, .text = base::size_text(size)});
    marks.insert(column);
  }
  for (std::size_t column = 0; column < columns; ++column) {
    axis +=
        look.unicode ? (marks.contains(column) ? "┬" : "─") : (marks.contains(column) ? "+" : "-");
  }
  result.text += std::string(left + 3, ' ') + axis + "\n";
  result.text += std::string(left + 5, ' ') + label_line(placed, columns) + "\n";
  return result;
}

bool has_line(const PictureFamily& family) {
  return family.cells.size() > 1 && family.cells.front()->cell.size_bytes &&
         family.cells[family.cells.size() == 2 ? 1 : 2]->cell.size_bytes.value_or(0) > 0 &&
         // 0 and one other size: no two places on a log axis.
         !(family.cells.size() == 2 && *family.cells.front()->cell.size_bytes == 0);
}

// Symbols with their labels, as many in a line as fit.
std::string arms_text(const Pictured& pictured, const PictureLook& look) {
  std::string text;
  std::size_t column = 0;
  for (std::size_t arm = 0; arm < pictured.arms.size(); ++arm) {
    const std::string entry = arm_symbol(arm, look.unicode) + " " + printable(pictured.arms[arm]);
    const std::size_t size = display_width(entry);
    const bool fits = column + 3 + size <= look.width;
    text += arm == 0 ? "  " : fits ? "   " : "\n  ";
    column = (arm > 0 && fits ? column + 3 : 2) + size;
    text += entry;
  }
  return text + "\n";
}

}  // namespace

std::string line_pictures(const Pictured& pictured, const PictureLook& look) {
  std::vector<PictureFamily> families = picture_families(pictured);
  std::erase_if(families, [](const PictureFamily& family) { return !has_line(family); });
  const std::size_t count = families.size();
  if (count == 0) return {};
  families.resize(std::min(count, kMostPictures));
  std::string text =
      wrapped("",
              fmt::format("Time of one call over the message size ({})",
                          analysis::runtime_words(pictured.global_runtime, pictured.local_cells)),
              look.width);
  bool intervals = false;
  bool cut = false;
  bool meeting = false;
  for (const PictureFamily& family : families) {
    const LinePicture picture = draw(family, look);
    text += "\n" + picture.text;
    intervals = intervals || picture.intervals;
    cut = cut || picture.cut;
    meeting = meeting || picture.meeting;
  }
  std::string legend = "symbol: time over launches";
  if (intervals) {
    legend += fmt::format(", {} its {} interval", look.unicode ? "│" : "|",
                          analysis::percent_text(pictured.confidence));
    if (cut) legend += " (cut where it leaves the picture)";
  }
  if (meeting) legend += ", " + meeting_symbol(look.unicode) + " several arms";
  text += wrapped("  ", legend + "; both axes logarithmic", look.width);
  if (count > families.size()) {
    text += wrapped("  ",
                    fmt::format("{} of {} pictures drawn; --operation and --size choose others",
                                families.size(), count),
                    look.width);
  }
  return text;
}

std::string pictures_text(const Pictured& pictured, Pictures pictures, const PictureLook& asked) {
  constexpr std::size_t kNarrowest = 40;
  const PictureLook look{.width = std::max(asked.width, kNarrowest), .unicode = asked.unicode};
  std::string text = wrapped("", pictured.sentence, look.width) + "\n" + arms_text(pictured, look);
  if (pictures != Pictures::kBoxes) {
    const std::string lines = line_pictures(pictured, look);
    if (!lines.empty()) {
      text += "\n" + lines;
    } else if (pictures == Pictures::kLines) {
      text += "\n" + wrapped("  ",
                             "No lines: nothing here was measured at two sizes or more "
                             "(--plot=boxes draws the launches)",
                             look.width);
    }
  }
  if (pictures != Pictures::kLines) text += "\n" + box_picture(pictured, look);
  text += "\n";
  for (const std::string& warning : pictured.warnings) {
    text += wrapped("  look at: ", warning, look.width);
  }
  return text + wrapped("  data: ", base::shell_quoted(pictured.dir.string()), look.width);
}

}  // namespace invar::report
