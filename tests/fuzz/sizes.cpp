// Lists of sizes: parse_size_list.
#include "design/campaign/campaign.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  fuzz::may_be_refused([&] {
    const std::vector<std::uint64_t> sizes =
        design::parse_size_list(fuzz::text_of(data, size), "--size");
    fuzz::must_hold(!sizes.empty(), "a list of sizes has a size");
    std::string text;
    for (const std::uint64_t one : sizes) text += (text.empty() ? "" : ",") + std::to_string(one);
    fuzz::must_hold(design::parse_size_list(text, "--size") == sizes,
                    "sizes written are those read");
  });
  return 0;
}
