// A compiler wrapper and a launcher: what they are, which library they stand for, and which of them
// are on this machine.
#pragma once

#include <string>
#include <vector>

#include "launch/process/command.hpp"

namespace invar::launch {

struct Toolchain {
  std::string mpicxx = {};
  std::string mpirun = {};
  std::string shown = {};          // command line that the wrapper would run (`-show`)
  std::string library = {};        // real path of the MPI library that it links; else `shown`
  std::string compiler_path = {};  // real path of the compiler behind the wrapper
  std::string compiler = {};       // first line of `$mpicxx --version`
  std::string family = {};         // by the launcher: openmpi | mpich | intel | other
  std::string version = {};        // of the launcher: "4.1.4"; may be empty
  std::string state = {};          // toolchain_state() when it was inspected
};

// Asks wrapper and launcher. Never throws: what they do not tell stays empty.
Toolchain inspect(const std::string& mpicxx, const std::string& mpirun,
                  const Environment& environment);

// The part of toolchain_state() that goes into an object: the launcher does not.
std::string compile_state(const Toolchain& toolchain);

// Changes whenever wrapper, launcher, compiler or library are replaced, or a variable that
// redirects a wrapper (OMPI_CXX, MPICH_CXX, ...) is set otherwise. Only looks at files' stamps.
std::string toolchain_state(const Toolchain& toolchain);

// What decides how a source that knows no MPI is compiled: the compiler and the wrapper's flags but
// those for headers, libraries and threads. Equal for libraries whose objects are interchangeable;
// empty if the wrapper does not tell.
std::string object_state(const Toolchain& toolchain);

// One pair per library, in the order of the search: PATH, then prefixes (/opt, /usr/local, ...,
// $MPI_HOME, $I_MPI_ROOT, $INVAR_MPI_PREFIXES). What was found before and has not changed is taken
// from a cache in invar_home().
std::vector<Toolchain> detect_toolchains();

// Text between the first digit and the end of a version: "mpirun (Open MPI) 4.1.4" -> "4.1.4".
std::string find_version(const std::string& text);

// "-L", "-l" and rpath of a wrapper's command line -> the real path of the MPI library (libmpi,
// libmpich, ...; not its C++ or Fortran bindings). Empty if there is none.
std::string linked_library(const std::string& shown);

// Folders in which wrappers are looked for.
std::vector<std::string> search_folders();

}  // namespace invar::launch
