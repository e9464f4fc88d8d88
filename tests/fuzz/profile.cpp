// profile.json of a library's profile. Its readers refuse nothing aloud: what cannot be read is not
// there, or is told in words, so no exception at all may leave them.
#include "fuzz/fuzz.hpp"
#include "launch/libraries/profile_file.hpp"

namespace {

using namespace invar;

bool same(const launch::StoredProfile& a, const launch::StoredProfile& b) {
  const launch::Toolchain& one = a.toolchain;
  const launch::Toolchain& other = b.toolchain;
  return launch::profile_json(a.profile) == launch::profile_json(b.profile) &&
         a.profile.operations == b.profile.operations && one.mpicxx == other.mpicxx &&
         one.mpirun == other.mpirun && one.shown == other.shown && one.library == other.library &&
         one.compiler_path == other.compiler_path && one.compiler == other.compiler &&
         one.family == other.family && one.version == other.version && one.state == other.state &&
         a.engine_key == b.engine_key && a.engine_stamp == b.engine_stamp && a.stamps == b.stamps &&
         a.failure == b.failure && a.failure_key == b.failure_key;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Directory dir;
  const std::filesystem::path folder = dir.path() / "mpich";
  std::filesystem::create_directories(folder);
  dir.put("mpich/profile.json", fuzz::text_of(data, size));
  const std::optional<launch::StoredProfile> stored = launch::read_profile(folder);
  const launch::UnreadProfile unread = launch::read_unread_profile(folder);
  fuzz::must_hold(!unread.why.empty(), "why a profile is not read has words");
  if (!stored) return 0;
  fuzz::must_hold(unread.profile && unread.profile->mpicxx == stored->profile.mpicxx &&
                      unread.library == stored->toolchain.library,
                  "of what can be read it is told what it was made of");
  // Only where there is no room for it.
  fuzz::may_be_refused([&] {
    launch::write_profile(folder, *stored);
    const std::optional<launch::StoredProfile> again = launch::read_profile(folder);
    fuzz::must_hold(again && same(*stored, *again), "a profile written is the one read");
  });
  return 0;
}
