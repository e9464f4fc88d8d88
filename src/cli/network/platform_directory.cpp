#include "cli/network/platform_directory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "analysis/questions/questions.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "tuning/written_files.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

// What a campaign's data are, with a checksum of every file of them.
constexpr const char* kManifestFile = "manifest.jsonl";
constexpr const char* kMakeAnew = "take platform.csv away: then all are written anew";

std::optional<std::string> text_in(const fs::path& dir, const std::string& name) {
  return base::read_file((dir / name).string());
}

// Whoever is killed meanwhile leaves no record, and all are written once more.
void write_all(const fs::path& dir, const platform::PlatformFiles& files,
               const std::string& from = {}) {
  std::error_code none;
  fs::remove(dir / kPlatformRecord, none);
  tuning::WrittenFiles written{.from = from};
  if (const auto manifest = text_in(dir, kManifestFile)) {
    written.checksums[kManifestFile] = tuning::checksum_of_text(*manifest);
  }
  for (const platform::NamedText& file : files.files) {
    replace_file(dir / file.name, file.text);
    written.checksums[file.name] = tuning::checksum_of_text(file.text);
  }
  replace_file(dir / kPlatformRecord, tuning::written_text(written));
}

std::optional<tuning::WrittenFiles> record_in(const fs::path& dir) {
  const std::optional<std::string> text = text_in(dir, kPlatformRecord);
  if (!text) return std::nullopt;
  return tuning::parse_written(*text, (dir / kPlatformRecord).string(), kMakeAnew);
}

void name_files(const fs::path& dir, const platform::PlatformFiles& files,
                PlatformDirectory& found) {
  for (const platform::NamedText& file : files.files) found.files.push_back(dir / file.name);
  found.remarks = files.remarks;
}

// What is there and was not edited, or what is to be said of it.
struct Written {
  bool there = false;
  bool stale = false;  // from other data
  std::vector<std::string> edited = {};
  std::vector<std::string> gone = {};
};

Written written_state(const fs::path& dir, const tuning::WrittenFiles& record) {
  Written state{.there = true};
  for (const tuning::FileChange& change :
       tuning::changes_since(record, [&](const std::string& name) { return text_in(dir, name); })) {
    if (change.name == kManifestFile) {
      state.stale = true;
    } else {
      (change.gone ? state.gone : state.edited).push_back(change.name);
    }
  }
  return state;
}

bool is_whole(const analysis::Health& health) { return health.unfinished + health.damaged == 0; }

void decide(const fs::path& dir, const platform::PlatformFiles& files, PlatformDirectory& made) {
  const std::optional<tuning::WrittenFiles> record = record_in(dir);
  const Written state = record ? written_state(dir, *record) : Written();
  name_files(dir, files, made);
  if (!state.edited.empty()) {
    for (const std::string& name : state.edited) {
      made.notes.push_back(
          (dir / name).string() + " was edited since it was written: left as it is" +
          (state.stale ? ", although it was made from other data than are here now" : ""));
    }
    made.notes.emplace_back(std::string("for files as they were measured ") + kMakeAnew);
    return;
  }
  if (!state.there || state.stale || !state.gone.empty()) {
    write_all(dir, files);
    if (state.stale) {
      made.notes.emplace_back(
          "the platform's files were made from other data than are here now: written anew");
    } else if (!state.gone.empty()) {
      made.notes.push_back(base::join(state.gone, ", ") + " was gone: written anew");
    }
  }
  made.usable = true;
}

}  // namespace

analysis::SimulatedPlatforms platforms_of(const analysis::Network& found) {
  // Not those of whoever reads it: the same data give the same files.
  return analysis::simulated_platforms(found, {.cores = found.cores});
}

PlatformDirectory bring_platform_up_to_date(const analysis::Network& found) {
  PlatformDirectory made;
  if (!found.no_verdict.empty()) {
    made.faults.push_back(
        {.place = found.dir.string(), .what = "no platform is written: " + found.no_verdict});
    return made;
  }
  if (!is_whole(found.health)) {
    made.faults.push_back({.place = found.dir.string(),
                           .what = "no platform is written: the campaign is not at its end, or "
                                   "damaged"});
    return made;
  }
  try {
    const analysis::SimulatedPlatforms platforms = platforms_of(found);
    made.faults = platforms.faults;
    made.warnings = platforms.warnings;
    if (platforms.platforms.empty()) return made;
    decide(found.dir, analysis::files_of(found, platforms), made);
  } catch (const base::CommandError& error) {
    for (const base::Fault& fault : error.faults()) made.faults.push_back(fault);
  }
  return made;
}

PlatformDirectory write_platform_into(const fs::path& dir, const analysis::Network& found,
                                      const std::string& from) {
  const analysis::SimulatedPlatforms platforms = platforms_of(found);
  if (platforms.platforms.empty()) throw base::CommandError(base::Exit::kUsage, platforms.faults);
  PlatformDirectory made{.warnings = platforms.warnings, .faults = platforms.faults};
  const platform::PlatformFiles files = analysis::files_of(found, platforms);
  fs::path target = dir.has_filename() ? dir : dir.parent_path();
  std::error_code error;
  if (fs::exists(target, error)) {
    throw base::UserError(target.string(), "exists already", "choose another name, or remove it");
  }
  make_parents(target);
  const fs::path beside = target.string() + ".tmp" + std::to_string(getpid());
  try {
    write_all(beside, files, from.empty() ? from : fs::absolute(from).lexically_normal().string());
    fs::rename(beside, target, error);
  } catch (...) {
    std::error_code none;
    fs::remove_all(beside, none);
    throw;
  }
  if (error) {
    fs::remove_all(beside, error);
    throw base::UserError(target.string(), "cannot be written",
                          "look at its directory and the disk");
  }
  name_files(target, files, made);
  made.usable = true;
  return made;
}

void refuse_directories(const std::vector<std::string>& targets) {
  base::Faults faults;
  for (const std::string& target : targets) {
    const fs::path dir(target);
    std::error_code none;
    if (fs::exists(dir / kManifestFile, none) || fs::exists(dir / "campaign.toml", none)) {
      if (targets.size() == 1) continue;
      faults.add(target, "is a campaign's directory, which stands alone",
                 "ask for it by itself: invar network " + base::shell_quoted(target));
    } else if (fs::exists(dir / kPlatformRecord, none)) {
      const std::string from = record_in(dir).value_or(tuning::WrittenFiles()).from;
      faults.add(target, "holds a platform alone, and nothing that was measured",
                 from.empty() ? "ask the campaign that it was made from"
                              : "the answer comes from the folder that it was imported from: "
                                "invar network --import " +
                                    base::shell_quoted(from));
    }
  }
  faults.throw_if_any();
}

base::Exit export_platform(const store::Data& data, const std::string& output, bool anonymise) {
  if (output.empty()) {
    throw base::UserError("-o", "a platform is several files", "write -o platform");
  }
  const analysis::Study study(data);
  analysis::require(analysis::network_lack(study));
  analysis::Network found = analysis::network(study);
  if (!found.no_verdict.empty()) {
    throw base::UserError(data.dir.string(), "no platform follows from it: " + found.no_verdict);
  }
  if (anonymise) found.dir.clear();
  const PlatformDirectory made = write_platform_into(output, found);
  for (const base::Fault& fault : made.faults) {
    tell("invar: left out: " + fault.text());
  }
  for (const std::string& remark : made.remarks) tell("invar: " + remark);
  for (const std::string& text : made.warnings) tell("invar: warning: " + text);
  return analysis::status_of(found.health);
}

void add_platform(const PlatformDirectory& platform, analysis::Answer& answer) {
  using analysis::List;
  const auto add = [&](const std::string& text) {
    answer.remarks.push_back({.label = "platform", .text = text, .own_line = true});
  };
  List files;
  for (const fs::path& file : platform.files) {
    files.emplace_back(file.string());
    if (file.extension() == ".xml") {
      answer.next.push_back({"platform", base::shell_quoted(file.string()) +
                                             ", beside it .hosts, and with noise .cpp"});
    }
  }
  List remarks;
  for (const std::string& remark : platform.remarks) {
    remarks.emplace_back(remark);
    add(remark);
  }
  // In front of the data's own notes: whether the files are those of the answer at all.
  std::vector<analysis::Warning> first(platform.notes.begin(), platform.notes.end());
  List missing;
  for (const base::Fault& fault : platform.faults) {
    missing.emplace_back(fault.text());
    first.emplace_back("no platform for a simulator: " + fault.text());
  }
  answer.warnings.insert(answer.warnings.begin(), first.begin(), first.end());
  for (const std::string& text : platform.warnings) answer.warnings.emplace_back(text);
  answer.facts.push_back({"platform", analysis::Record{{"files", std::move(files)},
                                                       {"remarks", std::move(remarks)},
                                                       {"missing", std::move(missing)}}});
}

int show_network(const analysis::Study& study, const AnswerOptions& options) {
  const analysis::QuestionRow& row = analysis::row_of(design::Question::kNetwork);
  analysis::require(row.lacking(study));
  analysis::Answered answered = row.ask(study, analysis::Detail::kAll);
  const auto* found = answered.as<analysis::Network>();
  // Files are of what the campaign asks, whatever a command asked for.
  if (found != nullptr && !study.options().regime && !study.options().regimes) {
    add_platform(bring_platform_up_to_date(*found), answered.answer);
  }
  return finish_with(answered.answer, options);
}

}  // namespace invar::cli
