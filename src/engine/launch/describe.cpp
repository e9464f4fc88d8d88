#include "engine/launch/describe.hpp"

#include <mpi.h>

#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

#include "base/json_writer.hpp"
#include "engine/launch/control_variables.hpp"
#include "host/mapped.hpp"
#include "ops/buffers/element.hpp"
#include "ops/catalogue.hpp"

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

// The first one is the usual one. Of an operation that reduces, those that can be reduced.
void write_datatypes(base::JsonWriter& json, const ops::Operation& operation) {
  json.key("datatypes").begin_array();
  const auto write = [&](const ops::ElementType& type) {
    if (!ops::can_have(operation, type)) return;
    json.begin_object()
        .field("name", type.name)
        .field("size_bytes", type.size_bytes)
        .field("extent_bytes", type.extent_bytes);
    json.key("reductions").begin_array();
    if (operation.reduces) {
      for (const ops::Reduction& reduction : ops::reductions()) {
        if (reduction.datatype == type.name) json.value(reduction.name);
      }
    }
    json.end_array().end_object();
  };
  if (operation.sized) {
    const std::string_view usual = ops::usual_datatype(operation.reduces);
    for (const bool first : {true, false}) {
      for (const ops::ElementType& type : ops::element_types()) {
        if ((type.name == usual) == first) write(type);
      }
    }
  }
  json.end_array();
}

// A length is {"constant": 1, "per_rank": 2}: only what is not 0.
void write_blocks(base::JsonWriter& json, const char* key, const record::Blocks& blocks) {
  json.key(key).begin_object();
  const auto write = [&](const char* name, std::uint32_t number) {
    if (number != 0) json.field(name, number);
  };
  write("constant", blocks.constant);
  write("per_rank", blocks.per_rank);
  write("per_neighbour", blocks.per_neighbour);
  write("shares", blocks.shares);
  write("shares_per_rank", blocks.shares_per_rank);
  json.end_object();
}

void write_buffers(base::JsonWriter& json, const ops::Operation& operation) {
  const record::BufferTable& table = operation.buffers.lengths;
  json.key("buffers").begin_object();
  for (const auto& [key, buffers] :
       {std::pair{"others", table.others}, std::pair{"root", table.root},
        std::pair{"others_in_place", table.others_in_place},
        std::pair{"root_in_place", table.root_in_place}}) {
    json.key(key).begin_object();
    write_blocks(json, "send", buffers.send);
    write_blocks(json, "recv", buffers.recv);
    write_blocks(json, "scratch", buffers.scratch);
    json.end_object();
  }
  json.end_object();
}

void write_roles(base::JsonWriter& json, const ops::Operation& operation) {
  json.key("roles").begin_array();
  for (const record::RoleRule& rule : operation.roles) {
    json.begin_object()
        .field("role", name_of(rule.role))
        .field("ranks", name_of(rule.ranks))
        .field("number", rule.number)
        .end_object();
  }
  json.end_array();
}

void write_times(base::JsonWriter& json, const ops::Operation& operation) {
  json.key("marks").begin_array();
  for (const ops::Mark& mark : operation.marks) {
    json.begin_object().field("name", mark.name).field("summary", mark.summary).end_object();
  }
  json.end_array().key("times").begin_array();
  for (const ops::Time& time : operation.times) {
    json.begin_object()
        .field("name", time.name)
        .field("summary", time.summary)
        .field("kind", name_of(time.kind))
        .field("from_role", name_of(time.from_role))
        .field("from", time.from)
        .field("to_role", name_of(time.to_role))
        .field("to", time.to)
        .end_object();
  }
  json.end_array();
}

// What the form does, where a clock is around it.
std::string summary(const ops::Operation& operation) {
  std::string text = operation.summary;
  if (operation.form == ops::Form::kNonBlocking) text += "; non-blocking, with its wait";
  if (operation.form == ops::Form::kPersistent) text += "; persistent: start and wait";
  return text;
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
  json.value("unknown");
#endif
  json.key("operations").begin_array();
  for (const ops::Operation* operation : ops::catalogue()) {
    json.begin_object()
        .field("name", operation->name)
        .field("summary", summary(*operation))
        .field("sized", operation->sized)
        .field("rooted", operation->rooted)
        .field("reduces", operation->reduces)
        .field("in_place", operation->in_place)
        .field("neighbours", operation->neighbours)
        .field("persistent", operation->prepare != nullptr);
    write_datatypes(json, *operation);
    json.field("emulates", operation->emulates == nullptr ? "" : operation->emulates)
        .field("chain", name_of(operation->chain));
    write_buffers(json, *operation);
    json.field("requests", operation->requests);
    write_roles(json, *operation);
    write_times(json, *operation);
    json.field("missing", operation->missing == nullptr ? "" : operation->missing).end_object();
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
