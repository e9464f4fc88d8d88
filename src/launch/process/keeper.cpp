#include "launch/process/keeper.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

namespace invar::launch {
namespace {

constexpr int kLine = 3;
constexpr int kTermGraceMs = 2000;
// Proxies of a launcher that ended well may be a moment behind it.
constexpr int kLeftoverGraceMs = 500;

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

void sleep_ms(long ms) {
  const timespec span{0, ms * 1000000L};
  nanosleep(&span, nullptr);
}

void say(const char* program, const char* what, int reason) {
  char text[512];
  const int length =
      std::snprintf(text, sizeof(text), "invar: %s %s: %s\n", what, program, std::strerror(reason));
  if (length > 0 && write(2, text, std::strlen(text)) < 0) return;
}

// Descriptors of the driver must not stay open here: its campaign lock would be held on, and other
// keepers' pipes would not close with it.
void close_others() {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kLine + 1, UINT_MAX, 0) == 0) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (int file = kLine + 1; file < (most > 0 && most < 65536 ? most : 65536); ++file) close(file);
}

// Parent of a process: the field behind the last parenthesis of /proc/PID/stat and the state.
int parent_of(const char* pid) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/%s/stat", pid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[1024];
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  if (length <= 0) return -1;
  text[length] = '\0';
  const char* end = std::strrchr(text, ')');
  if (end == nullptr || std::strlen(end) < 5) return -1;
  return std::atoi(end + 4);
}

// Signals all our children: what the launcher started comes to us as its parents end.
void signal_children(int signal_number) {
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return;
  const int self = getpid();
  while (const dirent* entry = readdir(folder)) {
    const int pid = std::atoi(entry->d_name);
    if (pid > 0 && parent_of(entry->d_name) == self) ::kill(pid, signal_number);
  }
  closedir(folder);
}

struct Watch {
  pid_t launcher = -1;
  int status = 0;
  bool launcher_ended = false;
  bool alone = false;  // no child is left

  void reap() {
    for (;;) {
      int state = 0;
      const pid_t pid = waitpid(-1, &state, WNOHANG);
      if (pid == 0) return;
      if (pid < 0) {
        if (errno == EINTR) continue;
        alone = true;
        return;
      }
      if (pid == launcher) {
        launcher_ended = true;
        status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
      }
    }
  }

  void wait_alone(int ms) {
    const std::int64_t end = now_ms() + ms;
    for (reap(); !alone && now_ms() < end; reap()) sleep_ms(5);
  }
};

// The launcher's process group only until it is reaped: from then on its number may be that of
// somebody else's group, and what it has left comes to us.
void signal_all(const Watch& watch, int signal_number) {
  if (!watch.launcher_ended) ::kill(-watch.launcher, signal_number);
  signal_children(signal_number);
}

void end_everything(Watch& watch) {
  signal_all(watch, SIGTERM);
  // Stopped processes do not see the signal before they go on.
  signal_all(watch, SIGCONT);
  watch.wait_alone(kTermGraceMs);
  while (!watch.alone) {
    signal_all(watch, SIGKILL);
    watch.wait_alone(20);
  }
}

[[noreturn]] void become_launcher(const KeeperOrder& order, const sigset_t& old_mask) {
  setpgid(0, 0);
  // The keeper ends everything; should it be killed itself, at least the launcher goes with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigprocmask(SIG_SETMASK, &old_mask, nullptr);
  close(kLine);
  execve(order.program, order.arguments, order.environment);
  say(order.program, "cannot start", errno);
  _exit(127);
}

volatile sig_atomic_t asked_to_end = 0;
void on_term(int /*signal*/) { asked_to_end = 1; }
void on_child(int /*signal*/) {}

}  // namespace

void keep(const KeeperOrder& order) {
  prctl(PR_SET_NAME, "invar-keeper");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Any of them may have a number that another one is to get: all out of the way first.
  constexpr int kAway = 10;
  const int line = fcntl(order.line, F_DUPFD, kAway);
  const int out = fcntl(order.out, F_DUPFD, kAway);
  const int err = fcntl(order.err, F_DUPFD, kAway);
  const int empty = fcntl(open("/dev/null", O_RDONLY), F_DUPFD, kAway);
  dup2(empty, 0);
  dup2(out, 1);
  dup2(err, 2);
  dup2(line, kLine);
  close_others();
  setsid();

  // The driver's handlers and masks are not ours, nor the launcher's.
  for (const int number : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigset_t blocked = none;
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  struct sigaction action {};
  action.sa_handler = on_child;
  sigaction(SIGCHLD, &action, nullptr);

  Watch watch;
  watch.launcher = fork();
  if (watch.launcher == 0) {
    signal(SIGCHLD, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    become_launcher(order, none);
  }
  if (watch.launcher < 0) {
    say(order.program, "cannot start", errno);
    _exit(127);
  }
  setpgid(watch.launcher, watch.launcher);
  action.sa_handler = on_term;
  sigaction(SIGTERM, &action, nullptr);

  for (;;) {
    watch.reap();
    if (watch.launcher_ended || watch.alone) break;
    pollfd wait{kLine, POLLIN, 0};
    // ppoll opens the mask only while it waits, so no end of a child is missed.
    const int ready = ppoll(&wait, 1, nullptr, &none);
    if (ready > 0 || asked_to_end != 0) {
      end_everything(watch);
      _exit(watch.launcher_ended ? watch.status : 128 + SIGKILL);
    }
  }
  watch.wait_alone(kLeftoverGraceMs);
  if (!watch.alone) end_everything(watch);
  _exit(watch.status);
}

}  // namespace invar::launch
