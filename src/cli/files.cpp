#include "cli/files.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "launch/libraries/profile.hpp"

namespace invar::cli {

namespace fs = std::filesystem;

namespace {

std::string read_or_refuse(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw base::UserError(path, "is a directory", "name the campaign's file");
  }
  errno = 0;
  const auto text = base::read_file(path);
  if (!text) {
    throw base::UserError(path, std::string("cannot be read: ") + std::strerror(errno),
                          "'invar init' writes a campaign to begin with");
  }
  return *text;
}

void write_or_refuse(const std::filesystem::path& path, const std::string& text,
                     base::IfThere if_there) {
  make_parents(path);
  const std::string beside = path.string() + ".tmp" + std::to_string(getpid());
  const int error = base::write_whole_file(path, text, beside, if_there, true);
  if (error == 0) return;
  throw base::UserError(path.string(), std::string("cannot be written: ") + std::strerror(error),
                        error == EEXIST ? "choose another name, or remove it" : "");
}

}  // namespace

bool names_campaign(const std::string& word) {
  std::error_code error;
  const fs::path directory(word);
  if (fs::exists(directory / "manifest.jsonl", error) ||
      fs::exists(directory / "campaign.toml", error)) {
    return true;
  }
  if (word.find('/') != std::string::npos && fs::is_directory(directory, error)) return true;
  // In the name of an arm only the settings behind its colon may have a slash.
  if (word.substr(0, word.find(':')).find('/') == std::string::npos) return false;
  throw base::UserError(word,
                        fs::exists(directory, error) ? "is not a directory" : "no such directory",
                        "name the directory of a campaign, or a library of 'invar mpi list'");
}

void make_parents(const fs::path& path) {
  const fs::path parent = path.parent_path();
  if (parent.empty()) return;
  std::error_code error;
  fs::create_directories(parent, error);
  if (!error && fs::is_directory(parent, error)) return;
  throw base::UserError(path.string(), "cannot be written: " + write_problem(path));
}

std::string write_problem(const fs::path& path) {
  std::error_code ignored;
  fs::path nearest = fs::absolute(path).lexically_normal().parent_path();
  while (!fs::exists(nearest, ignored) && nearest.has_relative_path()) {
    nearest = nearest.parent_path();
  }
  if (!fs::is_directory(nearest, ignored)) return "'" + nearest.string() + "' is not a directory";
  // It is written beside its name and renamed.
  if (access(nearest.c_str(), W_OK | X_OK) == 0) return {};
  return "you may not write in '" + nearest.string() + "'";
}

CampaignFile read_campaign_file(const std::string& path) {
  CampaignFile file{.place = path};
  if (path.ends_with(".csv")) {
    file.plan_place = path;
    file.place = (std::filesystem::path(path).parent_path() / "campaign.toml").string();
    const std::string text = read_or_refuse(path);
    const std::string toml = read_or_refuse(file.place);
    file.plan = record::read_plan(text, path);
    file.campaign = design::read_campaign(toml, file.place, launch::known_operations);
  } else {
    file.campaign = design::read_campaign(read_or_refuse(path), path, launch::known_operations);
  }
  return file;
}

void write_new_file(const std::filesystem::path& path, const std::string& text) {
  write_or_refuse(path, text, base::IfThere::kRefuse);
}

void replace_file(const std::filesystem::path& path, const std::string& text) {
  write_or_refuse(path, text, base::IfThere::kReplace);
}

std::string free_directory_name(const std::string& wanted) {
  std::error_code ignored;
  // "out/" would be numbered inside itself.
  std::string name = wanted;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  for (int number = 1;; ++number) {
    std::string tried = number == 1 ? name : name + "-" + std::to_string(number);
    if (!std::filesystem::exists(tried, ignored)) return tried;
  }
}

std::string new_directory_name(const std::string& name) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y%m%d-%H%M", &parts);
  return free_directory_name("invar-" + name + "-" + date.data());
}

}  // namespace invar::cli
