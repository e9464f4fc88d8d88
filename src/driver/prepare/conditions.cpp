#include "driver/prepare/conditions.hpp"

#include <cstdlib>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/factors/launch_factors.hpp"
#include "host/conditions.hpp"
#include "host/frequency.hpp"
#include "host/identity.hpp"

namespace invar::driver {

std::string sysfs_root() {
  const char* root = std::getenv("INVAR_SYSFS_ROOT");
  return root == nullptr || *root == '\0' ? "/sys" : root;
}

void check_conditions(const design::Campaign& campaign, const std::vector<design::Host>& hosts,
                      const std::string& place) {
  base::Faults faults;
  std::set<std::string> told;
  const auto refuse = [&](const char* key, const host::Refusal& refusal) {
    if (!told.insert(refusal.what).second) return;
    const design::Position at = campaign.engine.positions.of(key);
    faults.add({.place = place,
                .line = at.line,
                .column = at.column,
                .what = refusal.what,
                .remedy = refusal.remedy});
  };
  for (const design::Arm& arm : campaign.arms) {
    const auto level = [&](const char* key) { return design::level_of(campaign, arm, key); };
    if (const auto refusal = host::refusal({.aslr = level("aslr")}, "/proc", sysfs_root())) {
      refuse("aslr", *refusal);
    }
    if (const auto refusal = host::refusal({.thp = level("thp")}, "/proc", sysfs_root())) {
      refuse("thp", *refusal);
    }
    const std::string governor = level("governor");
    if (governor == "default") continue;
    const bool elsewhere =
        hosts.size() > 1 || (hosts.size() == 1 && hosts.front().name != host::host_name() &&
                             hosts.front().name != "localhost");
    if (elsewhere) {
      refuse("governor", {"frequencies are set on this host only, and the ranks run on others",
                          "let the batch system set them (srun --cpu-freq) and take a campaign for "
                          "each, or start invar on the only host"});
    } else if (const auto refusal = host::frequency_refusal(
                   governor, host::frequency_cpus(sysfs_root()), sysfs_root())) {
      refuse("governor", *refusal);
    }
  }
  faults.throw_if_any();
}

}  // namespace invar::driver
