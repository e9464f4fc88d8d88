#include "ops/setup.hpp"

#include <limits>
#include <utility>

#include "base/text.hpp"
#include "ops/element.hpp"

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

CallSetup::CallSetup(const record::Cell& cell, const Operation& operation, MPI_Comm comm)
    : operation_(&operation) {
  call_.comm = comm;
  MPI_Comm_rank(comm, &call_.rank);
  MPI_Comm_size(comm, &call_.ranks);
  if (cell.ranks != static_cast<std::uint32_t>(call_.ranks)) {
    errors_.push_back("the cell is for " + std::to_string(cell.ranks) + " ranks, not for " +
                      std::to_string(call_.ranks));
  }
  call_.rotates = operation.rooted && cell.root == record::kRotatingRoot;
  if (call_.rotates) {
    if (operation.prepare != nullptr) {
      errors_.push_back(std::string(operation.name) + " fixes its root: it cannot rotate");
    }
  } else if (operation.rooted && cell.root >= static_cast<std::uint32_t>(call_.ranks)) {
    errors_.push_back("root " + std::to_string(cell.root) + " is no rank: there are ranks 0 to " +
                      std::to_string(call_.ranks - 1));
  } else if (operation.rooted) {
    call_.root = static_cast<int>(cell.root);
  }
  choose_type(cell);
  choose_count(cell);
  if (errors_.empty()) choose_arrays();
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
  const std::string usual = operation_->reduces ? "int32" : "byte";
  const std::string wanted = cell.datatype.empty() ? usual : cell.datatype;
  const ElementType* const type = find_element_type(wanted);
  if (type == nullptr) {
    errors_.push_back("unknown datatype '" + wanted + "'; " +
                      base::did_you_mean(wanted, names_of(element_types())));
    return;
  }
  call_.type = type->handle();
  element_bytes_ = type->size_bytes;
  if (!operation_->reduces) return;
  const std::string reduction = cell.reduction.empty() ? "sum" : cell.reduction;
  const Reduction* const row = find_reduction(reduction, wanted);
  if (row == nullptr) {
    errors_.push_back("no reduction '" + reduction + "' of datatype '" + wanted + "'; " +
                      base::did_you_mean(reduction, names_of(reductions())));
    return;
  }
  call_.reduction = row->handle();
}

void CallSetup::choose_count(const record::Cell& cell) {
  const std::string name = operation_->name;
  if (operation_->sized != cell.size_bytes.has_value()) {
    errors_.push_back(name + (operation_->sized ? " needs a size" : " has no size"));
    return;
  }
  const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
  if (size_bytes % element_bytes_ != 0) {
    errors_.push_back("a size of " + bytes_text(size_bytes) + " is no multiple of the " +
                      bytes_text(element_bytes_) + " of the datatype");
    return;
  }
  const std::uint64_t count = size_bytes / element_bytes_;
  if (count > kLargestInt) {
    errors_.push_back("a size of " + bytes_text(size_bytes) + " is a count of " +
                      std::to_string(count) + ", above the largest that the call takes (" +
                      std::to_string(kLargestInt) + ")");
    return;
  }
  call_.count = static_cast<int>(count);
  call_.block_bytes = size_bytes;
}

// Equal counts, blocks one behind the other.
void CallSetup::choose_arrays() {
  if (operation_->arrays == Arrays::kNone) return;
  const auto ranks = static_cast<std::size_t>(call_.ranks);
  const auto count = static_cast<std::uint64_t>(call_.count);
  const bool typed = operation_->arrays == Arrays::kTyped;
  const std::uint64_t total = ranks * count * (typed ? element_bytes_ : 1);
  if (total > kLargestInt) {
    errors_.push_back(std::string(operation_->name) + " of " + std::to_string(ranks) +
                      " blocks of " + bytes_text(call_.block_bytes) + " needs displacements of " +
                      std::to_string(total) + (typed ? " bytes" : " elements") +
                      ", above the largest that the call takes (" + std::to_string(kLargestInt) +
                      ")");
    return;
  }
  counts_.assign(ranks, call_.count);
  displacements_.resize(ranks);
  for (std::size_t r = 0; r < ranks; ++r) displacements_[r] = static_cast<int>(r * count);
  call_.counts = counts_.data();
  call_.displacements = displacements_.data();
  if (!typed) return;
  for (const int elements : displacements_) {
    byte_displacements_.push_back(
        static_cast<int>(static_cast<std::size_t>(elements) * element_bytes_));
  }
  types_.assign(ranks, call_.type);
  call_.byte_displacements = byte_displacements_.data();
  call_.types = types_.data();
}

void CallSetup::free_request() {
  if (call_.request != MPI_REQUEST_NULL) MPI_Request_free(&call_.request);
}

int CallSetup::place(const Placement& placement) {
  free_request();
  call_.send = placement.send;
  call_.recv = placement.recv;
  if (call_.rotates) call_.root = 0;
  return operation_->prepare == nullptr ? MPI_SUCCESS : operation_->prepare(call_);
}

CallSetup::CallSetup(CallSetup&& other) noexcept
    : operation_(other.operation_),
      call_(std::exchange(other.call_, {})),
      element_bytes_(other.element_bytes_),
      counts_(std::move(other.counts_)),
      displacements_(std::move(other.displacements_)),
      byte_displacements_(std::move(other.byte_displacements_)),
      types_(std::move(other.types_)),
      errors_(std::move(other.errors_)) {}

CallSetup::~CallSetup() { free_request(); }

}  // namespace invar::ops
