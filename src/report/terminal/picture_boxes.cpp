// Launch medians over each cell's smallest, a row an arm.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/words/numbers.hpp"
#include "base/units.hpp"
#include "report/kit/text_table.hpp"
#include "report/terminal/picture.hpp"
#include "report/terminal/picture_parts.hpp"

namespace invar::report {
namespace {

using analysis::Pictured;
using analysis::PicturedArm;
using analysis::PicturedCell;

constexpr std::size_t kMostRows = 60;
// Quartiles of fewer launches say nothing: each is drawn by itself.
constexpr std::size_t kFewestForBox = 5;
constexpr std::size_t kLongestLabel = 14;
// Beyond this ratio boxes on a linear axis are slivers.
constexpr double kMostLinear = 4;

struct Strokes {
  const char* whisker;
  const char* begin;
  const char* end;
  const char* box;
  const char* launch;  // by itself
};
constexpr Strokes kUnicode{"─", "├", "┤", "▒", "·"};
constexpr Strokes kAscii{"-", "|", "|", "=", "."};

struct Columns {
  std::size_t size = 0;
  std::size_t label = 0;  // 0: only symbols
  std::size_t time = 0;
  std::size_t picture = 0;

  // Before the picture: indent, size, symbol, label.
  [[nodiscard]] std::size_t left() const {
    return 2 + (size > 0 ? size + 2 : 0) + 1 + (label > 0 ? label + 1 : 0) + 2;
  }
};

std::string size_of(const PicturedCell& cell) {
  return cell.cell.size_bytes ? base::size_text(*cell.cell.size_bytes) : std::string();
}

std::string padded(const std::string& text, std::size_t width, bool right = false) {
  const std::size_t used = display_width(text);
  const std::string pad(width > used ? width - used : 0, ' ');
  return right ? pad + text : text + pad;
}

Columns columns_of(const Pictured& pictured, const std::vector<PictureFamily>& families,
                   std::size_t width) {
  Columns columns;
  for (const std::string& label : pictured.arms) {
    columns.label = std::max(columns.label, display_width(printable(label)));
  }
  if (columns.label > kLongestLabel) columns.label = 0;
  for (const PictureFamily& family : families) {
    for (const PicturedCell* cell : family.cells) {
      columns.size = std::max(columns.size, display_width(size_of(*cell)));
      for (const PicturedArm& arm : cell->arms) {
        columns.time = std::max(columns.time, time_text(arm.time).estimate.size());
      }
    }
  }
  // The picture is what gives way, then the labels.
  constexpr std::size_t kNarrowest = 16;
  if (width < columns.left() + kNarrowest + 2 + columns.time) columns.label = 0;
  const std::size_t taken = columns.left() + 2 + columns.time;
  columns.picture = width > taken + kNarrowest ? width - taken : kNarrowest;
  return columns;
}

PictureAxis axis_of(const std::vector<PictureFamily>& families) {
  double high = 1;
  for (const PictureFamily& family : families) {
    for (const PicturedCell* cell : family.cells) {
      for (const PicturedArm& arm : cell->arms) {
        const bool box = arm.relative.size() >= kFewestForBox;
        high = std::max(high, box ? arm.box.high : std::ranges::max(arm.relative));
      }
    }
  }
  constexpr double kNarrowest = 1.05;
  return {1, std::max(high, kNarrowest), high > kMostLinear};
}

std::string box_row(const PicturedArm& arm, const PictureAxis& axis, std::size_t columns,
                    bool unicode, bool& beyond) {
  const Strokes& strokes = unicode ? kUnicode : kAscii;
  PictureCanvas canvas(columns, 1, unicode);
  const auto at = [&](double value) { return canvas.column_of(axis.share(value)); };
  const auto stretch = [&](double low, double high, const char* stroke) {
    for (std::size_t column = at(low); column <= at(high); ++column) canvas.put(column, 0, stroke);
  };
  if (arm.relative.size() >= kFewestForBox) {
    stretch(arm.box.low, arm.box.high, strokes.whisker);
    canvas.put(at(arm.box.low), 0, strokes.begin);
    canvas.put(at(arm.box.high), 0, strokes.end);
    stretch(arm.box.first_quartile, arm.box.third_quartile, strokes.box);
  }
  for (const double value : arm.relative) {
    const bool farther = axis.share(value) > 1 + 0.5 / static_cast<double>(columns);
    beyond = beyond || farther;
    const std::size_t column = at(value);
    if (farther) {
      canvas.put(columns - 1, 0, unicode ? "»" : ">");
    } else if (canvas.is_free(column, 0)) {
      canvas.put(column, 0, strokes.launch);
    }
  }
  canvas.put(at(arm.box.median), 0, arm_symbol(arm.arm, unicode));
  return canvas.row_text(0);
}

// The numbers and the line with their marks.
std::string axis_text(const PictureAxis& axis, const Columns& columns, bool unicode,
                      const std::string& corner) {
  const PictureCanvas canvas(columns.picture, 1, unicode);
  constexpr double kColumnsApart = 8;
  std::vector<PlacedLabel> labels;
  std::vector<std::size_t> marks;
  for (const double tick : axis.ticks(kColumnsApart / static_cast<double>(columns.picture))) {
    const std::size_t column = canvas.column_of(axis.share(tick));
    labels.push_back({.column = column, .text = fmt::format("{:.4g}", tick)});
    marks.push_back(column);
  }
  std::string line;
  for (std::size_t column = 0; column < columns.picture; ++column) {
    const bool mark = std::ranges::find(marks, column) != marks.end();
    line += unicode ? (mark ? "┴" : "─") : (mark ? "+" : "-");
  }
  const std::string numbers =
      padded(std::string(columns.left(), ' ') + label_line(labels, columns.picture),
             columns.left() + columns.picture);
  return numbers + "  " + padded(corner, columns.time, true) + "\n" +
         std::string(columns.left(), ' ') + line + "\n";
}

std::string without_trailing_spaces(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') result.erase(result.find_last_not_of(' ') + 1);
    result += c;
  }
  return result;
}

// The first cells, whole, with no more than kMostRows rows.
std::vector<PictureFamily> bounded(std::vector<PictureFamily> families, std::size_t& left_out) {
  std::size_t rows = 0;
  for (PictureFamily& family : families) {
    std::vector<const PicturedCell*> kept;
    for (const PicturedCell* cell : family.cells) {
      const bool fits = rows + cell->arms.size() <= kMostRows || rows == 0;
      rows = fits ? rows + cell->arms.size() : kMostRows;
      if (fits) {
        kept.push_back(cell);
      } else {
        ++left_out;
      }
    }
    family.cells = std::move(kept);
  }
  std::erase_if(families, [](const PictureFamily& family) { return family.cells.empty(); });
  return families;
}

}  // namespace

std::string box_picture(const Pictured& pictured, const PictureLook& look) {
  std::size_t left_out = 0;
  const std::vector<PictureFamily> families = bounded(picture_families(pictured), left_out);
  if (families.empty()) return {};
  const Columns columns = columns_of(pictured, families, look.width);
  const PictureAxis axis = axis_of(families);
  bool beyond = false;
  bool single = false;
  bool boxes = false;
  std::string rows;
  std::size_t count = 0;
  for (const PictureFamily& family : families) {
    if (families.size() > 1) rows += wrapped("  ", family.name, look.width);
    for (const PicturedCell* cell : family.cells) {
      bool first = true;
      for (const PicturedArm& arm : cell->arms) {
        const bool box = arm.relative.size() >= kFewestForBox;
        boxes = boxes || box;
        single = single || !box;
        std::string row = "  ";
        if (columns.size > 0) row += padded(first ? size_of(*cell) : "", columns.size, true) + "  ";
        row += arm_symbol(arm.arm, look.unicode);
        if (columns.label > 0)
          row += " " + padded(printable(pictured.arms[arm.arm]), columns.label);
        row += "  " +
               padded(box_row(arm, axis, columns.picture, look.unicode, beyond), columns.picture);
        rows += row + "  " + padded(time_text(arm.time).estimate, columns.time, true) + "\n";
        first = false;
        ++count;
      }
    }
  }
  constexpr std::size_t kScreen = 24;
  std::string text =
      wrapped("",
              "Medians of the launches, over the smallest of the cell" +
                  std::string(families.size() == 1 ? " (" + families.front().name + ")" : ""),
              look.width);
  text += axis_text(axis, columns, look.unicode, "time");
  text += rows;
  if (count > kScreen) text += axis_text(axis, columns, look.unicode, "");
  std::string legend;
  if (boxes) {
    legend = look.unicode ? "▒ middle half of the launches, symbol: their median, ├ ┤ reach of the "
                            "rest up to 1.5 boxes, · single launches"
                          : "= middle half of the launches, symbol: their median, |- -| reach of "
                            "the rest up to 1.5 boxes, . single launches";
  }
  if (single) {
    legend += std::string(legend.empty() ? "" : "; ") + "fewer than 5 launches: each is a " +
              (look.unicode ? "·" : "dot");
  }
  if (beyond) legend += std::string("; ") + (look.unicode ? "»" : ">") + " farther out";
  if (axis.high() > kMostLinear) legend += "; logarithmic axis";
  text += wrapped("  ", legend, look.width);
  if (left_out > 0) {
    text += wrapped("  ",
                    fmt::format("{} of {} cells drawn; --operation, --size and --arms choose "
                                "others (invar show without --plot has all)",
                                pictured.cells.size() - left_out, pictured.cells.size()),
                    look.width);
  }
  return without_trailing_spaces(text);
}

}  // namespace invar::report
