#include "driver/prepare/conditions.hpp"

#include <cstdlib>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/conditions.hpp"
#include "host/identity.hpp"
#include "record/launch_spec.hpp"

namespace invar::driver {

namespace {

std::string root_of(const char* variable, const char* usual) {
  const char* root = std::getenv(variable);
  return root == nullptr || *root == '\0' ? usual : root;
}

}  // namespace

std::string sysfs_root() { return root_of("INVAR_SYSFS_ROOT", "/sys"); }

host::HostRoots host_roots() {
  return {.sys = sysfs_root(), .proc = root_of("INVAR_PROCFS_ROOT", "/proc")};
}

host::HostSetting setting_of(design::FromOutside outside) {
  switch (outside) {
    case design::FromOutside::kFrequency:
      return host::HostSetting::kFrequency;
    case design::FromOutside::kHugePages:
      return host::HostSetting::kHugePages;
    case design::FromOutside::kNumaBalancing:
      return host::HostSetting::kNumaBalancing;
    case design::FromOutside::kNothing:
      break;
  }
  throw std::invalid_argument("no factor that is set from outside");
}

namespace {

using Hosts = std::span<const design::Host>;

std::optional<host::Refusal> refuse_setting(const design::LaunchFactor& factor,
                                            const std::string& level, Hosts hosts) {
  if (level == factor.usual) return std::nullopt;
  const bool elsewhere =
      hosts.size() > 1 || (hosts.size() == 1 && hosts.front().name != host::host_name() &&
                           hosts.front().name != "localhost");
  if (elsewhere) {
    return host::Refusal{
        std::string(factor.key) + " is set on this host only, and the ranks run on others",
        std::string(factor.elsewhere) +
            "take a campaign for each, or start invar on the only host"};
  }
  return host::setting_refusal(setting_of(factor.from_outside), level, host_roots());
}

std::optional<host::Refusal> refuse(const design::LaunchFactor& factor, const std::string& level,
                                    Hosts hosts) {
  if (factor.from_outside != design::FromOutside::kNothing) {
    return refuse_setting(factor, level, hosts);
  }
  if (!factor.made_by_ranks) return std::nullopt;
  record::LaunchSpec asked;
  asked.*factor.told = level;
  return host::refusal(host::conditions_of(asked), host_roots().proc, sysfs_root());
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
