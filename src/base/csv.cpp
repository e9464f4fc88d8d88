#include "base/csv.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace invar::base {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<CsvRow> read_csv(std::string_view text, const std::string& place) {
  std::vector<CsvRow> rows;
  int line = 1;
  // Spreadsheets begin their files with a byte order mark.
  std::size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const auto fail = [&](int where, std::string what) {
    throw UserError(Fault{.place = place, .line = where, .what = std::move(what)});
  };
  while (i < text.size()) {
    CsvRow row{.line = line};
    if (!rows.empty()) row.fields.reserve(rows.back().fields.size());
    bool ended = false;
    while (!ended) {
      std::string field;
      if (i < text.size() && text[i] == '"') {
        const int opened = line;
        ++i;
        while (true) {
          if (i >= text.size()) fail(opened, "a quoted field is never closed");
          const char c = text[i++];
          if (c == '"') {
            if (i >= text.size() || text[i] != '"') break;
            ++i;
          }
          if (c == '\n') ++line;
          field += c;
        }
        if (i < text.size() && text[i] == '\r' && (i + 1 >= text.size() || text[i + 1] == '\n')) {
          ++i;
        }
        if (i < text.size() && text[i] != ',' && text[i] != '\n') {
          fail(line, "text after a closing quote");
        }
      } else {
        const std::size_t end = std::min(text.find_first_of(",\n\"", i), text.size());
        field.assign(text.substr(i, end - i));
        i = end;
        if (i < text.size() && text[i] == '"') fail(line, "a quote inside an unquoted field");
        if (!field.empty() && field.back() == '\r' && (i >= text.size() || text[i] == '\n')) {
          field.pop_back();
        }
      }
      row.fields.push_back(std::move(field));
      if (i >= text.size() || text[i] == '\n') {
        ended = true;
        ++line;
      }
      ++i;
    }
    if (row.fields.size() > 1 || !row.fields[0].empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace invar::base
