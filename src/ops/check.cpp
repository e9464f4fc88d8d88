#include "ops/check.hpp"

#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "ops/catalogue.hpp"
#include "ops/element.hpp"
#include "ops/setup.hpp"
#include "ops/verify.hpp"

namespace invar::ops {
namespace {

constexpr std::uint64_t kSeed = 0x636865636b;  // placements differ between ranks, not between runs
constexpr int kCallsEach = 2;

// A duplicate of a communicator that returns errors.
class OwnComm {
 public:
  explicit OwnComm(MPI_Comm parent) {
    MPI_Comm_dup(parent, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
  ~OwnComm() { MPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct Case {
  const Operation* operation;
  std::uint64_t count;
  record::Cell cell;
  CallSetup setup;

  [[nodiscard]] std::string text() const {
    std::string text = operation->name;
    if (operation->sized) text += ", count " + std::to_string(count);
    if (operation->rooted) text += ", root " + std::to_string(cell.root);
    return text + ", " + std::to_string(cell.ranks) + " ranks";
  }
};

class Report {
 public:
  Report(int rank, std::FILE* out) : rank_(rank), out_(out) {}

  void pass() { ++passed_; }
  void fail(const std::string& where, const std::string& what) {
    ++failed_;
    if (rank_ == 0) std::fprintf(out_, "FAILED %s: %s\n", where.c_str(), what.c_str());
  }
  [[nodiscard]] int failed() const { return failed_; }
  void summarise() const {
    if (rank_ != 0) return;
    std::fprintf(out_, "%d checks passed, %d failed\n", passed_, failed_);
    std::fflush(out_);
  }

 private:
  int rank_;
  std::FILE* out_;
  int passed_ = 0;
  int failed_ = 0;
};

std::vector<const Operation*> operations_named(std::span<const std::string> names, Report& report) {
  std::vector<const Operation*> found;
  if (names.empty()) found.assign(catalogue().begin(), catalogue().end());
  std::vector<std::string> known;
  for (const Operation* const operation : catalogue()) known.emplace_back(operation->name);
  for (const std::string& name : names) {
    if (const Operation* const operation = find_operation(name)) {
      found.push_back(operation);
    } else {
      report.fail(name, "no such operation; " + base::did_you_mean(name, known));
    }
  }
  return found;
}

std::vector<Case> cases_of(const Operation& operation, std::span<const std::uint64_t> counts,
                           MPI_Comm comm, int ranks) {
  constexpr std::uint64_t kNoCount = 0;
  const auto each = operation.sized ? counts : std::span(&kNoCount, 1);
  const std::size_t element_bytes =
      find_element_type(operation.reduces ? "int32" : "byte")->size_bytes;
  std::vector<std::uint32_t> roots{0};
  if (operation.rooted && ranks > 1) roots.push_back(static_cast<std::uint32_t>(ranks - 1));

  std::vector<Case> cases;
  for (const std::uint64_t count : each) {
    for (const std::uint32_t root : roots) {
      record::Cell cell;
      cell.operation = operation.name;
      if (operation.sized) cell.size_bytes = count * element_bytes;
      cell.ranks = static_cast<std::uint32_t>(ranks);
      cell.root = root;
      CallSetup setup(cell, operation, comm);
      cases.push_back({&operation, count, std::move(cell), std::move(setup)});
    }
  }
  return cases;
}

}  // namespace

int check_operations(MPI_Comm comm, std::span<const std::string> names,
                     std::span<const std::uint64_t> counts, std::FILE* out) {
  const OwnComm own(comm);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(own.get(), &rank);
  MPI_Comm_size(own.get(), &ranks);

  Report report(rank, out);
  std::vector<Case> cases;
  for (const Operation* const operation : operations_named(names, report)) {
    for (Case& one : cases_of(*operation, counts, own.get(), ranks)) {
      if (one.setup.errors().empty()) {
        cases.push_back(std::move(one));
      } else {
        report.fail(one.text(), base::join(one.setup.errors(), "; "));
      }
    }
  }

  std::vector<BufferNeed> needs;
  needs.reserve(cases.size());
  for (const Case& one : cases) needs.push_back(one.setup.need());
  const Arena arena(needs);
  auto random = base::Random::of({kSeed, static_cast<std::uint64_t>(rank)});
  for (Case& one : cases) {
    for (int call = 1; call <= kCallsEach; ++call) {
      one.setup.place(arena.place(random, one.setup.need()));
      const Outcome outcome = check_once(*one.operation, one.setup.call());
      if (outcome.passed()) {
        report.pass();
      } else {
        report.fail(one.text() + ", call " + std::to_string(call), outcome.text());
      }
    }
  }
  report.summarise();
  return report.failed();
}

}  // namespace invar::ops
