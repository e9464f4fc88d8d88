#include "ops/call/setup.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "ops/buffers/element.hpp"
#include "ops/call/library_lack.hpp"
#include "ops/call/reduction_cost.hpp"
#include "ops/shapes.hpp"
#include "ops/verify.hpp"
#include "record/p2p/cell_roles.hpp"

namespace invar::ops {
namespace {

constexpr std::uint64_t kLargestInt = std::numeric_limits<int>::max();

template <typename Row>
std::vector<std::string> names_of(std::span<const Row> rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace

std::string wrong_distribution(const Operation& operation) {
  if (operation.distributes == Distributes::kNothing || operation.arrays != Arrays::kNone) {
    return {};
  }
  return "it says that it distributes blocks of different lengths (distributes), but takes no "
         "counts (arrays): all its blocks would be equal";
}

CallSetup::CallSetup(const record::Cell& cell, const Operation& operation, MPI_Comm comm)
    : operation_(&operation),
      requests_(operation.requests, MPI_REQUEST_NULL),
      unread_marks_(operation.marks.size()) {
  call_.requests = requests_.data();
  forget_marks();
  call_.comm = comm;
  MPI_Comm_rank(comm, &call_.rank);
  MPI_Comm_size(comm, &call_.ranks);
  if (cell.ranks != static_cast<std::uint32_t>(call_.ranks)) {
    errors_.push_back("the cell is for " + std::to_string(cell.ranks) + " ranks, not for " +
                      std::to_string(call_.ranks));
  }
  if (operation.missing != nullptr) {
    errors_.push_back(std::string(operation.name) + " is missing: " + operation.missing);
  }
  choose_root(cell);
  choose_role(cell);
  choose_marks(cell);
  choose_form(cell);
  choose_type(cell);
  choose_count(cell);
  choose_distribution(cell);
  choose_segment(cell);
  // From here on only where all ranks are: making a topology is collective.
  if (errors_.empty()) choose_neighbours(cell);
  if (errors_.empty()) choose_peers(cell);
  if (errors_.empty()) choose_overlap(cell);
  if (errors_.empty()) choose_memory(cell);
  if (errors_.empty()) check_arrays();
  if (errors_.empty()) check_counted();
  if (errors_.empty()) equip();
  // Whoever makes it compute sets Call::overlap; a call alone would have the name of another cell.
  if (cell.compute != record::Cell().compute && call_.overlap == nullptr) {
    errors_.push_back(std::string(operation.name) + ": nothing computes beside it in this engine");
  }
  if (errors_.empty()) need_ = most_needed();
}

void CallSetup::choose_root(const record::Cell& cell) {
  if (!operation_->rooted) return;
  call_.rotates = cell.root == record::kRotatingRoot;
  if (call_.rotates) {
    if (operation_->prepare != nullptr) {
      errors_.push_back(std::string(operation_->name) + " fixes its root: it cannot rotate");
    }
  } else if (cell.root >= static_cast<std::uint32_t>(call_.ranks)) {
    errors_.push_back("root " + std::to_string(cell.root) +
                      " is not a rank: there are ranks 0 to " + std::to_string(call_.ranks - 1));
  } else {
    call_.root = static_cast<int>(cell.root);
  }
}

void CallSetup::choose_role(const record::Cell& cell) {
  const std::string name = operation_->name;
  const record::Messages messages = operation_->messages;
  const bool by_root =
      std::any_of(operation_->roles.begin(), operation_->roles.end(),
                  [](const record::RoleRule& rule) { return rule.ranks == record::Ranks::kRoot; });
  if (messages == record::Messages::kNone && !cell.pattern.empty()) {
    errors_.push_back(name + " sends no messages of its own: it takes no pattern");
  }
  if (!cell.pattern.empty() && !record::parse_pattern(cell.pattern)) {
    errors_.push_back("unknown pattern '" + cell.pattern + "'");
    return;
  }
  // As many ranks as there are, and a root that is one of them, whatever the cell says.
  record::Cell here = cell;
  here.ranks = static_cast<std::uint32_t>(call_.ranks);
  here.root = static_cast<std::uint32_t>(call_.root);
  if (by_root && call_.rotates) {
    errors_.push_back("who does what in " + name + " depends on its root: it cannot rotate");
  } else if (!record::all_parts_taken(operation_->roles, messages, here)) {
    errors_.push_back(messages == record::Messages::kNone
                          ? name + " needs more ranks than " + std::to_string(cell.ranks)
                          : name + ": " + record::lack_in_cell(messages, here).complaint);
  }
  const std::vector<record::Role> roles = record::roles_of(operation_->roles, messages, here);
  call_.role = roles[static_cast<std::size_t>(call_.rank)];
}

void CallSetup::choose_marks(const record::Cell& cell) {
  call_.marked = !operation_->optional_marks || cell.marks == "on";
  if (cell.marks == "on" && !operation_->optional_marks) {
    errors_.push_back(std::string(operation_->name) + " has no marks that may be left out");
  }
}

void CallSetup::forget_marks() {
  call_.marks = unread_marks_.data();
  call_.read_clock = [](const void*) { return std::int64_t{0}; };
  call_.clock = nullptr;
}

void CallSetup::choose_form(const record::Cell& cell) {
  const std::string name = operation_->name;
  if (!cell.in_place.empty() && cell.in_place != "no" && cell.in_place != "yes") {
    errors_.push_back("in_place is '" + cell.in_place + "', neither yes nor no");
  }
  call_.in_place = cell.in_place == "yes";
  if (call_.in_place && !operation_->in_place) {
    errors_.push_back(name + " has no form in place");
  }
  if (!operation_->neighbours && !cell.topology.empty()) {
    errors_.push_back(name + " has no neighbours: it takes no topology");
  }
  if (operation_->neighbours && !cell.topology.empty() && !Topology::is_known(cell.topology)) {
    errors_.push_back("unknown topology '" + cell.topology + "'; ring or cartesian");
  }
  if (operation_->prepare != nullptr && cell.cache == "cold-cycle") {
    errors_.push_back(name + " fixes its buffers: they cannot move on; use cache = cold-flush");
  }
}

void CallSetup::choose_type(const record::Cell& cell) {
  const std::string name = operation_->name;
  if (!operation_->reduces && !cell.reduction.empty()) {
    errors_.push_back(name + " reduces nothing: it takes no reduction");
  }
  if (!operation_->sized) {
    if (!cell.datatype.empty()) errors_.push_back(name + " moves no data: it takes no datatype");
    return;
  }
  const std::string wanted =
      cell.datatype.empty() ? std::string(usual_datatype(operation_->reduces)) : cell.datatype;
  const ElementType* const type = find_element_type(wanted);
  if (type == nullptr) {
    errors_.push_back("unknown datatype '" + wanted + "'; " +
                      base::did_you_mean(wanted, names_of(element_types())));
    return;
  }
  if (operation_->reduces && usual_reduction(wanted) != nullptr && !can_have(*operation_, *type)) {
    errors_.push_back(name + " of datatype '" + wanted + "' does not work with this library");
    return;
  }
  call_.element = type;
  call_.type = type->handle();
  if (!operation_->reduces) return;
  const Reduction* const row =
      cell.reduction.empty() ? usual_reduction(wanted) : find_reduction(cell.reduction, wanted);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const Reduction& one : reductions()) {
      if (one.datatype == wanted) known.emplace_back(one.name);
    }
    errors_.push_back(known.empty()
                          ? "there is no reduction of datatype '" + wanted + "'"
                          : "no reduction '" + cell.reduction + "' of datatype '" + wanted + "'; " +
                                base::did_you_mean(cell.reduction, known));
    return;
  }
  call_.reduces_as = row;
  const bool large = operation_->form == Form::kLargeCounts && row->large_handle != nullptr;
  call_.reduction = with_simulated_cost(large ? row->large_handle() : row->handle());
}

void CallSetup::choose_count(const record::Cell& cell) {
  const std::string name = operation_->name;
  if (operation_->sized != cell.size_bytes.has_value()) {
    errors_.push_back(name + (operation_->sized ? " needs a size" : " has no size"));
    return;
  }
  if (call_.element == nullptr) return;  // nothing moves, or its datatype is unknown
  const std::size_t element_bytes = call_.element->size_bytes;
  const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
  if (size_bytes % element_bytes != 0) {
    errors_.push_back("a size of " + bytes_text(size_bytes) + " is not a multiple of the " +
                      bytes_text(element_bytes) + " of the datatype");
    return;
  }
  const std::uint64_t count = size_bytes / element_bytes;
  // What sends nothing has no count to tell a library.
  if (count > kLargestInt && operation_->form != Form::kLargeCounts && operation_->walks == 0) {
    errors_.push_back("a size of " + bytes_text(size_bytes) + " is a count of " +
                      std::to_string(count) + ", above the largest that the call takes (" +
                      std::to_string(kLargestInt) + ")");
    return;
  }
  call_.large_count = static_cast<MPI_Count>(count);
  call_.count = count > kLargestInt ? 0 : static_cast<int>(count);
  call_.block_bytes = size_bytes;
}

void CallSetup::choose_segment(const record::Cell& cell) {
  if (cell.segment_bytes == 0) return;
  if (operation_->segments == record::Segments::kNone) {
    errors_.push_back(std::string(operation_->name) +
                      " does not cut its messages: it takes no segment");
    return;
  }
  if (call_.element == nullptr) return;
  const std::size_t element_bytes = call_.element->size_bytes;
  if (cell.segment_bytes % element_bytes != 0) {
    errors_.push_back("a segment of " + bytes_text(cell.segment_bytes) +
                      " is not a multiple of the " + bytes_text(element_bytes) +
                      " of the datatype");
    return;
  }
  call_.segment_elements = cell.segment_bytes / element_bytes;
}

void CallSetup::choose_neighbours(const record::Cell& cell) {
  if (!operation_->neighbours) return;
  topology_.emplace(cell.topology.empty() ? "ring" : cell.topology, call_.comm);
  if (topology_->comm() == MPI_COMM_NULL) {
    errors_.push_back(std::string(operation_->name) + ": the library made no communicator");
    return;
  }
  call_.comm = topology_->comm();
  call_.neighbours = static_cast<int>(topology_->arrivals().size());
  call_.destinations = topology_->destinations().data();
  call_.arrivals = topology_->arrivals().data();
}

void CallSetup::choose_peers(const record::Cell& cell) {
  if (operation_->messages == record::Messages::kNone) return;
  const record::Cell usual;
  const bool usual_calls =
      cell.form == usual.form && cell.send_mode == usual.send_mode && cell.packing == usual.packing;
  const record::CallChoice choice = call_choice(*operation_);
  // What is measured would be one way under the name of another.
  if (choice == record::CallChoice::kNothing && (!usual_calls || cell.receives != usual.receives)) {
    errors_.push_back(std::string(operation_->name) +
                      " calls its messages in one way (it has no of_cell): it takes no form, no "
                      "send-mode, no packing, and no receives that are posted before");
    return;
  }
  if (choice == record::CallChoice::kReceives && !usual_calls) {
    errors_.push_back(std::string(operation_->name) +
                      " makes the calls that its name says: it takes no form, no send-mode and no "
                      "packing");
    return;
  }
  if (!operation_->delays && cell.train_delay != usual.train_delay) {
    errors_.push_back(std::string(operation_->name) +
                      " spins nothing between its messages: it takes no train-delay");
    return;
  }
  messaging_ = std::make_unique<Messaging>(cell, *operation_, call_);
  if (!messaging_->made()) {
    errors_.push_back(std::string(operation_->name) + ": the library made no communicator");
    return;
  }
  messaging_->attach(call_);
}

void CallSetup::choose_overlap(const record::Cell& cell) {
  if (!is_overlapped(*operation_)) return;
  overlap_ = std::make_unique<Overlap>(overlap_of(*operation_, cell, call_.role));
  call_.overlap = overlap_.get();
}

void CallSetup::choose_memory(const record::Cell& cell) {
  if (operation_->walks == 0) return;
  memory_ = std::make_unique<MemoryCall>(memory_call_of(*operation_, cell, call_, errors_));
  call_.memory = memory_.get();
}

void CallSetup::choose_distribution(const record::Cell& cell) {
  const std::string name = operation_->name;
  const auto distribution = record::parse_distribution(cell.distribution);
  if (!distribution) {
    errors_.push_back("unknown distribution '" + cell.distribution + "'");
    return;
  }
  distribution_ = *distribution;
  distribution_text_ = cell.distribution;
  if (distribution_.regular()) return;
  if (operation_->distributes == Distributes::kNothing) {
    errors_.push_back(name + " has blocks of one length: it takes no distribution");
  } else if (const std::string wrong = wrong_distribution(*operation_); !wrong.empty()) {
    // What is measured would be equal blocks under a name that says otherwise.
    errors_.push_back(name + ": " + wrong);
  } else if (operation_->distributes == Distributes::kPairs && call_.in_place) {
    errors_.push_back(name +
                      " in place exchanges blocks of one length in both directions: it takes "
                      "no distribution");
  }
}

// Whether counts and displacements fit what the call takes.
void CallSetup::check_arrays() {
  if (operation_->arrays == Arrays::kNone || operation_->form == Form::kLargeCounts) return;
  const record::BlockLengths lengths(distribution_, static_cast<std::uint64_t>(call_.large_count),
                                     static_cast<std::uint64_t>(call_.ranks));
  const std::uint64_t largest = lengths.largest();
  if (largest > kLargestInt) {
    errors_.push_back(
        "with distribution " + distribution_text_ + " a block has " + std::to_string(largest) +
        " elements, above the largest that the call takes (" + std::to_string(kLargestInt) + ")");
    return;
  }
  const std::string what = std::string(operation_->name) + " of " +
                           std::to_string(operation_->neighbours ? call_.neighbours : call_.ranks) +
                           " blocks of " + bytes_text(call_.block_bytes) + " needs ";
  const std::string limit =
      ", above the largest that the call takes (" + std::to_string(kLargestInt) + ")";
  if (operation_->reduces) {
    if (lengths.all() <= kLargestInt) return;
    errors_.push_back(what + "a vector of " + std::to_string(lengths.all()) + " elements" + limit);
    return;
  }
  const bool typed = operation_->arrays == Arrays::kTyped;
  const bool neighbours = operation_->neighbours;
  if (typed && neighbours) return;  // takes addresses
  const std::uint64_t before =
      neighbours ? static_cast<std::uint64_t>(std::max(call_.neighbours, 1) - 1) * largest
                 : lengths.before_last(operation_->distributes == Distributes::kPairs);
  const std::uint64_t most = before * (typed ? call_.element->extent_bytes : 1);
  if (most <= kLargestInt) return;
  errors_.push_back(what + "displacements of " + std::to_string(most) +
                    (typed ? " bytes" : " elements") + limit);
}

// Looks at the counts of the calls inside. The operation's own count has been looked at.
void CallSetup::check_counted() {
  if (call_.element == nullptr || operation_->form == Form::kLargeCounts) return;
  if (operation_->walks > 0) return;
  const std::uint64_t elements =
      operation_->counted.elements({.elements = static_cast<std::uint64_t>(call_.large_count),
                                    .ranks = static_cast<std::uint64_t>(call_.ranks)});
  const std::uint64_t counted =
      elements * (operation_->counts_bytes ? call_.element->extent_bytes : 1);
  if (counted <= kLargestInt) return;
  errors_.push_back(std::string(operation_->name) + " of " + bytes_text(call_.block_bytes) +
                    " on " + base::count_text(static_cast<std::uint64_t>(call_.ranks), "rank") +
                    " needs a count of " + std::to_string(counted) +
                    ", above the largest that the call takes (" + std::to_string(kLargestInt) +
                    ")");
}

void CallSetup::refuse(const std::string& reason) {
  refused_ = std::string(operation_->name) + ": " + reason;
  errors_.push_back(refused_);
}

void CallSetup::equip() {
  const std::string lack = library_lack(*operation_, call_);
  if (!lack.empty()) return refuse(lack);
  if (operation_->equip == nullptr) return;
  Equipped equipped = operation_->equip(call_);
  if (!equipped.refused.empty()) return refuse(equipped.refused);
  equipment_ = std::move(equipped.made);
  call_.equipment = equipment_.get();
}

BufferNeed CallSetup::most_needed() {
  make_arrays();
  BufferNeed need = buffer_need(*operation_, call_);
  if (call_.rotates) {
    // Every rank is the root, and is not.
    for (const int root : {call_.rank, (call_.rank + 1) % call_.ranks}) {
      Call other = call_;
      other.root = root;
      const BufferNeed with = buffer_need(*operation_, other);
      need.send_bytes = std::max(need.send_bytes, with.send_bytes);
      need.recv_bytes = std::max(need.recv_bytes, with.recv_bytes);
      need.scratch_bytes = std::max(need.scratch_bytes, with.scratch_bytes);
    }
  }
  put_away();
  return need;
}

void CallSetup::make_arrays() {
  if (operation_->arrays == Arrays::kNone || arrays_) return;
  arrays_ = std::make_unique<BlockArrays>(*operation_, call_, distribution_, order_);
  arrays_->attach(call_);
}

void CallSetup::lay_out(BlockOrder order) {
  put_away();
  order_ = order;
}

void CallSetup::put_away() {
  if (!arrays_) return;
  free_requests();
  BlockArrays::detach(call_);
  arrays_.reset();
}

void CallSetup::free_requests() {
  if (std::uncaught_exceptions() > 0) return;
  for (MPI_Request& request : requests_) {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

int CallSetup::place(const Placement& placement, std::optional<std::uint32_t> visit) {
  free_requests();
  make_arrays();
  last_placement_ = placement;
  call_.send = placement.send;
  call_.recv = placement.recv;
  call_.scratch = placement.scratch;
  // Others may have written there.
  if (memory_) memory_->chains_at = nullptr;
  if (call_.rotates) call_.root = 0;
  call_.pattern_start = visit ? pattern_start_of(*visit) : 0;
  if (!visit) {
    fill_for_timing(*operation_, call_);
  } else if (call_.rotates) {
    fill_for_every_root(*operation_, call_, need());
  } else {
    fill_for_check(*operation_, call_);
  }
  const bool stands_by = call_.role == record::Role::kStandsBy;
  return operation_->prepare == nullptr || stands_by ? MPI_SUCCESS : operation_->prepare(call_);
}

int CallSetup::place_again() { return place(last_placement_); }

CallSetup::CallSetup(CallSetup&& other) noexcept
    : operation_(other.operation_),
      call_(std::exchange(other.call_, {})),
      topology_(std::move(other.topology_)),
      messaging_(std::move(other.messaging_)),
      overlap_(std::move(other.overlap_)),
      memory_(std::move(other.memory_)),
      equipment_(std::move(other.equipment_)),
      requests_(std::move(other.requests_)),
      unread_marks_(std::move(other.unread_marks_)),
      distribution_(other.distribution_),
      distribution_text_(std::move(other.distribution_text_)),
      order_(other.order_),
      arrays_(std::move(other.arrays_)),
      need_(other.need_),
      last_placement_(other.last_placement_),
      errors_(std::move(other.errors_)),
      refused_(std::move(other.refused_)) {}

CallSetup::~CallSetup() { free_requests(); }

}  // namespace invar::ops
