#include "launch/start/together.hpp"

#include <netdb.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.hpp"

namespace invar::launch {
namespace {

constexpr std::chrono::seconds kTogetherLimit{40};
// Some launchers wait for ever for a host that is not there.
constexpr std::chrono::seconds kUnknownHostLimit{10};
constexpr std::chrono::milliseconds kTogetherLook{10};
constexpr const char* kMet = "met\n";  // what the engine prints

class Job {
 public:
  Job(std::string which, const Profile& profile, StartOptions options,
      std::chrono::seconds limit = kTogetherLimit)
      : which_(std::move(which)),
        limit_(limit),
        process_(start(profile, at(dir_.path(), options))) {}

  void look() {
    if (!status_) status_ = process_.poll();
    if (met_) return;
    const std::string out = base::read_file((dir_.path() / "stdout").string()).value_or("");
    met_ = out.find(kMet) != std::string::npos;
  }
  void kill() { process_.kill(); }
  [[nodiscard]] bool met() const { return met_; }
  [[nodiscard]] bool ended() const { return status_.has_value(); }
  [[nodiscard]] bool failed() const { return !met_ && status_.value_or(0) != 0; }

  // With its last words, in one line; empty: it went well.
  [[nodiscard]] std::string problem() const {
    if (met_) return {};
    std::string err(base::trim(base::read_file((dir_.path() / "stderr").string()).value_or("")));
    if (const std::size_t end = err.find('\n'); end != std::string::npos) err.resize(end);
    return which_ +
           (status_ ? " ended with exit status " + std::to_string(*status_)
                    : " did not come up within " + std::to_string(limit_.count()) + " s") +
           (err.empty() ? "" : ": " + err);
  }

 private:
  static const StartOptions& at(const std::filesystem::path& dir, StartOptions& options) {
    options.dir = dir;
    return options;
  }

  ScratchDir dir_ = {};
  std::string which_;
  std::chrono::seconds limit_;
  Process process_;
  std::optional<int> status_ = {};
  bool met_ = false;
};

// Ranks unlink their page when all are there; of those that were killed it is still there.
void remove_pages(const std::string& name) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
    if (entry.path().filename().string().starts_with("invar-" + name)) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
}

}  // namespace

std::string together_problem(const Profile& first, const Profile& second,
                             const StartOptions& options, const Variables& second_environment) {
  const ScratchDir name_of_its_own;
  const std::string name = "meet-" + name_of_its_own.path().filename().string();
  const auto order = [&](int job) {
    StartOptions one = options;
    one.arguments = {"--meet", name, "--job", std::to_string(job)};
    if (job == 1) one.environment = second_environment;
    return one;
  };
  Job a("the first of two launches that were started at once", first, order(0));
  Job b("the second of two launches that were started at once", second, order(1));
  const auto end = std::chrono::steady_clock::now() + kTogetherLimit;
  // One that fails leaves the other waiting in vain. Whether they end is not asked.
  while (std::chrono::steady_clock::now() < end && !(a.met() && b.met()) && !a.failed() &&
         !b.failed()) {
    std::this_thread::sleep_for(kTogetherLook);
    a.look();
    b.look();
  }
  a.kill();
  b.kill();
  remove_pages(name);
  // The one that failed by itself says more than the one that was left alone.
  if (a.failed() && !b.failed()) return a.problem();
  return b.problem().empty() ? a.problem() : b.problem();
}

std::vector<std::string> unknown_hosts(const std::vector<design::Host>& hosts) {
  std::vector<std::string> unknown;
  for (const design::Host& host : hosts) {
    addrinfo* found = nullptr;
    if (getaddrinfo(host.name.c_str(), nullptr, nullptr, &found) != 0) unknown.push_back(host.name);
    if (found != nullptr) freeaddrinfo(found);
  }
  return unknown;
}

std::string alone_problem(const Profile& profile, const StartOptions& options) {
  const std::vector<std::string> unknown = unknown_hosts(options.hosts);
  const std::chrono::seconds limit = unknown.empty() ? kTogetherLimit : kUnknownHostLimit;
  const ScratchDir name_of_its_own;
  const std::string name = "meet-" + name_of_its_own.path().filename().string();
  StartOptions one = options;
  one.arguments = {"--meet", name, "--job", "0", "--jobs", "1"};
  Job job("a launch", profile, one, limit);
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end && !job.met() && !job.ended()) {
    std::this_thread::sleep_for(kTogetherLook);
    job.look();
  }
  job.kill();
  remove_pages(name);
  if (job.problem().empty() || unknown.empty()) return job.problem();
  return (unknown.size() == 1 ? "the host " : "the hosts ") + base::join(unknown, ", ") +
         (unknown.size() == 1 ? " is" : " are") + " not known here: " + job.problem();
}

}  // namespace invar::launch
