// reproduce.json: which repeats a directory has.
#include "store/reproduction.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  fuzz::may_be_refused([&] {
    const store::Reproduction read =
        store::read_reproduction(fuzz::text_of(data, size), "reproduce.json");
    const std::string written = store::reproduction_json(read);
    fuzz::must_hold(store::read_reproduction(written, "written.json") == read,
                    "repeats written are those read");
  });
  return 0;
}
