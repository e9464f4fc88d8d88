#include "launch/algorithms/proofs.hpp"

#include <algorithm>
#include <array>

namespace invar::launch {
namespace {

constexpr std::array kAspects{record::TryKind::kCheck, record::TryKind::kCheckEmpty,
                              record::TryKind::kCheckOrdered};

// MPICH has one algorithm for such calls in place, and refuses all others there
// (src/mpi/coll/coll_algorithms.txt, "inplace"): its file leaves them to that one
// (tuning/files/mpich_json.cpp), and what is measured is not in place.
bool is_elsewhere_in_place(const ToldLevel& level) {
  return level.algorithm != nullptr && level.algorithm->library == tuning::Library::kMpich &&
         level.asked.operation.starts_with("alltoall");
}

record::Try check_of(const ToldLevel& level, record::TryKind kind, std::uint64_t size_bytes = 0) {
  return {.kind = kind,
          .operation = level.asked.operation,
          .size_bytes = size_bytes,
          .in_place = !is_elsewhere_in_place(level),
          .switched = record::switch_text(level.told)};
}

// The library has said so itself, as the engine has it (ops/call/agree.cpp): it may take other
// counts. A wrong result or a crash is not a refusal.
bool is_refusal(const std::string& failure) {
  return failure.find(" returned error ") != std::string::npos;
}

// The sizes of a level, once it is known that it does not take all.
void take_sizes(std::span<const std::uint64_t> sizes_bytes, std::span<const TryResult> results,
                Proof& proof) {
  for (std::size_t i = 0; i < sizes_bytes.size(); ++i) {
    if (!results[i].failure.empty()) proof.refused_sizes[sizes_bytes[i]] = results[i].failure;
  }
  if (proof.refused_sizes.size() < sizes_bytes.size()) proof.failure.clear();
}

}  // namespace

std::vector<Proof> prove_levels(std::span<const ToldLevel> levels,
                                std::span<const std::uint64_t> sizes_bytes,
                                const TryThem& try_them) {
  std::vector<Proof> proofs;
  std::vector<record::Try> tries;
  proofs.reserve(levels.size());
  tries.reserve(levels.size() * kAspects.size());
  for (const ToldLevel& level : levels) {
    proofs.push_back({.asked = level.asked});
    for (const record::TryKind kind : kAspects) tries.push_back(check_of(level, kind));
  }
  if (tries.empty()) return proofs;
  const std::vector<TryResult> results = try_them(tries);
  std::vector<std::size_t> refused;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::size_t first = i * kAspects.size();
    proofs[i].failure = results.at(first).failure;
    proofs[i].empty_failure = results.at(first + 1).failure;
    proofs[i].ordered_failure = results.at(first + 2).failure;
    if (is_refusal(proofs[i].failure)) refused.push_back(i);
  }
  if (refused.empty() || sizes_bytes.empty()) return proofs;
  std::vector<record::Try> by_size;
  by_size.reserve(refused.size() * sizes_bytes.size());
  for (const std::size_t i : refused) {
    for (const std::uint64_t size_bytes : sizes_bytes) {
      const bool empty = size_bytes == 0;
      by_size.push_back(check_of(
          levels[i], empty ? record::TryKind::kCheckEmpty : record::TryKind::kCheck, size_bytes));
    }
  }
  const std::vector<TryResult> of_sizes = try_them(by_size);
  for (std::size_t k = 0; k < refused.size(); ++k) {
    take_sizes(sizes_bytes, std::span(of_sizes).subspan(k * sizes_bytes.size(), sizes_bytes.size()),
               proofs[refused[k]]);
  }
  return proofs;
}

std::vector<Proof> prove_levels(const ProbePlace& place, std::uint32_t ranks,
                                std::span<const ToldLevel> levels,
                                std::span<const std::uint64_t> sizes_bytes) {
  return prove_levels(levels, sizes_bytes, [&](const std::vector<record::Try>& tries) {
    return try_all(place, ranks, tries);
  });
}

}  // namespace invar::launch
