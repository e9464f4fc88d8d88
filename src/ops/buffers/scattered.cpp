#include "ops/buffers/scattered.hpp"

namespace invar::ops {

MPI_Datatype indexed_type() {
  static const MPI_Datatype type = [] {
    constexpr std::array<int, 3> kLengths{1, 2, 1};
    constexpr std::array<int, 3> kDisplacements{0, 3, 7};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_indexed(3, kLengths.data(), kDisplacements.data(), MPI_INT32_T, &made);
    MPI_Type_commit(&made);
    return made;
  }();
  return type;
}

// The gap behind the last member belongs to the extent, as in an array of such structures.
MPI_Datatype struct_type() {
  static const MPI_Datatype type = [] {
    constexpr std::array<int, 3> kLengths{1, 1, 1};
    constexpr std::array<MPI_Aint, 3> kDisplacements{0, 8, 16};
    const std::array<MPI_Datatype, 3> members{MPI_INT32_T, MPI_INT64_T, MPI_INT32_T};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(3, kLengths.data(), kDisplacements.data(), members.data(), &made);
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(made, 0, static_cast<MPI_Aint>(kStructExtent), &resized);
    MPI_Type_free(&made);
    MPI_Type_commit(&resized);
    return resized;
  }();
  return type;
}

}  // namespace invar::ops
