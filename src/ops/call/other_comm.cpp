#include "ops/call/other_comm.hpp"

#include <exception>
#include <vector>

namespace invar::ops {
namespace {

struct SharedDuplicate {
  MPI_Comm parent;
  std::weak_ptr<const OtherComm> made;
};

// No thread but the one that calls operations makes setups of the engine.
std::vector<SharedDuplicate>& shared_duplicates() {
  static std::vector<SharedDuplicate> all;
  return all;
}

}  // namespace

OtherComm::OtherComm(MPI_Comm parent) {
  if (MPI_Comm_dup(parent, &comm_) != MPI_SUCCESS) comm_ = MPI_COMM_NULL;
  if (comm_ != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

OtherComm::~OtherComm() {
  if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

std::shared_ptr<const OtherComm> other_comm(MPI_Comm parent) {
  std::vector<SharedDuplicate>& all = shared_duplicates();
  std::erase_if(all, [](const SharedDuplicate& one) { return one.made.expired(); });
  for (const SharedDuplicate& one : all) {
    if (one.parent == parent) return one.made.lock();
  }
  auto made = std::make_shared<const OtherComm>(parent);
  all.push_back({parent, made});
  return made;
}

}  // namespace invar::ops
