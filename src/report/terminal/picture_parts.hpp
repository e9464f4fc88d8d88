// What pictures of text are made of: symbols of arms, axes, a canvas of characters with braille
// dots in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/questions/pictured.hpp"
#include "report/terminal/picture.hpp"

namespace invar::report {

// The symbol of an arm by its index, one column wide. The first twelve (ASCII: eight) are easy to
// tell apart, then come letters and digits; beyond 60 they repeat.
std::string arm_symbol(std::size_t arm, bool unicode);
// Where several arms meet in one character.
std::string meeting_symbol(bool unicode);

// Cells that differ by their size alone.
struct PictureFamily {
  std::string name = {};                                  // "allreduce, 2 ranks"
  std::vector<const analysis::PicturedCell*> cells = {};  // sizes ascending
};
// In the order of their first cells. Refers to `pictured`.
std::vector<PictureFamily> picture_families(const analysis::Pictured& pictured);

// Values on a stretch of columns or rows.
class PictureAxis {
 public:
  // low < high; both positive where logarithmic.
  PictureAxis(double low, double high, bool logarithmic);

  // From 0 at `low` to 1 at `high`; beyond them below 0 and above 1.
  [[nodiscard]] double share(double value) const;
  // Round numbers within the axis, at least `apart` (in shares of it) from each other: as dense as
  // that allows.
  [[nodiscard]] std::vector<double> ticks(double apart) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double low_;
  double high_;
  bool logarithmic_;
};

// Characters and, below them, dots: 2 x 4 in each character (braille), 1 x 1 in ASCII.
class PictureCanvas {
 public:
  PictureCanvas(std::size_t columns, std::size_t rows, bool unicode);

  // x from 0 (left) to 1, y from 0 (bottom) to 1; what lies outside is left out.
  void line(double x0, double y0, double x1, double y1);
  // Rows from the top. A character covers dots.
  void put(std::size_t column, std::size_t row, const std::string& character);
  [[nodiscard]] bool is_free(std::size_t column, std::size_t row) const;
  [[nodiscard]] std::size_t column_of(double x) const;
  [[nodiscard]] std::size_t row_of(double y) const;
  // Without trailing spaces.
  [[nodiscard]] std::string row_text(std::size_t row) const;

 private:
  void dot(std::size_t x, std::size_t y);

  std::size_t columns_;
  std::size_t rows_;
  bool unicode_;
  std::vector<std::string> characters_;
  std::vector<std::uint8_t> dots_;
};

// A line of labels, each centred at its column, as many as fit `width` without touching; those that
// come first in the list take precedence.
struct PlacedLabel {
  std::size_t column = 0;
  std::string text = {};
};
std::string label_line(std::span<const PlacedLabel> labels, std::size_t width);

}  // namespace invar::report
