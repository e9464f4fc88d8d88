// What a rank leaves of what it was doing, and what is not believed.
#include "record/stress/stress_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "base/text.hpp"

namespace invar::record {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder for one test.
class StateFolder {
 public:
  StateFolder() {
    std::string name = (fs::temp_directory_path() / "stress-state-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;
  ~StateFolder() { fs::remove_all(path_); }
  [[nodiscard]] std::string file(std::uint32_t rank = 1) const {
    return path_ / stress_state_file(rank);
  }

 private:
  fs::path path_;
};

std::string bytes_of(const std::string& path) { return base::read_file(path).value_or(""); }

constexpr StressNow kMessage{.doing = StressDoing::kSending,
                             .kind = StressKind::kAllPairs,
                             .message = 123'456'789'012,
                             .size_bytes = 65'537,
                             .from = 1,
                             .to = 0,
                             .operation = "send -> irecv",
                             .pattern = "walking bit"};

StressActivity message_activity() {
  return {.doing = StressDoing::kSending,
          .kind = StressKind::kAllPairs,
          .message = 123'456'789'012,
          .size_bytes = 65'537,
          .from = 1,
          .to = 0,
          .operation = "send -> irecv",
          .pattern = "walking bit",
          .part = 7,
          .pid = getpid()};
}

StressWords words_of(const std::string& path) {
  StressWords words{};
  const std::string bytes = bytes_of(path);
  EXPECT_EQ(bytes.size(), sizeof(words));
  std::memcpy(words.data(), bytes.data(), std::min(bytes.size(), sizeof(words)));
  return words;
}

TEST(StressState, IsReadAsItWasWritten) {
  const StateFolder folder;
  StressState state(folder.file());
  EXPECT_EQ(state.lacking(), "");
  ASSERT_TRUE(read_stress_activity(bytes_of(folder.file())));
  EXPECT_EQ(read_stress_activity(bytes_of(folder.file()))->doing, StressDoing::kResting);
  state.agrees(7);
  EXPECT_EQ(read_stress_activity(bytes_of(folder.file()))->doing, StressDoing::kAgreeing);
  state.now(kMessage);
  EXPECT_EQ(read_stress_activity(bytes_of(folder.file())), message_activity());
  EXPECT_EQ(state.activity(), message_activity()) << "a thread sees what a launcher sees";
  EXPECT_EQ(stress_state_file(12), "state.12");
}

TEST(StressState, TakesTextsThatLieAtTheSamePlaceForTheSameButOfCollectives) {
  const StateFolder folder;
  StressState state(folder.file());
  std::string words = "allreduce, root 1, int32, sum, in place";
  state.at_collective(3, 4096, words);
  EXPECT_EQ(state.activity()->operation, words);
  EXPECT_EQ(state.activity()->doing, StressDoing::kCollective);
  EXPECT_EQ(state.activity()->from, -1);
  words.replace(0, words.size(), "bcast");
  state.at_collective(4, 8, words);
  EXPECT_EQ(state.activity()->operation, "bcast") << "nothing of the longer one is left";
  state.now(kMessage);
  EXPECT_EQ(state.activity()->operation, "send -> irecv");
  state.goes_on(StressDoing::kComparing);
  EXPECT_EQ(state.activity()->message, kMessage.message) << "all else stays";
  const std::string long_words(1000, 'x');
  state.at_collective(5, 8, long_words);
  EXPECT_EQ(state.activity()->operation,
            long_words.substr(0, kStressOperationWords * sizeof(std::uint64_t) - 1));
}

// The reason for it all.
TEST(StressState, OutlivesAProcessThatIsKilled) {
  const StateFolder folder;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    StressState state(folder.file());
    state.agrees(7);
    state.now(kMessage);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  StressActivity left = message_activity();
  left.pid = child;
  EXPECT_EQ(read_stress_activity(bytes_of(folder.file())), left);
}

TEST(StressState, ThatIsTornOrNoneIsNotBelieved) {
  const StateFolder folder;
  StressState state(folder.file());
  state.agrees(7);
  state.now(kMessage);
  const StressWords whole = words_of(folder.file());
  ASSERT_TRUE(stress_activity(whole));
  const auto spoilt = [&](std::size_t word, std::uint64_t value) {
    StressWords words = whole;
    words[word] = value;
    return stress_activity(words);
  };
  EXPECT_FALSE(spoilt(stress_word::kSteps, whole[stress_word::kSteps] + 1)) << "killed in between";
  EXPECT_FALSE(spoilt(stress_word::kMagic, 0));
  EXPECT_FALSE(spoilt(stress_word::kMagic, kStressMagic + 1)) << "another layout";
  EXPECT_FALSE(spoilt(stress_word::kDoing, kStressDoings));
  EXPECT_FALSE(spoilt(stress_word::kKind, kStressKinds));
  EXPECT_FALSE(spoilt(stress_word::kFrom, ~std::uint64_t{0}));
  StressWords endless = whole;
  for (std::size_t i = kStressOperation; i < kStressWords; ++i) endless[i] = ~std::uint64_t{0};
  EXPECT_FALSE(stress_activity(endless)) << "a text without an end";
  EXPECT_FALSE(stress_activity(StressWords{})) << "nothing was sent by another host";
  const std::string bytes = bytes_of(folder.file());
  EXPECT_FALSE(read_stress_activity(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(read_stress_activity(bytes + "x"));
  EXPECT_FALSE(read_stress_activity(bytes_of(folder.file(2)))) << "no file at all";
}

// A reader never has one message's number with another one's size.
TEST(StressState, IsNeverSeenHalfWritten) {
  const StateFolder folder;
  StressState state(folder.file());
  state.now({.doing = StressDoing::kSending});
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (std::uint64_t number = 0; !over; ++number) {
      StressNow next = kMessage;
      next.message = number;
      next.size_bytes = number;
      next.operation = number % 2 == 0 ? "even" : "odd";
      state.now(next);
    }
  });
  // The writer may have lost its processor in the midst of a message.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::size_t seen = 0;
  while (seen < 5'000 && std::chrono::steady_clock::now() < deadline) {
    const auto activity = state.activity();
    if (!activity || activity->operation.empty()) {
      std::this_thread::yield();
      continue;
    }
    ++seen;
    ASSERT_EQ(activity->message, activity->size_bytes);
    ASSERT_EQ(activity->operation, activity->message % 2 == 0 ? "even" : "odd");
  }
  over = true;
  writer.join();
  EXPECT_GT(seen, 0U);
}

TEST(StressState, WithoutAFileIsKnownToItsProcessAlone) {
  const StateFolder folder;
  StressState state(folder.file() + "/none/state.1");
  EXPECT_THAT(state.lacking(), HasSubstr("/none/state.1: "));
  state.now(kMessage);
  EXPECT_EQ(state.activity()->message, kMessage.message);
  // What an earlier run has left is not this one's state, and stays.
  const StressState first(folder.file());
  const StressState second(folder.file());
  EXPECT_THAT(second.lacking(), HasSubstr("File exists"));
  EXPECT_TRUE(fs::exists(folder.file()));
}

TEST(StressState, SaysWhatItDiesOf) {
  const StateFolder folder;
  StressState state(folder.file());
  state.dies(0);
  EXPECT_FALSE(state.activity()->death) << "everybody calls exit() in the end";
  state.now(kMessage);
  state.dies(SIGABRT);
  ASSERT_TRUE(state.activity()->death);
  EXPECT_EQ(state.activity()->death->signal, SIGABRT);
  EXPECT_GT(state.activity()->death->time_ns, 0);
  state.dies(0);
  EXPECT_EQ(state.activity()->death->signal, SIGABRT) << "abort() may end in exit()";
  state.now(kMessage);
  EXPECT_FALSE(state.activity()->death) << "the library had another use for that signal";
  state.dies(0);
  ASSERT_TRUE(state.activity()->death);
  EXPECT_EQ(state.activity()->death->signal, 0);
}

TEST(StressState, ThatHangsIsToldAsAFault) {
  const StateFolder folder;
  StressState state(folder.file());
  state.agrees(1);
  const StressFault idle{.fault = "hang", .what = "waited 2 s for the other ranks", .rank = 1};
  EXPECT_EQ(state.hanging(1, 2), idle);
  state.now(kMessage);
  const StressFault message{.fault = "hang",
                            .kind = "all-pairs",
                            .operation = "send -> irecv",
                            .pattern = "walking bit",
                            .what = "it did not leave within 2 s",
                            .size_bytes = 65'537,
                            .message = 123'456'789'012,
                            .from = 1,
                            .to = 0,
                            .rank = 1};
  EXPECT_EQ(state.hanging(1, 2), message);
  state.at_collective(3, 4096, "bcast, root 1");
  const StressFault collective{.fault = "hang",
                               .kind = "collectives",
                               .operation = "bcast, root 1",
                               .what = "the call did not come to its end within 2 s",
                               .size_bytes = 4096,
                               .message = 3,
                               .rank = 1};
  EXPECT_EQ(state.hanging(1, 2), collective);
  state.goes_on(StressDoing::kComparing);
  EXPECT_FALSE(state.hanging(1, 2).message) << "who is in the call knows more";
  EXPECT_THAT(state.hanging(1, 2).what, HasSubstr("outside of the call of collective 3"));
}

}  // namespace
}  // namespace invar::record
