#include "engine/launch/host.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/machine/machine.hpp"
#include "host/placement.hpp"
#include "record/launch_spec.hpp"

namespace invar::engine {

namespace {

std::vector<std::uint32_t> cores_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<std::uint32_t> cores;
  std::set<std::uint32_t> seen;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(std::size_t{cpu}, &set)) continue;
    if (seen.insert(host::core_of(cpu)).second) cores.push_back(cpu);
  }
  return cores;
}

}  // namespace

std::vector<std::uint32_t> allowed_cores(std::size_t enough) {
  std::vector<std::uint32_t> bound = cores_of_affinity();
  if (bound.size() >= enough) return bound;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  // The kernel takes of them what the control group allows.
  return sched_setaffinity(0, sizeof all, &all) == 0 ? cores_of_affinity() : bound;
}

std::vector<std::uint32_t> local_cpus(const std::vector<std::uint32_t>& wanted,
                                      const std::vector<std::uint32_t>& allowed,
                                      const std::string& place) {
  const auto is_allowed = [&](std::uint32_t cpu) {
    return std::find(allowed.begin(), allowed.end(), cpu) != allowed.end();
  };
  if (std::all_of(wanted.begin(), wanted.end(), is_allowed)) return wanted;
  std::vector<std::uint32_t> order;  // different CPUs, in the order of the ranks
  std::vector<std::uint32_t> cpus;
  for (const std::uint32_t cpu : wanted) {
    auto at = std::find(order.begin(), order.end(), cpu);
    if (at == order.end()) at = order.insert(order.end(), cpu);
    const auto number = static_cast<std::size_t>(at - order.begin());
    if (number >= allowed.size()) {
      throw base::UserError(
          place,
          Machine::host_name() + " allows this process " + std::to_string(allowed.size()) +
              " of its cores, " + "too few for " + std::to_string(wanted.size()) +
              " ranks that are bound",
          "give the job more cores there, name fewer slots, or use pinning = \"none\"");
    }
    cpus.push_back(allowed[number]);
  }
  return cpus;
}

std::vector<std::uint32_t> permitted_cpus(const std::vector<std::uint32_t>& wanted) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::uint32_t cpu : wanted) CPU_SET(std::size_t{cpu}, &set);
  std::vector<std::uint32_t> permitted;
  // The kernel takes of them what the control group allows; none of them: it refuses.
  if (sched_setaffinity(0, sizeof set, &set) != 0 || sched_getaffinity(0, sizeof set, &set) != 0) {
    return permitted;
  }
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(std::size_t{cpu}, &set)) permitted.push_back(cpu);
  }
  return permitted;
}

std::vector<std::uint32_t> claimed_cpus(const std::vector<std::uint32_t>& wanted,
                                        const std::vector<std::uint32_t>& allowed,
                                        const std::string& place) {
  const std::set<std::uint32_t> usable(allowed.begin(), allowed.end());
  std::set<std::string> missing;
  for (const std::uint32_t cpu : wanted) {
    if (!usable.contains(cpu)) missing.insert(std::to_string(cpu));
  }
  if (missing.empty()) return wanted;
  throw base::UserError(
      place,
      Machine::host_name() + " does not allow this rank " +
          (missing.size() == 1 ? "CPU " : "CPUs ") +
          base::join(std::vector<std::string>(missing.begin(), missing.end()), ", ") +
          ", which the driver has claimed for the ranks there",
      "give the job that starts the ranks the cores that invar itself may run on, or use pinning = "
      "\"none\"");
}

std::vector<std::uint32_t> placed_cpus(const std::vector<std::uint32_t>& wanted,
                                       const std::vector<std::uint32_t>& allowed,
                                       const std::string& placement, const std::string& place) {
  const std::set<std::uint32_t> different(wanted.begin(), wanted.end());
  if (allowed.size() < different.size()) return local_cpus(wanted, allowed, place);  // says so
  const std::vector<host::Core> cores = host::read_cores(allowed);
  if (placement == record::kNumaInHost && host::numa_nodes(cores) < 2) {
    throw base::UserError(
        place, Machine::host_name() + " has one NUMA node among the cores that it allows",
        "use placement-in-host \"packed\" or \"spread\", or leave the host out");
  }
  return host::place_ranks(cores, wanted.size(), placement);
}

void bind_to_cpu(std::uint32_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(std::size_t{cpu}, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::runtime_error("cannot bind to CPU " + std::to_string(cpu) + ": " +
                             std::strerror(errno));
  }
}

std::int32_t bound_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1) return -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) return cpu;
  }
  return -1;
}

Hosts find_hosts(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(ranks));
  std::uint64_t mine = Machine::host_hash();
  MPI_Allgather(&mine, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, comm);
  Hosts hosts;
  std::map<std::uint64_t, std::uint32_t> numbers;
  hosts.of_rank.clear();
  for (const std::uint64_t hash : hashes) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    hosts.of_rank.push_back(numbers.try_emplace(hash, next).first->second);
  }
  hosts.count = static_cast<std::uint32_t>(numbers.size());
  hosts.memory_of_rank = hosts.of_rank;
  if (!Machine::shares_memory()) {
    std::iota(hosts.memory_of_rank.begin(), hosts.memory_of_rank.end(), 0U);
  }
  const auto& memory = hosts.memory_of_rank;
  const auto own = memory.begin() + rank;
  hosts.local_rank = static_cast<std::uint32_t>(std::count(memory.begin(), own, *own));
  hosts.local_ranks = static_cast<std::uint32_t>(std::count(memory.begin(), memory.end(), *own));
  hosts.leader = hosts.local_rank == 0;
  // All ranks of a simulation are on the one host that simulates.
  hosts.tells_of_host = Machine::kernel_tells_of_ranks() ? hosts.leader : rank == 0;
  return hosts;
}

void connect_all(MPI_Comm comm) {
  constexpr int kTag = 11;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int distance = 1; distance < ranks; ++distance) {
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, (rank + distance) % ranks, kTag, nullptr, 0, MPI_BYTE,
                 (rank - distance + ranks) % ranks, kTag, comm, MPI_STATUS_IGNORE);
  }
}

void connect_with(MPI_Comm comm, std::span<const std::uint32_t> partners) {
  constexpr int kTag = 14;
  std::vector<MPI_Request> requests;
  for (const std::uint32_t partner : partners) {
    const int rank = static_cast<int>(partner);
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(nullptr, 0, MPI_BYTE, rank, kTag, comm, &requests.back());
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(nullptr, 0, MPI_BYTE, rank, kTag, comm, &requests.back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& text) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(rank == 0 ? ranks : 0));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::vector<int> begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), 0)),
                  ' ');
  MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0,
              comm);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

}  // namespace invar::engine
