#include "store/clock_dir.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/json_whole.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "store/files.hpp"
#include "store/json_text.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/open.hpp"
#include "store/version.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// All types of these lines begin so, and no other manifest's do.
constexpr std::string_view kClockLine = "{\"type\":\"clock";

// What the lines say, taken together, and whether the files are as they say.
class ClockManifest {
 public:
  explicit ClockManifest(const fs::path& dir) : dir_(dir) {
    ManifestText text = open_clock_manifest(dir);
    found_.damage = std::move(text.damage);
    found_.unfinished = std::move(text.unfinished);
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
      if (!text.lines[i].empty()) take(static_cast<int>(i) + 1, text.lines[i]);
      found_.bytes += text.lines[i].size() + 1;
    }
    // What a lost line may have said is not missed twice.
    if (!text.lost.empty()) return;
    if (!ended_) {
      found_.unfinished.emplace_back("the experiment was not brought to its end");
    }
    look_for_left_overs();
  }

  Verification& found() { return found_; }
  ClockData data() {
    return {.dir = dir_,
            .head = head_,
            .made_by = made_by_,
            .spec = files_[std::string(kClockSpec)],
            .rows = files_[std::string(kClockRows)],
            .failed = failed_};
  }

 private:
  void take(int number, const std::string& line) {
    try {
      const Json json = parse_json<Json>(line);
      const std::string type = json.at("type").get<std::string>();
      if (type == "clocks") {
        take_head(number, json);
      } else if (type == "clock_file") {
        take_file(number, json);
      } else if (type == "clock_failed") {
        failed_.push_back({.launch = base::whole<std::uint32_t>(json.at("launch")),
                           .ranks = base::whole<std::uint32_t>(json.at("ranks")),
                           .what = json.at("what").get<std::string>()});
      } else if (type == "clock_end") {
        ended_ = true;
      } else {
        refuse(number, "lines of type '" + type + "' are unknown to this version");
      }
    } catch (const Json::exception& error) {
      found_.damage.push_back({.place = std::string(kManifest) + ':' + std::to_string(number),
                               .what = "lacks what it must have: " + without_code(error.what())});
    }
  }

  void take_head(int number, const Json& line) {
    if (const int schema = base::whole<int>(line.at("schema")); schema != kSchema) {
      refuse(number, "has schema " + std::to_string(schema) + ", this version knows " +
                         std::to_string(kSchema));
    }
    line.at("experiment").get_to(head_.experiment);
    line.at("library").get_to(head_.library);
    line.at("library_version").get_to(head_.library_version);
    line.at("network").get_to(head_.network);
    head_.ranks = base::whole_numbers<std::uint32_t>(line.at("ranks"));
    if (line.contains("ranks_per_host")) {
      head_.ranks_per_host = base::whole<std::uint32_t>(line.at("ranks_per_host"));
    }
    line.at("host").get_to(head_.host);
    if (line.contains("hosts")) line.at("hosts").get_to(head_.hosts);
    line.at("command").get_to(head_.command);
    made_by_ = version_text(line.at("invar").get<std::string>(), line.value("commit", ""));
    if (!line.contains("machine")) return;
    for (const auto& [name, text] : line.at("machine").items()) {
      head_.machine.emplace(name, text.get<std::string>());
    }
  }

  void take_file(int number, const Json& line) {
    const std::string name = line.at("file").get<std::string>();
    if (name != kClockSpec && name != kClockRows) {
      refuse(number, "the file '" + name + "' is unknown to this version");
    }
    std::optional<std::string> text = read_text(dir_ / name);
    const std::uint64_t bytes = base::whole<std::uint64_t>(line.at("bytes"));
    if (!text) {
      found_.damage.push_back({.place = name, .what = "is missing or cannot be read"});
    } else if (text->size() != bytes) {
      found_.damage.push_back({.place = name,
                               .what = "has " + std::to_string(text->size()) +
                                       " bytes instead of " + std::to_string(bytes)});
    } else if (base::crc_text(base::crc32c(*text)) != line.at("crc").get<std::string>()) {
      found_.damage.push_back({.place = name, .what = "does not match its checksum"});
    } else {
      found_.bytes += bytes;
      files_[name] = std::move(*text);
    }
  }

  void look_for_left_overs() {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(dir_, error)) {
      if (!is_left_over(entry.path())) continue;
      found_.unfinished.push_back(entry.path().filename().string() + " was not finished");
    }
  }

  [[noreturn]] void refuse(int number, const std::string& what) const {
    throw base::UserError({.place = (dir_ / kManifest).string(),
                           .line = number,
                           .what = what,
                           .remedy = "use the version of invar that measured this"});
  }

  const fs::path& dir_;
  Verification found_ = {};
  ClockHead head_ = {};
  std::string made_by_ = {};
  std::map<std::string, std::string> files_ = {};  // that are as they were sealed
  std::vector<FailedClockLaunch> failed_ = {};
  bool ended_ = false;
};

}  // namespace

bool is_of_clocks(const ManifestText& manifest) {
  for (const std::string& line : manifest.lines) {
    if (!line.empty()) return line.starts_with(kClockLine);
  }
  return false;
}

bool is_clock_dir(const fs::path& dir) {
  std::error_code error;
  return fs::is_directory(dir, error) && is_of_clocks(read_manifest_text(dir));
}

std::string clock_remedy(const fs::path& dir) {
  const std::optional<std::string> holder = Lock::holder(dir);
  return holder ? "wait: " + *holder + " is measuring" : "delete it and measure again";
}

ClockData read_clock_dir(const fs::path& dir) {
  ClockManifest manifest(dir);
  const Verification& found = manifest.found();
  std::vector<base::Fault> faults;
  for (const DataFault& fault : found.damage) {
    faults.push_back({.place = (dir / fault.place).string(), .what = fault.what});
  }
  ClockData data = manifest.data();
  const std::string again = data.head.command.empty() ? "" : ": " + data.head.command;
  if (!faults.empty()) {
    faults.back().remedy = "measure again" + again;
    throw base::CommandError(base::Exit::kDamaged, std::move(faults));
  }
  if (!found.unfinished.empty()) {
    throw base::CommandError(base::Exit::kIncomplete,
                             {{.place = dir.string(),
                               .what = "is not finished: " + found.unfinished.front(),
                               .remedy = clock_remedy(dir) + again}});
  }
  return data;
}

Verification verify_clock_dir(const fs::path& dir) { return std::move(ClockManifest(dir).found()); }

std::string failed_text(const FailedClockLaunch& failed) {
  return "launch " + std::to_string(failed.launch) + " (" +
         base::count_text(static_cast<std::uint64_t>(failed.ranks), "rank") + "): " + failed.what;
}

// What was measured stays, even if it cannot be written or sealed to its end.
template <typename Write>
void ClockDir::keep_what_was_measured(Write write) {
  try {
    write(dir_);
  } catch (const base::CommandError& error) {
    dir_.clear();
    std::vector<base::Fault> faults = error.faults();
    for (base::Fault& fault : faults) fault.remedy = "make room there, and measure again";
    throw base::CommandError(base::Exit::kMeasurementFailed, std::move(faults));
  }
}

void ClockDir::add(const std::string& rows) {
  keep_what_was_measured([&](const fs::path& dir) {
    if (rows_.empty()) {
      write_file(dir / kClockRows, rows);
    } else {
      append_to_file(dir / kClockRows, rows, true);
    }
  });
  rows_ += rows;
}

void ClockDir::seal(const std::vector<FailedClockLaunch>& failed) {
  keep_what_was_measured([&](const fs::path& dir) {
    if (rows_.empty()) write_file(dir / kClockRows, rows_);
    std::uint64_t number = 3;
    std::string lines = clock_file_line(number++, kClockRows, rows_) + '\n';
    for (const FailedClockLaunch& one : failed) lines += clock_failed_line(number++, one) + '\n';
    for (const std::string& text : {lines, clock_end_line(number) + '\n'}) {
      append_to_file(dir / kManifest, text, true);
      append_to_file(dir / kManifestCopy, text, true);
    }
  });
  dir_.clear();
}

ClockDir::~ClockDir() {
  // Rows that are whole stay, whatever came after them.
  std::error_code error;
  if (!dir_.empty() && rows_.empty()) fs::remove_all(dir_, error);
}

}  // namespace invar::store
