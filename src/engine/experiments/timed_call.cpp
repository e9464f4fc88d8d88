#include "engine/experiments/timed_call.hpp"

#include <span>

#include "base/error.hpp"
#include "base/random.hpp"
#include "ops/call/agree.hpp"
#include "ops/verify.hpp"
#include "record/cell.hpp"

namespace invar::engine {

TimedCall::TimedCall(ClockSetting& setting) : setting_(setting) {
  MPI_Comm_dup(setting.world(), &comm_);
  MPI_Comm_dup(setting.world(), &sync_comm_);
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  const record::ClockSpec& spec = setting.spec();
  operation_ = ops::find_operation(spec.operation);
  if (operation_ == nullptr) {
    throw base::UserError("clocks.spec", "this engine has no operation '" + spec.operation + "'",
                          "invar ops list shows those that it has");
  }
  record::Cell cell{.operation = spec.operation};
  if (operation_->sized) cell.size_bytes = spec.size_bytes;
  cell.ranks = static_cast<std::uint32_t>(setting.ranks());
  setup_.emplace(cell, *operation_, comm_);
  base::Faults faults;
  for (const std::string& error : setup_->errors()) faults.add("clocks.spec", error);
  faults.throw_if_any();
  const ops::BufferNeed need = setup_->need();
  arena_ = std::make_unique<ops::Arena>(std::span(&need, 1));
  base::Random random = base::Random::of({static_cast<std::uint64_t>(setting.rank())});
  const int error = setup_->place(arena_->place(random, need));
  const ops::Circle circle{.comm = sync_comm_};
  ops::Outcome outcome =
      ops::agree(circle, error == MPI_SUCCESS ? "" : ops::mpi_error_text(operation_->name, error));
  if (outcome.passed()) outcome = ops::check_once(*operation_, setup_->call(), circle);
  if (!outcome.passed()) {
    throw base::CommandError(base::Exit::kMeasurementFailed,
                             {{.place = operation_->name, .what = outcome.text()}});
  }
  if (setup_->call().role != record::Role::kStandsBy) return;
  standing_by_ = *operation_;
  standing_by_->call = [](ops::Call& /*call*/) -> int { return MPI_SUCCESS; };
  standing_by_->before_untimed = standing_by_->behind_untimed = nullptr;
  operation_ = &*standing_by_;
}

void TimedCall::free() {
  setup_.reset();
  MPI_Comm_free(&comm_);
  MPI_Comm_free(&sync_comm_);
}

void TimedCall::fail_if(int error) const {
  int failed = error;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, setting_.world());
  if (failed == MPI_SUCCESS) return;
  throw base::CommandError(
      base::Exit::kMeasurementFailed,
      {{.place = operation_->name, .what = ops::mpi_error_text(operation_->name, failed)}});
}

}  // namespace invar::engine
