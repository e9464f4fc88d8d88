// Who takes part in a cell: some of the launch's ranks, in the order that the cell asks for, but
// for those that its operation lets stand by. All others sleep, and so do these, unless the cell
// gives them something to do.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/launch/factor_hooks.hpp"
#include "engine/launch/host.hpp"
#include "group/canary_places.hpp"
#include "group/team_ranks.hpp"
#include "group/visit_word.hpp"
#include "ops/operation.hpp"
#include "record/cell.hpp"

namespace invar::engine {

// How the communicator comes about that carries the operations: the factor `communicator`.
enum class Making : std::uint8_t {
  kSplit,  // by MPI_Comm_split of MPI_COMM_WORLD
  kDup,    // by MPI_Comm_dup of it, or of a split one where the team has other ranks
  kWorld,  // it is MPI_COMM_WORLD itself
};
// Throws base::UserError for a word that is not a level.
Making making_of(const std::string& level);

// What a rank does while a team measures.
enum class Part : std::uint8_t {
  kMeasures,  // it is a member
  kStandsBy,  // it has a rank in the communicator and buffers that are checked, but calls nothing
  kSleeps,    // it has neither
};

class Team {
 public:
  // Collective over `world`; makes comm(). `called`: world ranks that have a rank in the call's
  // communicator, in its order; `numbers`: those of them that take part, by these ranks, ascending.
  // Throws base::UserError where comm() should be `world` and `called` is not all of its ranks in
  // its order.
  Team(MPI_Comm world, const Hosts& hosts, std::vector<std::uint32_t> called,
       std::vector<std::uint32_t> numbers, Making making = Making::kSplit);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // In some cell of this team those that stand by do something: make_sync() makes others_comm(),
  // too. By all ranks alike.
  void let_others_act() { others_act_ = true; }

  // Collective over the ranks that are called (it returns at once on others), once, after comm() of
  // all teams is made: sync_comm(), leaders_comm() and others_comm(), which carry no operation.
  // What a library gives to the first communicators only (a switch's reductions, hardware barriers)
  // is for those that are measured.
  void make_sync();

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
  [[nodiscard]] Part part() const {
    if (member_) return Part::kMeasures;
    return comm_ != MPI_COMM_NULL ? Part::kStandsBy : Part::kSleeps;
  }
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] bool one_host() const { return one_host_; }
  // Members on this host, and this rank's place among them; 0 and 0 on others.
  [[nodiscard]] std::uint32_t local_members() const { return local_members_; }
  // Members on this host, on every rank.
  [[nodiscard]] std::uint32_t members_here() const { return members_here_; }
  // How this rank learns that a visit without it is over, and whom it tells.
  [[nodiscard]] const group::VisitWord& visit_word() const { return visit_word_; }
  // World rank of the lowest member on every host that has one, in the order of comm(): those of
  // leaders_comm().
  [[nodiscard]] std::span<const std::uint32_t> leaders() const { return leaders_; }
  [[nodiscard]] std::uint32_t local_index() const { return local_index_; }
  // Who takes the canaries of a visit.
  [[nodiscard]] const group::CanaryPlaces& canaries() const { return canaries_; }
  // Null on ranks that are not called. It carries the operations and returns errors; if it is
  // MPI_COMM_WORLD not before all communicators are made (Teams::return_errors).
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  // The communicator of the members, for barriers; null on others.
  [[nodiscard]] MPI_Comm sync_comm() const { return sync_comm_; }
  // The communicator of every host's first member; null on others, and where there is one host.
  [[nodiscard]] MPI_Comm leaders_comm() const { return leaders_comm_; }
  // A duplicate of comm() for what those do that stand by, and for all to begin together; null on
  // ranks that are not called, and where those that stand by only ever sleep.
  [[nodiscard]] MPI_Comm others_comm() const { return others_comm_; }
  // World rank of the one with which `rank` (in the world) makes traffic while both stand by; and
  // its rank in others_comm(), of this rank's.
  [[nodiscard]] std::optional<std::uint32_t> traffic_partner_of(std::uint32_t rank) const;
  [[nodiscard]] std::optional<int> traffic_partner() const;

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
  std::uint32_t members_here_ = 0;
  group::VisitWord visit_word_ = {};
  std::vector<std::uint32_t> leaders_ = {};
  Making making_;
  group::CanaryPlaces canaries_ = {};
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm sync_comm_ = MPI_COMM_NULL;
  MPI_Comm leaders_comm_ = MPI_COMM_NULL;
  bool others_act_ = false;
  MPI_Comm others_comm_ = MPI_COMM_NULL;
};

// One team for all cells that have the same ranks in the same order and role, and whose
// communicator no hook makes different. Collective over `world`, the same cells on all ranks.
class Teams {
 public:
  Teams(MPI_Comm world, const Hosts& hosts, std::uint64_t seed,
        std::span<const FactorHooks> hooks = factor_hooks(), Making making = Making::kSplit,
        Switches* switches = nullptr)
      : world_(world),
        hosts_(hosts),
        seed_(seed),
        hooks_(hooks),
        making_(making),
        switches_(switches) {}
  const Team& of(const record::Cell& cell, const ops::Operation& operation);
  // Collective over `world`, after the last of().
  void make_sync();
  // Where operations run on MPI_COMM_WORLD: it returns errors from now on. All other communicators
  // have been made by then, which would else have inherited that.
  void return_errors();
  void free();

  // Ranks that exchange messages with this one when a visit of some team begins and ends,
  // ascending.
  [[nodiscard]] std::vector<std::uint32_t> partners(std::uint32_t rank) const;

 private:
  MPI_Comm world_;
  const Hosts& hosts_;
  std::uint64_t seed_;
  std::span<const FactorHooks> hooks_;
  Making making_;
  Switches* switches_;
  struct Made {
    std::string hooks;  // what the communicator depends on beside its ranks
    std::unique_ptr<Team> team;
  };
  std::vector<Made> teams_ = {};
};

}  // namespace invar::engine
