// The MPI library, as everything that is compiled into the shim sees it: MPI_Bcast in these sources
// is the library's PMPI_Bcast, and no name of the library has to be there when the shim is loaded.
//
// The build includes this file in front of every source that knows MPI (-include), those of src/ops
// among them. Bodies, schedules and executor write MPI_Bcast, as they do in the engine, and would
// come back to the shim, which stands in front of the library. So the compiler is told once under
// which name each function is found: nothing in the bodies is written for the shim, no pointer is
// followed, and a call costs what it costs the engine. A function that functions.def lacks would be
// called by its own name: the test shim_preload looks for that.
//
// All references are weak, because what is preloaded is loaded into launchers and shells as well,
// where nobody calls it and where there is no MPI.
#pragma once

#if defined(MPI_VERSION)
#error "mpi.h is included already: compile with -include shim/library/library.hpp"
#endif

#define INVAR_PRAGMA(text) _Pragma(#text)

#define INVAR_MPI_FUNCTION(name) INVAR_PRAGMA(redefine_extname MPI_##name PMPI_##name)
#include "shim/library/functions.def"
#undef INVAR_MPI_FUNCTION

#include <mpi.h>

extern "C" {
#define INVAR_MPI_FUNCTION(name) extern decltype(MPI_##name) MPI_##name __attribute__((weak));
#include "shim/library/functions.def"
#undef INVAR_MPI_FUNCTION
}

// Its handles are addresses of data.
#if defined(OPEN_MPI)
#define INVAR_OPEN_MPI_HANDLE(symbol) INVAR_PRAGMA(weak symbol)
#include "shim/library/handles.def"
#undef INVAR_OPEN_MPI_HANDLE
#endif
