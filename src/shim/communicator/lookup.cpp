#include "shim/communicator/lookup.hpp"

#include <cstdio>
#include <memory>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

namespace invar::shim {
namespace {

struct Looking {
  ActiveTable* table = nullptr;
  int keyval = 0;
  MPI_Group world = MPI_GROUP_NULL;
  std::atomic<bool> ended{false};
};

Looking& looking() {
  static Looking made;
  return made;
}

// The attribute of communicators that are none of our business: it tells when their handles are
// free again.
char nobody = 0;

int copy_nothing(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* /*value*/,
                 void* /*copied*/, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

// Whether the library has ended, or is about to. Open MPI's MPI_Finalize of Fortran does not come
// by here, and takes no MPI_Comm_free any more when it deletes the attributes of MPI_COMM_WORLD.
bool ends() {
  int finalized = 0;
  return looking().ended.load(std::memory_order_relaxed) ||
         MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0;
}

int forget(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  generation.fetch_add(1, std::memory_order_acq_rel);
  // A library that is about to end has no use for freed communicators.
  if (value != &nobody && !ends()) delete static_cast<Communicator*>(value);
  return MPI_SUCCESS;
}

// Others, of a program that was started apart or spawned, may have another table, or none.
bool is_of_this_world(MPI_Comm comm, int ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  if (MPI_Comm_group(comm, &group) != MPI_SUCCESS) return false;
  std::vector<int> own(static_cast<std::size_t>(ranks));
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> in_world(own.size(), MPI_UNDEFINED);
  const int error =
      MPI_Group_translate_ranks(group, ranks, own.data(), looking().world, in_world.data());
  MPI_Group_free(&group);
  if (error != MPI_SUCCESS) return false;
  for (const int rank : in_world) {
    if (rank == MPI_UNDEFINED) return false;
  }
  return true;
}

// Null: none of our business.
std::unique_ptr<Communicator> make_communicator(MPI_Comm comm) {
  ActiveTable* const table = looking().table;
  int inter = 1;
  if (table == nullptr) return nullptr;
  if (MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) return nullptr;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  auto made = std::make_unique<Communicator>(comm, rank, ranks, *table);
  if (!made->is_about_anything() || !is_of_this_world(comm, ranks)) made.reset();
  return made;
}

}  // namespace

// The library shall complain of what is not a communicator. It is not remembered, because nobody
// tells when it becomes one.
Found look_up(MPI_Comm comm) noexcept try {
  if (comm == MPI_COMM_NULL) return {};
  void* value = nullptr;
  int found = 0;
  if (MPI_Comm_get_attr(comm, looking().keyval, static_cast<void*>(&value), &found) !=
      MPI_SUCCESS) {
    return {};
  }
  if (found == 0) {
    std::unique_ptr<Communicator> made = make_communicator(comm);
    value = made ? static_cast<void*>(made.get()) : static_cast<void*>(&nobody);
    if (MPI_Comm_set_attr(comm, looking().keyval, value) != MPI_SUCCESS) return {};
    static_cast<void>(made.release());
  }
  return {.communicator = value == &nobody ? nullptr : static_cast<Communicator*>(value),
          .lasts = true};
} catch (const std::bad_alloc&) {
  // The other ranks replace the call, so that this one cannot pass it on.
  std::fputs("invar-tuned: no memory is left to look up a communicator\n", stderr);
  MPI_Abort(comm, 1);
  return {};
}

bool begin_looking_up(ActiveTable& table) {
  Looking& state = looking();
  state.table = &table;
  if (state.world != MPI_GROUP_NULL) return true;
  return MPI_Comm_group(MPI_COMM_WORLD, &state.world) == MPI_SUCCESS &&
         MPI_Comm_create_keyval(copy_nothing, forget, &state.keyval, nullptr) == MPI_SUCCESS;
}

void end_looking_up() { looking().ended.store(true, std::memory_order_relaxed); }

}  // namespace invar::shim
