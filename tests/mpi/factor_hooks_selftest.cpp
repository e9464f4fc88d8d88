// A factor that does something around the making of communicators: rows of this test stand for
// those of src/engine/launch/factor_hooks.cpp. Standing in front of the MPI library, this file sees
// when communicators are made.
#include "engine/launch/factor_hooks.hpp"

#include <mpi.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/launch/team.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"

namespace {

using invar::engine::FactorHooks;
using invar::engine::HookedMaking;
using invar::engine::Hosts;
using invar::engine::Team;
using invar::engine::Teams;
using invar::ops::Hook;
using invar::ops::Hooks;
using invar::ops::test::Expectations;
using invar::record::Cell;

std::string said;  // in the order in which it happened
bool splits_fail = false;

class Noted final : public Hook {
 public:
  explicit Noted(std::string name) : name_(std::move(name)) { said += name_ + " "; }
  ~Noted() override { said += "-" + name_ + " "; }

 private:
  std::string name_;
};

std::unique_ptr<Hook> note_cache(const HookedMaking& making) {
  if (making.cell.cache == "warm") return nullptr;
  return std::make_unique<Noted>(making.cell.cache);
}

std::unique_ptr<Hook> note_root(const HookedMaking& making) {
  if (making.cell.root == 1) throw std::runtime_error("root 1 cannot");
  return std::make_unique<Noted>("root" + std::to_string(making.cell.root));
}

std::string cold_or_nothing(const HookedMaking& making) {
  return making.cell.cache == "warm" ? "" : "cold";
}

constexpr FactorHooks kCacheRow{.factor = "cache", .communicator = note_cache};
constexpr FactorHooks kRootRow{.factor = "root", .communicator = note_root};
constexpr FactorHooks kRows[] = {kCacheRow, kRootRow};
// All cold levels share what is made for the first of them.
constexpr FactorHooks kKeyedRow{
    .factor = "cache", .communicator = note_cache, .key = cold_or_nothing};

Cell cell_with(const char* cache, std::uint32_t root, std::uint64_t size_bytes = 8) {
  return {.operation = "bcast", .size_bytes = size_bytes, .root = root, .cache = cache};
}

const invar::ops::Operation& bcast() { return *invar::ops::find_operation("bcast"); }

void a_level_has_a_communicator_of_its_own(Expectations& t, const Hosts& hosts) {
  Teams teams(MPI_COMM_WORLD, hosts, 1, {&kCacheRow, 1});
  said.clear();
  const Team& warm = teams.of(cell_with("warm", 0), bcast());
  t.expect_equal(said, "split ", "the usual level does nothing");
  said.clear();
  const Team& cold = teams.of(cell_with("cold-flush", 0), bcast());
  t.expect_equal(said, "cold-flush split -cold-flush ", "the other one's is made inside");
  t.expect(&warm != &cold, "a communicator that was made otherwise is another one");
  said.clear();
  t.expect(&teams.of(cell_with("cold-flush", 0, 16), bcast()) == &cold,
           "cells of one level share it");
  t.expect(&teams.of(cell_with("warm", 0, 16), bcast()) == &warm, "those of the usual one, too");
  t.expect_equal(said, "", "and nothing is made or done again");
  teams.free();
}

void without_its_row_the_factor_changes_no_communicator(Expectations& t, const Hosts& hosts) {
  t.expect_equal(invar::engine::communicator_key({.cell = cell_with("cold-flush", 0)}, bcast()), "",
                 "no factor of ours does anything around these communicators");
  Teams teams(MPI_COMM_WORLD, hosts, 1);
  const Team& warm = teams.of(cell_with("warm", 0), bcast());
  t.expect(&teams.of(cell_with("cold-flush", 0), bcast()) == &warm, "so all levels share one");
  teams.free();
}

void a_row_may_say_what_tells_its_communicators_apart(Expectations& t, const Hosts& hosts) {
  Teams teams(MPI_COMM_WORLD, hosts, 1, {&kKeyedRow, 1});
  const Team& warm = teams.of(cell_with("warm", 0), bcast());
  const Team& flushed = teams.of(cell_with("cold-flush", 0), bcast());
  t.expect(&teams.of(cell_with("cold-cycle", 0), bcast()) == &flushed, "both are cold");
  t.expect(&warm != &flushed, "and neither is warm");
  const Cell usual = cell_with("warm", 0);
  t.expect_equal(invar::engine::communicator_key({.cell = usual}, bcast(), {&kKeyedRow, 1}), "",
                 "nothing tells the usual one from others");
  teams.free();
}

void rows_are_undone_in_the_opposite_order(Expectations& t, const Hosts& hosts) {
  Teams teams(MPI_COMM_WORLD, hosts, 1, kRows);
  said.clear();
  teams.of(cell_with("cold-cycle", 0), bcast());
  t.expect_equal(said, "cold-cycle root0 split -root0 -cold-cycle ", "two factors");
  t.expect_equal(
      invar::engine::communicator_key({.cell = cell_with("cold-cycle", 0)}, bcast(), kRows),
      "cache=cold-cycle;root=0;", "the communicator depends on both");
  teams.free();
}

void what_was_done_is_undone_after_an_error(Expectations& t, const Hosts& hosts) {
  Teams teams(MPI_COMM_WORLD, hosts, 1, kRows);
  const auto error_of = [&](const Cell& cell) -> std::string {
    said.clear();
    try {
      teams.of(cell, bcast());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  t.expect_equal(error_of(cell_with("cold-flush", 1)), "root 1 cannot", "of the next hook");
  t.expect_equal(said, "cold-flush -cold-flush ", "the first hook is undone");
  splits_fail = true;
  t.expect_equal(error_of(cell_with("cold-flush", 0)), "no communicator today", "of the making");
  splits_fail = false;
  t.expect_equal(said, "cold-flush root0 split -root0 -cold-flush ", "both hooks are undone");
  // Nothing is left of what failed.
  t.expect_equal(error_of(cell_with("cold-flush", 0)), "", "and then");
  t.expect_equal(said, "cold-flush root0 split -root0 -cold-flush ", "it is made");
  teams.free();
}

// Topologies make communicators in a cell's setup: they have the hooks, too (cells.cpp).
void single_hooks_are_added_for_a_setup(Expectations& t) {
  said.clear();
  {
    Hooks around;
    const Cell cell = cell_with("cold-flush", 0);
    invar::engine::add_communicator_hooks({.cell = cell}, bcast(), around, kRows);
    t.expect_equal(said, "cold-flush root0 ", "they are there");
  }
  t.expect_equal(said, "cold-flush root0 -root0 -cold-flush ", "and undone");
}

}  // namespace

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  said += "split ";
  if (splits_fail) throw std::runtime_error("no communicator today");
  return PMPI_Comm_split(comm, color, key, made);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Expectations t;
  const Hosts hosts = invar::engine::find_hosts(MPI_COMM_WORLD);
  a_level_has_a_communicator_of_its_own(t, hosts);
  without_its_row_the_factor_changes_no_communicator(t, hosts);
  a_row_may_say_what_tells_its_communicators_apart(t, hosts);
  rows_are_undone_in_the_opposite_order(t, hosts);
  what_was_done_is_undone_after_an_error(t, hosts);
  single_hooks_are_added_for_a_setup(t);
  const int status = t.finish("factor_hooks_selftest");
  MPI_Finalize();
  return status;
}
