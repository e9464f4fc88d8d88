// Launch groups of forked processes: what mpirun would start, without MPI.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "group/page.hpp"

namespace invar::group::test {

// A name for a page that no other test, also of another run, has.
inline std::string page_name(const std::string& what) {
  static std::atomic<int> number{0};
  return "test-" + what + "-" + std::to_string(getpid()) + "-" + std::to_string(++number);
}

// An object in memory that forked processes share.
template <typename T>
class Shared {
 public:
  Shared() {
    void* memory =
        mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    object_ = new (memory) T();
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { munmap(object_, sizeof(T)); }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }

 private:
  T* object_;
};

// How a forked process ended.
enum class Ending : std::uint8_t { kDone, kThrew, kKilled, kHung };

// Runs `body(arm, local_rank)` in a process for each rank of each arm. All of them are reaped as
// soon as they end, as a launcher would; those that have not ended after `limit_s` are killed.
class ForkedGroup {
 public:
  using Body = std::function<void(std::uint32_t arm, std::uint32_t local_rank)>;

  ForkedGroup(group::Page::Shape shape, const Body& body) {
    for (std::uint32_t arm = 0; arm < shape.arms; ++arm) {
      for (std::uint32_t rank = 0; rank < shape.local_ranks; ++rank) {
        const pid_t pid = fork();
        if (pid < 0) throw std::runtime_error("fork");
        if (pid == 0) {
          try {
            body(arm, rank);
          } catch (const std::exception&) {
            _exit(1);
          }
          _exit(0);
        }
        pids_.push_back(pid);
      }
    }
  }
  ForkedGroup(const ForkedGroup&) = delete;
  ForkedGroup& operator=(const ForkedGroup&) = delete;

  // In the order of arm and rank.
  void kill(std::size_t process) const { ::kill(pids_.at(process), SIGKILL); }

  std::vector<Ending> wait(double limit_s = 60) {
    std::vector<Ending> endings(pids_.size(), Ending::kHung);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
    std::size_t running = pids_.size();
    while (running > 0) {
      const bool over = std::chrono::steady_clock::now() > end;
      for (std::size_t i = 0; i < pids_.size(); ++i) {
        if (pids_[i] == 0) continue;
        if (over) ::kill(pids_[i], SIGKILL);
        int status = 0;
        if (waitpid(pids_[i], &status, over ? 0 : WNOHANG) == 0) continue;
        if (!over) {
          endings[i] = WIFSIGNALED(status)        ? Ending::kKilled
                       : WEXITSTATUS(status) == 0 ? Ending::kDone
                                                  : Ending::kThrew;
        }
        pids_[i] = 0;
        --running;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return endings;
  }

 private:
  std::vector<pid_t> pids_ = {};
};

// Waits until `done()` or until a time that only a hang takes.
template <typename Done>
bool eventually(Done done) {
  for (int i = 0; i < 30'000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace invar::group::test
