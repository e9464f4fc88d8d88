// The page that a launch group shares on one host.
#include "group/page.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "group/forked.hpp"
#include "record/launch_spec.hpp"

namespace invar::group::test {
namespace {

// Permissions of the page in shared memory; none: nobody can find it any more.
std::optional<unsigned> mode_of(const std::string& name) {
  const int descriptor = shm_open(("/invar-" + name).c_str(), O_RDONLY, 0);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  fstat(descriptor, &status);
  close(descriptor);
  return status.st_mode & 0777U;
}

// In a simulator, where all ranks are one process.
TEST(Page, OneAloneIsSeenByNobodyElse) {
  const Page first = Page::alone({.arms = 1, .local_ranks = 1}, {});
  const Page second = Page::alone({.arms = 1, .local_ranks = 1}, {});
  first.mine().go = 7;
  EXPECT_EQ(first.mine().go, 7U);
  EXPECT_EQ(second.mine().go, 0U);
  EXPECT_EQ(first.processes(), 1U);
  EXPECT_EQ(first.slot(0, 0).pid, 0) << "nobody is to look whether it is alive";
  EXPECT_THROW(Page::alone({.arms = 2, .local_ranks = 1}, {}), std::logic_error);
  EXPECT_THROW(Page::alone({.arms = 1, .local_ranks = 2}, {}), std::logic_error);
}

TEST(Page, EveryoneSeesWhatOneWrites) {
  const std::string name = page_name("shared");
  const Page first = Page::attach(name, {.arms = 2, .local_ranks = 1}, {.arm = 0});
  const Page second = Page::attach(name, {.arms = 2, .local_ranks = 1}, {.arm = 1});
  first.arm(1).go = 7;
  first.slot(1, 0).cpu = 3;
  EXPECT_EQ(second.mine().go, 7U);
  EXPECT_EQ(second.slot(1, 0).cpu, 3);
  EXPECT_EQ(first.slot(1, 0).pid, getpid());
}

// Whoever is about to fall asleep when somebody gives up has missed the wake: there is no other.
TEST(Page, GivingUpChangesEveryWordThatRanksSleepOnAndNoValue) {
  const std::string name = page_name("giving-up");
  const Page page = Page::attach(name, {.arms = 2, .local_ranks = 1}, {.arm = 0});
  const auto words = [&] {
    std::vector<std::atomic<std::uint32_t>*> all{&page.header().finished};
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      ArmPage& one = page.arm(arm);
      all.insert(all.end(), {&one.go, &one.handed, &one.released});
    }
    return all;
  }();
  std::uint32_t number = 0;
  for (auto* word : words) word->store(++number);
  page.abort();
  number = 0;
  for (auto* word : words) {
    EXPECT_NE(word->load(), ++number);
    EXPECT_EQ(value_of(*word), number);
    futex_wait(*word, number, 60'000'000'000);  // returns at once, or the test takes minutes
  }
  EXPECT_NE(page.header().aborted, 0U);
  shm_unlink(("/invar-" + name).c_str());
}

TEST(Page, PartsOfArmsAndRanksDoNotOverlap) {
  const Page::Shape shape{.arms = 3, .local_ranks = 9};
  const std::string name = page_name("parts");
  std::vector<Page> pages;
  for (std::uint32_t arm = 0; arm < shape.arms; ++arm) {
    for (std::uint32_t rank = 0; rank < shape.local_ranks; ++rank) {
      pages.push_back(Page::attach(name, shape, {.arm = arm, .local_rank = rank}));
      Page& page = pages.back();
      page.mine().agreement.slack_ticks[2] = arm + 100;
      page.slot(arm, rank).cpu = static_cast<int>(arm * 10 + rank);
      for (Counter& counter : page.arrivals()) counter.count = arm + 1;
    }
  }
  for (const Page& page : pages) {
    const auto [arm, rank] = page.place();
    EXPECT_EQ(page.mine().agreement.slack_ticks[2], arm + 100);
    EXPECT_EQ(page.slot(arm, rank).cpu, static_cast<int>(arm * 10 + rank));
    EXPECT_EQ(page.arrivals().size(), arrival_nodes(shape.local_ranks));
    for (const Counter& counter : page.arrivals()) EXPECT_EQ(counter.count, arm + 1);
  }
  EXPECT_EQ(pages.front().header().attached, 27U);
}

TEST(Page, WhatDifferentRanksWriteWhileTimingLiesOnDifferentCacheLines) {
  const std::string name = page_name("lines");
  const Page page = Page::attach(name, {.arms = 1, .local_ranks = 9}, {});
  const auto line = [](const auto& object) {
    return reinterpret_cast<std::uintptr_t>(&object) / kLine;
  };
  EXPECT_NE(line(page.arrivals()[0]), line(page.arrivals()[1]));
  EXPECT_NE(line(page.mine().start), line(page.mine().agreement));
  EXPECT_NE(line(page.mine().ping), line(page.mine().pong));
  EXPECT_NE(line(page.mine().late), line(page.mine().start));
  shm_unlink(("/invar-" + name).c_str());
}

TEST(Page, OnlyItsOwnerMayReadIt) {
  const std::string name = page_name("mode");
  const Page page = Page::attach(name, {.arms = 2, .local_ranks = 1}, {.arm = 0});
  EXPECT_EQ(mode_of(name), 0600U);
  shm_unlink(("/invar-" + name).c_str());
}

TEST(Page, NameIsGoneWhenAllAreAttachedAndThePageLivesOn) {
  const std::string name = page_name("unlinked");
  const Page first = Page::attach(name, {.arms = 1, .local_ranks = 2}, {.local_rank = 0});
  ASSERT_TRUE(mode_of(name).has_value());
  const Page second = Page::attach(name, {.arms = 1, .local_ranks = 2}, {.local_rank = 1});
  EXPECT_FALSE(mode_of(name).has_value());
  first.mine().late = 5;
  EXPECT_EQ(second.mine().late, 5U);
}

TEST(Page, GroupOfAnotherShapeIsRefusedAndThePageKept) {
  const std::string name = page_name("shape");
  const Page page = Page::attach(name, {.arms = 2, .local_ranks = 2}, {});
  page.slot(1, 1).cpu = 42;
  for (const Page::Shape other :
       {Page::Shape{.arms = 1, .local_ranks = 2}, Page::Shape{.arms = 2, .local_ranks = 1},
        Page::Shape{.arms = 3, .local_ranks = 4}}) {
    try {
      Page::attach(name, other, {});
      ADD_FAILURE() << "accepted";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("is of another launch group"));
    }
  }
  EXPECT_EQ(page.slot(1, 1).cpu, 42);
  EXPECT_EQ(page.header().attached, 1U);
  shm_unlink(("/invar-" + name).c_str());
}

// A system without shared memory, or one that gives us none, is not a library's fault.
TEST(Page, ThatCannotBeMadeIsTheMachinesFault) {
  try {
    Page::attach(page_name("no/such/folder"), {}, {});
    ADD_FAILURE() << "attached";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(std::string(record::kMachine)));
    EXPECT_THAT(error.what(), testing::HasSubstr("/dev/shm"));
  }
}

// Makes a page before its group does. Who may open it, and may have it open already, sees what the
// ranks do and can steer them.
class ForeignPage {
 public:
  explicit ForeignPage(const std::string& what)
      : name_(page_name(what)),
        descriptor_(shm_open(path().c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  ForeignPage(const ForeignPage&) = delete;
  ForeignPage& operator=(const ForeignPage&) = delete;
  ~ForeignPage() {
    close(descriptor_);
    shm_unlink(path().c_str());
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] off_t size() const {
    struct stat status {};
    fstat(descriptor_, &status);
    return status.st_size;
  }
  // What a rank says that is to use it.
  [[nodiscard]] std::string refusal() const {
    try {
      Page::attach(name_, {.arms = 1, .local_ranks = 2}, {});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "attached";
  }

 private:
  [[nodiscard]] std::string path() const { return "/invar-" + name_; }

  std::string name_;
  int descriptor_;
};

TEST(Page, ThatOthersMayReadIsRefusedAsTheMachinesFault) {
  for (const mode_t mode : {0644U, 0640U, 0602U}) {
    const ForeignPage page("open-to-others");
    ASSERT_EQ(fchmod(page.descriptor(), mode), 0);
    EXPECT_THAT(page.refusal(), testing::AllOf(testing::StartsWith(std::string(record::kMachine)),
                                               testing::HasSubstr("can be read by others")))
        << std::oct << mode;
    EXPECT_EQ(page.size(), 0) << "nothing was written into it";
  }
  EXPECT_EQ(ForeignPage("closed").refusal(), "attached") << "the driver makes it so";
}

TEST(Page, OfAnotherUserIsRefusedAsTheMachinesFault) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const ForeignPage page("another-user");
  ASSERT_EQ(fchown(page.descriptor(), 12345, 12345), 0);
  // Where fs.protected_regular is set the kernel refuses it before this program does.
  EXPECT_THAT(page.refusal(), testing::AllOf(testing::StartsWith(std::string(record::kMachine)),
                                             testing::AnyOf(testing::HasSubstr("another user"),
                                                            testing::HasSubstr("Permission"))));
  EXPECT_EQ(page.size(), 0) << "nothing was written into it";
}

TEST(Page, EngineWithAnotherLayoutIsRefused) {
  const std::string name = page_name("layout");
  const Page page = Page::attach(name, {.arms = 1, .local_ranks = 2}, {});
  page.header().layout = 12345;
  EXPECT_THROW(Page::attach(name, {.arms = 1, .local_ranks = 2}, {.local_rank = 1}),
               std::runtime_error);
  shm_unlink(("/invar-" + name).c_str());
}

}  // namespace
}  // namespace invar::group::test
