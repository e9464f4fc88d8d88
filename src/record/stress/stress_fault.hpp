// What a stress run has found and how far it is: lines of JSON that the ranks write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace invar::record {

// What kind of fault it is: one word each, for machines.
namespace stress_fault {
constexpr std::string_view kBits = "bits";              // bytes are others than those sent
constexpr std::string_view kMissing = "missing-write";  // nobody wrote them
constexpr std::string_view kStale = "stale";            // those of an earlier message
constexpr std::string_view kSwapped = "swapped";        // those of a later one
constexpr std::string_view kOther = "other-message";    // those of another pair's message
constexpr std::string_view kShift = "shift";            // the right ones at the wrong place
constexpr std::string_view kLength = "length";          // as MPI_Get_count tells it
constexpr std::string_view kTag = "tag";
constexpr std::string_view kSource = "source";
constexpr std::string_view kOverrun = "overrun";         // written beside the message
constexpr std::string_view kSendBuffer = "send-buffer";  // what was sent is another thing now
constexpr std::string_view kError = "error";             // an error code of the library
constexpr std::string_view kHang = "hang";               // it did not come
constexpr std::string_view kCrash = "crash";             // the launch ended by itself
constexpr std::string_view kAgreement = "own-messages";  // those by which ranks agree were wrong
}  // namespace stress_fault

struct StressFault {
  std::string fault = {};      // one of the words above
  std::string kind = {};       // "p2p"; empty: none was under way
  std::string operation = {};  // "isend -> irecv", "allreduce, int32, sum"
  std::string pattern = {};    // "random"; empty: collectives have their own
  std::string what = {};       // for people: "1 bit differs: bit 3 of byte 5173"
  std::string more = {};       // besides, for people: what others were doing, what was said
  std::optional<std::uint64_t> size_bytes = {};
  std::optional<std::uint64_t> message = {};
  // From whom to whom a message went. A collective has only `to`, which has the wrong result.
  std::optional<std::uint32_t> from = {};
  std::optional<std::uint32_t> to = {};
  std::optional<std::uint32_t> rank = {};         // that has seen it
  std::optional<std::int64_t> offset_bytes = {};  // of the first wrong byte; negative: in front
  std::string expected = {};                      // from there on, as hexadecimal bytes
  std::string found = {};

  bool operator==(const StressFault&) const = default;
};

// One line, without its end.
std::string stress_fault_json(const StressFault& fault);

// What all ranks together have done since the launch began.
struct StressCounts {
  double seconds = 0;
  std::uint64_t messages = 0;        // that were received
  std::uint64_t large_messages = 0;  // of these, above kLargeStressBytes
  std::uint64_t bytes = 0;           // in them
  std::uint64_t collectives = 0;     // calls whose results were looked at
  bool ended = false;                // nothing more will come

  bool operator==(const StressCounts&) const = default;
};

std::string stress_counts_json(const StressCounts& counts);

}  // namespace invar::record
