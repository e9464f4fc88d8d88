// For tests with more ranks than cores: MPICH over UCX polls without ever giving up its core, so
// that a rank waits a whole time slice for a partner that has none. All its polling goes through
// ucp_worker_progress(); this one, preloaded, yields whenever there was nothing to do. Behaviour is
// tested with it, never time.
//   g++ -O2 -shared -fPIC -o yield_preload.so yield_preload.cpp -ldl
#include <dlfcn.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>

using Progress = unsigned (*)(void*);

namespace {

Progress next_progress() {
  void* const symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (symbol == nullptr) {
    std::fputs("yield_preload: no ucp_worker_progress behind this one\n", stderr);
    std::abort();
  }
  return reinterpret_cast<Progress>(symbol);
}

}  // namespace

extern "C" unsigned ucp_worker_progress(void* worker) {
  static const Progress progress = next_progress();
  const unsigned events = progress(worker);
  if (events == 0) sched_yield();
  return events;
}
