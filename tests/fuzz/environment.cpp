// env.json: what metadata and the anonymiser read of it.
#include "analysis/metadata/metadata.hpp"
#include "fuzz/fuzz.hpp"
#include "report/anonymise/anonymise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::may_be_refused([&] {
    analysis::Metadata metadata;
    analysis::ArmFacts arm{.library = "mpich"};
    analysis::add_environment(text, metadata, arm);
    report::Anonymiser names;
    names.learn_environment(text);
    names.apply(metadata);
  });
  return 0;
}
