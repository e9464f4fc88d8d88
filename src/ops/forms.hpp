// The non-blocking form of an operation, the persistent one, and the one with large counts, made
// from the blocking one. All forms of a collective stand in its file.
#pragma once

#include <mpi.h>

#include "ops/operation.hpp"

// Persistent collectives are of MPI 4. Open MPI 5 has them although it reports MPI 3.1, and Open
// MPI 4 has them under names of its own, as an extension.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define INVAR_INIT_OF(function) MPI_##function##_init
#elif defined(OMPI_MAJOR_VERSION)
#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define INVAR_INIT_OF(function) MPIX_##function##_init
#endif
#endif

// The call that makes the request of a persistent operation: INVAR_INIT(c, Bcast, buffer, c.count,
// ..., c.comm) is MPI_Bcast_init of these arguments. An error code where the library has none.
#if defined(INVAR_INIT_OF)
#define INVAR_INIT(call, function, ...) \
  INVAR_INIT_OF(function)(__VA_ARGS__, MPI_INFO_NULL, (call).requests)
#else
#define INVAR_INIT(call, function, ...) (static_cast<void>(call), MPI_ERR_OTHER)
#endif

// The call with large counts: INVAR_LARGE(c, Bcast, buffer, c.large_count, ..., c.comm) is
// MPI_Bcast_c of these arguments, which is of MPI 4. An error code where the library has none.
#if MPI_VERSION >= 4
#define INVAR_LARGE(call, function, ...) MPI_##function##_c(__VA_ARGS__)
#else
#define INVAR_LARGE(call, function, ...) (static_cast<void>(call), MPI_ERR_OTHER)
#endif

#define INVAR_FORMS_TEXT(...) #__VA_ARGS__
#define INVAR_FORMS_NUMBER(macro) INVAR_FORMS_TEXT(macro)

namespace invar::ops {

#if defined(INVAR_INIT_OF)
inline constexpr const char* kPersistentMissing = nullptr;
#elif defined(OMPI_MAJOR_VERSION)
inline constexpr const char* kPersistentMissing =
    "Open MPI " INVAR_FORMS_NUMBER(OMPI_MAJOR_VERSION) "." INVAR_FORMS_NUMBER(
        OMPI_MINOR_VERSION) "." INVAR_FORMS_NUMBER(OMPI_RELEASE_VERSION) " has no persistent "
    "collectives here (its extension pcollreq is absent)";
#else
inline constexpr const char* kPersistentMissing =
    "its mpi.h is of MPI " INVAR_FORMS_NUMBER(MPI_VERSION) "." INVAR_FORMS_NUMBER(
        MPI_SUBVERSION) ", which has no persistent collectives (MPI 4 has)";
#endif

#if MPI_VERSION >= 4
inline constexpr const char* kLargeCountsMissing = nullptr;
#else
inline constexpr const char* kLargeCountsMissing =
    "large counts: this library has MPI " INVAR_FORMS_NUMBER(MPI_VERSION) "." INVAR_FORMS_NUMBER(
        MPI_SUBVERSION) " only (MPI 4 has MPI_*_c)";
#endif

// SimGrid's mpi.h declares them, and calls of them end the simulation.
#ifdef SMPI_H
inline constexpr const char* kNeighboursMissing = "SimGrid's SMPI has no neighbourhood collectives";
#else
inline constexpr const char* kNeighboursMissing = nullptr;
#endif

// What a non-blocking call returned, and the wait for it: return waited(c, MPI_Ibcast(...,
// c.requests)).
inline int waited(Call& c, int error) {
  return error == MPI_SUCCESS ? MPI_Wait(c.requests, MPI_STATUS_IGNORE) : error;
}

// A call of two parts, of which only the first one differs between operations. Flattened: where
// nothing is computed between them it is the MPI call and its wait, with no call of ours in it.
template <int (*start)(Call&)>
[[gnu::flatten]] int call_in_parts(Call& c) {
  return waited(c, start(c));
}

inline int wait_for_request(Call& c) { return MPI_Wait(c.requests, MPI_STATUS_IGNORE); }

// The first part of every persistent operation.
inline int start_request(Call& c) { return MPI_Start(c.requests); }

// For a call that has no parts: nothing can be computed between its start and its end.
constexpr Operation nonblocking(Operation operation, const char* name, int (*call)(Call&)) {
  operation.form_of = operation.name;
  operation.name = name;
  operation.form = Form::kNonBlocking;
  operation.requests = 1;
  operation.call = call;
  return operation;
}

// `start` returns what the non-blocking call does, whose request goes to c.requests.
template <int (*start)(Call&)>
constexpr Operation nonblocking(const Operation& operation, const char* name) {
  Operation form = nonblocking(operation, name, call_in_parts<start>);
  form.start = start;
  form.finish = wait_for_request;
  return form;
}

constexpr Operation persistent(Operation operation, const char* name, int (*prepare)(Call&)) {
  operation.form_of = operation.name;
  operation.name = name;
  operation.form = Form::kPersistent;
  operation.requests = 1;
  operation.missing = kPersistentMissing;
  operation.prepare = prepare;
  operation.call = call_in_parts<start_request>;
  operation.start = start_request;
  operation.finish = wait_for_request;
  return operation;
}

constexpr Operation large_counts(Operation operation, const char* name, int (*call)(Call&)) {
  operation.form_of = operation.name;
  operation.name = name;
  operation.form = Form::kLargeCounts;
  operation.missing = kLargeCountsMissing;
  operation.call = call;
  return operation;
}

}  // namespace invar::ops
