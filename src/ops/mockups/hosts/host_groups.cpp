#include "ops/mockups/hosts/host_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ops/buffers/element.hpp"
#include "ops/call/rank_host.hpp"

namespace invar::ops {
namespace {

int (*pretended_host_of)(int rank, int ranks) = nullptr;

enum class Way : std::uint8_t { kLeaders, kLanes };

// Numbers of the ranks' hosts, in the order of the hosts' first ranks; collective.
std::vector<int> numbers_of_hosts(const Call& call) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(call.ranks));
  std::uint64_t mine = rank_host_hash();
  if (pretended_host_of != nullptr) {
    mine = static_cast<std::uint64_t>(pretended_host_of(call.rank, call.ranks));
  }
  MPI_Allgather(&mine, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, call.comm);
  std::map<std::uint64_t, int> numbers;
  std::vector<int> host_of;
  host_of.reserve(hashes.size());
  for (const std::uint64_t hash : hashes) {
    const int next = static_cast<int>(numbers.size());
    host_of.push_back(numbers.try_emplace(hash, next).first->second);
  }
  return host_of;
}

body::Group group_of_comm(MPI_Comm comm) {
  body::Group group{.comm = comm, .rank = 0, .ranks = 0};
  if (comm == MPI_COMM_NULL) return group;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.ranks);
  return group;
}

// Collective over the communicator, as is its end; while an exception unwinds the communicators are
// left to MPI_Abort.
class HostComms {
 public:
  HostComms(const Call& call, Way way, std::vector<int> host_of) : host_of_(std::move(host_of)) {
    place_of_.reserve(host_of_.size());
    for (const int host : host_of_) {
      const auto number = static_cast<std::size_t>(host);
      if (number == sizes_.size()) sizes_.push_back(0);
      place_of_.push_back(sizes_[number]++);
    }
    const auto rank = static_cast<std::size_t>(call.rank);
    MPI_Comm host_comm = MPI_COMM_NULL;
    MPI_Comm across = MPI_COMM_NULL;
    MPI_Comm_split(call.comm, host_of_[rank], call.rank, &host_comm);
    const int place = place_of_[rank];
    const bool crosses = way == Way::kLanes || place == 0;
    MPI_Comm_split(call.comm, crosses ? place : MPI_UNDEFINED, call.rank, &across);
    host_ = group_of_comm(host_comm);
    across_ = group_of_comm(across);
    const bool has_all = host_comm != MPI_COMM_NULL && (!crosses || across != MPI_COMM_NULL);
    const int mine = has_all ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, call.comm);
    made_ = all == 1;
  }
  HostComms(const HostComms&) = delete;
  HostComms& operator=(const HostComms&) = delete;
  ~HostComms() {
    if (std::uncaught_exceptions() > 0) return;
    for (MPI_Comm comm : {host_.comm, across_.comm}) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
  }

  // Whether the library made them, on all ranks.
  [[nodiscard]] bool made() const { return made_; }
  [[nodiscard]] const std::vector<int>& host_of() const { return host_of_; }
  [[nodiscard]] const std::vector<int>& sizes() const { return sizes_; }
  // Without what depends on the call's count.
  [[nodiscard]] body::Hosts hosts(const Call& call) const {
    return {.all = {call.comm, call.rank, call.ranks},
            .host = host_,
            .across = across_,
            .number = host_of_[static_cast<std::size_t>(call.rank)],
            .host_of = host_of_.data(),
            .place_of = place_of_.data()};
  }

 private:
  std::vector<int> host_of_;
  std::vector<int> place_of_ = {};
  std::vector<int> sizes_ = {};  // ranks of every host
  body::Group host_ = {};
  body::Group across_ = {};
  bool made_ = false;
};

// Libraries have few communicators: setups of one communicator share theirs, as long as some of
// them lives, which the communicator outlives. All ranks find the same, because they make and end
// setups in the same order; what they find they need not ask each other for again. Threads make
// theirs at the same time, on different communicators.
class SharedComms {
 public:
  static SharedComms& all() {
    static SharedComms made;
    return made;
  }
  // Null: there are none.
  std::shared_ptr<const HostComms> find(const Call& call, Way way) {
    const std::lock_guard guard(mutex_);
    std::erase_if(made_, [](const Made& one) { return one.comms.expired(); });
    for (const Made& one : made_) {
      const bool serves =
          one.parent == call.comm && one.way == way && one.pretended_host_of == pretended_host_of;
      // Others may go at any time, and must not go here.
      if (serves) return one.comms.lock();
    }
    return nullptr;
  }
  void add(const Call& call, Way way, const std::shared_ptr<const HostComms>& comms) {
    const std::lock_guard guard(mutex_);
    made_.push_back({call.comm, way, pretended_host_of, comms});
  }

 private:
  struct Made {
    MPI_Comm parent;
    Way way;
    int (*pretended_host_of)(int rank, int ranks);
    std::weak_ptr<const HostComms> comms;
  };
  std::mutex mutex_ = {};
  std::vector<Made> made_ = {};
};

// Where the ranks are, and the communicators for that, if there are some.
struct Hosted {
  std::vector<int> host_of = {};
  std::shared_ptr<const HostComms> comms = {};
};

// Collective, if there are none.
Hosted hosted(const Call& call, Way way) {
  std::shared_ptr<const HostComms> comms = SharedComms::all().find(call, way);
  std::vector<int> host_of = comms ? comms->host_of() : numbers_of_hosts(call);
  return {std::move(host_of), std::move(comms)};
}

std::shared_ptr<const HostComms> comms_of(const Call& call, Way way, Hosted ranks) {
  if (ranks.comms) return std::move(ranks.comms);
  auto comms = std::make_shared<const HostComms>(call, way, std::move(ranks.host_of));
  SharedComms::all().add(call, way, comms);
  return comms;
}

class HostGroups final : public Equipment {
 public:
  HostGroups(const Call& call, Way way, Hosted ranks)
      : comms_(comms_of(call, way, std::move(ranks))), hosts_(comms_->hosts(call)) {}
  ~HostGroups() override {
    for (MPI_Datatype type : {hosts_.lane_block, hosts_.lane_blocks}) {
      if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
    }
  }

  [[nodiscard]] bool made() const { return comms_->made(); }
  [[nodiscard]] const body::Hosts& hosts() const { return hosts_; }

  // The blocks of all ranks must fit a count together.
  void make_blocks(const Call& call) {
    int before = 0;
    counts_.reserve(comms_->sizes().size());
    displacements_.reserve(comms_->sizes().size());
    for (const int ranks : comms_->sizes()) {
      counts_.push_back(ranks * call.count);
      displacements_.push_back(before);
      before += counts_.back();
    }
    hosts_.blocks = {counts_.data(), displacements_.data()};
  }
  void make_types(const Call& call) {
    const auto block_bytes =
        static_cast<MPI_Aint>(call.element->extent_bytes) * static_cast<MPI_Aint>(call.count);
    const MPI_Aint host_bytes = block_bytes * hosts_.host.ranks;
    MPI_Datatype packed = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(call.count, call.type, &packed);
    MPI_Type_create_resized(packed, 0, host_bytes, &hosts_.lane_block);
    MPI_Type_free(&packed);
    MPI_Type_create_hvector(hosts_.across.ranks, call.count, host_bytes, call.type, &packed);
    MPI_Type_create_resized(packed, 0, block_bytes, &hosts_.lane_blocks);
    MPI_Type_free(&packed);
    MPI_Type_commit(&hosts_.lane_block);
    MPI_Type_commit(&hosts_.lane_blocks);
  }

 private:
  std::shared_ptr<const HostComms> comms_;
  body::Hosts hosts_;
  std::vector<int> counts_ = {};
  std::vector<int> displacements_ = {};
};

// Hosts are numbered in the order of their first ranks.
bool follow_one_another(const std::vector<int>& host_of) {
  return std::is_sorted(host_of.begin(), host_of.end());
}

constexpr const char* kApart = "the ranks of a host do not follow one another";

// Ranks of every host.
std::vector<std::size_t> sizes_of(const std::vector<int>& host_of) {
  std::vector<std::size_t> sizes;
  for (const int host : host_of) {
    const auto number = static_cast<std::size_t>(host);
    if (number == sizes.size()) sizes.push_back(0);
    ++sizes[number];
  }
  return sizes;
}

// "2, 2 and 1".
std::string sizes_text(const std::vector<std::size_t>& sizes) {
  std::string text;
  for (std::size_t host = 0; host < sizes.size(); ++host) {
    if (host > 0) text += host + 1 < sizes.size() ? ", " : " and ";
    text += std::to_string(sizes[host]);
  }
  return text;
}

Equipped equipped(std::unique_ptr<HostGroups> groups) {
  if (!groups->made()) return {.refused = "the library made no communicator of its hosts"};
  return {.made = std::move(groups)};
}

bool commutes(MPI_Op op) {
  int yes = 1;
  if (op != MPI_OP_NULL) MPI_Op_commutative(op, &yes);
  return yes != 0;
}

}  // namespace

void pretend_hosts(int (*host_of)(int rank, int ranks)) { pretended_host_of = host_of; }

Equipped make_leaders(const Call& call) {
  Hosted ranks = hosted(call, Way::kLeaders);
  if (!commutes(call.reduction) && !follow_one_another(ranks.host_of)) {
    return {.refused = std::string("its operator does not commute, and ") + kApart};
  }
  return equipped(std::make_unique<HostGroups>(call, Way::kLeaders, std::move(ranks)));
}

Equipped make_ordered_leaders(const Call& call) {
  Hosted ranks = hosted(call, Way::kLeaders);
  if (!follow_one_another(ranks.host_of)) return {.refused = kApart};
  return equipped(std::make_unique<HostGroups>(call, Way::kLeaders, std::move(ranks)));
}

Equipped make_leaders_of_blocks(const Call& call) {
  Equipped leaders = make_ordered_leaders(call);
  if (leaders.made) static_cast<HostGroups&>(*leaders.made).make_blocks(call);
  return leaders;
}

Equipped make_lanes(const Call& call) {
  Hosted ranks = hosted(call, Way::kLanes);
  if (!follow_one_another(ranks.host_of)) return {.refused = kApart};
  const std::vector<std::size_t> sizes = sizes_of(ranks.host_of);
  if (std::ranges::any_of(sizes, [&](std::size_t size) { return size != sizes.front(); })) {
    return {.refused = "it needs as many ranks on every host, and there are " + sizes_text(sizes)};
  }
  Equipped lanes = equipped(std::make_unique<HostGroups>(call, Way::kLanes, std::move(ranks)));
  if (lanes.made) static_cast<HostGroups&>(*lanes.made).make_types(call);
  return lanes;
}

bool has_communicators(const Equipment& equipment) {
  return dynamic_cast<const HostGroups*>(&equipment) != nullptr;
}

const body::Hosts& hosts_of(const Call& call) {
  return static_cast<const HostGroups&>(*call.equipment).hosts();
}

}  // namespace invar::ops
