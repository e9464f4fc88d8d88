// What really ran: the messages of a call, as Open MPI's pml_monitoring counts them, against those
// of the reference algorithms. Labels lie: libraries fall back to another algorithm in silence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::tuning {

// From one rank to another, in one call.
struct Messages {
  int from = 0;
  int to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  auto operator<=>(const Messages&) const = default;  // NOLINT(modernize-use-nullptr)
};

// A matrix by rows, without its zeroes: sorted by from, then to.
using Traffic = std::vector<Messages>;

// The point-to-point part of what pml_monitoring writes for a rank (FILE.RANK.prof): lines "E",
// and "I" where it tells the library's own messages apart, of which one pair may have both; sorted.
// Throws UserError with the line that is none of these.
Traffic read_monitoring(std::string_view text, const std::string& place);

// Only what a group of ranks sends among itself. Its ranks are numbered from 0 then. Messages that
// leave the group are left out.
Traffic traffic_of_group(std::span<const Messages> world, int first_rank, int ranks);

// What a reference algorithm sends in the same call.
struct ReferenceTraffic {
  std::string name = {};  // "bcast@chain"
  std::uint64_t segment_bytes = 0;
  // Equal for algorithms that wait, copy and combine in the same order (ops/schedules/traffic.hpp).
  std::string order = {};
  Traffic messages = {};
};

enum class Ran : std::uint8_t {
  kNamed,    // its messages are those of the references in `names`
  kUnknown,  // of none that is known; or of so few ranks that much looks alike
  kNotSeen,  // some rank has neither sent nor received: a component went past the counters
};

struct RanFinding {
  Ran ran = Ran::kNotSeen;
  // References with exactly these messages, each once: those that differ only in the order in which
  // ranks wait stand together. Where the library cuts messages, with the first segment that fits.
  std::vector<std::string> names = {};
};

// Fewer ranks than this are not named: on three, a binomial tree is what a linear algorithm does.
constexpr int kLeastRanksToName = 4;

RanFinding find_ran(std::span<const Messages> seen, int ranks,
                    std::span<const ReferenceTraffic> references);

// "messages as of bcast@binomial", "... of alltoall@pairwise or alltoall@spread", "unknown", "not
// seen".
std::string ran_text(const RanFinding& finding);

// A level of the factor `algorithm` in one cell, as it was seen.
struct SeenLevel {
  std::string level = {};
  std::string reference = {};  // LibraryAlgorithm::reference; empty: none, or another kind of level
  std::uint64_t segment_bytes = 0;  // that it asks for
  bool counted = false;             // false: nobody could count, nothing is concluded
  Traffic seen = {};
  std::vector<ReferenceTraffic> references = {};  // of its operation, in this cell
};

struct LevelFinding {
  std::string level = {};
  RanFinding ran = {};
  // An earlier level of the same messages, with which it is one; empty: it is none.
  std::string same_as = {};
  // Its messages are not those of its reference: it has fallen back to something else, or does it
  // its own way on so many ranks (there are several ways to fold ranks beyond a power of two).
  bool unlike_own = false;
};

// In the order of `levels`, all of one operation, size and number of ranks. Levels of equal
// messages are one: the later one has fallen back to the earlier, or the other way round. But for
// those that each send what their own references send, where these differ in the order in which
// ranks wait, or in what they copy and combine: no counter can tell these apart, and both are
// measured. So are both where the earlier one has no reference, as `default` has none, and may run
// what differs from the later one's in that order alone.
std::vector<LevelFinding> find_levels(std::span<const SeenLevel> levels, int ranks);

}  // namespace invar::tuning
