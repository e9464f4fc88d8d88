// What an answer holds for: ranks, hosts, transport, session.
#pragma once

#include <optional>
#include <string>

#include "analysis/study/start_skews.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// "2 ranks, 1 host, shared memory, this session". The transport is what was seen, not what was
// hoped for: where more packets went over a network interface than half of the calls made, it says
// so. `this_launch_only`: all rests on one launch group.
std::string scope_text(const store::Data& data, bool this_launch_only);
// With what is known of their starts already.
std::string scope_text(const store::Data& data, bool this_launch_only, const StartSkews& starts);

struct NamedData {
  const store::Data& data;
  std::string name = {};               // of the campaign, as the answer calls it
  const StartSkews* starts = nullptr;  // of the data, where that is known already
};
// "2 ranks, 1 host, shared memory, two campaigns, includes the machine's change": what differs
// between the two is said of each.
std::string scope_text(const NamedData& first, const NamedData& second);

// Why the scope does not say "shared memory": which launches' messages went over which interface.
std::optional<std::string> transport_warning(const store::Data& data);

}  // namespace invar::analysis
