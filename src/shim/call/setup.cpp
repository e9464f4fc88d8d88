#include "shim/call/setup.hpp"

#include <algorithm>

#include "ops/mockups/hosts/host_groups.hpp"

namespace invar::shim {
namespace {

// What operations ask of a datatype: no more than its lengths.
ops::ElementType element_of(const Datatype& type) {
  const auto extent_bytes = static_cast<std::size_t>(type.extent_bytes);
  return {.name = "the program's",
          .size_bytes = type.size_bytes,
          .extent_bytes = extent_bytes,
          .pieces = {},
          .handle = nullptr,
          .pattern = nullptr,
          .text = nullptr};
}

ops::Reduction reduction_of(const CallKind& kind) {
  return {.name = "the program's",
          .datatype = "the program's",
          .handle = nullptr,
          .pattern = nullptr,
          .commutes = kind.commutes};
}

}  // namespace

Setup::Setup(const CallKind& kind, const Datatype& type, MPI_Comm own, int rank, int ranks)
    : kind_(kind), element_(element_of(type)), reduction_(reduction_of(kind)) {
  const ops::Operation& operation = *kind.operation;
  call_.comm = own;
  call_.rank = rank;
  call_.ranks = ranks;
  call_.root = kind.root;
  call_.count = kind.count;
  call_.own_count = kind.count;
  call_.large_count = kind.count;
  call_.large_own_count = kind.count;
  call_.block_bytes = static_cast<std::size_t>(kind.count) * type.size_bytes;
  call_.type = kind.type;
  call_.element = &element_;
  call_.reduces_as = &reduction_;
  call_.in_place = kind.in_place;
  call_.segment_elements = kind.segment_elements;
  call_.marked = false;
  if (operation.arrays == ops::Arrays::kNone) return;
  counts_.assign(static_cast<std::size_t>(ranks), kind.count);
  displacements_.reserve(counts_.size());
  for (int number = 0; number < ranks; ++number) displacements_.push_back(number * kind.count);
  call_.received = {.counts = counts_.data(), .displacements = displacements_.data()};
  call_.sent = call_.received;
}

std::string Setup::equip() {
  if (kind_.operation->equip == nullptr) return {};
  ops::Equipped equipped = kind_.operation->equip(call_);
  equipment_ = std::move(equipped.made);
  call_.equipment = equipment_.get();
  return equipped.refused;
}

std::uint64_t Setup::weight() const {
  const auto elements = static_cast<std::uint64_t>(kind_.count);
  const std::uint64_t segments =
      kind_.segment_elements == 0 ? 0 : 2 * elements / kind_.segment_elements;
  return static_cast<std::uint64_t>(call_.ranks) + segments;
}

Setup* Setups::find(const CallKind& kind) {
  const auto found =
      std::ranges::find_if(kept_, [&](const auto& setup) { return setup->kind() == kind; });
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return kept_.front().get();
}

Setup& Setups::keep(std::unique_ptr<Setup> setup) {
  weight_ += setup->weight();
  kept_.push_front(std::move(setup));
  while (kept_.size() > 1 && (kept_.size() > kMost || weight_ > kMostWeight)) {
    weight_ -= kept_.back()->weight();
    kept_.pop_back();
  }
  return *kept_.front();
}

void Setups::hold_hosts_of(const Setup& setup) {
  if (!setup.equipment() || !ops::has_communicators(*setup.equipment())) return;
  const ops::Operation* const operation = setup.kind().operation;
  const bool held =
      std::ranges::any_of(hosts_, [&](const auto& one) { return one.first == operation; });
  if (!held) hosts_.emplace_back(operation, setup.equipment());
}

void Setups::clear() {
  kept_.clear();
  weight_ = 0;
  hosts_.clear();
}

}  // namespace invar::shim
