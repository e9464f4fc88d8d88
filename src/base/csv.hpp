// CSV (RFC 4180): what plans, observations and tables are written in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace invar::base {

// A field, quoted only where it must be.
std::string csv_field(std::string_view text);

// The same of text that anybody may have written, in tables that people open: what a spreadsheet
// would calculate gets an apostrophe in front, which is text there. That is what begins with '=' or
// '@', a tab or a carriage return, and what begins with '+' or '-' and is not a number.
std::string csv_text(std::string_view text);

// One record; `line` is where it begins, from 1.
struct CsvRow {
  int line = 0;
  std::vector<std::string> fields = {};
};

// The records of a text, one after the other. Lines may end in LF or CR LF; quoted fields may
// contain both; an empty line and a byte order mark are skipped. Throws UserError (with `place` and
// line) for a quote that is never closed or stands inside an unquoted field.
class CsvReader {
 public:
  // Both outlive it.
  CsvReader(std::string_view text, const std::string& place);
  // False: there is none any more. `row` keeps its memory from record to record.
  bool next(CsvRow& row);

 private:
  void read_field(std::string& field);
  void read_quoted(std::string& field);
  [[noreturn]] void fail(int line, const char* what) const;

  std::string_view text_;
  const std::string& place_;
  std::size_t at_;
  int line_ = 1;
};

// All of them.
std::vector<CsvRow> read_csv(std::string_view text, const std::string& place);

}  // namespace invar::base
