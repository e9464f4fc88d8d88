// Lists of sizes: parse_size_list, parse_sizes.
#include "design/factors/sizes.hpp"
#include "base/units.hpp"
#include "design/campaign/gate.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace invar;

// As a command line would have it, where that has words for all of it.
std::string words_of(const design::SizesAsked& asked) {
  std::string text;
  for (const std::uint64_t one : asked.sizes_bytes) {
    text += (text.empty() ? "" : ",") + std::to_string(one);
  }
  for (const design::AdaptiveSizes& one : asked.adaptive) {
    text += (text.empty() ? "adaptive:" : ",adaptive:") + std::to_string(one.low_bytes) + ':' +
            std::to_string(one.high_bytes) + ':' + design::percent_words(one.tolerance);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto written = fuzz::text_of(data, size);
  fuzz::may_be_refused([&] {
    const std::vector<std::uint64_t> sizes = design::parse_size_list(written, "--size");
    fuzz::must_hold(!sizes.empty(), "a list of sizes has a size");
    std::string text;
    for (const std::uint64_t one : sizes) text += (text.empty() ? "" : ",") + std::to_string(one);
    fuzz::must_hold(design::parse_size_list(text, "--size") == sizes,
                    "sizes written are those read");
  });
  fuzz::may_be_refused([&] {
    const design::SizesAsked asked = design::parse_sizes(written, "--size");
    fuzz::must_hold(!asked.sizes_bytes.empty() || !asked.adaptive.empty(), "something is asked");
    const design::SizesAsked again = design::parse_sizes(words_of(asked), "--size");
    fuzz::must_hold(again.sizes_bytes == asked.sizes_bytes && again.adaptive == asked.adaptive,
                    "what is asked is written and read");
    for (const design::AdaptiveSizes& one : asked.adaptive) {
      const std::vector<std::uint64_t> first = design::first_sizes(one, 1);
      fuzz::must_hold(first.size() >= design::kLeastFirstSizes && first.size() <= one.most,
                      "it begins with sizes");
      fuzz::must_hold(first.front() == one.low_bytes && first.back() == one.high_bytes,
                      "from end to end");
    }
  });
  return 0;
}
