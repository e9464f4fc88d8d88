#include "engine/launch_facts.hpp"

#include "base/json_writer.hpp"
#include "engine/describe.hpp"

namespace invar::engine {
namespace {

const char* source_name(clock::Source source) {
  switch (source) {
    case clock::Source::kTsc:
      return "tsc";
    case clock::Source::kMonotonicRaw:
      return "monotonic-raw";
    case clock::Source::kMpiWtime:
      return "mpi-wtime";
  }
  return "";
}

void write_clock(base::JsonWriter& json, const LaunchFacts& facts) {
  const double tick_ns = 1e9 / facts.ticks_per_s;
  json.key("clock")
      .begin_object()
      .field("source", source_name(facts.source))
      .field("tsc_refused_because", facts.tsc_refused_because)
      .field("step_ns", facts.quality.step_ticks * tick_ns)
      .field("resolution_ns", static_cast<double>(facts.quality.resolution_ticks) * tick_ns)
      .field("cost_ns", static_cast<double>(facts.quality.cost_ticks) * tick_ns)
      .field("monotonic", facts.quality.monotonic)
      .field("ranks_agree", facts.ranks_agree)
      .field("uncertainty_ns", static_cast<double>(facts.uncertainty_ticks) * tick_ns)
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
      .field("sync", spec.sync)
      .field("ranks", spec.ranks)
      .field("hosts_count", facts.hosts);
  write_clock(json, facts);
  json.key("map").begin_array();
  for (std::size_t i = 0; i < facts.rank_hosts.size(); ++i) {
    json.begin_object().field("rank", i).field("host", facts.rank_hosts[i]);
    json.key("cpu").raw(facts.rank_cpus[i]).end_object();
  }
  json.end_array();
  json.key("library").raw(library_json(spec.full_environment));
  write_list(json, "hosts", facts.environments);
  write_list(json, "network_during", facts.network);
  json.end_object();
  return json.text() + '\n';
}

}  // namespace invar::engine
