// The files of a launch: timings.bin, ranks.bin and journal.jsonl together, as sealed files and as
// files that nobody vouches for. The input: bytes of timings.bin and of ranks.bin (u16 each), then
// the three files one after the other.
#include <algorithm>
#include <cstring>

#include "base/crc32c.hpp"
#include "fuzz/fuzz.hpp"
#include "store/launch_files.hpp"

namespace {

using namespace invar;

// Touches every record that an analysis would.
std::int64_t use(const store::LaunchFiles& files) {
  std::int64_t sum = 0;
  for (const record::VisitLine& line : files.journal.visits) {
    const auto records = files.records(line);
    fuzz::must_hold(records.empty() || records.size() == line.records, "all of a visit or nothing");
    for (const record::Timing& record : records) sum ^= record.local_max_ps ^ record.flags;
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Directory dir;
  std::uint16_t lengths[2] = {0, 0};
  if (size < sizeof lengths) return 0;
  std::memcpy(lengths, data, sizeof lengths);
  std::string_view rest = fuzz::text_of(data + sizeof lengths, size - sizeof lengths);
  const auto take = [&](std::size_t bytes) {
    const std::string_view part = rest.substr(0, bytes);
    rest.remove_prefix(part.size());
    return part;
  };
  std::filesystem::create_directories(dir.path() / "launch");
  store::LaunchSeal seal{.launch = 1, .group = 1, .arm = "a", .dir = "launch"};
  const auto put = [&](const std::string& name, std::string_view text) {
    dir.put("launch/" + name, text);
    seal.files[name] = {.bytes = text.size(), .crc = base::crc32c(text)};
  };
  put("timings.bin", take(lengths[0]));
  if (lengths[1] > 0) {
    put("ranks.bin", take(lengths[1]));
  } else {
    std::filesystem::remove(dir.path() / "launch" / "ranks.bin");
  }
  put("journal.jsonl", fuzz::with_valid_crcs(rest));
  const store::LaunchFiles sealed = store::read_sealed_launch(dir.path(), seal);
  const store::LaunchFiles unsealed =
      store::read_unsealed_launch(dir.path(), "launch", {}, {0, 1, 2, 3});
  const volatile std::int64_t used = use(sealed) ^ use(unsealed);
  static_cast<void>(used);
  if (sealed.faults.empty()) {
    std::uint64_t records = 0;
    for (const record::VisitLine& line : sealed.journal.visits) records += line.records;
    fuzz::must_hold(records == sealed.records().size(), "every record belongs to a visit");
  }
  return 0;
}
