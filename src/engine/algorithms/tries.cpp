#include "engine/algorithms/tries.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "clock/ticks.hpp"
#include "engine/algorithms/switches.hpp"
#include "engine/algorithms/tried_call.hpp"
#include "engine/algorithms/variables.hpp"
#include "engine/sync/mpi_sync.hpp"
#include "ops/buffers/element.hpp"
#include "ops/call/agree.hpp"
#include "ops/catalogue.hpp"
#include "ops/check/check.hpp"
#include "record/algorithms/tries.hpp"
#include "record/record_file.hpp"

namespace invar::engine {
namespace {

// Counts of elements: one, and those beside numbers of ranks, where algorithms fall back or cut
// vectors into shares; then more than a segment of most libraries.
constexpr std::array<std::uint64_t, 4> kCheckedCounts{1, 3, 7, 1024};

// One size alone where the try names one.
std::vector<std::uint64_t> counts_of(const record::Try& order) {
  if (order.kind == record::TryKind::kCheckEmpty) return {0};
  const ops::Operation* const operation = ops::find_operation(order.operation);
  if (order.size_bytes == 0 || operation == nullptr) {
    return {kCheckedCounts.begin(), kCheckedCounts.end()};
  }
  const ops::ElementType* const type =
      ops::find_element_type(ops::usual_datatype(operation->reduces));
  return {order.size_bytes / type->size_bytes};
}

struct Tried {
  std::string failure = {};
  std::optional<double> median_ns = {};
};

// A duplicate that no try can change: made before the first one.
class OwnWorld {
 public:
  explicit OwnWorld(MPI_Comm world) { MPI_Comm_dup(world, &comm_); }
  OwnWorld(const OwnWorld&) = delete;
  OwnWorld& operator=(const OwnWorld&) = delete;
  ~OwnWorld() { MPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// What a function writes to a stream.
template <typename Write>
std::string written(Write write) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  if (stream == nullptr) throw std::runtime_error("there is no memory for what is written");
  write(stream);
  std::fclose(stream);
  std::string all(text, size);
  std::free(text);
  return all;
}

// "bcast, count 1, root 1, 2 ranks: rank 1: recv byte 0 ..."; empty: nothing has failed.
std::string first_failure(std::string_view report) {
  constexpr std::string_view kFailed = "FAILED ";
  for (const std::string_view line : base::split(report, '\n')) {
    if (line.starts_with(kFailed)) return std::string(line.substr(kFailed.size()));
  }
  return {};
}

Tried checked_try(MPI_Comm world, const record::Try& order) {
  std::unique_ptr<Switches> switches;
  std::unique_ptr<ops::Around> making;
  std::unique_ptr<ops::Around> calling;
  const record::Cell cell = cell_of(order, 1);
  if (!order.switched.empty()) {
    switches = std::make_unique<Switches>(std::span(&order.switched, 1), "tries.csv");
    making = switches->making(cell);
    calling = switches->calling(cell);
  }
  const std::vector<std::uint64_t> counts = counts_of(order);
  int failed = 0;
  const std::string report = written([&](std::FILE* out) {
    failed = ops::check_operations(
        world,
        {.operations = std::span(&order.operation, 1),
         .counts = counts,
         .operators = order.kind == record::TryKind::kCheckOrdered ? ops::Operators::kOrdered
                                                                   : ops::Operators::kCommuting,
         .in_place = order.in_place,
         .making = making.get(),
         .calling = calling.get()},
        out);
  });
  if (failed == 0) return {};
  Tried tried{.failure = first_failure(report)};
  if (tried.failure.empty()) tried.failure = "a check failed";
  if (failed > 1) tried.failure += " (and " + std::to_string(failed - 1) + " more)";
  return tried;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Tried timed_try(MPI_Comm world, const record::Try& order) {
  constexpr std::uint32_t kFirstCalls = 3;
  TriedCall tried(world, 0, order);
  if (!tried.refused().empty()) return {.failure = tried.refused()};
  const std::uint32_t calls = std::max(order.calls, 1U);
  std::vector<double> own_ns(calls, 0);
  int error = MPI_SUCCESS;
  {
    const ops::Held held(tried.calling());
    for (std::uint32_t i = 0; i < kFirstCalls + calls; ++i) {
      dissemination_barrier(world);
      const std::int64_t begin_ns = clock::monotonic_raw_ns();
      const int code = tried.operation().call(tried.call());
      const std::int64_t end_ns = clock::monotonic_raw_ns();
      if (error == MPI_SUCCESS) error = code;
      if (i >= kFirstCalls) own_ns[i - kFirstCalls] = static_cast<double>(end_ns - begin_ns);
    }
  }
  const ops::Outcome outcome =
      ops::agree({.comm = world},
                 error == MPI_SUCCESS ? "" : ops::mpi_error_text(tried.operation().name, error));
  if (!outcome.passed()) return {.failure = outcome.text()};
  std::vector<double> slowest_ns(calls, 0);
  MPI_Allreduce(own_ns.data(), slowest_ns.data(), static_cast<int>(calls), MPI_DOUBLE, MPI_MAX,
                world);
  return {.median_ns = median(std::move(slowest_ns))};
}

// What cannot be told on one rank is a failure on all.
Tried tried_on_all(MPI_Comm world, const record::Try& order) {
  Tried tried;
  std::string own;
  try {
    // Nothing collective has begun where a variable does not take its number.
    if (!order.switched.empty()) {
      Switches switches(std::span(&order.switched, 1), "tries.csv");
      const std::unique_ptr<ops::Around> calling = switches.calling(cell_of(order, 1));
      const ops::Held held(calling.get());
    }
  } catch (const std::exception& problem) {
    own = problem.what();
  }
  const ops::Outcome outcome = ops::agree({.comm = world}, own);
  if (!outcome.passed()) return {.failure = outcome.text()};
  return order.kind == record::TryKind::kTime ? timed_try(world, order) : checked_try(world, order);
}

void append_line(record::RecordFile& file, const base::JsonWriter& json) {
  const std::string line = json.text() + '\n';
  file.append(line.data(), line.size());
}

}  // namespace

void run_tries(MPI_Comm world, const std::string& dir, const std::string& csv) {
  const std::string path = dir + "/" + std::string(record::kTriesFile);
  const std::vector<record::Try> tries = record::read_tries(csv, path);
  const OwnWorld own(world);
  // Open MPI looks at all of its components whenever the tool interface is opened anew: a session
  // that stays open makes that of each try cheap.
  std::optional<WrittenVariables> session;
  const bool any_told =
      std::ranges::any_of(tries, [](const record::Try& one) { return !one.switched.empty(); });
  if (any_told) session.emplace();
  int rank = 0;
  MPI_Comm_rank(own.get(), &rank);
  std::unique_ptr<record::RecordFile> file;
  if (rank == 0) {
    file = std::make_unique<record::RecordFile>(dir + "/" + std::string(record::kTriedFile));
  }
  for (std::size_t number = 0; number < tries.size(); ++number) {
    if (file) {
      base::JsonWriter begun;
      begun.begin_object().field("try", number).field("begun", true).end_object();
      append_line(*file, begun);
    }
    // Nobody begins what the file does not say has begun.
    MPI_Barrier(own.get());
    const Tried tried = tried_on_all(own.get(), tries[number]);
    if (!file) continue;
    base::JsonWriter json;
    json.begin_object()
        .field("try", number)
        .field("failure", tried.failure)
        .field("median_ns", tried.median_ns)
        .end_object();
    append_line(*file, json);
  }
  if (file) file->sync();
}

}  // namespace invar::engine
