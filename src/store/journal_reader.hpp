// The journal of a launch, read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/journal.hpp"
#include "store/fault.hpp"

namespace invar::store {

struct Journal {
  std::vector<record::VisitLine> visits = {};
  std::vector<record::FailureLine> failures = {};
  std::vector<record::MissedLine> missed = {};
  std::optional<record::EndLine> end = {};  // none: the launch is unfinished
  bool torn = false;                        // ends within a line
  std::vector<DataFault> faults = {};  // lines that do not match their checksum, or make no sense
};

// Reads every line whose CRC holds. `place` names the file in faults. Time: linear, some 300 MB/s,
// because the lines have a fixed order of keys.
Journal read_journal(std::string_view text, const std::string& place);

// True if the last line is a whole end line: nothing more comes. Reads the end of the file only.
bool journal_is_ended(const std::filesystem::path& path);

}  // namespace invar::store
