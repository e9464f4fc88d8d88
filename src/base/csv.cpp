#include "base/csv.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::base {
namespace {

bool is_calculated(std::string_view text) {
  if (text.empty()) return false;
  if (std::string_view("=@\t\r").find(text.front()) != std::string_view::npos) return true;
  const bool sign = text.front() == '+' || text.front() == '-';
  // Our numbers have no plus sign.
  return sign && text.size() > 1 && !parse_double(text.substr(text.front() == '+' ? 1 : 0));
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_text(std::string_view text) {
  return csv_field(is_calculated(text) ? "'" + std::string(text) : std::string(text));
}

// Spreadsheets begin their files with a byte order mark.
CsvReader::CsvReader(std::string_view text, const std::string& place)
    : text_(text), place_(place), at_(text.starts_with("\xef\xbb\xbf") ? 3 : 0) {}

void CsvReader::fail(int line, const char* what) const {
  throw UserError(Fault{.place = place_, .line = line, .what = what});
}

void CsvReader::read_quoted(std::string& field) {
  const int opened = line_;
  ++at_;
  while (true) {
    if (at_ >= text_.size()) fail(opened, "a quoted field is never closed");
    const char c = text_[at_++];
    if (c == '"') {
      if (at_ >= text_.size() || text_[at_] != '"') break;
      ++at_;
    }
    if (c == '\n') ++line_;
    field += c;
  }
  if (at_ < text_.size() && text_[at_] == '\r' &&
      (at_ + 1 >= text_.size() || text_[at_ + 1] == '\n')) {
    ++at_;
  }
  if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
    fail(line_, "text after a closing quote");
  }
}

void CsvReader::read_field(std::string& field) {
  field.clear();
  if (at_ < text_.size() && text_[at_] == '"') {
    read_quoted(field);
    return;
  }
  // Fields are short: a loop beats find_first_of.
  std::size_t end = at_;
  while (end < text_.size() && text_[end] != ',' && text_[end] != '\n' && text_[end] != '"') ++end;
  field.assign(text_.data() + at_, end - at_);
  at_ = end;
  if (at_ < text_.size() && text_[at_] == '"') fail(line_, "a quote inside an unquoted field");
  if (!field.empty() && field.back() == '\r' && (at_ >= text_.size() || text_[at_] == '\n')) {
    field.pop_back();
  }
}

bool CsvReader::next(CsvRow& row) {
  while (at_ < text_.size()) {
    row.line = line_;
    std::size_t count = 0;
    bool ended = false;
    while (!ended) {
      if (count == row.fields.size()) row.fields.emplace_back();
      read_field(row.fields[count++]);
      if (at_ >= text_.size() || text_[at_] == '\n') {
        ended = true;
        ++line_;
      }
      ++at_;
    }
    row.fields.resize(count);
    if (count > 1 || !row.fields[0].empty()) return true;
  }
  return false;
}

std::vector<CsvRow> read_csv(std::string_view text, const std::string& place) {
  std::vector<CsvRow> rows;
  CsvReader reader(text, place);
  for (CsvRow row; reader.next(row);) rows.push_back(row);
  return rows;
}

}  // namespace invar::base
