// launch.spec: read_launch_spec and launch_spec_text.
#include "record/launch_spec.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  fuzz::may_be_refused([&] {
    const record::LaunchSpec spec =
        record::read_launch_spec(fuzz::text_of(data, size), "launch.spec");
    const std::string text = record::launch_spec_text(spec);
    try {
      fuzz::must_hold(record::read_launch_spec(text, "written.spec") == spec,
                      "a launch's specification written is the one read");
    } catch (const base::CommandError& error) {
      std::fprintf(stderr, "%s\n%s\n", error.what(), text.c_str());
      fuzz::must_hold(false, "a specification that was written can be read");
    }
  });
  return 0;
}
