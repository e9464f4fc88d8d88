// Placements in the arena: apart, reproducible, everywhere, in memory that is nowhere zero. Runs
// alone, without MPI_Init.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ops/buffers/memory.hpp"
#include "ops/expect.hpp"

namespace invar::ops::test {
namespace {

// The buffers with their guard zones do not overlap.
bool apart(const Placement& p, BufferNeed need) {
  std::vector<std::pair<const std::byte*, std::size_t>> buffers{{p.send, need.send_bytes},
                                                                {p.recv, need.recv_bytes}};
  if (need.scratch_bytes > 0) buffers.emplace_back(p.scratch, need.scratch_bytes);
  std::sort(buffers.begin(), buffers.end());
  for (std::size_t i = 1; i < buffers.size(); ++i) {
    if (buffers[i - 1].first + buffers[i - 1].second + 2 * kGuardBytes > buffers[i].first) {
      return false;
    }
  }
  return true;
}

bool inside(const Arena& arena, const std::byte* buffer, std::size_t bytes) {
  const auto all = arena.bytes();
  return buffer - kGuardBytes >= all.data() &&
         buffer + bytes + kGuardBytes <= all.data() + all.size();
}

void buffers_and_guard_zones_lie_inside_and_apart(Expectations& t) {
  const BufferNeed needs[] = {{0, 0},    {1, 1},         {4096, 100},
                              {64, 64},  {100'000, 1},   {70'000, 300'000},
                              {0, 0, 1}, {5000, 1, 9000}};
  base::Random random(1);
  for (const BufferNeed need : needs) {
    const Arena arena(std::span(&need, 1));
    for (int i = 0; i < 20'000; ++i) {
      const Placement p = arena.place(random, need);
      t.expect(apart(p, need) && inside(arena, p.send, need.send_bytes) &&
                   inside(arena, p.recv, need.recv_bytes) &&
                   (need.scratch_bytes == 0 ? p.scratch == nullptr
                                            : inside(arena, p.scratch, need.scratch_bytes)),
               "placement " + std::to_string(i));
      const auto* const begin = arena.bytes().data();
      t.expect(p.send == begin + p.send_page * arena.page_bytes() + p.send_offset_bytes &&
                   p.recv == begin + p.recv_page * arena.page_bytes() + p.recv_offset_bytes,
               "recorded page and offset are the buffer's");
    }
  }
}

void every_line_and_page_is_drawn(Expectations& t) {
  const BufferNeed need{1, 1};
  const Arena arena(std::span(&need, 1));
  base::Random random(2);
  std::set<std::uint64_t> pages;
  std::set<std::uint32_t> offsets;
  int send_first = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const Placement p = arena.place(random, need);
    pages.insert(p.send_page);
    offsets.insert(p.recv_offset_bytes);
    if (p.send < p.recv) ++send_first;
  }
  t.expect(offsets.size() == arena.page_bytes() / kLineBytes, "all lines of a page");
  t.expect(*offsets.rbegin() % kLineBytes == 0 && offsets.count(0) == 1, "lines, also the first");
  t.expect(pages.size() >= 64, "at least 64 pages, drawn " + std::to_string(pages.size()));
  t.expect(send_first > kDraws * 45 / 100 && send_first < kDraws * 55 / 100,
           "either buffer may be the first");
}

void same_seed_gives_same_places(Expectations& t) {
  const BufferNeed need{5000, 5000};
  const Arena one(std::span(&need, 1));
  const Arena other(std::span(&need, 1));
  base::Random random_one(3);
  base::Random random_other(3);
  for (int i = 0; i < 100; ++i) {
    const Placement a = one.place(random_one, need);
    const Placement b = other.place(random_other, need);
    t.expect(a.send_page == b.send_page && a.recv_page == b.recv_page &&
                 a.send_offset_bytes == b.send_offset_bytes &&
                 a.recv_offset_bytes == b.recv_offset_bytes,
             "same draws, same places");
  }
}

void fixed_places_are_at_their_offset(Expectations& t) {
  const BufferNeed needs[] = {{5000, 100}, {100, 70000}};
  const Arena arena(needs);
  for (const BufferNeed& need : needs) {
    for (const std::uint32_t offset : {0U, 48U, 4032U}) {
      const Placement p = arena.place_at(offset, need);
      const auto at = [&](const std::byte* buffer) {
        return static_cast<std::size_t>(buffer - arena.bytes().data());
      };
      t.expect(at(p.send) % arena.page_bytes() == offset, "the send buffer is at its offset");
      t.expect(at(p.recv) % arena.page_bytes() == offset, "the receive buffer is at its offset");
      t.expect(at(p.send) >= kGuardBytes, "room in front");
      t.expect(at(p.send) + need.send_bytes + 2 * kGuardBytes <= at(p.recv), "they are apart");
      t.expect(at(p.recv) + need.recv_bytes + kGuardBytes <= arena.bytes().size(), "room behind");
    }
  }
}

void arena_is_filled_and_has_slack(Expectations& t) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 20U, std::size_t{40} << 20U}) {
    const BufferNeed need{bytes, bytes};
    const Arena arena(std::span(&need, 1));
    const auto all = arena.bytes();
    t.expect(std::find(all.begin(), all.end(), std::byte{0}) == all.end(), "no byte is zero");
    t.expect(all.size() >= 2 * bytes + 64 * arena.page_bytes(), "64 pages of slack");
    t.expect(!std::equal(all.begin(), all.begin() + 4096, all.begin() + 4096), "pages differ");
  }
}

void need_larger_than_arena_is_refused(Expectations& t) {
  const BufferNeed need{100, 100};
  const Arena arena(std::span(&need, 1));
  base::Random random(4);
  bool refused = false;
  try {
    static_cast<void>(arena.place(random, {std::size_t{1} << 30U, 0}));
  } catch (const std::length_error&) {
    refused = true;
  }
  t.expect(refused, "a need larger than the arena throws");
}

}  // namespace
}  // namespace invar::ops::test

int main() {
  using namespace invar::ops::test;
  Expectations t;
  buffers_and_guard_zones_lie_inside_and_apart(t);
  every_line_and_page_is_drawn(t);
  same_seed_gives_same_places(t);
  fixed_places_are_at_their_offset(t);
  arena_is_filled_and_has_slack(t);
  need_larger_than_arena_is_refused(t);
  return t.finish("memory_selftest");
}
