#include "engine/algorithms/traffic.hpp"

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "engine/algorithms/tool_session.hpp"
#include "engine/algorithms/tried_call.hpp"
#include "ops/buffers/element.hpp"
#include "ops/call/agree.hpp"
#include "ops/catalogue.hpp"
#include "ops/schedules/traffic.hpp"
#include "record/algorithms/tries.hpp"
#include "record/record_file.hpp"

namespace invar::engine {
namespace {

#if INVAR_HAS_TOOL_INTERFACE

// Opens and closes the counters of pml_monitoring. Its own performance variables are gone once the
// component has wrapped the chosen one (open-mpi/ompi issue 9260: it is closed for that, and its
// variables with it). Those of osc/monitoring, which is not, act on the same counters: starting one
// begins to count everything, stopping it ends that (ompi/mca/common/monitoring,
// mca_common_monitoring_comm_size_notify; seen in 4.1.4 and 5.0.11).
class CountingGate {
 public:
  CountingGate() {
    if (!interface_.opened()) {
      why_ = "it has no tool interface";
      return;
    }
    int index = 0;
    if (MPI_T_pvar_get_index("osc_monitoring_messages_sent_count", MPI_T_PVAR_CLASS_SIZE, &index) !=
        MPI_SUCCESS) {
      why_ = "it has no component that counts messages";
      return;
    }
    MPI_Comm world = MPI_COMM_WORLD;
    int count = 0;
    if (MPI_T_pvar_session_create(&session_) != MPI_SUCCESS ||
        MPI_T_pvar_handle_alloc(session_, index, &world, &handle_, &count) != MPI_SUCCESS) {
      why_ = "its counters cannot be reached";
      return;
    }
    if (!open() || !close()) why_ = "its counters cannot be started and stopped";
  }
  CountingGate(const CountingGate&) = delete;
  CountingGate& operator=(const CountingGate&) = delete;
  // The counters stay as they are: freeing the handle would be one more event for them. But the
  // interface must be closed, or the library keeps the component and never writes.
  ~CountingGate() = default;

  // Empty: it works.
  [[nodiscard]] const std::string& why_not() const { return why_; }
  [[nodiscard]] bool open() { return MPI_T_pvar_start(session_, handle_) == MPI_SUCCESS; }
  [[nodiscard]] bool close() { return MPI_T_pvar_stop(session_, handle_) == MPI_SUCCESS; }

 private:
  ToolSession interface_ = {};
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
  std::string why_ = {};
};

#else

class CountingGate {
 public:
  [[nodiscard]] const std::string& why_not() const { return why_; }
  [[nodiscard]] static bool open() { return false; }
  [[nodiscard]] static bool close() { return false; }

 private:
  std::string why_ = "it has no tool interface";
};

#endif

// A try, and its ranks in the world.
struct GroupOfTry {
  std::size_t number = 0;
  int first_rank = 0;
};

GroupOfTry group_of(const std::vector<record::Try>& tries, int rank) {
  GroupOfTry group;
  for (const record::Try& one : tries) {
    const int ranks = static_cast<int>(one.ranks);
    if (rank < group.first_rank + ranks) break;
    group.first_rank += ranks;
    ++group.number;
  }
  return group;
}

void check_ranks(const std::vector<record::Try>& tries, int ranks, const std::string& path) {
  std::uint64_t wanted = 0;
  for (const record::Try& one : tries) wanted += one.ranks;
  if (wanted == static_cast<std::uint64_t>(ranks)) return;
  throw base::UserError(
      path, "its tries need " + std::to_string(wanted) + " ranks, not " + std::to_string(ranks));
}

// Makes the call of this rank's group twice, the second time counted. Empty: it went well.
std::string call_and_count(MPI_Comm world, const GroupOfTry& group, const record::Try& order,
                           CountingGate& gate) {
  TriedCall tried(world, static_cast<int>(group.number), order);
  std::string failure = tried.refused();
  const auto make = [&] {
    if (!failure.empty()) return;
    const int code = ops::make_call(tried.operation(), tried.call());
    if (code != MPI_SUCCESS) failure = ops::mpi_error_text(tried.operation().name, code);
  };
  // What the first call of a communicator sends once is not the algorithm's.
  make();
  MPI_Barrier(world);
  if (!gate.open()) failure = "the counters do not start";
  make();
  if (!gate.close()) failure = "the counters do not stop";
  MPI_Barrier(world);
  return failure;
}

// Segments that a library may have chosen itself, and the one that it was told. In very many of
// them a large message is not looked at: their steps would take all memory, and what is not
// compared is unknown.
std::set<std::uint64_t> segments_of(const record::Try& order) {
  constexpr std::uint64_t kSmallest = 32;
  constexpr std::uint64_t kMostSegments = 1U << 16U;
  std::set<std::uint64_t> segments{0};
  const std::uint64_t least = order.size_bytes / kMostSegments;
  for (std::uint64_t bytes = kSmallest; bytes < order.size_bytes; bytes *= 2) {
    if (bytes >= least) segments.insert(bytes);
  }
  const std::uint64_t told = order.segment_bytes;
  if (told < order.size_bytes && told >= least) segments.insert(told);
  return segments;
}

void write_reference(base::JsonWriter& json, const ops::Algorithm& algorithm,
                     const record::Try& order, std::uint64_t segment_bytes,
                     std::uint64_t element_bytes) {
  const ops::Position at{.ranks = static_cast<int>(order.ranks),
                         .elements = order.size_bytes / element_bytes,
                         .segment = segment_bytes / element_bytes};
  json.begin_object()
      .field("name", algorithm.name)
      .field("segment_bytes", segment_bytes)
      .field("order", ops::order_of_steps(algorithm, at));
  json.key("messages").begin_array();
  for (const ops::MessageCount& count : ops::message_counts(algorithm, at)) {
    json.begin_array()
        .value(count.from)
        .value(count.to)
        .value(count.messages)
        .value(count.elements * element_bytes)
        .end_array();
  }
  json.end_array().end_object();
}

void write_references(base::JsonWriter& json, const record::Try& order) {
  json.key("references").begin_array();
  const ops::Operation* const operation = ops::find_operation(order.operation);
  for (const ops::Algorithm* const algorithm : ops::algorithms()) {
    if (operation == nullptr || order.operation != algorithm->collective) continue;
    if (!record::allows(algorithm->rank_counts, order.ranks)) continue;
    const std::uint64_t element_bytes =
        ops::find_element_type(ops::usual_datatype(operation->reduces))->size_bytes;
    if (algorithm->segments == record::Segments::kNone) {
      write_reference(json, *algorithm, order, 0, element_bytes);
      continue;
    }
    for (const std::uint64_t segment_bytes : segments_of(order)) {
      // Less than an element would be no limit.
      if (segment_bytes != 0 && segment_bytes < element_bytes) continue;
      write_reference(json, *algorithm, order, segment_bytes, element_bytes);
    }
  }
  json.end_array();
}

void write_file(const std::string& dir, const base::JsonWriter& json) {
  record::RecordFile file(dir + "/" + std::string(record::kTrafficFile));
  const std::string text = json.text() + '\n';
  file.append(text.data(), text.size());
  file.sync();
}

// By try, of the first rank of each group that has one; on rank 0, elsewhere empty.
std::vector<std::string> gather_failures(MPI_Comm world, const std::vector<record::Try>& tries,
                                         const std::string& own) {
  constexpr int kTag = 1;
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  std::vector<std::string> failures(tries.size());
  if (rank != 0) {
    MPI_Send(own.data(), static_cast<int>(own.size()), MPI_CHAR, 0, kTag, world);
    return failures;
  }
  int first = 0;
  for (std::size_t number = 0; number < tries.size(); ++number) {
    for (std::uint32_t i = 0; i < tries[number].ranks; ++i, ++first) {
      std::string one = own;
      if (first != 0) {
        MPI_Status status;
        int length = 0;
        MPI_Probe(first, kTag, world, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        one.resize(static_cast<std::size_t>(length));
        MPI_Recv(one.data(), length, MPI_CHAR, first, kTag, world, MPI_STATUS_IGNORE);
      }
      if (failures[number].empty()) failures[number] = one;
    }
  }
  return failures;
}

}  // namespace

void run_traffic(MPI_Comm world, const std::string& dir, const std::string& csv) {
  const std::string path = dir + "/" + std::string(record::kTriesFile);
  const std::vector<record::Try> tries = record::read_tries(csv, path);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  check_ranks(tries, ranks, path);
  CountingGate gate;
  int ready = gate.why_not().empty() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, world);
  base::JsonWriter json;
  json.begin_object().field("counts", ready != 0);
  if (ready == 0) {
    json.field("why", gate.why_not()).end_object();
    if (rank == 0) write_file(dir, json);
    return;
  }
  const GroupOfTry group = group_of(tries, rank);
  const std::string own = call_and_count(world, group, tries.at(group.number), gate);
  const std::vector<std::string> failures = gather_failures(world, tries, own);
  if (rank == 0) {
    json.key("tries").begin_array();
    int first_rank = 0;
    for (std::size_t number = 0; number < tries.size(); ++number) {
      json.begin_object()
          .field("try", number)
          .field("first_rank", first_rank)
          .field("ranks", tries[number].ranks)
          .field("failure", failures[number]);
      write_references(json, tries[number]);
      json.end_object();
      first_rank += static_cast<int>(tries[number].ranks);
    }
    json.end_array().end_object();
    write_file(dir, json);
  }
  MPI_Barrier(world);
  // The library writes what it has counted only where it counts at the end.
  if (!gate.open()) throw std::runtime_error("the counters do not start again");
}

}  // namespace invar::engine
