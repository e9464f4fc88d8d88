// What factors do around measurements, and the hooks of a cell: those of its operation and those of
// all its factors.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/algorithms/switches.hpp"
#include "ops/buffers/cold.hpp"
#include "ops/call/hook.hpp"
#include "ops/call/setup.hpp"
#include "ops/operation.hpp"
#include "record/cell.hpp"

namespace invar::engine {

// A visit, as hooks see it.
struct HookedVisit {
  const record::Cell& cell;
  ops::CallSetup& setup;  // placed
  const ops::Placement& placement;
  ops::ColdCache& cold;
};

// A cell whose communicator is made.
struct HookedMaking {
  const record::Cell& cell;
  Switches* switches = nullptr;  // null: no cell of the launch is told an algorithm
};

// One row a factor that does something untimed; null functions, and null results, do nothing.
struct FactorHooks {
  std::string_view factor;  // record::Factor::name
  // Around the making of a communicator; cells of one level share one.
  std::unique_ptr<ops::Hook> (*communicator)(const HookedMaking& making) = nullptr;
  // What tells these communicators apart, where it is not the level; empty: nothing does.
  std::string (*key)(const HookedMaking& making) = nullptr;
  std::unique_ptr<ops::Hook> (*visit)(const HookedVisit& visit) = nullptr;
};
std::span<const FactorHooks> factor_hooks();

// What a cell's communicator depends on beside its ranks; empty: nothing. `rows`: those of tests
// stand for ours.
std::string communicator_key(const HookedMaking& making, const ops::Operation& operation,
                             std::span<const FactorHooks> rows = factor_hooks());
void add_communicator_hooks(const HookedMaking& making, const ops::Operation& operation,
                            ops::Hooks& hooks, std::span<const FactorHooks> rows = factor_hooks());
void add_visit_hooks(const HookedVisit& visit, const ops::Operation& operation, ops::Hooks& hooks);

}  // namespace invar::engine
