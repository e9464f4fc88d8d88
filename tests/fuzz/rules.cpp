// Files of performance guidelines.
#include "design/rules/guideline.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  fuzz::may_be_refused([&] {
    std::string text;
    for (const design::Guideline& rule :
         design::parse_guidelines(fuzz::text_of(data, size), "rules")) {
      text += design::guideline_text(rule) + '\n';
    }
    std::string again;
    try {
      for (const design::Guideline& rule : design::parse_guidelines(text, "written")) {
        again += design::guideline_text(rule) + '\n';
      }
    } catch (const base::CommandError& error) {
      std::fprintf(stderr, "%s\n%s\n", error.what(), text.c_str());
      fuzz::must_hold(false, "rules that were written can be read");
    }
    fuzz::must_hold(again == text, "rules written are those read");
  });
  return 0;
}
