#include "driver/prepare/conditions.hpp"

#include <cstdlib>
#include <optional>
#include <set>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/factors/launch_factors.hpp"
#include "host/conditions.hpp"
#include "host/frequency.hpp"
#include "host/identity.hpp"
#include "record/launch_spec.hpp"

namespace invar::driver {

std::string sysfs_root() {
  const char* root = std::getenv("INVAR_SYSFS_ROOT");
  return root == nullptr || *root == '\0' ? "/sys" : root;
}

namespace {

using Hosts = std::span<const design::Host>;

std::optional<host::Refusal> refuse_frequency(const std::string& level, Hosts hosts) {
  if (level == "default") return std::nullopt;
  const bool elsewhere =
      hosts.size() > 1 || (hosts.size() == 1 && hosts.front().name != host::host_name() &&
                           hosts.front().name != "localhost");
  if (elsewhere) {
    return host::Refusal{
        "frequencies are set on this host only, and the ranks run on others",
        "let the batch system set them (srun --cpu-freq) and take a campaign for each, or start "
        "invar on the only host"};
  }
  return host::frequency_refusal(level, host::frequency_cpus(sysfs_root()), sysfs_root());
}

std::optional<host::Refusal> refuse(const design::LaunchFactor& factor, const std::string& level,
                                    Hosts hosts) {
  if (factor.from_outside == design::FromOutside::kFrequency) return refuse_frequency(level, hosts);
  if (!factor.made_by_ranks) return std::nullopt;
  record::LaunchSpec asked;
  asked.*factor.told = level;
  return host::refusal(host::conditions_of(asked), "/proc", sysfs_root());
}

}  // namespace

void check_conditions(const design::Campaign& campaign, const std::vector<design::Host>& hosts,
                      const std::string& place) {
  base::Faults faults;
  std::set<std::string> told;
  for (const design::Arm& arm : campaign.arms) {
    for (const design::LaunchFactor& factor : design::launch_factors()) {
      const auto refusal = refuse(factor, design::level_of(campaign, arm, factor.key), hosts);
      if (!refusal || !told.insert(refusal->what).second) continue;
      const design::Position at = campaign.engine.positions.of(factor.key);
      faults.add({.place = place,
                  .line = at.line,
                  .column = at.column,
                  .what = refusal->what,
                  .remedy = refusal->remedy});
    }
  }
  faults.throw_if_any();
}

}  // namespace invar::driver
