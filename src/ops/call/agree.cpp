#include "ops/call/agree.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/binomial_tree.hpp"

namespace invar::ops {
namespace {

constexpr int kTag = 32001;
constexpr std::size_t kTextBytes = 400;
constexpr const char* kReturnedError = " returned error ";

// What travels.
struct Ballot {
  int failed_ranks = 0;
  int first_failed_rank = -1;
  std::array<char, kTextBytes + 1> what{};
};

struct Place {
  int rank = 0;
  int ranks = 1;
};

Place place_in(const Circle& circle) {
  Place place;
  MPI_Comm_rank(circle.comm, &place.rank);
  MPI_Comm_size(circle.comm, &place.ranks);
  if (circle.ranks.empty()) return place;
  const auto own = std::ranges::find(circle.ranks, static_cast<std::uint32_t>(place.rank));
  return {.rank = static_cast<int>(own - circle.ranks.begin()),
          .ranks = static_cast<int>(circle.ranks.size())};
}

int rank_of(const Circle& circle, int place) {
  return circle.ranks.empty() ? place
                              : static_cast<int>(circle.ranks[static_cast<std::size_t>(place)]);
}

void need_success(const Circle& circle, const char* call, int code) {
  if (code == MPI_SUCCESS) return;
  std::fprintf(stderr, "invar: rank %d: %s; the ranks cannot agree on an outcome\n",
               place_in(circle).rank, mpi_error_text(call, code).c_str());
  constexpr int kMeasurementFailed = 3;
  MPI_Abort(circle.comm, kMeasurementFailed);
}

void send_to(const Circle& circle, int place, std::span<const std::byte> bytes) {
  need_success(circle, "MPI_Send",
               MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                        rank_of(circle, place), kTag, circle.comm));
}

void receive_from(const Circle& circle, int place, std::span<std::byte> bytes) {
  need_success(circle, "MPI_Recv",
               MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                        rank_of(circle, place), kTag, circle.comm, MPI_STATUS_IGNORE));
}

void send_down(const Circle& circle, int root, std::span<std::byte> bytes) {
  const Place place = place_in(circle);
  const auto absolute = [&](std::size_t relative) {
    return (static_cast<int>(relative) + root) % place.ranks;
  };
  const int relative = (place.rank - root + place.ranks) % place.ranks;
  const base::TreePlace tree =
      base::tree_place(static_cast<std::size_t>(relative), static_cast<std::size_t>(place.ranks));
  if (tree.parent) receive_from(circle, absolute(*tree.parent), bytes);
  for (const std::size_t child : tree.children) send_to(circle, absolute(child), bytes);
}

}  // namespace

std::string Outcome::text() const {
  if (passed()) return "";
  std::string text = "rank " + std::to_string(first_failed_rank) + ": " + what;
  if (failed_ranks == 2) text += " (and 1 other rank)";
  if (failed_ranks > 2) text += " (and " + std::to_string(failed_ranks - 1) + " other ranks)";
  return text;
}

// A binomial tree: in step k, ranks whose lowest set bit is k hand their ballot to the rank without
// that bit, whose own ballot is of lower ranks only.
Outcome agree(const Circle& circle, const std::string& failure) {
  const Place place = place_in(circle);
  Ballot ballot;
  if (!failure.empty()) {
    ballot.failed_ranks = 1;
    ballot.first_failed_rank = place.rank;
    failure.copy(ballot.what.data(), kTextBytes);
  }
  for (int bit = 1; bit < place.ranks; bit *= 2) {
    if ((place.rank & bit) != 0) {
      send_to(circle, place.rank - bit, std::as_bytes(std::span(&ballot, 1)));
      break;
    }
    if (place.rank + bit >= place.ranks) continue;
    Ballot other;
    receive_from(circle, place.rank + bit, std::as_writable_bytes(std::span(&other, 1)));
    const int failed_ranks = ballot.failed_ranks + other.failed_ranks;
    if (ballot.failed_ranks == 0) ballot = other;
    ballot.failed_ranks = failed_ranks;
  }
  send_down(circle, 0, std::as_writable_bytes(std::span(&ballot, 1)));
  return {.failed_ranks = ballot.failed_ranks,
          .first_failed_rank = ballot.first_failed_rank,
          .what = ballot.what.data()};
}

void send_down_tree(MPI_Comm comm, int root, std::span<std::byte> bytes) {
  send_down({.comm = comm}, root, bytes);
}

std::string mpi_error_text(const std::string& call, int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  return call + kReturnedError + std::to_string(code) + ": " +
         std::string(text.data(), static_cast<std::size_t>(length));
}

bool is_mpi_error(const std::string& failure) {
  return failure.find(kReturnedError) != std::string::npos;
}

}  // namespace invar::ops
