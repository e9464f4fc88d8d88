#include "engine/launch/team.hpp"

#include <algorithm>
#include <utility>

namespace invar::engine {

Team::Team(MPI_Comm world, const Hosts& hosts, std::vector<std::uint32_t> called,
           std::vector<std::uint32_t> numbers)
    : called_(std::move(called)), numbers_(std::move(numbers)) {
  for (const std::uint32_t number : numbers_) ranks_.push_back(called_.at(number));
  speaker_ = *std::min_element(ranks_.begin(), ranks_.end());
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  const auto mine = static_cast<std::uint32_t>(rank);
  const std::uint32_t host = hosts.of_rank[mine];
  whole_ = ranks_.size() == static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    one_host_ = one_host_ && hosts.of_rank[ranks_[i]] == hosts.of_rank[ranks_[0]];
    if (ranks_[i] == mine) {
      member_ = true;
      index_ = static_cast<std::uint32_t>(i);
    }
    // In the order of world ranks, which is that of the host's CPUs.
    if (hosts.of_rank[ranks_[i]] != host) continue;
    ++local_members_;
    if (ranks_[i] < mine) ++local_index_;
  }
  if (!member_) local_members_ = local_index_ = 0;
  canaries_ = group::canary_places(ranks_, hosts.of_rank, hosts.socket_of_rank, mine);
  const auto own = std::find(called_.begin(), called_.end(), mine);
  const int place = static_cast<int>(own - called_.begin());
  MPI_Comm_split(world, own == called_.end() ? MPI_UNDEFINED : 0, place, &comm_);
  if (own == called_.end()) return;
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_split(comm_, member_ ? 0 : MPI_UNDEFINED, place, &sync_comm_);
  if (!member_) return;
  MPI_Comm_set_errhandler(sync_comm_, MPI_ERRORS_ARE_FATAL);
  if (!one_host_) {
    MPI_Comm_split(sync_comm_, local_index_ == 0 ? 0 : MPI_UNDEFINED, place, &leaders_comm_);
  }
}

void Team::free() {
  for (MPI_Comm* comm : {&comm_, &sync_comm_, &leaders_comm_}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

const Team& Teams::of(const record::Cell& cell, const ops::Operation& operation) {
  std::vector<std::uint32_t> called = group::team_ranks(cell, hosts_.of_rank, seed_);
  std::vector<std::uint32_t> numbers;
  const auto size = static_cast<std::uint32_t>(called.size());
  for (std::uint32_t number = 0; number < size; ++number) {
    const record::Role role = record::role_of(operation.roles, number, size, cell.root);
    if (role != record::Role::kStandsBy) numbers.push_back(number);
  }
  const std::string hooks = communicator_key(cell, operation, hooks_);
  for (const Made& made : teams_) {
    if (made.hooks == hooks && std::ranges::equal(called, made.team->called()) &&
        std::ranges::equal(numbers, made.team->numbers())) {
      return *made.team;
    }
  }
  ops::Hooks around;
  add_communicator_hooks(cell, operation, around, hooks_);
  teams_.push_back(
      {hooks, std::make_unique<Team>(world_, hosts_, std::move(called), std::move(numbers))});
  return *teams_.back().team;
}

void Teams::free() {
  for (const Made& made : teams_) made.team->free();
}

}  // namespace invar::engine
