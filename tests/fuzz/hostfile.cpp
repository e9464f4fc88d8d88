// Hostfiles of MPICH, Intel MPI and Open MPI.
#include "design/campaign/hosts.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  fuzz::may_be_refused([&] {
    const std::vector<design::Host> hosts =
        design::read_hostfile(fuzz::text_of(data, size), "hosts");
    std::string text;
    for (const design::Host& host : hosts) text += design::host_text(host) + '\n';
    fuzz::must_hold(design::read_hostfile(text, "written") == hosts,
                    "hosts written are those read");
  });
  return 0;
}
