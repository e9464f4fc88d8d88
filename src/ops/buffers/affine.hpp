// Derived datatypes of four uint32, and the user-defined operator on them: an element is two affine
// maps x -> a x + b modulo 2^32, and the operator composes them. It is associative but not
// commutative: a library that changes the order of the ranks gives another result.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace invar::ops {

// 16 bytes of data without gaps; the same data with a gap of 16 bytes between the two maps. Made at
// the first call, kept until MPI_Finalize.
MPI_Datatype contiguous_type();
MPI_Datatype vector_type();
MPI_Op contiguous_operator();
MPI_Op vector_operator();
// The same for calls with large counts (MPI_Op_create_c); MPI_OP_NULL where the library has none.
MPI_Op contiguous_large_operator();
MPI_Op vector_large_operator();

// As ElementType::pattern and text, and Reduction::pattern; the second map begins Step bytes behind
// the first one (8 or 24).
template <std::size_t Step>
void affine_pattern(std::span<std::byte> to, int rank, std::uint64_t first);
template <std::size_t Step>
std::string affine_text(const std::byte* element);
template <std::size_t Step>
void affine_composition(std::span<std::byte> to, int first_rank, int last_rank,
                        std::uint64_t first);

}  // namespace invar::ops
