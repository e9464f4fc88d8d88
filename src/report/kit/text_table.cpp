#include "report/kit/text_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace invar::report {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks that occur in names of machines and people; no complete table of Unicode.
constexpr std::array<Range, 4> kCombining{
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 8> kWide{{{0x1100, 0x115F},
                                      {0x2E80, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0x1F300, 0x1FAFF},
                                      {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, std::uint32_t point) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return point >= range.first && point <= range.last; });
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const base::CodePoint point = base::first_point(text);
    if (!within(kCombining, point.value)) width += within(kWide, point.value) ? 2U : 1U;
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string printable(std::string_view text) { return base::without_controls(text); }

void TextTable::add_column(std::string_view header, Align align, bool glued) {
  columns_.push_back({.header = printable(header), .align = align, .glued = glued});
}

void TextTable::add_row(std::vector<std::string> fields) {
  for (std::string& field : fields) field = printable(field);
  fields.resize(columns_.size());
  rows_.push_back(std::move(fields));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  // A header may lie over its glued columns; what does not fit there widens the last of them.
  for (std::size_t i = 0; i < columns_.size();) {
    std::size_t end = i + 1;
    std::size_t total = widths[i];
    while (end < columns_.size() && columns_[end].glued) {
      total += widths[end] > 0 ? widths[end] + 1 : 0;
      ++end;
    }
    const std::size_t header = display_width(columns_[i].header);
    if (header > total) widths[total > widths[i] ? end - 1 : i] += header - total;
    i = end;
  }
  return widths;
}

std::string TextTable::header(const std::vector<std::size_t>& widths, std::size_t gap) const {
  std::string line = "  ";
  std::size_t column = 2;
  bool first = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] == 0) continue;
    const bool glued = columns_[i].glued;
    if (!first) column += glued ? 1 : gap;
    first = false;
    if (!glued) {
      const bool alone = i + 1 == columns_.size() || !columns_[i + 1].glued;
      const std::size_t pad = columns_[i].align == Align::kRight && alone
                                  ? widths[i] - display_width(columns_[i].header)
                                  : 0;
      const std::size_t at = column + pad;
      const std::size_t used = display_width(line);
      line += spaces(at > used ? at - used : 0) + columns_[i].header;
    }
    column += widths[i];
  }
  return line + "\n";
}

std::string TextTable::text(std::size_t width) const {
  const std::vector<std::size_t> wide = widths();
  std::size_t total = 2;
  std::size_t gaps = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (wide[i] == 0) continue;
    total += wide[i];
    if (columns_[i].glued) {
      ++total;
    } else {
      ++gaps;
    }
  }
  const std::size_t gap = total + 3 * (gaps > 0 ? gaps - 1 : 0) <= width ? 3 : 2;
  const bool headless =
      std::ranges::all_of(columns_, [](const Column& column) { return column.header.empty(); });
  std::string result = headless ? std::string() : header(wide, gap);
  for (const std::vector<std::string>& row : rows_) {
    std::string line = " ";
    bool first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (wide[i] == 0) continue;
      line += spaces(first || columns_[i].glued ? 1 : gap);
      first = false;
      const std::string pad = spaces(wide[i] - display_width(row[i]));
      line += columns_[i].align == Align::kRight ? pad + row[i] : row[i] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::string TextTable::markdown() const {
  const std::vector<std::size_t> wide = widths();
  // Rows of cells, the first one of headers; columns without any content are left out.
  std::vector<std::string> lines(rows_.size() + 2, "|");
  for (std::size_t i = 0; i < columns_.size();) {
    std::size_t end = i + 1;
    while (end < columns_.size() && columns_[end].glued) ++end;
    const bool empty = std::all_of(wide.begin() + static_cast<std::ptrdiff_t>(i),
                                   wide.begin() + static_cast<std::ptrdiff_t>(end),
                                   [](std::size_t width) { return width == 0; });
    if (!empty) {
      lines[0] += " " + markdown_text(columns_[i].header) + " |";
      lines[1] += columns_[i].align == Align::kRight ? " ---: |" : " --- |";
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        std::string cell;
        for (std::size_t part = i; part < end; ++part) {
          if (rows_[row][part].empty()) continue;
          cell += (cell.empty() ? "" : " ") + markdown_text(rows_[row][part]);
        }
        lines[row + 2] += " " + cell + " |";
      }
    }
    i = end;
  }
  return base::join(lines, "\n") + "\n";
}

std::string markdown_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_|<>#~").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string wrapped(std::string_view lead, std::string_view text, std::size_t width) {
  const std::string clean = printable(text);
  const std::size_t indent = display_width(lead);
  std::string result(lead);
  std::size_t column = indent;
  bool fresh = true;
  for (const std::string_view word : base::split(clean, ' ')) {
    const std::size_t size = display_width(word);
    if (!fresh && column + 1 + size > width) {
      result += "\n" + spaces(indent);
      column = indent;
      fresh = true;
    }
    if (!fresh) {
      result += ' ';
      ++column;
    }
    result += word;
    column += size;
    fresh = false;
  }
  return result + "\n";
}

}  // namespace invar::report
