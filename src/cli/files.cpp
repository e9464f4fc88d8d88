#include "cli/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::cli {
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

// Says what errno says.
[[noreturn]] void refuse_file(const std::filesystem::path& path) {
  throw base::UserError(path.string(), std::string("cannot be written: ") + std::strerror(errno),
                        errno == EEXIST ? "choose another name, or remove it" : "");
}

// The whole text in a file of its own beside `path`; returns its name.
std::string write_beside(const std::filesystem::path& path, const std::string& text) {
  std::string beside = path.string() + ".tmp" + std::to_string(getpid());
  const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) refuse_file(path);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
    if (written < 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool whole = done == text.size() && fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  if (!whole) {
    unlink(beside.c_str());
    errno = error;
    refuse_file(path);
  }
  return beside;
}

}  // namespace

CampaignFile read_campaign_file(const std::string& path) {
  CampaignFile file{.place = path};
  if (path.ends_with(".csv")) {
    file.plan_place = path;
    file.place = (std::filesystem::path(path).parent_path() / "campaign.toml").string();
    const std::string text = read_or_refuse(path);
    const std::string toml = read_or_refuse(file.place);
    file.plan = record::read_plan(text, path);
    file.campaign = design::read_campaign(toml, file.place);
  } else {
    file.campaign = design::read_campaign(read_or_refuse(path), path);
  }
  return file;
}

void write_new_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    errno = EEXIST;
    refuse_file(path);
  }
  const std::string beside = write_beside(path, text);
  if (link(beside.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(beside.c_str());
    errno = reason;
    refuse_file(path);
  }
  unlink(beside.c_str());
}

void replace_file(const std::filesystem::path& path, const std::string& text) {
  const std::string beside = write_beside(path, text);
  if (rename(beside.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(beside.c_str());
    errno = reason;
    refuse_file(path);
  }
}

std::string new_directory_name(const std::string& name) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y%m%d-%H%M", &parts);
  const std::string wanted = "invar-" + name + "-" + date.data();
  std::error_code ignored;
  for (int number = 1;; ++number) {
    std::string tried = number == 1 ? wanted : wanted + "-" + std::to_string(number);
    if (!std::filesystem::exists(tried, ignored)) return tried;
  }
}

}  // namespace invar::cli
