#include "engine/launch/describe.hpp"

#include <mpi.h>

#include <cstdio>
#include <fstream>
#include <vector>

#include "base/json_writer.hpp"
#include "engine/launch/control_variables.hpp"
#include "engine/machine/machine.hpp"
#include "host/mapped.hpp"
#include "ops/buffers/element.hpp"
#include "ops/catalogue.hpp"
#include "record/operation/operation_json.hpp"

// -DINVAR_ENGINE_FLAGS=-std=c++20,-O2,-g: commas, and no quotes, because wrappers are scripts of
// varying care.
#define INVAR_TEXT(...) #__VA_ARGS__
#define INVAR_TEXT_OF(...) INVAR_TEXT(__VA_ARGS__)
#ifdef INVAR_ENGINE_FLAGS
#define INVAR_FLAGS_TEXT INVAR_TEXT_OF(INVAR_ENGINE_FLAGS)
#else
#define INVAR_FLAGS_TEXT "unknown"
#endif

namespace invar::engine {
namespace {

std::string library_version() {
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING + 1, '\0');
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS || length < 0) return {};
  std::string version(text.data(), static_cast<std::size_t>(length));
  while (!version.empty() && (version.back() == '\n' || version.back() == '\0')) version.pop_back();
  return version;
}

// Transports are loaded at the first message of some libraries; every rank sends to its neighbours,
// and a small reduction makes the collective modules choose.
bool exchange(int rank, int ranks) {
  const int to = (rank + 1) % ranks;
  const int from = (rank + ranks - 1) % ranks;
  const int sent = rank + 1;
  int received = 0;
  int sum = 0;
  bool right = MPI_Sendrecv(&sent, 1, MPI_INT, to, 0, &received, 1, MPI_INT, from, 0,
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  right = MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && right;
  return right && received == from + 1 && sum == ranks * (ranks + 1) / 2;
}

// The first one is the usual one. An operation that reduces has those that can be reduced.
std::vector<record::DatatypeInfo> datatypes_of(const ops::Operation& operation) {
  std::vector<record::DatatypeInfo> datatypes;
  const auto add = [&](const ops::ElementType& type) {
    if (!ops::can_have(operation, type)) return;
    record::DatatypeInfo& info = datatypes.emplace_back();
    info.name = type.name;
    info.size_bytes = static_cast<std::uint32_t>(type.size_bytes);
    info.extent_bytes = static_cast<std::uint32_t>(type.extent_bytes);
    if (!operation.reduces) return;
    for (const ops::Reduction& reduction : ops::reductions()) {
      if (reduction.datatype != type.name) continue;
      info.reductions.emplace_back(reduction.name);
      if (!reduction.commutes) info.ordered.emplace_back(reduction.name);
    }
  };
  if (!operation.sized) return datatypes;
  const std::string_view usual = ops::usual_datatype(operation.reduces);
  for (const bool first : {true, false}) {
    for (const ops::ElementType& type : ops::element_types()) {
      if ((type.name == usual) == first) add(type);
    }
  }
  return datatypes;
}

// What the form does, where a clock is around it.
std::string summary(const ops::Operation& operation) {
  std::string text = operation.summary;
  if (operation.form == ops::Form::kNonBlocking) text += "; non-blocking, with its wait";
  if (operation.form == ops::Form::kPersistent) text += "; persistent: start and wait";
  if (operation.form == ops::Form::kLargeCounts) text += "; counts of 64 bits (MPI_*_c)";
  return text;
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// Nobody asks those that send nothing.
record::CallChoice choice_of(const ops::Operation& operation) {
  return operation.messages == record::Messages::kNone ? record::CallChoice::kCalls
                                                       : ops::call_choice(operation);
}

record::OperationInfo info_of(const ops::Operation& operation) {
  record::OperationInfo info{.name = operation.name,
                             .summary = summary(operation),
                             .sized = operation.sized,
                             .rooted = operation.rooted,
                             .reduces = operation.reduces,
                             .in_place = operation.in_place,
                             .neighbours = operation.neighbours,
                             .persistent = operation.prepare != nullptr,
                             .form_of = text_or_empty(operation.form_of),
                             .datatypes = datatypes_of(operation),
                             .emulates = text_or_empty(operation.emulates),
                             .splits = operation.splits,
                             .chain = operation.chain,
                             .buffers = operation.buffers.lengths,
                             .arrays = operation.arrays,
                             .distributes = operation.distributes,
                             .large_counts = operation.form == ops::Form::kLargeCounts,
                             .counted = operation.counted,
                             .counts_bytes = operation.counts_bytes,
                             .rank_counts = operation.rank_counts,
                             .reorders = operation.reorders,
                             .segments = operation.segments,
                             .hosts = operation.hosts,
                             .messages = operation.messages,
                             .copies = operation.copies,
                             .both_ways = operation.both_ways,
                             .windowed = operation.windowed,
                             .delays = operation.delays,
                             .overlaps = operation.start != nullptr,
                             .overheads = operation.overheads,
                             .chooses = choice_of(operation),
                             .walks = operation.walks,
                             .chases = operation.chases,
                             .requests = operation.requests,
                             .batches = operation.batches,
                             .roles = {operation.roles.begin(), operation.roles.end()},
                             .missing = text_or_empty(operation.missing)};
  info.optional_marks = operation.optional_marks;
  for (const ops::Part& part : operation.parts) {
    if (part.operation != nullptr) info.parts.push_back({part.operation, part.size});
  }
  for (const ops::Mark& mark : operation.marks) info.marks.push_back({mark.name, mark.summary});
  for (const ops::Time& time : operation.times) {
    info.times.push_back({.name = time.name,
                          .summary = time.summary,
                          .kind = time.kind,
                          .from_role = time.from_role,
                          .from = time.from,
                          .to_role = time.to_role,
                          .to = time.to});
  }
  return info;
}

}  // namespace

std::string describe_json() {
  base::JsonWriter json;
  json.begin_object()
      .field("format", kEngineFormat)
      .field("compiler", __VERSION__)
      .field("flags", INVAR_FLAGS_TEXT)
      .field("cplusplus", __cplusplus)
      .field("mpi_version", MPI_VERSION)
      .field("mpi_subversion", MPI_SUBVERSION);
  json.key("header");
#if defined(OMPI_MAJOR_VERSION)
  json.value("Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." +
             std::to_string(OMPI_MINOR_VERSION) + "." + std::to_string(OMPI_RELEASE_VERSION));
#elif defined(I_MPI_VERSION)
  json.value(std::string("Intel MPI ") + I_MPI_VERSION);
#elif defined(MPICH_VERSION)
  json.value(std::string("MPICH ") + MPICH_VERSION);
#else
  json.value(Machine::headers().empty() ? std::string("unknown") : Machine::headers());
#endif
  json.key("operations").begin_array();
  for (const ops::Operation* operation : ops::catalogue()) {
    record::write_operation(json, info_of(*operation));
  }
  json.end_array().end_object();
  return json.text();
}

std::string library_json(bool variables) {
  int version = 0;
  int subversion = 0;
  MPI_Get_version(&version, &subversion);
  void* global = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &known);
  base::JsonWriter json;
  json.begin_object()
      .field("version", library_version())
      .field("standard", std::to_string(version) + "." + std::to_string(subversion))
      .field("wtick_s", MPI_Wtick())
      .field("wtime_s", MPI_Wtime());
  json.key("wtime_is_global");
  if (known != 0 && global != nullptr) {
    json.value(*static_cast<int*>(global) != 0);
  } else {
    json.null();
  }
  if (variables) json.key("variables").raw(control_variables_json());
  json.end_object();
  return json.text();
}

int probe(const std::string& file) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!exchange(rank, ranks)) {
    std::fprintf(stderr, "invar-engine: rank %d: a message between the ranks came out wrong\n",
                 rank);
    return 3;
  }
  if (rank != 0) return 0;
  base::JsonWriter json;
  json.begin_object().field("ranks", ranks);
  json.key("engine").raw(describe_json());
  json.key("library").raw(library_json(true));
  json.key("mapped").begin_array();
  for (const std::string& path : host::mapped_libraries()) json.value(path);
  json.end_array();
  json.key("machine_hosts").begin_array();
  for (const std::string& host : Machine::all_hosts()) json.value(host);
  json.end_array().end_object();
  // A rename, because under a launcher of another library every process believes to be rank 0.
  const std::string unfinished = file + "." + std::to_string(host::process_id());
  {
    std::ofstream out(unfinished, std::ios::binary);
    out << json.text() << '\n';
    if (!out.flush()) {
      std::fprintf(stderr, "invar-engine: cannot write %s\n", unfinished.c_str());
      return 3;
    }
  }
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) {
    std::fprintf(stderr, "invar-engine: cannot write %s\n", file.c_str());
    return 3;
  }
  return 0;
}

}  // namespace invar::engine
