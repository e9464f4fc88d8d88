// What cannot be read at this moment (no descriptor, no memory) is an error and no damage: damage
// is moved away and measured again, and the data behind such an error are whole.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>

#include "base/error.hpp"
#include "simulations.hpp"
#include "store/launch_files.hpp"
#include "store/open.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/tampering.hpp"
#include "store/test_dir.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Launches of 5 MB, so that they are what finds no memory.
const synthetic::Options kLargeLaunches{
    .groups = 2, .rounds = 1, .repetitions = 20'000, .warm_up = 1};

// As long as it lives this process gets no more of something.
class Shortage {
 public:
  Shortage(decltype(RLIMIT_AS) resource, rlim_t most) : resource_(resource) {
    getrlimit(resource_, &before_);
    const rlimit limit{most, before_.rlim_max};
    if (setrlimit(resource_, &limit) != 0) throw std::runtime_error("no limit can be set");
  }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
  ~Shortage() { setrlimit(resource_, &before_); }

 private:
  decltype(RLIMIT_AS) resource_;
  rlimit before_ = {};
};

// So many files can be opened beside those that are open.
Shortage descriptors_left(rlim_t more) {
  const int lowest = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(lowest);
  return {RLIMIT_NOFILE, static_cast<rlim_t>(lowest) + more};
}

// Mapped files count.
Shortage memory_left(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return {RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes};
}

// What `action` throws under such a shortage, which is over when the error is looked at.
template <typename Limit>
std::string refusal(const Limit& limit, const std::function<void()>& action) {
  try {
    const Shortage shortage = limit();
    action();
  } catch (const base::CommandError& error) {
    return "status " + std::to_string(static_cast<int>(error.status())) + ": " + error.what();
  }
  return "nothing was thrown";
}

Shortage no_descriptor() { return descriptors_left(0); }
Shortage little_memory() { return memory_left(1'000'000); }

void resume(const fs::path& dir) {
  std::vector<std::string> notes;
  CampaignDir::resume(dir, notes);
}

class ReadErrors : public testing::Test {
 protected:
  // Group 1 is sealed. Both launches of group 2 are whole, and nothing tells of them yet.
  ReadErrors() {
    CampaignDir campaign = synthetic::create(dir_, kLargeLaunches, plan_);
    synthetic::write_group(campaign, kLargeLaunches, plan_, 1);
    for (std::size_t arm = 0; arm < 2; ++arm) write_launch(campaign, arm);
  }
  // UBSan looks through a pipe whether an object may be read, and takes one for none where it gets
  // no descriptor.
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "the sanitizers need descriptors themselves";
  }
  void write_launch(CampaignDir& campaign, std::size_t arm) {
    synthetic::LaunchWriter writer(kLargeLaunches, plan_, 2, arm);
    writer.write(campaign.make_launch_dir(writer.launch(), kLargeLaunches.arms[arm]));
  }

  using Contents = std::map<std::string, std::string>;
  [[nodiscard]] Contents all_contents() const {
    Contents all;
    for (const std::string& file : files_of(dir_)) all[file] = content(dir_ / file);
    return all;
  }
  // Nothing was written or moved, and with everything at hand again nothing is lost.
  void expect_as_before(const Contents& before) const {
    EXPECT_TRUE(before == all_contents()) << "files were changed or moved";
    EXPECT_FALSE(fs::exists(dir_ / "discarded"));
    std::vector<std::string> notes;
    const CampaignDir campaign = CampaignDir::resume(dir_, notes);
    EXPECT_EQ(campaign.state().groups.size(), 2U);
    EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("group 2 was complete")));
  }

  TestDir scratch_ = {};
  fs::path dir_ = scratch_ / "c";
  record::Plan plan_ = synthetic::make_plan(kLargeLaunches);
};

const auto kUserIsToldThatNothingWasChanged =
    AllOf(StartsWith("status 2: "), HasSubstr("cannot be read: "),
          HasSubstr("nothing was changed; try again when that is mended"));

// The first descriptor is the lock's.
TEST_F(ReadErrors, ResumeWithoutDescriptorsChangesNothing) {
  const Contents before = all_contents();
  for (const rlim_t more : {rlim_t{0}, rlim_t{1}}) {
    const std::string said =
        refusal([more] { return descriptors_left(more); }, [dir = dir_] { resume(dir); });
    EXPECT_THAT(said, kUserIsToldThatNothingWasChanged) << more;
    EXPECT_THAT(said, HasSubstr("Too many open files")) << more;
  }
  expect_as_before(before);
}

// The manifest is small enough to be read: it is the launches that seem to be gone.
TEST_F(ReadErrors, ResumeWithoutMemoryForALaunchDiscardsNoGroup) {
  const Contents before = all_contents();
  const std::string said = refusal(little_memory, [dir = dir_] { resume(dir); });
  EXPECT_THAT(said, kUserIsToldThatNothingWasChanged);
  EXPECT_THAT(said, HasSubstr("Cannot allocate memory"));
  EXPECT_THAT(said, HasSubstr("launches/0001-alpha"));
  expect_as_before(before);
}

// What resume does with each of them, where other files were open until then.
TEST_F(ReadErrors, SealedLaunchWithoutDescriptorsHasNoFaults) {
  const Manifest manifest = read_manifest(open_manifest(dir_).lines, "manifest.jsonl");
  const LaunchSeal& seal = manifest.seals.at(1);
  std::size_t faults = 0;
  const auto read = [&faults, &seal, dir = dir_] {
    faults = read_sealed_launch(dir, seal).faults.size();
  };
  const std::string said = refusal(no_descriptor, read);
  EXPECT_THAT(said, kUserIsToldThatNothingWasChanged);
  EXPECT_THAT(said, HasSubstr("launches/0001-alpha"));
  read();
  EXPECT_EQ(faults, 0U);
}

TEST_F(ReadErrors, VerifyFindsNoDamageWhereItCannotRead) {
  const auto verify = [dir = dir_] { verify_campaign_dir(dir); };
  EXPECT_THAT(refusal(no_descriptor, verify), kUserIsToldThatNothingWasChanged);
  EXPECT_THAT(refusal(little_memory, verify), kUserIsToldThatNothingWasChanged);
  EXPECT_THAT(verify_campaign_dir(dir_).damage, IsEmpty());
}

// The driver would throw the group away that it has just measured.
TEST_F(ReadErrors, SealingALaunchThatCannotBeReadDoesNotCallItIncomplete) {
  CampaignDir campaign = synthetic::create(scratch_ / "other", kLargeLaunches, plan_);
  write_launch(campaign, 0);
  const auto seal = [&campaign] { campaign.seal_launch(3, 2, "alpha"); };
  EXPECT_THAT(refusal(no_descriptor, seal),
              AllOf(StartsWith("status 2: "), HasSubstr("cannot be read: Too many open files")));
  EXPECT_THAT(refusal(little_memory, seal), kUserIsToldThatNothingWasChanged);
  EXPECT_EQ(campaign.seal_launch(3, 2, "alpha").visits.size(), 2U);
}

}  // namespace
}  // namespace invar::store
