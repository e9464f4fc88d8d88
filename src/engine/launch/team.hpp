// Who takes part in a cell: some of the launch's ranks, in the order that the cell asks for, but
// for those that its operation lets stand by. All others sleep.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/launch/factor_hooks.hpp"
#include "engine/launch/host.hpp"
#include "group/canary_places.hpp"
#include "group/team_ranks.hpp"
#include "ops/operation.hpp"
#include "record/cell.hpp"

namespace invar::engine {

class Team {
 public:
  // Collective over `world`. `called`: world ranks that have a rank in the call's communicator, in
  // its order; `numbers`: those of them that take part, by these ranks, ascending.
  Team(MPI_Comm world, const Hosts& hosts, std::vector<std::uint32_t> called,
       std::vector<std::uint32_t> numbers);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Collective over the ranks that are called. Not done by the destructor: while an error unwinds,
  // the other ranks do not take part.
  void free();

  // World rank of each rank of comm(), those that stand by included; known to everybody, as is what
  // follows.
  [[nodiscard]] std::span<const std::uint32_t> called() const { return called_; }
  // World rank of each member, and its rank in comm().
  [[nodiscard]] std::span<const std::uint32_t> ranks() const { return ranks_; }
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return numbers_; }
  // World rank of the member that speaks for the others: the lowest.
  [[nodiscard]] std::uint32_t speaker() const { return speaker_; }
  // This rank's place among the members; 0 on others.
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] bool member() const { return member_; }
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool one_host() const { return one_host_; }
  // Members on this host, and this rank's place among them; 0 and 0 on others.
  [[nodiscard]] std::uint32_t local_members() const { return local_members_; }
  [[nodiscard]] std::uint32_t local_index() const { return local_index_; }
  // Who takes the canaries of a visit.
  [[nodiscard]] const group::CanaryPlaces& canaries() const { return canaries_; }
  // Null on ranks that are not called. It returns errors and carries the operations.
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  // The communicator of the members, for barriers; null on others.
  [[nodiscard]] MPI_Comm sync_comm() const { return sync_comm_; }
  // The communicator of every host's first member; null on others, and where there is one host.
  [[nodiscard]] MPI_Comm leaders_comm() const { return leaders_comm_; }

 private:
  std::vector<std::uint32_t> called_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> ranks_ = {};
  std::uint32_t speaker_ = 0;
  std::uint32_t index_ = 0;
  bool member_ = false;
  bool whole_ = false;
  bool one_host_ = true;
  std::uint32_t local_members_ = 0;
  std::uint32_t local_index_ = 0;
  group::CanaryPlaces canaries_ = {};
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm sync_comm_ = MPI_COMM_NULL;
  MPI_Comm leaders_comm_ = MPI_COMM_NULL;
};

// One team for all cells that have the same ranks in the same order and role, and whose
// communicator no hook makes different. Collective over `world`, the same cells on all ranks.
class Teams {
 public:
  Teams(MPI_Comm world, const Hosts& hosts, std::uint64_t seed,
        std::span<const FactorHooks> hooks = factor_hooks())
      : world_(world), hosts_(hosts), seed_(seed), hooks_(hooks) {}
  const Team& of(const record::Cell& cell, const ops::Operation& operation);
  void free();

 private:
  MPI_Comm world_;
  const Hosts& hosts_;
  std::uint64_t seed_;
  std::span<const FactorHooks> hooks_;
  struct Made {
    std::string hooks;  // what the communicator depends on beside its ranks
    std::unique_ptr<Team> team;
  };
  std::vector<Made> teams_ = {};
};

}  // namespace invar::engine
