// Numbers in the library's control variables (MPI_T), written while it runs.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>

#include "engine/algorithms/tool_session.hpp"

namespace invar::engine {

// Made after MPI_Init, gone before MPI_Finalize. Not collective.
class WrittenVariables {
 public:
  // Throws std::runtime_error if the library has no tool interface.
  WrittenVariables();
  WrittenVariables(const WrittenVariables&) = delete;
  WrittenVariables& operator=(const WrittenVariables&) = delete;
  ~WrittenVariables();

  // Returns what was there before. Throws std::runtime_error, with the variable's name, where there
  // is none, it is not a number, it cannot be written, or something else is read then: nothing has
  // changed, or it has been put back.
  std::int64_t write(const std::string& name, std::int64_t number);

 private:
  ToolSession session_ = {};
#if INVAR_HAS_TOOL_INTERFACE
  struct Variable {
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
  };
  Variable& find(const std::string& name);

  std::map<std::string, Variable> variables_ = {};
#endif
};

}  // namespace invar::engine
