// Texts of anybody that names are taken out of: the first line teaches, the rest is changed.
#include "fuzz/fuzz.hpp"
#include "report/anonymise/anonymise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t feed = text.find('\n');
  const std::string_view name = text.substr(0, feed);
  const std::string_view rest = feed == std::string_view::npos ? "" : text.substr(feed + 1);
  report::Anonymiser names;
  names.learn_host(name);
  names.learn_user(name);
  names.learn_session(name);
  const std::string once = names.apply(rest);
  fuzz::must_hold(names.apply(rest) == once, "the same text gives the same words");
  (void)names.variable(name, rest);
  (void)names.fact(name, rest);
  return 0;
}
