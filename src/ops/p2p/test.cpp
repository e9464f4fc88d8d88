// What MPI_Test costs of a request that stays as it is: a receive that nobody ever sends to, posted
// before a visit and taken back behind it, so that no other cell meets it in a queue.
#include <memory>
#include <string>

#include "base/error.hpp"
#include "ops/call/agree.hpp"
#include "ops/p2p/lone_call.hpp"
#include "ops/p2p/tags.hpp"

namespace invar::ops {
namespace {

int test_awaited(Call& c) {
  int complete = 0;
  const int error = MPI_Test(c.requests, &complete, MPI_STATUS_IGNORE);
  return found_nothing(error, complete);
}

int post_awaited(Call& c) {
  return MPI_Irecv(nullptr, 0, MPI_BYTE, kLonePartner, kPendingTag, c.comm, c.requests);
}

// A request that was complete against all expectation is there no more.
int take_back_awaited(Call& c) {
  if (c.requests[0] == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const int error = MPI_Cancel(c.requests);
  const int waited = MPI_Wait(c.requests, MPI_STATUS_IGNORE);
  return error == MPI_SUCCESS ? waited : error;
}

class AwaitedRequest final : public Hook {
 public:
  explicit AwaitedRequest(Call& call) : call_(call) {
    const int error = post_awaited(call);
    if (error == MPI_SUCCESS) return;
    throw base::CommandError(base::Exit::kMeasurementFailed,
                             {{.place = "MPI_Irecv", .what = mpi_error_text("MPI_Irecv", error)}});
  }
  // It waits for nobody: also while an error unwinds.
  ~AwaitedRequest() override { take_back_awaited(call_); }

 private:
  Call& call_;
};

std::unique_ptr<Hook> make_awaited_request(const record::Cell& /*cell*/, Call& call) {
  if (call.role != record::Role::kStarts) return nullptr;
  return std::make_unique<AwaitedRequest>(call);
}

constexpr Operation test_operation() {
  Operation operation = lone_call<test_awaited>("test", "rank 0 tests a request that stays open");
  operation.requests = 1;
  operation.hooks = {.visit = make_awaited_request};
  operation.before_untimed = call_alone<post_awaited>;
  operation.behind_untimed = call_alone<take_back_awaited>;
  return operation;
}

}  // namespace

extern constexpr Operation kTest = test_operation();

}  // namespace invar::ops
