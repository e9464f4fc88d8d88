// A program that knows no MPI until it loads what does, for itself alone, as Python loads a module:
//   late LIBRARY CALLS
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  auto* const run = reinterpret_cast<int (*)(int)>(dlsym(library, "run"));
  return run == nullptr ? 2 : run(std::atoi(argv[2]));
}
