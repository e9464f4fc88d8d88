#include "engine/launch/launch_facts.hpp"

#include <algorithm>
#include <numeric>

#include "base/json_writer.hpp"
#include "engine/launch/describe.hpp"
#include "host/conditions.hpp"
#include "ops/memory/kernels/kernels.hpp"

namespace invar::engine {
namespace {

void write_clock(base::JsonWriter& json, const Clocks& clocks, clock::Source source) {
  const ClockState& state = clocks.state(source);
  const double tick_ns = 1e9 / state.ticks_per_s;
  json.begin_object()
      .field("source", source_name(source))
      .field("tsc_refused_because", clocks.tsc_refused_because())
      .field("step_ns", state.quality.step_ticks * tick_ns)
      .field("resolution_ns", static_cast<double>(state.quality.resolution_ticks) * tick_ns)
      .field("cost_ns", state.quality.cost_ticks * tick_ns)
      .field("monotonic", state.quality.monotonic)
      .field("ranks_agree", state.ranks_agree)
      .field("uncertainty_ns", static_cast<double>(state.uncertainty_ticks) * tick_ns);
  if (state.hosts_agree) json.field("hosts_agree", true);
  if (state.hosts_agree || (state.ranks_agree && state.within_ticks > 0)) {
    json.field("agree_within_ns", static_cast<double>(state.within_ticks) * tick_ns);
  }
  if (state.most_ahead_ticks > 0) {
    json.field("most_ahead_ns", static_cast<double>(state.most_ahead_ticks) * tick_ns);
  }
  if (source == clock::Source::kMonotonicRaw && clocks.test_step_ns() > 0) {
    json.field("test_step_ns", clocks.test_step_ns());
  }
  if (source == clock::Source::kTsc) {
    json.field("rate_doubt", clock::rate_doubt(state.ticks_per_s, clock::nominal_ticks_per_s()));
  }
  json.end_object();
}

// "clock": the one that the first cell uses; "clocks": all of them.
void write_clocks(base::JsonWriter& json, const Clocks& clocks) {
  json.key("clock");
  write_clock(json, clocks, clocks.main());
  const record::VirtualClocks& wrong = clocks.virtual_clocks();
  if (wrong.any()) {
    const auto list = [&](const char* name, const std::vector<double>& values) {
      json.key(name).begin_array();
      for (const double value : values) json.value(value);
      json.end_array();
    };
    json.key("virtual_clocks").begin_object();
    list("offset_s", wrong.offset_s);
    list("skew", wrong.skew);
    json.field("wander", wrong.wander)
        .field("latency_s", wrong.latency_s)
        .field("seed", wrong.seed)
        .end_object();
  }
  json.key("clocks").begin_array();
  for (std::uint32_t number = 0; number < group::kClocks; ++number) {
    const auto source = static_cast<clock::Source>(number);
    if (clocks.used(source)) write_clock(json, clocks, source);
  }
  json.end_array();
}

// "compute": only the kernels that some cell has.
void write_computation(base::JsonWriter& json, const ComputeRates& rates) {
  if (!(rates.chain.step_ps > 0) && !(rates.memory.step_ps > 0)) return;
  json.key("compute").begin_object();
  const auto kernel = [&](const char* name, const DelayRate& rate) {
    if (!(rate.step_ps > 0)) return;
    json.key(name)
        .begin_object()
        .field("step_ps", rate.step_ps)
        .field("check", rate.check)
        .end_object();
  };
  kernel("chain", rates.chain);
  kernel("memory", rates.memory);
  json.end_object();
}

// "memory": where there are such cells.
void write_memory(base::JsonWriter& json, const std::map<std::uint32_t, MemoryFacts>& cells,
                  const std::map<std::uint32_t, BatchCall>& calls) {
  if (cells.empty()) return;
  json.key("memory").begin_object().field("widest_bytes", ops::walk_widths().back());
  json.key("widths").begin_array();
  for (const std::uint32_t width : ops::walk_widths()) json.value(width);
  json.end_array();
  json.key("cells").begin_array();
  for (const auto& [cell, memory] : cells) {
    json.begin_object()
        .field("cell", cell)
        .field("width_bytes", memory.width_bytes)
        .field("elements", memory.elements)
        .field("passes", memory.passes);
    if (const auto call = calls.find(cell); call != calls.end()) {
      json.field("pass_ns", call->second.call_ns / static_cast<double>(memory.passes));
    }
    json.end_object();
  }
  json.end_array().end_object();
}

// What was asked of the ranks, and what rank 0 finds.
void write_conditions(base::JsonWriter& json, const record::LaunchSpec& spec) {
  const host::ConditionsFound found = host::conditions_found();
  json.field("pinning", spec.pinning);
  // Only what is not as it always was: else every campaign would differ from those before.
  const record::LaunchSpec usual;
  if (spec.placement_in_host != usual.placement_in_host) {
    json.field("placement_in_host", spec.placement_in_host);
  }
  if (spec.clock_sync != usual.clock_sync) json.field("clock_sync", spec.clock_sync);
  if (spec.progress != usual.progress) json.field("progress", spec.progress);
  if (spec.connect != usual.connect) json.field("connect", spec.connect);
  if (spec.communicator != usual.communicator) json.field("communicator", spec.communicator);
  json.key("conditions")
      .begin_object()
      .field("aslr", spec.aslr)
      .field("thp", spec.thp)
      .field("environment_size", spec.environment_size)
      .field("randomized", found.randomized)
      .field("huge_pages_off", found.huge_pages_off)
      .field("environment_bytes", found.environment_bytes)
      .end_object();
}

void write_list(base::JsonWriter& json, const char* name, std::span<const std::string> objects) {
  json.key(name).begin_array();
  for (const std::string& object : objects) {
    if (!object.empty()) json.raw(object);
  }
  json.end_array();
}

}  // namespace

std::string launch_facts_json(const LaunchFacts& facts) {
  const record::LaunchSpec& spec = facts.spec;
  base::JsonWriter json;
  json.begin_object()
      .field("format", 1)
      .field("label", spec.arms[spec.arm])
      .field("group", spec.group)
      .field("launch", spec.launch)
      .field("seed", spec.seed)
      .field("ranks", spec.ranks)
      .field("hosts_count", facts.hosts);
  write_conditions(json, spec);
  if (facts.bound_late) json.field("bound_after_init", true);
  write_clocks(json, facts.clocks);
  json.key("own_costs")
      .begin_object()
      .field("plan_ns", facts.own.plan_ns)
      .field("waiting_ns", facts.own.waiting_ns)
      .field("first_visit_ns", facts.own.first_visit_ns)
      .field("peak_memory_bytes", facts.own.peak_memory_bytes)
      .end_object();
  if (facts.delay.step_ps > 0) {
    json.key("delay")
        .begin_object()
        .field("planted", spec.plants_delays)
        .field("step_ps", facts.delay.step_ps)
        .field("check", facts.delay.check)
        .end_object();
  }
  write_computation(json, facts.compute);
  write_memory(json, facts.memory, facts.batch_calls);
  json.key("batch_calls").begin_array();
  for (const auto& [cell, batch] : facts.batch_calls) {
    json.begin_object()
        .field("cell", cell)
        .field("call_ns", batch.call_ns)
        .field("step_ns", batch.step_ns);
    if (batch.known_ns > 0) json.field("known_ns", batch.known_ns);
    json.end_object();
  }
  json.end_array();
  json.key("settling").begin_array();
  for (const auto& [cell, settled] : facts.settling) {
    json.begin_object()
        .field("cell", cell)
        .field("calls", settled.calls)
        .field("page_faults", settled.page_faults)
        .field("duration_ns", settled.duration_ns)
        .field("at_rest", settled.at_rest)
        .end_object();
  }
  json.end_array();
  json.key("buffers").begin_array();
  for (const CellBuffers& buffers : facts.buffers) {
    json.begin_object()
        .field("cell", buffers.cell)
        .field("most_bytes",
               *std::max_element(buffers.rank_bytes.begin(), buffers.rank_bytes.end()))
        .field("all_bytes", std::accumulate(buffers.rank_bytes.begin(), buffers.rank_bytes.end(),
                                            std::uint64_t{0}))
        .field("scratch_bytes", buffers.scratch_bytes)
        .end_object();
  }
  json.end_array();
  json.key("map").begin_array();
  for (std::size_t i = 0; i < facts.rank_hosts.size(); ++i) {
    json.begin_object().field("rank", i).field("host", facts.rank_hosts[i]);
    json.key("cpu").raw(facts.rank_cpus[i]);
    if (!facts.rank_places[i].empty()) json.key("place").raw(facts.rank_places[i]);
    json.end_object();
  }
  json.end_array();
  json.key("library").raw(library_json(spec.full_environment));
  write_list(json, "hosts", facts.environments);
  write_list(json, "network_during", facts.network);
  json.end_object();
  return json.text() + '\n';
}

}  // namespace invar::engine
