#include "engine/algorithms/tried_call.hpp"

#include <array>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "ops/catalogue.hpp"
#include "ops/verify.hpp"
#include "record/algorithms/algorithm_switch.hpp"

namespace invar::engine {
namespace {

constexpr std::uint64_t kSeed = 0x747279;  // "try"

}  // namespace

record::Cell cell_of(const record::Try& order, std::uint32_t ranks) {
  record::Cell cell{.operation = order.operation, .ranks = ranks, .ppn = ranks};
  const ops::Operation* const operation = ops::find_operation(order.operation);
  if (operation != nullptr && operation->sized) cell.size_bytes = order.size_bytes;
  if (!order.switched.empty()) {
    cell.algorithm = record::read_switch(order.switched, "tries.csv").level;
  }
  return cell;
}

TriedCall::TriedCall(MPI_Comm world, int group, const record::Try& order)
    : operation_(ops::find_operation(order.operation)) {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  std::unique_ptr<ops::Around> making;
  const record::Cell told = cell_of(order, 1);
  if (!order.switched.empty()) {
    const std::array texts{order.switched};
    switches_ = std::make_unique<Switches>(texts, "tries.csv");
    calling_ = switches_->calling(told);
    making = switches_->making(told);
  }
  {
    const ops::Held held(making.get());
    MPI_Comm_split(world, group, rank, &comm_);
  }
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  if (operation_ == nullptr) {
    refused_ = "this engine has no operation '" + order.operation + "'";
    return;
  }
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  prepare(cell_of(order, static_cast<std::uint32_t>(ranks)));
}

void TriedCall::prepare(const record::Cell& cell) {
  setup_.emplace(cell, *operation_, comm_);
  if (!setup_->errors().empty()) {
    refused_ = base::join(setup_->errors(), "; ");
    return;
  }
  const ops::BufferNeed need = setup_->need();
  arena_ = std::make_unique<ops::Arena>(std::span(&need, 1));
  auto random = base::Random::of({kSeed, static_cast<std::uint64_t>(setup_->call().rank)});
  if (const int error = setup_->place(arena_->place(random, need)); error != MPI_SUCCESS) {
    refused_ = ops::mpi_error_text(operation_->name, error);
    return;
  }
  setup_->call().around = calling_.get();
  ops::fill_for_check(*operation_, setup_->call());
}

TriedCall::~TriedCall() {
  setup_.reset();
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

}  // namespace invar::engine
