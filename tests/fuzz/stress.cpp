// stress.spec, and what ranks of `invar stress` leave: read_stress_order, read_stress_faults,
// read_stress_counts, read_stress_activity.
#include "fuzz/fuzz.hpp"
#include "launch/stress/stress_launch.hpp"
#include "launch/stress/stress_states.hpp"
#include "record/stress/stress_activity.hpp"
#include "record/stress/stress_order.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::may_be_refused([&] {
    const record::StressOrder order = record::read_stress_order(text, "stress.spec");
    fuzz::must_hold(
        record::read_stress_order(record::stress_order_text(order), "written.spec") == order,
        "an order written is the one read");
  });
  const auto faults = launch::read_stress_faults(text);
  std::string written;
  for (const record::StressFault& fault : faults)
    written += record::stress_fault_json(fault) + '\n';
  fuzz::must_hold(launch::read_stress_faults(written) == faults, "faults written are those read");
  const record::StressCounts counts = launch::read_stress_counts(text);
  fuzz::must_hold(launch::read_stress_counts(record::stress_counts_json(counts) + '\n') == counts,
                  "counts written are those read");
  // Any words at all, as long as the first one says what they are.
  record::StressWords words{};
  text.copy(reinterpret_cast<char*>(words.data() + 1), sizeof(words) - sizeof(words[0]));
  words[record::stress_word::kMagic] = record::kStressMagic;
  if (const auto activity = record::stress_activity(words)) {
    launch::StressStates states(2, activity);
    record::StressFault fault{.fault = std::string(record::stress_fault::kCrash)};
    launch::tell_activities(fault, states, text);
  }
  return 0;
}
