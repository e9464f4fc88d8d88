// What the library is told for a cell, and that it is taken back. Control variables of the library
// at hand: whichever it lets be written is written.
#include "engine/algorithms/switches.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "engine/algorithms/variables.hpp"
#include "engine/launch/factor_hooks.hpp"
#include "engine/launch/team.hpp"
#include "ops/call/around.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"

namespace {

using invar::engine::Hosts;
using invar::engine::Switches;
using invar::engine::Team;
using invar::engine::Teams;
using invar::engine::WrittenVariables;
using invar::ops::Held;
using invar::ops::test::Expectations;
using invar::record::Cell;

// A number that may be written while the library runs, in Open MPI, MPICH and Intel MPI.
constexpr std::array kVariables{"coll_tuned_bcast_algorithm_segmentsize",
                                "MPIR_CVAR_BCAST_SHORT_MSG_SIZE"};

std::optional<std::string> known_variable() {
  WrittenVariables variables;
  for (const char* const name : kVariables) {
    try {
      const std::int64_t before = variables.write(name, 4096);
      variables.write(name, before);
      return name;
    } catch (const std::runtime_error&) {
    }
  }
  return std::nullopt;
}

std::int64_t value_of(const std::string& name) {
  WrittenVariables variables;
  const std::int64_t value = variables.write(name, 77);
  variables.write(name, value);
  return value;
}

Cell cell_by(const char* level) {
  return {.operation = "bcast", .size_bytes = 8, .algorithm = level};
}

std::string switch_of(const char* level, const char* when, const std::string& variable,
                      int number) {
  return std::string("bcast ") + level + ' ' + when + ' ' + variable + '=' + std::to_string(number);
}

void a_number_is_written_and_put_back(Expectations& t, const std::string& name) {
  const std::int64_t before = value_of(name);
  const std::array texts{switch_of("algorithm:a", "at-calls", name, 64)};
  Switches switches(texts, "test");
  const auto told = switches.calling(cell_by("algorithm:a"));
  {
    const Held held(told.get());
    t.expect(value_of(name) == 64, "it holds in calls");
  }
  t.expect(value_of(name) == before, "and is put back");
  const auto usual = switches.calling(cell_by("default"));
  {
    const Held held(usual.get());
    t.expect(value_of(name) == before, "nothing is told for the usual level");
  }
  t.expect(switches.making(cell_by("algorithm:a")) == nullptr, "nor while communicators are made");
  t.expect_equal(switches.making_key(cell_by("algorithm:a")), "", "which all may share then");
}

void what_cannot_be_written_leaves_nothing_behind(Expectations& t, const std::string& name) {
  const std::int64_t before = value_of(name);
  const std::array texts{switch_of("algorithm:a", "at-calls", name, 64) + " no_such_variable=1"};
  Switches switches(texts, "test");
  const auto told = switches.calling(cell_by("algorithm:a"));
  std::string said;
  try {
    const Held held(told.get());
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  t.expect_contains(said, "no_such_variable does not exist", "it is named");
  t.expect(value_of(name) == before, "what was written before it is put back");
}

void levels_have_communicators_of_their_own(Expectations& t, const Hosts& hosts,
                                            const std::string& name) {
  const std::array texts{switch_of("algorithm:a", "at-making", name, 64),
                         switch_of("algorithm:b", "at-making", name, 128)};
  Switches switches(texts, "test");
  Teams teams(MPI_COMM_WORLD, hosts, 1, invar::engine::factor_hooks(), invar::engine::Making::kDup,
              &switches);
  const invar::ops::Operation& bcast = *invar::ops::find_operation("bcast");
  const std::int64_t before = value_of(name);
  const Team& usual = teams.of(cell_by("default"), bcast);
  const Team& a = teams.of(cell_by("algorithm:a"), bcast);
  t.expect(value_of(name) == before, "nothing is left behind the making");
  t.expect(&usual != &a, "what was made while something held is another one");
  t.expect(&teams.of(cell_by("algorithm:b"), bcast) != &a, "as is that of another level");
  t.expect(&teams.of(cell_by("algorithm:a"), bcast) == &a, "cells of one level share it");
  t.expect(&teams.of(cell_by("default"), bcast) == &usual, "and those of none");
  teams.free();
}

void the_world_is_there_before_anything_is_told(Expectations& t, const Hosts& hosts,
                                                const std::string& name) {
  const std::array texts{switch_of("algorithm:a", "at-making", name, 64)};
  Switches switches(texts, "test");
  Teams teams(MPI_COMM_WORLD, hosts, 1, invar::engine::factor_hooks(),
              invar::engine::Making::kWorld, &switches);
  std::string said;
  try {
    teams.of(cell_by("algorithm:a"), *invar::ops::find_operation("bcast"));
  } catch (const invar::base::UserError& error) {
    said = error.what();
  }
  t.expect_contains(said, "MPI_COMM_WORLD is made before", "it is refused");
  teams.free();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Expectations t;
  const Hosts hosts = invar::engine::find_hosts(MPI_COMM_WORLD);
  const std::optional<std::string> name = known_variable();
  if (name) {
    a_number_is_written_and_put_back(t, *name);
    what_cannot_be_written_leaves_nothing_behind(t, *name);
    levels_have_communicators_of_their_own(t, hosts, *name);
    the_world_is_there_before_anything_is_told(t, hosts, *name);
  } else {
    t.expect(true, "a library that lets nothing be written");
  }
  const int status = t.finish("switches_selftest");
  MPI_Finalize();
  return status;
}
