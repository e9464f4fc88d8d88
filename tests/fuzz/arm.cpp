// Arms of the command line: parse_arm, arm_text and the labels.
#include "design/campaign/campaign.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  std::vector<design::Arm> arms;
  std::string_view rest = fuzz::text_of(data, size);
  // One arm a line.
  while (!rest.empty()) {
    const std::size_t feed = rest.find('\n');
    fuzz::may_be_refused([&] {
      const design::Arm arm = design::parse_arm(rest.substr(0, feed), "race");
      const std::string text = design::arm_text(arm);
      const auto same = [&](const design::Arm& again) {
        // The library's name is the usual label.
        const bool label =
            again.label == arm.label || (again.label.empty() && arm.label == arm.library);
        return again.library == arm.library && label && again.settings == arm.settings;
      };
      try {
        fuzz::must_hold(same(design::parse_arm(text, "written")), "an arm written is the one read");
      } catch (const base::CommandError& error) {
        std::fprintf(stderr, "%s\n%s\n", error.what(), text.c_str());
        fuzz::must_hold(false, "an arm that was written can be read");
      }
      arms.push_back(arm);
    });
    if (feed == std::string_view::npos) break;
    rest.remove_prefix(feed + 1);
  }
  fuzz::may_be_refused([&] {
    design::label_arms(arms);
    for (std::size_t i = 0; i < arms.size(); ++i) {
      fuzz::must_hold(!arms[i].label.empty(), "every arm has a label");
      for (std::size_t j = 0; j < i; ++j) {
        fuzz::must_hold(arms[i].label != arms[j].label, "no label is given twice");
      }
    }
  });
  return 0;
}
