#include "engine/launch/team.hpp"

#include <algorithm>
#include <utility>

namespace invar::engine {
Team::Team(MPI_Comm world, const Hosts& hosts, std::vector<std::uint32_t> ranks)
    : ranks_(std::move(ranks)) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  const auto mine = static_cast<std::uint32_t>(rank);
  const std::uint32_t host = hosts.of_rank[mine];
  whole_ = ranks_.size() == static_cast<std::size_t>(size);
  int place = 0;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    one_host_ = one_host_ && hosts.of_rank[ranks_[i]] == hosts.of_rank[ranks_[0]];
    if (ranks_[i] == mine) {
      member_ = true;
      place = static_cast<int>(i);
      index_ = static_cast<std::uint32_t>(i);
    }
    // In the order of world ranks, which is that of the host's CPUs.
    if (hosts.of_rank[ranks_[i]] != host) continue;
    ++local_members_;
    if (ranks_[i] < mine) ++local_index_;
  }
  if (!member_) local_members_ = local_index_ = 0;
  MPI_Comm_split(world, member_ ? 0 : MPI_UNDEFINED, place, &comm_);
  if (!member_) return;
  MPI_Comm_dup(comm_, &sync_comm_);
  if (!one_host_) {
    MPI_Comm_split(sync_comm_, local_index_ == 0 ? 0 : MPI_UNDEFINED, place, &leaders_comm_);
  }
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

void Team::free() {
  for (MPI_Comm* comm : {&comm_, &sync_comm_, &leaders_comm_}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

const Team& Teams::of(const record::Cell& cell) {
  std::vector<std::uint32_t> ranks = group::team_ranks(cell, hosts_.of_rank, seed_);
  for (const std::unique_ptr<Team>& team : teams_) {
    if (std::equal(ranks.begin(), ranks.end(), team->ranks().begin(), team->ranks().end())) {
      return *team;
    }
  }
  teams_.push_back(std::make_unique<Team>(world_, hosts_, std::move(ranks)));
  return *teams_.back();
}

void Teams::free() {
  for (const std::unique_ptr<Team>& team : teams_) team->free();
}

}  // namespace invar::engine
