#include "launch/together.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"

namespace invar::launch {
namespace {

constexpr std::chrono::seconds kLimit{40};

// Its last words, in one line; empty: it went well.
std::string problem_of(const std::string& which, const std::optional<int>& status,
                       const std::filesystem::path& dir) {
  if (status == 0) return {};
  std::string err(base::trim(base::read_file((dir / "stderr").string()).value_or("")));
  if (const std::size_t end = err.find('\n'); end != std::string::npos) err.resize(end);
  return "the " + which + " of two launches that were started at once " +
         (status ? "ended with " + std::to_string(*status) : "did not end within 40 s") +
         (err.empty() ? "" : ": " + err);
}

}  // namespace

std::string together_problem(const Profile& first, const Profile& second,
                             const StartOptions& options, const Variables& second_environment) {
  const ScratchDir dirs[2];
  const std::string name = "meet-" + dirs[0].path().filename().string();
  const auto order = [&](int job) {
    StartOptions one = options;
    one.arguments = {"--meet", name, "--job", std::to_string(job)};
    if (job == 1 && !second_environment.empty()) one.environment = second_environment;
    one.dir = dirs[job].path();
    return one;
  };
  Process a = start(first, order(0));
  Process b = start(second, order(1));
  const auto end = std::chrono::steady_clock::now() + kLimit;
  const auto left = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(end -
                                                                 std::chrono::steady_clock::now());
  };
  std::optional<int> b_status;
  std::optional<int> a_status;
  // One that fails leaves the other waiting in vain.
  while (left().count() > 0 && !(a_status && b_status) && a_status.value_or(0) == 0 &&
         b_status.value_or(0) == 0) {
    a_status = a.wait(std::chrono::milliseconds(20));
    b_status = b.poll();
  }
  a.kill();
  b.kill();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) {
    if (entry.path().filename().string().starts_with("invar-" + name)) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
  // The one that failed by itself says more than the one that was left alone.
  const bool second_failed = b_status.value_or(0) != 0;
  const std::string problem = problem_of("second", b_status, dirs[1].path());
  return second_failed || a_status == 0 ? problem : problem_of("first", a_status, dirs[0].path());
}

}  // namespace invar::launch
