// Where this process is: its host, its place among the ranks there, the CPU that it is bound to.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace invar::engine {

// CPUs that this process may run on, one a core (the lowest of those that it may use), in the order
// of their numbers. If these are fewer than `enough`, a launcher has bound the rank alone: then
// those that the host's limits allow, and the process is bound to none of them any more.
std::vector<std::uint32_t> allowed_cores(std::size_t enough);

// The CPUs that the local ranks take here. `wanted`: those of the driver's host, one a rank. Where
// this host's batch job or container allows others, as many of these, in their order; the same CPU
// twice only where `wanted` has one twice. Throws base::UserError naming `place` if it allows too
// few.
std::vector<std::uint32_t> local_cpus(const std::vector<std::uint32_t>& wanted,
                                      const std::vector<std::uint32_t>& allowed,
                                      const std::string& place);

// The CPUs on the driver's own host: `wanted` as it is, because the driver has claimed their cores
// and nobody else's. Throws base::UserError naming `place` and the CPUs that are not `allowed`.
std::vector<std::uint32_t> claimed_cpus(const std::vector<std::uint32_t>& wanted,
                                        const std::vector<std::uint32_t>& allowed,
                                        const std::string& place);

// Those of `wanted` that the host's limits allow, ascending, whatever a launcher has bound this
// process to: it is bound to them now.
std::vector<std::uint32_t> permitted_cpus(const std::vector<std::uint32_t>& wanted);

// The same as local_cpus() for ranks that do not take cores in their order (host/placement.hpp): by
// what lies between the cores of this host, whatever the driver's is like. Throws base::UserError
// as local_cpus(), and for "numa" on a host with one NUMA node.
std::vector<std::uint32_t> placed_cpus(const std::vector<std::uint32_t>& wanted,
                                       const std::vector<std::uint32_t>& allowed,
                                       const std::string& placement, const std::string& place);

// Binds this process, and all threads that it will make, to one CPU. Throws std::runtime_error.
void bind_to_cpu(std::uint32_t cpu);
// The one CPU that this process may run on; -1: there are several.
std::int32_t bound_cpu();

// The hosts of a communicator, as every rank sees them.
struct Hosts {
  std::uint32_t count = 1;
  // Among those of its host that share memory with this rank.
  std::uint32_t local_rank = 0;  // in the order of ranks
  std::uint32_t local_ranks = 1;
  bool leader = true;  // the lowest of them
  // Index of each rank's host; hosts in the order of their lowest ranks.
  std::vector<std::uint32_t> of_rank = {0};
  // The same of who shares memory: hosts, or where none is shared (Machine::shares_memory) ranks.
  std::vector<std::uint32_t> memory_of_rank = {0};
  // Facts about its host are of this rank's, and no other one tells them.
  bool tells_of_host = true;
  // Socket of each rank, numbered within its host (sockets.hpp); empty: nobody asked.
  std::vector<std::int32_t> socket_of_rank = {};
};
Hosts find_hosts(MPI_Comm comm);

// A message from everybody to everybody: all connections are made before anything is timed, and
// none in MPI_Finalize, where a rank that waits in vain for the other one's part of it hangs (MPICH
// over UCX before its pull request 6596).
void connect_all(MPI_Comm comm);

// A message to and from each of `partners`, who name this rank as well: only these connections are
// made. Collective; a rank may have none.
void connect_with(MPI_Comm comm, std::span<const std::uint32_t> partners);

// Gathers one text per rank on rank 0 (in the order of ranks; empty elsewhere).
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& text);

}  // namespace invar::engine
