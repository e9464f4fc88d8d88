#include "engine/launch/team.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "group/bystanders.hpp"
#include "group/connections.hpp"
#include "record/p2p/cell_roles.hpp"
#include "record/p2p/levels.hpp"

namespace invar::engine {
namespace {

// All ranks of `world` in its order.
bool is_whole_world(std::span<const std::uint32_t> called, int size) {
  std::vector<std::uint32_t> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0U);
  return std::ranges::equal(called, all);
}

}  // namespace

Making making_of(const std::string& level) {
  if (level == "split") return Making::kSplit;
  if (level == "dup") return Making::kDup;
  if (level == "world") return Making::kWorld;
  throw base::UserError("launch.spec", "unknown communicator '" + level + "'");
}

Team::Team(MPI_Comm world, const Hosts& hosts, std::vector<std::uint32_t> called,
           std::vector<std::uint32_t> numbers, Making making)
    : called_(std::move(called)), numbers_(std::move(numbers)), making_(making) {
  for (const std::uint32_t number : numbers_) ranks_.push_back(called_.at(number));
  speaker_ = *std::min_element(ranks_.begin(), ranks_.end());
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  const auto mine = static_cast<std::uint32_t>(rank);
  // What ranks do together they do where they share memory.
  const std::uint32_t host = hosts.memory_of_rank[mine];
  whole_ = ranks_.size() == static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    one_host_ = one_host_ && hosts.memory_of_rank[ranks_[i]] == hosts.memory_of_rank[ranks_[0]];
    if (ranks_[i] == mine) {
      member_ = true;
      index_ = static_cast<std::uint32_t>(i);
    }
    // In the order of world ranks, which is that of the host's CPUs.
    if (hosts.memory_of_rank[ranks_[i]] != host) continue;
    ++members_here_;
    if (ranks_[i] < mine) ++local_index_;
  }
  if (member_) {
    local_members_ = members_here_;
  } else {
    local_index_ = 0;
  }
  leaders_ = group::lowest_on_hosts(ranks_, hosts.memory_of_rank);
  canaries_ = group::canary_places(ranks_, hosts.memory_of_rank, hosts.socket_of_rank, mine);
  visit_word_ = group::visit_word(ranks_, hosts.memory_of_rank, mine);
  const bool all_in_order = is_whole_world(called_, size);
  if (making == Making::kWorld) {
    if (!all_in_order) {
      throw base::UserError("launch",
                            "communicator 'world' has all ranks in the order in which the launcher "
                            "numbers them, and a cell has others, or another order",
                            "the launcher must number ranks host after host; or use communicator "
                            "\"dup\"");
    }
    comm_ = world;
    return;
  }
  if (making == Making::kDup && all_in_order) {
    MPI_Comm_dup(world, &comm_);
  } else {
    const auto own = std::find(called_.begin(), called_.end(), mine);
    const int place = static_cast<int>(own - called_.begin());
    MPI_Comm_split(world, own == called_.end() ? MPI_UNDEFINED : 0, place, &comm_);
    if (making == Making::kDup && comm_ != MPI_COMM_NULL) {
      MPI_Comm split = comm_;
      MPI_Comm_dup(split, &comm_);
      MPI_Comm_free(&split);
    }
  }
  if (comm_ != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

void Team::make_sync() {
  if (comm_ == MPI_COMM_NULL) return;
  int place = 0;
  MPI_Comm_rank(comm_, &place);
  if (others_act_) {
    MPI_Comm_dup(comm_, &others_comm_);
    MPI_Comm_set_errhandler(others_comm_, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Comm_split(comm_, member_ ? 0 : MPI_UNDEFINED, place, &sync_comm_);
  if (!member_) return;
  MPI_Comm_set_errhandler(sync_comm_, MPI_ERRORS_ARE_FATAL);
  if (!one_host_) {
    MPI_Comm_split(sync_comm_, local_index_ == 0 ? 0 : MPI_UNDEFINED, place, &leaders_comm_);
  }
}

void Team::free() {
  if (making_ == Making::kWorld) comm_ = MPI_COMM_NULL;  // not ours
  for (MPI_Comm* comm : {&comm_, &sync_comm_, &leaders_comm_, &others_comm_}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

std::optional<std::uint32_t> Team::traffic_partner_of(std::uint32_t rank) const {
  const auto own = std::find(called_.begin(), called_.end(), rank);
  if (!others_act_ || own == called_.end()) return std::nullopt;
  const std::vector<std::uint32_t> others =
      group::bystanders_of(static_cast<std::uint32_t>(called_.size()), numbers_);
  const auto partner =
      group::traffic_partner(others, static_cast<std::uint32_t>(own - called_.begin()));
  return partner ? std::optional(called_[*partner]) : std::nullopt;
}

std::optional<int> Team::traffic_partner() const {
  if (others_comm_ == MPI_COMM_NULL) return std::nullopt;
  int rank = 0;
  MPI_Comm_rank(others_comm_, &rank);
  const std::optional<std::uint32_t> partner =
      traffic_partner_of(called_[static_cast<std::size_t>(rank)]);
  if (!partner) return std::nullopt;
  return static_cast<int>(std::find(called_.begin(), called_.end(), *partner) - called_.begin());
}

const Team& Teams::of(const record::Cell& cell, const ops::Operation& operation) {
  std::vector<std::uint32_t> called = group::team_ranks(cell, hosts_.of_rank, seed_);
  std::vector<std::uint32_t> numbers;
  const std::vector<record::Role> roles =
      record::roles_of(operation.roles, operation.messages, cell);
  for (std::uint32_t number = 0; number < called.size(); ++number) {
    if (roles.at(number) != record::Role::kStandsBy) numbers.push_back(number);
  }
  if (numbers.empty()) {
    throw base::UserError("visits.csv", record::cell_text(cell) + ": no rank has a part in it");
  }
  const HookedMaking making{.cell = cell, .switches = switches_};
  if (making_ == Making::kWorld && switches_ != nullptr && !switches_->making_key(cell).empty()) {
    throw base::UserError("launch",
                          "MPI_COMM_WORLD is made before the library can be told '" +
                              cell.algorithm + "', which it reads when a communicator is made",
                          "use communicator \"dup\"");
  }
  const std::string hooks = communicator_key(making, operation, hooks_);
  const bool others_act = cell.others != record::name_of(record::Others::kAsleep);
  for (const Made& made : teams_) {
    if (made.hooks == hooks && std::ranges::equal(called, made.team->called()) &&
        std::ranges::equal(numbers, made.team->numbers())) {
      if (others_act) made.team->let_others_act();
      return *made.team;
    }
  }
  ops::Hooks around;
  add_communicator_hooks(making, operation, around, hooks_);
  teams_.push_back({hooks, std::make_unique<Team>(world_, hosts_, std::move(called),
                                                  std::move(numbers), making_)});
  if (others_act) teams_.back().team->let_others_act();
  return *teams_.back().team;
}

void Teams::make_sync() {
  for (const Made& made : teams_) made.team->make_sync();
}

void Teams::return_errors() {
  if (making_ == Making::kWorld) MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
}

void Teams::free() {
  for (const Made& made : teams_) made.team->free();
  if (making_ == Making::kWorld) MPI_Comm_set_errhandler(world_, MPI_ERRORS_ARE_FATAL);
}

std::vector<std::uint32_t> Teams::partners(std::uint32_t rank) const {
  std::vector<std::uint32_t> all;
  const auto add = [&](std::span<const std::uint32_t> some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const Made& made : teams_) {
    const Team& team = *made.team;
    for (const auto order : {team.called(), team.ranks(), team.leaders()}) {
      add(group::pattern_partners(order, rank));
    }
    add(team.visit_word().to);
    if (team.visit_word().from) all.push_back(*team.visit_word().from);
    if (const auto partner = team.traffic_partner_of(rank)) all.push_back(*partner);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace invar::engine
