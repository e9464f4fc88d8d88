#include "ops/call/block_arrays.hpp"

#include "ops/buffers/element.hpp"

namespace invar::ops {
namespace {

template <typename Number>
std::uint64_t bytes_of_vector(const std::vector<Number>& numbers) {
  return numbers.capacity() * sizeof(Number);  // NOLINT(bugprone-sizeof-expression): handles
}

template <typename Number>
const Number* data_or_null(const std::vector<Number>& numbers) {
  return numbers.empty() ? nullptr : numbers.data();
}

}  // namespace

BlockArrays::BlockArrays(const Operation& operation, const Call& call,
                         record::Distribution distribution, BlockOrder order)
    : lengths_(distribution, static_cast<std::uint64_t>(call.large_count),
               static_cast<std::uint64_t>(call.ranks)),
      order_(order),
      in_bytes_(operation.arrays == Arrays::kTyped),
      large_counts_(operation.form == Form::kLargeCounts),
      // MPI_Neighbor_alltoallw takes addresses in all of its forms.
      large_displacements_(large_counts_ || (in_bytes_ && operation.neighbours)),
      extent_bytes_(call.element->extent_bytes),
      one_side_(!operation.neighbours && operation.distributes != Distributes::kPairs) {
  const auto rank = static_cast<std::uint64_t>(call.rank);
  const auto blocks = static_cast<std::size_t>(operation.neighbours ? call.neighbours : call.ranks);
  if (operation.neighbours) {
    received_ = numbers_of(blocks, [&](std::size_t number) {
      return lengths_.of(static_cast<std::uint64_t>(call.arrivals[number].source));
    });
    sent_ = numbers_of(blocks, [&](std::size_t /*number*/) { return lengths_.of(rank); });
  } else if (operation.distributes == Distributes::kPairs) {
    received_ = numbers_of(blocks, [&](std::size_t from) { return lengths_.between(from, rank); });
    sent_ = numbers_of(blocks, [&](std::size_t to) { return lengths_.between(rank, to); });
  } else {
    received_ = numbers_of(blocks, [&](std::size_t number) { return lengths_.of(number); });
  }
  if (in_bytes_) types_.assign(blocks, call.type);
}

template <typename Length>
BlockArrays::Numbers BlockArrays::numbers_of(std::size_t blocks, Length length) const {
  Numbers numbers;
  if (large_counts_) {
    numbers.large_counts.reserve(blocks);
  } else {
    numbers.counts.reserve(blocks);
  }
  if (large_displacements_) {
    numbers.large_displacements.reserve(blocks);
  } else {
    numbers.displacements.reserve(blocks);
  }
  std::uint64_t elements_in_all = 0;
  if (order_ == BlockOrder::kReversed) {
    for (std::size_t number = 0; number < blocks; ++number) elements_in_all += length(number);
  }
  std::uint64_t elements_before = 0;
  for (std::size_t number = 0; number < blocks; ++number) {
    const std::uint64_t elements = length(number);
    const std::uint64_t begin_elements = order_ == BlockOrder::kReversed
                                             ? elements_in_all - elements_before - elements
                                             : elements_before;
    const std::uint64_t begin = begin_elements * (in_bytes_ ? extent_bytes_ : 1);
    if (large_counts_) {
      numbers.large_counts.push_back(static_cast<MPI_Count>(elements));
    } else {
      numbers.counts.push_back(static_cast<int>(elements));
    }
    if (large_displacements_) {
      numbers.large_displacements.push_back(static_cast<MPI_Aint>(begin));
    } else {
      numbers.displacements.push_back(static_cast<int>(begin));
    }
    elements_before += elements;
  }
  return numbers;
}

Side BlockArrays::side(const Numbers& numbers) const {
  Side side{.counts = data_or_null(numbers.counts),
            .large_counts = data_or_null(numbers.large_counts)};
  (in_bytes_ ? side.byte_displacements : side.displacements) = data_or_null(numbers.displacements);
  (in_bytes_ ? side.address_displacements : side.large_displacements) =
      data_or_null(numbers.large_displacements);
  return side;
}

void BlockArrays::attach(Call& call) const {
  const std::uint64_t own_elements = lengths_.of(static_cast<std::uint64_t>(call.rank));
  call.lengths = &lengths_;
  call.large_own_count = static_cast<MPI_Count>(own_elements);
  call.own_count = large_counts_ ? 0 : static_cast<int>(own_elements);
  call.received = side(received_);
  call.sent = one_side_ ? call.received : side(sent_);
  call.types = data_or_null(types_);
}

void BlockArrays::detach(Call& call) {
  call.lengths = nullptr;
  call.large_own_count = 0;
  call.own_count = 0;
  call.received = {};
  call.sent = {};
  call.types = nullptr;
}

std::uint64_t BlockArrays::held_bytes() const {
  std::uint64_t bytes = lengths_.held_bytes() + bytes_of_vector(types_);
  for (const Numbers* numbers : {&sent_, &received_}) {
    bytes += bytes_of_vector(numbers->counts) + bytes_of_vector(numbers->displacements) +
             bytes_of_vector(numbers->large_counts) + bytes_of_vector(numbers->large_displacements);
  }
  return bytes;
}

}  // namespace invar::ops
