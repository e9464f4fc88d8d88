#include "store/launch_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "store/own_files.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;

std::string size_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

bool is_own_name(std::string_view name) {
  for (const std::string_view own : {kTimings, kRanks, kMarks, kEnvironment, kClock, kJournal}) {
    if (name == own) return true;
  }
  return false;
}

class Reading {
 public:
  Reading(const fs::path& campaign, std::string dir) : campaign_(campaign), dir_(std::move(dir)) {}

  void fault(const std::string& file, std::string what) {
    result_.faults.push_back({.place = dir_ + '/' + file, .what = std::move(what)});
  }

  // Maps the file, notes size and checksum, and reads what it means. Null if it is not there.
  std::shared_ptr<const MappedFile> take(const std::string& name) {
    int error = 0;
    auto opened = MappedFile::open(campaign_ / dir_ / name, error);
    if (!opened) {
      // No damage: those who keep large files elsewhere (git-annex, DVC) have links in their place.
      if (error == ELOOP) {
        throw base::UserError((campaign_ / dir_ / name).string(),
                              "is a link, and what it leads to is not read",
                              "put the data themselves there, as 'git annex unlock' does");
      }
      fault(name, error == ENOENT ? "is missing" : "cannot be read: " + errno_text(error));
      return nullptr;
    }
    auto file = std::make_shared<const MappedFile>(std::move(*opened));
    const std::uint64_t size = file->bytes().size();
    result_.files[name] = {.bytes = size, .crc = base::crc32c(file->bytes())};
    result_.bytes += size;
    if (name == kTimings) result_.timings = file;
    if (name == kRanks) result_.ranks = file;
    if (name == kMarks) result_.marks = file;
    if (name == kEnvironment) result_.environment = file->text();
    if (name == kClock) result_.clock = file->text();
    if (name == kClockSync) result_.clock_sync = file->text();
    if (name == kLaunchSpec) result_.spec = file->text();
    if (name == kJournal) result_.journal = read_journal(file->text(), dir_ + '/' + kJournal);
    return file;
  }

  void check_seal(const LaunchSeal& seal) {
    for (const auto& [name, expected] : seal.files) {
      // Files may be of any size; what they should have is read, and no more. Nothing is told of
      // what a link leads to.
      struct stat status {};
      const fs::path path = campaign_ / dir_ / name;
      if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
        const auto size = static_cast<std::uint64_t>(status.st_size);
        if (size > expected.bytes) {
          fault(name, "has " + size_text(size) + " instead of " + size_text(expected.bytes));
          continue;
        }
      }
      if (!take(name)) continue;
      const FileSeal& found = result_.files[name];
      if (found.bytes != expected.bytes) {
        fault(name, "has " + size_text(found.bytes) + " instead of " + size_text(expected.bytes));
      } else if (found.crc != expected.crc) {
        fault(name, "does not match its checksum" + damaged_visits(name));
      }
    }
    // A journal whose own lines hold, but that is another one than was sealed, is a fault of above.
    if (result_.faults.empty()) add_journal_faults();
    if (result_.faults.empty()) check_coverage();
  }

  void check_end() {
    if (!result_.files.contains(kJournal) || !result_.files.contains(kTimings)) {
      fault(result_.files.contains(kJournal) ? kTimings : kJournal, "is missing");
      return;
    }
    add_journal_faults();
    if (!result_.journal.end) {
      fault(kJournal, "has no end line: the launch was not finished");
      return;
    }
    for (const auto& [name, crc] : result_.journal.end->files) {
      const auto found = result_.files.find(name);
      if (found == result_.files.end()) {
        fault(name, "is missing");
      } else if (found->second.crc != crc) {
        fault(name, "does not match the checksum in the end line" + damaged_visits(name));
      }
    }
    if (!result_.journal.end->files.contains(kTimings)) {
      fault(kJournal, "the end line lacks timings.bin");
    }
    if (result_.faults.empty()) check_coverage();
    if (result_.faults.empty()) check_visits();
  }

  void check_plan(const std::vector<const record::PlanRow*>& rows,
                  const std::vector<std::uint32_t>& failed_cells) {
    if (!result_.faults.empty()) return;
    std::set<std::uint32_t> excused(failed_cells.begin(), failed_cells.end());
    for (const record::FailureLine& line : result_.journal.failures) excused.insert(line.cell);
    std::map<std::uint32_t, const record::VisitLine*> made;
    for (const record::VisitLine& line : result_.journal.visits) {
      if (!made.try_emplace(line.visit, &line).second) {
        fault(kJournal, "has visit " + std::to_string(line.visit) + " twice");
      }
    }
    std::set<std::uint32_t> missed;
    for (const record::MissedLine& line : result_.journal.missed) missed.insert(line.visit);
    for (const record::PlanRow* row : rows) {
      const auto found = made.find(row->visit);
      if (found == made.end()) {
        if (!excused.contains(row->cell) && !missed.contains(row->visit)) {
          fault(kJournal, "lacks visit " + std::to_string(row->visit) + " of the plan");
        }
        continue;
      }
      const record::VisitLine& line = *found->second;
      if (line.cell != row->cell || line.round != row->round || line.block != row->block ||
          line.turn != row->turn || line.calls != row->calls) {
        fault(kJournal, "visit " + std::to_string(row->visit) + " is not what was planned");
      }
      made.erase(found);
    }
    for (const auto& [visit, line] : made) {
      fault(kJournal,
            "has visit " + std::to_string(visit) + ", which the plan of this launch lacks");
    }
  }

  LaunchFiles result() { return std::move(result_); }

 private:
  void add_journal_faults() {
    for (const DataFault& fault : result_.journal.faults) result_.faults.push_back(fault);
    if (result_.journal.torn) fault(kJournal, "ends within a line");
  }

  // What the journal says of a visit's records in one file.
  struct Stated {
    std::uint64_t first;
    std::uint64_t records;
    std::uint32_t crc;
  };
  // A file of records of one size.
  struct RecordsFile {
    const char* name;
    std::uint64_t record_bytes;
    std::shared_ptr<const MappedFile> LaunchFiles::*file;
    Stated (*stated)(const record::VisitLine&);
  };
  static std::span<const RecordsFile> record_files() {
    static const std::array kFiles{
        RecordsFile{kTimings, sizeof(record::Timing), &LaunchFiles::timings,
                    [](const record::VisitLine& line) -> Stated {
                      return {line.first_record, line.records, line.records_crc};
                    }},
        RecordsFile{kRanks, sizeof(record::RankTicks), &LaunchFiles::ranks,
                    [](const record::VisitLine& line) -> Stated {
                      return {line.first_rank_record, line.rank_records, line.rank_records_crc};
                    }},
        RecordsFile{kMarks, sizeof(record::MarkTicks), &LaunchFiles::marks,
                    [](const record::VisitLine& line) -> Stated {
                      return {line.first_mark_record, line.mark_records, line.mark_records_crc};
                    }}};
    return kFiles;
  }

  // ": visits 7, 9" for a damaged file of records whose journal can be trusted.
  std::string damaged_visits(const std::string& name) {
    std::string text;
    for (const RecordsFile& kind : record_files()) {
      const std::shared_ptr<const MappedFile>& file = result_.*kind.file;
      if (name != kind.name || !file) continue;
      for (const record::VisitLine& line : result_.journal.visits) {
        const Stated stated = kind.stated(line);
        const auto bytes = part(*file, stated.first, stated.records, kind.record_bytes);
        if (bytes && base::crc32c(*bytes) == stated.crc) continue;
        text += (text.empty() ? ": visit " : ", ") + std::to_string(line.visit);
      }
    }
    return text;
  }

  static std::optional<std::span<const std::byte>> part(const MappedFile& file, std::uint64_t first,
                                                        std::uint64_t count,
                                                        std::uint64_t record_bytes) {
    const std::uint64_t all = file.bytes().size() / record_bytes;
    if (first > all || count > all - first) return std::nullopt;
    return file.bytes().subspan(first * record_bytes, count * record_bytes);
  }

  // The visits' records follow one another and fill the files.
  void check_coverage() {
    for (const RecordsFile& kind : record_files()) {
      std::uint64_t records = 0;
      for (const record::VisitLine& line : result_.journal.visits) {
        const Stated stated = kind.stated(line);
        const bool told = &LaunchFiles::timings == kind.file || stated.records > 0;
        if (told && stated.first != records) {
          fault(kJournal, "the records of visit " + std::to_string(line.visit) +
                              " do not follow those of the visit before");
          return;
        }
        records += stated.records;
      }
      const std::shared_ptr<const MappedFile>& file = result_.*kind.file;
      if (&LaunchFiles::timings == kind.file || file || records > 0) {
        check_size(kind.name, file, records, kind.record_bytes);
      }
    }
  }

  void check_size(const char* name, const std::shared_ptr<const MappedFile>& file,
                  std::uint64_t records, std::uint64_t record_bytes) {
    const std::uint64_t found = file ? file->bytes().size() : 0;
    if (found == records * record_bytes) return;
    fault(name, "has " + size_text(found) + ", the visits of the journal have " +
                    size_text(records * record_bytes));
  }

  // Every visit's records match its line.
  void check_visits() {
    for (const RecordsFile& kind : record_files()) {
      if (const std::string visits = damaged_visits(kind.name); !visits.empty()) {
        fault(kind.name, "does not match the journal" + visits);
      }
    }
    for (const record::VisitLine& line : result_.journal.visits) {
      const auto records = result_.records(line);
      if (std::any_of(records.begin(), records.end(),
                      [&](const record::Timing& record) { return record.visit != line.visit; })) {
        fault(kTimings, "has records of another visit in visit " + std::to_string(line.visit));
      }
    }
  }

  const fs::path& campaign_;
  std::string dir_;
  LaunchFiles result_ = {};
};

}  // namespace

std::span<const record::Timing> LaunchFiles::records() const {
  if (!timings) return {};
  // A mapping begins at a page, so the records are aligned.
  return {reinterpret_cast<const record::Timing*>(timings->bytes().data()),
          timings->bytes().size() / sizeof(record::Timing)};
}

std::span<const record::Timing> LaunchFiles::records(const record::VisitLine& visit) const {
  const auto all = records();
  if (visit.first_record > all.size() || visit.records > all.size() - visit.first_record) return {};
  return all.subspan(visit.first_record, visit.records);
}

std::span<const record::RankTicks> LaunchFiles::rank_records(const record::VisitLine& visit) const {
  if (!ranks) return {};
  const std::span<const record::RankTicks> all{
      reinterpret_cast<const record::RankTicks*>(ranks->bytes().data()),
      ranks->bytes().size() / sizeof(record::RankTicks)};
  if (visit.first_rank_record > all.size() ||
      visit.rank_records > all.size() - visit.first_rank_record) {
    return {};
  }
  return all.subspan(visit.first_rank_record, visit.rank_records);
}

std::span<const record::MarkTicks> LaunchFiles::mark_records(const record::VisitLine& visit) const {
  if (!marks) return {};
  const std::span<const record::MarkTicks> all{
      reinterpret_cast<const record::MarkTicks*>(marks->bytes().data()),
      marks->bytes().size() / sizeof(record::MarkTicks)};
  if (visit.first_mark_record > all.size() ||
      visit.mark_records > all.size() - visit.first_mark_record) {
    return {};
  }
  return all.subspan(visit.first_mark_record, visit.mark_records);
}

LaunchFiles read_sealed_launch(const fs::path& campaign, const LaunchSeal& seal) {
  Reading reading(campaign, seal.dir);
  refuse_linked_folder(campaign / seal.dir);
  reading.check_seal(seal);
  return reading.result();
}

LaunchFiles read_unsealed_launch(const fs::path& campaign, const std::string& dir,
                                 const std::vector<const record::PlanRow*>& rows,
                                 const std::vector<std::uint32_t>& failed_cells) {
  Reading reading(campaign, dir);
  refuse_linked_folder(campaign / dir);
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(campaign / dir, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    // What a program leaves here beside our files is sealed as well if every reader takes its name;
    // links of its own are not. Ours are looked at whatever they are: a link is refused by take().
    std::error_code unknown;
    const bool file = entry->symlink_status(unknown).type() == fs::file_type::regular;
    if (is_own_name(name) || (file && is_plain_name(name))) names.push_back(name);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw base::UserError((campaign / dir).string(), "cannot be read: " + error.message(),
                          "try again when that is mended");
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) reading.take(name);
  reading.check_end();
  reading.check_plan(rows, failed_cells);
  return reading.result();
}

}  // namespace invar::store
