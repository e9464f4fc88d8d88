#include "host/conditions.hpp"

#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/files.hpp"

extern char** environ;

namespace invar::host {
namespace {

// Stands in the environment of a program that was started again, whatever was asked for: all
// launches of a campaign have it, or none (Conditions::as_others).
constexpr const char* kAgain = "INVAR_STARTED_AGAIN";
constexpr unsigned long kReadOnly = 0xffffffff;

unsigned long personality_now() { return static_cast<unsigned long>(personality(kReadOnly)); }

bool is_randomized() { return (personality_now() & ADDR_NO_RANDOMIZE) == 0; }

// Both leave errno where the kernel refuses.
bool randomize(bool on) {
  const unsigned long flags = personality_now();
  return personality(on ? flags & ~static_cast<unsigned long>(ADDR_NO_RANDOMIZE)
                        : flags | ADDR_NO_RANDOMIZE) >= 0;
}

bool huge_pages_off(bool off) { return prctl(PR_SET_THP_DISABLE, off ? 1 : 0, 0, 0, 0) == 0; }

[[noreturn]] void refuse(const std::string& what) {
  throw base::UserError("launch", what,
                        "leave the level out; 'invar doctor' runs on this host and may know more");
}

bool padding_is_right(const Conditions& asked) {
  if (!asked.padding_bytes) return true;
  const char* padding = std::getenv(kPadding);
  return (padding == nullptr ? 0 : std::strlen(padding)) == *asked.padding_bytes;
}

// 0, or the errno with which the kernel refuses `action`, tried in a child.
template <typename Action>
int tried(Action action) {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(action() ? 0 : errno);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

}  // namespace

Conditions conditions_of(const record::LaunchSpec& spec) {
  return {.aslr = spec.aslr,
          .thp = spec.thp,
          .padding_bytes = base::parse_u64(spec.environment_size),
          .as_others = spec.starts_again};
}

void take_on(const Conditions& asked, char* const* argv) {
  if (!asked.any()) return;
  const bool again = std::getenv(kAgain) != nullptr;
  if (asked.thp != "default" && !huge_pages_off(asked.thp == "never")) {
    refuse("thp = \"" + asked.thp + "\": the kernel refuses: " + std::strerror(errno));
  }
  const bool randomized = asked.aslr == "default" ? is_randomized() : asked.aslr == "on";
  if (again) {
    if (randomized != is_randomized()) {
      refuse("aslr = \"" + asked.aslr + "\" did not last over a start of the program");
    }
    if (!padding_is_right(asked)) refuse("the padding of the environment did not arrive");
    return;
  }
  if (randomized != is_randomized() && !randomize(randomized)) {
    refuse("aslr = \"" + asked.aslr + "\": the kernel refuses: " + std::strerror(errno));
  }
  setenv(kAgain, "1", 1);
  if (asked.padding_bytes) {
    setenv(kPadding, std::string(*asked.padding_bytes, 'x').c_str(), 1);
  }
  execv("/proc/self/exe", argv);
  refuse(std::string("the program cannot be started again: ") + std::strerror(errno));
}

ConditionsFound conditions_found() {
  ConditionsFound found{.randomized = is_randomized(),
                        .huge_pages_off = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    found.environment_bytes += std::strlen(*entry) + 1;
  }
  return found;
}

std::optional<Refusal> refusal(const Conditions& asked, const std::string& proc,
                               const std::string& sys) {
  if (asked.aslr != "default") {
    if (const int reason = tried([&] { return randomize(asked.aslr == "on"); }); reason != 0) {
      return Refusal{
          "aslr cannot be chosen here: personality() is refused: " +
              std::string(std::strerror(reason)),
          "a container's seccomp profile does that; for Docker or Podman: --security-opt "
          "seccomp=unconfined"};
    }
    const auto kernel = read_number(proc + "/sys/kernel/randomize_va_space");
    if (asked.aslr == "on" && kernel == 0U) {
      return Refusal{"aslr = \"on\", but this kernel randomises nothing",
                     "as root: sysctl kernel.randomize_va_space=2"};
    }
  }
  if (asked.thp != "default") {
    const auto modes = read_line(sys + "/kernel/mm/transparent_hugepage/enabled");
    if (!modes) {
      return Refusal{"thp cannot be chosen here: this kernel has no transparent huge pages",
                     "leave thp out"};
    }
    const int reason = tried([&] { return huge_pages_off(asked.thp == "never"); });
    if (reason != 0) {
      return Refusal{"thp cannot be chosen here: prctl(PR_SET_THP_DISABLE) is refused: " +
                         std::string(std::strerror(reason)),
                     "leave thp out, or look at the container's seccomp profile"};
    }
    if (asked.thp == "always" && modes->find("[never]") != std::string::npos) {
      return Refusal{"thp = \"always\", but this kernel never gives transparent huge pages",
                     "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
    }
  }
  return std::nullopt;
}

}  // namespace invar::host
