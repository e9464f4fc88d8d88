// Which CPUs the ranks take.
#include <hwloc.h>
#include <sched.h>

#include <memory>

#include "launch/start/launcher.hpp"

namespace invar::launch {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeBitmap>;

std::vector<std::uint32_t> all_of(hwloc_const_cpuset_t set) {
  std::vector<std::uint32_t> cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
    cpus.push_back(static_cast<std::uint32_t>(cpu));
  }
  return cpus;
}

}  // namespace

std::vector<std::uint32_t> core_cpus() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return {};
  const Topology topology(made);
  if (hwloc_topology_load(made) != 0) return {};
  // The topology holds what control groups allow; the process's own mask may be narrower.
  const Bitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(made)));
  const Bitmap mine(hwloc_bitmap_alloc());
  if (!allowed || !mine) return {};
  if (hwloc_get_cpubind(made, mine.get(), HWLOC_CPUBIND_PROCESS) == 0 &&
      hwloc_bitmap_intersects(mine.get(), allowed.get()) != 0) {
    hwloc_bitmap_and(allowed.get(), allowed.get(), mine.get());
  }
  std::vector<std::uint32_t> cpus;
  const int cores = hwloc_get_nbobjs_by_type(made, HWLOC_OBJ_CORE);
  for (int i = 0; i < cores; ++i) {
    hwloc_obj_t core = hwloc_get_obj_by_type(made, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
    for (int cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0;
         cpu = hwloc_bitmap_next(core->cpuset, cpu)) {
      if (hwloc_bitmap_isset(allowed.get(), static_cast<unsigned>(cpu)) == 0) continue;
      cpus.push_back(static_cast<std::uint32_t>(cpu));
      break;
    }
  }
  // Some virtual machines and containers tell of no cores.
  return cpus.empty() ? all_of(allowed.get()) : cpus;
}

}  // namespace invar::launch
