// Where the functions of the MPI library are.
#pragma once

namespace invar::shim {

// Before MPI_Init goes on. A program that loads its library after its own start (Python does) keeps
// the library's names to itself: from here on they are everybody's, as they are where a program was
// linked with it. Nothing happens where they are already, or where there is no library.
void find_library();

// Whether handles such as MPI_BYTE can be used. Those of Open MPI are addresses that are looked up
// once, when the program starts: they are not there if the library came later.
bool has_handles();

}  // namespace invar::shim
