#include "record/launch_spec.hpp"

#include "base/text.hpp"
#include "record/key_values.hpp"

namespace invar::record {
namespace {

constexpr auto kForEachLaunchKey = [](auto& spec, auto visit) {
  visit("group_id", spec.group_id);
  visit("group", spec.group);
  visit("launch", spec.launch);
  visit("arms", spec.arms);
  visit("arm", spec.arm);
  visit("ranks", spec.ranks);
  visit("hosts", spec.hosts);
  visit("record", spec.record);
  visit("pinning", spec.pinning);
  visit("aslr", spec.aslr);
  visit("thp", spec.thp);
  visit("environment_size", spec.environment_size);
  visit("verification", spec.verification);
  visit("placement_in_host", spec.placement_in_host);
  visit("clock_sync", spec.clock_sync);
  visit("starts_again", spec.starts_again);
  visit("oversubscribe", spec.oversubscribe);
  visit("progress", spec.progress);
  visit("connect", spec.connect);
  visit("communicator", spec.communicator);
  visit("cpus", spec.cpus);
  visit("cpus_host", spec.cpus_host);
  visit("warmup_repetitions", spec.warmup_repetitions);
  visit("warmup_ns", spec.warmup_ns);
  visit("warmup_min", spec.warmup_min);
  visit("window_ns", spec.window_ns);
  visit("retry_cap", spec.retry_cap);
  visit("skew_limit_ns", spec.skew_limit_ns);
  visit("visit_limit_ns", spec.visit_limit_ns);
  visit("start_limit_ns", spec.start_limit_ns);
  visit("seed", spec.seed);
  visit("environment", spec.environment);
  visit_virtual_clocks(spec.virtual_clocks, visit);
  visit("failed_cells", spec.failed_cells);
  visit("plants_delays", spec.plants_delays);
  visit("late_by_cells", spec.late_by_cells);
  visit("decided_loops", spec.decided_loops);
  visit("switches", spec.switches);
  visit("full_environment", spec.full_environment);
};

}  // namespace

std::optional<double> share_of(std::string_view text) {
  const std::optional<double> share = base::parse_double(text);
  return share && *share >= 0 && *share <= 1 ? share : std::nullopt;
}

std::string launch_spec_text(const LaunchSpec& spec) { return keys_text(spec, kForEachLaunchKey); }

LaunchSpec read_launch_spec(std::string_view text, const std::string& place) {
  return read_keys<LaunchSpec>(text, place, kForEachLaunchKey);
}

}  // namespace invar::record
