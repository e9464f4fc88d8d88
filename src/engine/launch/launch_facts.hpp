// env.json of a launch: how it measured, where its ranks ran, and what each host was like.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/clocks/clocks.hpp"
#include "engine/memory/memory_cells.hpp"
#include "engine/timed/compute_rates.hpp"
#include "engine/timed/delay.hpp"
#include "engine/timed/settle.hpp"
#include "record/launch_spec.hpp"

namespace invar::engine {

// What a call takes in a batch that lasts 20 steps of the cell's clock.
struct BatchCall {
  double call_ns = 0;
  double step_ns = 0;
  // Until the partners of a message know that all are through, which multiples of late ranks speak
  // of; 0: nobody asked.
  double known_ns = 0;
};

// Bytes that the buffers of a cell have, without guard zones and what placements are drawn from.
struct CellBuffers {
  std::uint32_t cell = 0;
  std::vector<std::uint64_t> rank_bytes = {};  // send, recv and scratch together, one a rank
  std::uint64_t scratch_bytes = 0;             // of it scratch, over all ranks
};

// What Invar itself costs, on rank 0.
struct OwnCosts {
  std::int64_t plan_ns = 0;         // reading the plan and giving it to all ranks
  std::int64_t waiting_ns = 0;      // for the other arms to start
  std::int64_t first_visit_ns = 0;  // from MPI_Init to the first visit, waiting included
  std::int64_t peak_memory_bytes = 0;
};

// What rank 0 has gathered.
struct LaunchFacts {
  const record::LaunchSpec& spec;
  std::uint32_t hosts = 1;
  const Clocks& clocks;
  std::span<const std::string> rank_hosts = {};  // one a rank
  std::span<const std::string> rank_cpus = {};   // one a rank: a number
  // host::place_json() of each rank's node, of its lowest rank on a host with the devices; "" where
  // it is not bound to one.
  std::span<const std::string> rank_places = {};
  bool bound_late = false;  // some rank was, after MPI_Init
  std::span<const std::string> environments =
      {};                                     // host::environment_json() of each host; "" is none
  std::span<const std::string> network = {};  // host::network_deltas_json() of each host
  OwnCosts own = {};
  const DelayRate& delay;       // step 0: no delays are planted
  const ComputeRates& compute;  // steps 0: nothing is computed meanwhile
  // By Cell::id.
  const std::map<std::uint32_t, BatchCall>& batch_calls;
  const std::map<std::uint32_t, Settled>& settling;
  std::span<const CellBuffers> buffers = {};
  // What rank 0 knows of cells of memory operations, by Cell::id.
  const std::map<std::uint32_t, MemoryFacts>& memory;
};

// One JSON object on one line, with the line feed (docs/formats.md, "env.json").
std::string launch_facts_json(const LaunchFacts& facts);

}  // namespace invar::engine
