// Experiments with clocks: raw rows of every experiment (the first byte says which), and the
// manifest of their directory.
#include "analysis/clocks/clock_experiments.hpp"
#include "fuzz/fuzz.hpp"
#include "store/clock_dir.hpp"

namespace {

using namespace invar;

void answer(std::string_view text, bool simulated) {
  const auto experiments = analysis::clock_experiments();
  const analysis::ClockExperiment& experiment =
      experiments[static_cast<unsigned char>(text.front()) % experiments.size()];
  const auto columns = simulated ? experiment.simulated : experiment.live;
  if (columns.empty()) return;
  // With the header, that no mutation would find.
  store::ClockData data{.head = {.experiment = std::string(experiment.name),
                                 .library = simulated ? "" : "mpich",
                                 .network = "quiet",
                                 .ranks = {2}},
                        .spec = record::clock_spec_text({.after_s = {0, 5}, .bins = 4}),
                        .rows = record::raw_header(columns) + std::string(text.substr(1))};
  fuzz::may_be_refused([&] {
    const analysis::Answer answer = analysis::clock_answer(data);
    fuzz::must_hold(!answer.sentence.empty(), "an answer has a sentence");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Directory dir;
  const std::string_view raw = fuzz::text_of(data, size);
  if (raw.empty()) return 0;
  answer(raw, true);
  answer(raw, false);
  const std::string text = fuzz::with_valid_crcs(raw);
  dir.put("manifest.jsonl", text);
  dir.put("manifest.copy.jsonl", raw);
  dir.put("clocks.spec", "");
  dir.put("clocks.csv", raw);
  if (!store::is_clock_dir(dir.path())) return 0;
  fuzz::may_be_refused([&] { store::verify_clock_dir(dir.path()); });
  fuzz::may_be_refused([&] { store::read_clock_dir(dir.path()); });
  return 0;
}
