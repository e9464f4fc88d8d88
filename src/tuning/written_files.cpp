#include "tuning/written_files.hpp"

#include <algorithm>
#include <array>

#include "base/crc32c.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"

namespace invar::tuning {
namespace {

constexpr std::array<std::string_view, 3> kWrittenColumns{"what", "name", "text"};
constexpr std::string_view kDirectory = "directory";
constexpr std::string_view kFrom = "from";
constexpr std::string_view kFile = "file";

std::string written_row(std::string_view what, std::string_view name, std::string_view text) {
  return std::string(what) + ',' + base::csv_field(name) + ',' + base::csv_field(text) + '\n';
}

}  // namespace

std::string checksum_of_text(std::string_view text) { return base::crc_text(base::crc32c(text)); }

std::string written_text(const WrittenFiles& written) {
  std::string text = "what,name,text\n" + written_row(kDirectory, "", written.dir);
  if (!written.from.empty()) text += written_row(kFrom, "", written.from);
  for (const auto& [name, checksum] : written.checksums) text += written_row(kFile, name, checksum);
  return text;
}

WrittenFiles parse_written(std::string_view text, const std::string& place,
                           const std::string& remedy) {
  const std::vector<base::CsvRow> rows = base::read_csv(text, place);
  if (rows.empty() || !std::ranges::equal(rows.front().fields, kWrittenColumns)) {
    throw base::UserError(place, "does not begin with what,name,text", remedy);
  }
  WrittenFiles written;
  base::Faults faults;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string>& fields = rows[i].fields;
    const bool whole = fields.size() == kWrittenColumns.size();
    if (whole && fields[0] == kDirectory) {
      written.dir = fields[2];
    } else if (whole && fields[0] == kFrom) {
      written.from = fields[2];
    } else if (whole && fields[0] == kFile) {
      written.checksums[fields[1]] = fields[2];
    } else {
      faults.add({.place = place,
                  .line = rows[i].line,
                  .what = whole ? "'" + fields[0] + "' is neither directory, from nor file"
                                : std::string("a row has three fields"),
                  .remedy = remedy});
    }
  }
  faults.throw_if_any();
  return written;
}

std::vector<FileChange> changes_since(
    const WrittenFiles& written,
    const std::function<std::optional<std::string>(const std::string& name)>& read) {
  std::vector<FileChange> changes;
  for (const auto& [name, checksum] : written.checksums) {
    const std::optional<std::string> text = read(name);
    if (text && checksum_of_text(*text) == checksum) continue;
    changes.push_back({.name = name, .gone = !text});
  }
  return changes;
}

}  // namespace invar::tuning
