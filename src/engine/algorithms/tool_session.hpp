// A session of the library's tool interface (MPI_T): made after MPI_Init, gone before MPI_Finalize.
// Headers that do not know the interface (SimGrid's) have libraries that lack it.
// Open MPI 4.1 crashes in a MPI_T_finalize behind it. In MPICH 4.0 a session that begins after
// another one has ended finds no variables, and crashes where they are counted: there the first one
// stays open.
#pragma once

#include <mpi.h>

#ifdef MPI_T_ENUM_NULL
#define INVAR_HAS_TOOL_INTERFACE 1
#else
#define INVAR_HAS_TOOL_INTERFACE 0
#endif

namespace invar::engine {

class ToolSession {
 public:
#if INVAR_HAS_TOOL_INTERFACE
  ToolSession() {
    int provided = 0;
    opened_ = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
  }
  ToolSession(const ToolSession&) = delete;
  ToolSession& operator=(const ToolSession&) = delete;
  ~ToolSession() {
#ifdef MPICH_NUMVERSION
    const bool stays = true;
#else
    const bool stays = false;
#endif
    if (opened_ && !stays) MPI_T_finalize();
  }
#else
  ToolSession() = default;
  ToolSession(const ToolSession&) = delete;
  ToolSession& operator=(const ToolSession&) = delete;
  ~ToolSession() = default;
#endif

  // False: the library has no tool interface.
  [[nodiscard]] bool opened() const { return opened_; }

 private:
  bool opened_ = false;
};

}  // namespace invar::engine
