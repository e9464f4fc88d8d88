#include "shim/library/find_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <string>
#include <vector>

#include "shim/library/library.hpp"

namespace invar::shim {
namespace {

constexpr const char* kOfEveryLibrary = "PMPI_Init";

// dlopen() must not be called by what dl_iterate_phdr() calls: other threads may wait for its lock.
std::vector<std::string> loaded_objects() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*bytes*/, void* to) {
        if (object->dlpi_name != nullptr && *object->dlpi_name != '\0') {
          static_cast<std::vector<std::string>*>(to)->emplace_back(object->dlpi_name);
        }
        return 0;
      },
      &names);
  return names;
}

}  // namespace

void find_library() {
  if (dlsym(RTLD_DEFAULT, kOfEveryLibrary) != nullptr) return;
  for (const std::string& name : loaded_objects()) {
    void* const object = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) continue;
    // It may be the library, or what was linked with it.
    const void* const symbol = dlsym(object, kOfEveryLibrary);
    Dl_info library{};
    if (symbol != nullptr && dladdr(symbol, &library) != 0) {
      dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    }
    dlclose(object);
    if (symbol != nullptr) return;
  }
}

bool has_handles() {
#if defined(OPEN_MPI)
  // The compiler must not know that a symbol has an address.
  const void* volatile const world = MPI_COMM_WORLD;
  return world != nullptr;
#else
  return true;
#endif
}

}  // namespace invar::shim
