// Aligned columns of text for a terminal, or as Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace invar::report {

// Columns that a text takes on a terminal: UTF-8 code points, combining marks none, wide characters
// two. Bytes that are no UTF-8 count one each.
std::size_t display_width(std::string_view text);

// Without control characters, which a label or a library's version could carry into the terminal:
// each becomes a question mark.
std::string printable(std::string_view text);

// Printable, with what Markdown or HTML would take for its own marked as text.
std::string markdown_text(std::string_view text);

enum class Align { kLeft, kRight };

class TextTable {
 public:
  // `glued`: follows the column before it with a single space (an estimate and its interval).
  void add_column(std::string_view header, Align align, bool glued = false);
  // As many fields as columns.
  void add_row(std::vector<std::string> fields);

  // Every line indented by two spaces and ended by a line feed, without trailing spaces. Columns
  // are three spaces apart if the table then fits `width`, else two. Columns without any content
  // (header included) take no room. The header of a column followed by glued ones may use their
  // width; without any header there is no line for them.
  [[nodiscard]] std::string text(std::size_t width = 100) const;
  // The same for GitHub and its likes: a glued column stands in the cell of the one before it.
  [[nodiscard]] std::string markdown() const;

 private:
  struct Column {
    std::string header = {};
    Align align = Align::kLeft;
    bool glued = false;
  };
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::string header(const std::vector<std::size_t>& widths, std::size_t gap) const;

  std::vector<Column> columns_ = {};
  std::vector<std::vector<std::string>> rows_ = {};
};

// Lines of at most `width` columns, the first one beginning with `lead`, the others indented to its
// width; broken at spaces only.
std::string wrapped(std::string_view lead, std::string_view text, std::size_t width = 100);

}  // namespace invar::report
