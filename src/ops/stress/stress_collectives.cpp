#include "ops/stress/stress_collectives.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "ops/buffers/element.hpp"
#include "ops/catalogue.hpp"
#include "ops/verify.hpp"
#include "record/stress/stress_fault.hpp"

namespace invar::ops {
namespace {

// Draws, until one fits the number of ranks.
constexpr int kMostDraws = 8;
constexpr std::uint64_t kDrawnVisits = std::uint64_t{1} << 28U;
constexpr std::uint64_t kMostCallsInARow = 3;
constexpr std::uint64_t kStreamOfPlaces = 4;

constexpr std::array<std::string_view, 4> kDrawnDistributions{"linear", "half-zero", "one-big",
                                                              "random:1"};

// Only this library's own collectives, with nothing around them. Other operations stand for one of
// these, send messages of their own, or have no bytes that one could look at.
bool is_stressed(const Operation& operation) {
  return operation.missing == nullptr && operation.emulates == nullptr && operation.sized &&
         operation.messages == record::Messages::kNone && operation.roles.empty() &&
         operation.hooks.communicator == nullptr && operation.hooks.visit == nullptr &&
         !operation.verify_calls;
}

// "allreduce, count 7, root 1, int32, sum, in place".
std::string cell_words(const record::Cell& cell) {
  std::string text = cell.operation;
  if (cell.root != 0) text += ", root " + std::to_string(cell.root);
  for (const std::string& level : {cell.datatype, cell.reduction, cell.topology}) {
    if (!level.empty()) text += ", " + level;
  }
  if (cell.in_place == "yes") text += ", in place";
  if (cell.distribution != record::Cell().distribution) text += ", " + cell.distribution;
  return text;
}

std::uint64_t element_bytes_of(const Operation& operation, const record::Cell& cell) {
  return find_element_type(cell.datatype.empty() ? usual_datatype(operation.reduces)
                                                 : std::string_view(cell.datatype))
      ->size_bytes;
}

std::string_view word_of(const Mismatch& mismatch, const BufferNeed& need) {
  namespace fault_words = record::stress_fault;
  const auto bytes = static_cast<std::int64_t>(
      mismatch.buffer == "send"
          ? need.send_bytes
          : (mismatch.buffer == "recv" ? need.recv_bytes : need.scratch_bytes));
  if (mismatch.byte_offset < 0 || (!mismatch.buffer.empty() && mismatch.byte_offset >= bytes)) {
    return fault_words::kOverrun;
  }
  if (mismatch.buffer == "send") return fault_words::kSendBuffer;
  return mismatch.found.ends_with("which nobody wrote") ? fault_words::kMissing
                                                        : fault_words::kBits;
}

}  // namespace

StressCollectives::StressCollectives(MPI_Comm world, MPI_Comm control,
                                     const record::StressOrder& order, const StressPlan& plan,
                                     record::StressState& state, TellStressFault tell)
    : plan_(plan),
      state_(state),
      tell_(std::move(tell)),
      comm_(MPI_COMM_NULL),
      circle_{.comm = control},
      seed_(order.seed),
      most_bytes_(record::stress_collective_bytes(order)) {
  MPI_Comm_dup(world, &comm_);
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(world, &rank_);
  for (const Operation* const operation : catalogue()) {
    if (is_stressed(*operation)) operations_.push_back(operation);
  }
  const BufferNeed most{
      .send_bytes = most_bytes_, .recv_bytes = most_bytes_, .scratch_bytes = most_bytes_};
  arena_.emplace(std::span(&most, 1));
}

StressCollectives::~StressCollectives() {
  // Others do not take part while an error unwinds.
  if (std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

record::Cell StressCollectives::drawn_cell(const Operation& operation, std::uint64_t size_bytes,
                                           base::Random& random) const {
  record::Cell cell;
  cell.operation = operation.name;
  cell.ranks = static_cast<std::uint32_t>(plan_.ranks());
  if (operation.rooted) cell.root = static_cast<std::uint32_t>(random.below(cell.ranks));
  if (operation.neighbours) cell.topology = random.below(2) == 0 ? "ring" : "cartesian";
  // Half of the cells are the usual ones; datatypes and distributions are not mixed, as in checks.
  const std::uint64_t choice = random.below(4);
  if (choice == 2 && operation.reduces) {
    const std::span<const Reduction> rows = reductions();
    const Reduction& row = rows[random.below(rows.size())];
    cell.datatype = row.datatype;
    cell.reduction = row.name;
  } else if (choice == 2) {
    const std::span<const ElementType> types = element_types();
    cell.datatype = types[random.below(types.size())].name;
  } else if (choice == 3 && operation.distributes != Distributes::kNothing) {
    cell.distribution = kDrawnDistributions[random.below(kDrawnDistributions.size())];
  }
  const bool pairs = operation.distributes == Distributes::kPairs &&
                     cell.distribution != record::Cell().distribution;
  if (operation.in_place && !pairs && random.below(4) == 0) cell.in_place = "yes";
  const std::uint64_t element_bytes = element_bytes_of(operation, cell);
  const std::uint64_t count = size_bytes / element_bytes;
  cell.size_bytes = element_bytes * (count == 0 && size_bytes > 0 ? 1 : count);
  return cell;
}

StressCollectives::Checked StressCollectives::check(std::uint64_t number) {
  if (operations_.empty()) return Checked::kNone;
  base::Random random = plan_.draws(number);
  for (int draw = 0; draw < kMostDraws; ++draw) {
    const std::uint64_t size_bytes = plan_.size_bytes(random);
    const Operation& operation = *operations_[random.below(operations_.size())];
    record::Cell cell = drawn_cell(operation, size_bytes, random);
    const std::uint64_t element_bytes = element_bytes_of(operation, cell);
    // Blocks of all ranks may be more than there is room for: half as much then.
    for (bool smaller = true; smaller;) {
      if (const auto checked = checked_cell(operation, cell, number, random)) return *checked;
      const std::uint64_t count = *cell.size_bytes / element_bytes;
      smaller = count > 1;
      cell.size_bytes = count / 2 * element_bytes;
    }
  }
  return Checked::kNone;
}

bool StressCollectives::all_agree(const record::StressFault* fault) {
  if (fault != nullptr) tell_(*fault);
  state_.goes_on(record::StressDoing::kComparing);
  return agree(circle_, fault != nullptr ? fault->what : "").passed();
}

std::optional<StressCollectives::Checked> StressCollectives::checked_cell(const Operation& stated,
                                                                          const record::Cell& cell,
                                                                          std::uint64_t number,
                                                                          base::Random& random) {
  state_.at_collective(number, *cell.size_bytes, cell_words(cell));
  const Operation operation = operation_for(stated, cell);
  CallSetup setup(cell, operation, comm_);
  if (!setup.errors().empty()) return std::nullopt;
  const BufferNeed need = setup.need();
  const bool fits = std::max({need.send_bytes, need.recv_bytes, need.scratch_bytes}) <= most_bytes_;
  state_.goes_on(record::StressDoing::kComparing);
  if (!agree(circle_, fits ? "" : "too large").passed()) return std::nullopt;
  return is_right(operation, setup, cell, number, random) ? Checked::kRight : Checked::kWrong;
}

bool StressCollectives::is_right(const Operation& operation, CallSetup& setup,
                                 const record::Cell& cell, std::uint64_t number,
                                 base::Random& random) {
  namespace fault_words = record::stress_fault;
  record::StressFault fault{.kind = std::string(record::name_of(record::StressKind::kCollectives)),
                            .operation = cell_words(cell),
                            .size_bytes = cell.size_bytes,
                            .message = number,
                            .rank = static_cast<std::uint32_t>(rank_)};
  const auto error_of = [&](int code) -> const record::StressFault* {
    if (code == MPI_SUCCESS) return nullptr;
    fault.fault = fault_words::kError;
    fault.what = mpi_error_text(operation.name, code);
    return &fault;
  };
  auto placing =
      base::Random::of({seed_, kStreamOfPlaces, number, static_cast<std::uint64_t>(rank_)});
  const auto visit = static_cast<std::uint32_t>(random.below(kDrawnVisits));
  // Persistent ones are made there.
  state_.goes_on(record::StressDoing::kCollective);
  int code = setup.place(arena_->place(placing, setup.need()), visit);
  // Nobody starts a request that others do not have.
  if (operation.prepare != nullptr && !all_agree(error_of(code))) return false;
  Call& call = setup.call();
  // Persistent ones once (see check_cases() in ops/check).
  const bool again = operation.prepare == nullptr && leaves_one_result(operation, call);
  state_.goes_on(record::StressDoing::kCollective);
  const std::uint64_t calls = again ? 1 + random.below(kMostCallsInARow) : 1;
  for (std::uint64_t i = 0; i < calls && code == MPI_SUCCESS; ++i) {
    code = make_call(operation, call);
  }
  if (!all_agree(error_of(code))) return false;
  Checker checker(operation, call);
  operation.verify(call, checker);
  const std::optional<Mismatch> mismatch = checker.finish();
  if (!mismatch) return all_agree(nullptr);
  fault.fault = word_of(*mismatch, setup.need());
  fault.what = mismatch->text();
  if (!mismatch->buffer.empty()) fault.offset_bytes = mismatch->byte_offset;
  fault.expected = mismatch->expected;
  fault.found = mismatch->found;
  fault.to = static_cast<std::uint32_t>(rank_);
  return all_agree(&fault);
}

}  // namespace invar::ops
