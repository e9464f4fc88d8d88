#include "shim/communicator/communicator.hpp"

#include <algorithm>
#include <atomic>

#include "shim/communicator/kept.hpp"

namespace invar::shim {
namespace {

std::atomic<std::int64_t> alive{0};

// Errors of a communicator of the program are returned to us for a while: where it has none left
// for us, the program goes on without.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    known_ = MPI_Comm_get_errhandler(comm_, &theirs_) == MPI_SUCCESS;
    if (known_) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;
  ~ErrorsReturned() {
    if (!known_) return;
    MPI_Comm_set_errhandler(comm_, theirs_);
    MPI_Errhandler_free(&theirs_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler theirs_ = {};
  bool known_ = false;
};

}  // namespace

Communicator::Communicator(MPI_Comm comm, int rank, int ranks, ActiveTable& table)
    : comm_(comm), rank_(rank), ranks_(ranks) {
  for (std::size_t number = 0; number < kCollectives.size(); ++number) {
    const auto collective = static_cast<Collective>(number);
    entries_[number] = table.of(collective, ranks);
    if (!entries_[number].empty()) collectives_ |= bit_of(collective);
  }
  alive.fetch_add(1, std::memory_order_relaxed);
}

Communicator::~Communicator() {
  setups_.clear();
  if (own_ != MPI_COMM_NULL) MPI_Comm_free(&own_);
  alive.fetch_sub(1, std::memory_order_relaxed);
}

// Not a duplicate: the program's attributes would be copied, which its own functions would see.
MPI_Comm Communicator::own() {
  if (std::exchange(own_was_asked_for_, true)) return own_;
  const ErrorsReturned errors(comm_);
  MPI_Comm made = MPI_COMM_NULL;
  const int error = MPI_Comm_split(comm_, 0, rank_, &made);
  const int mine = error == MPI_SUCCESS && made != MPI_COMM_NULL ? 1 : 0;
  int all = 0;
  if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm_) != MPI_SUCCESS) all = 0;
  if (all == 1) {
    own_ = made;
    MPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
  } else if (mine == 1) {
    MPI_Comm_free(&made);
  }
  return own_;
}

bool Communicator::refuses(const ops::Operation& operation, bool commutes) const {
  return std::ranges::find(refused_, std::pair(&operation, commutes)) != refused_.end();
}

void Communicator::refuse(const ops::Operation& operation, bool commutes) {
  refused_.emplace_back(&operation, commutes);
}

std::int64_t communicators_alive() { return alive.load(std::memory_order_relaxed); }

}  // namespace invar::shim
