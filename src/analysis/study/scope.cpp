#include "analysis/study/scope.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/study/start_skews.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "record/memory/levels.hpp"

namespace invar::analysis {
namespace {

// Which transport ranks of one host use is known only from what was measured.
constexpr std::string_view kOneHost = "1 host";

std::uint64_t calls_of(const store::Launch& launch) {
  std::uint64_t calls = 0;
  for (const store::Visit& visit : launch.visits) {
    calls += std::uint64_t{visit.line.records} * visit.line.calls;
  }
  return calls;
}

// A message needs a packet at least; a quiet interface has a few a second.
bool over_network(const store::Launch& launch) {
  return launch.network_packets > calls_of(launch) / 2 && launch.network_packets > 1000;
}

// Counters are the host's: the launches of a group see each other's packets, so a group counts as a
// whole.
std::size_t groups_over_network(const store::Data& data) {
  std::size_t count = 0;
  for (const store::Group& group : data.groups) {
    bool network = false;
    for (const store::Launch& launch : group.launches) network = network || over_network(launch);
    count += network ? 1 : 0;
  }
  return count;
}

// Now and then somebody else uses the network; in most groups it is the ranks.
bool mostly_over_network(const store::Data& data) {
  return 2 * groups_over_network(data) > data.groups.size();
}

// "OMPI_MCA_btl=tcp,self and 2 more variables set outside": what no campaign says, and what acts on
// all its arms. Empty: none, or that is not known.
std::string variables_text(const store::Data& data) {
  constexpr std::size_t kMostTold = 2;
  if (!data.variables || data.variables->empty()) return {};
  std::vector<std::string> texts;
  texts.reserve(data.variables->size());
  for (const auto& [name, value] : *data.variables) texts.push_back(name + "=" + value);
  const std::size_t told = std::min(kMostTold, texts.size());
  std::string text = base::join(std::span(texts).first(told), " and ");
  if (texts.size() > told) {
    text += " and " + count_text(texts.size() - told, "more variable");
  }
  return text + " set outside";
}

// "pml ob1, btl vader, coll tuned": what carries messages and does collectives. Several
// components may do collectives: the one that is asked first is named, the others fill in what it
// lacks.
std::string carrier_text(const store::ArmRecord& arm) {
  std::vector<std::string> parts;
  for (const auto& [kind, names] : arm.components) {
    parts.push_back(kind + " " + (kind == "coll" ? names.substr(0, names.find(',')) : names));
  }
  return base::join(parts, ", ");
}

// Label and what it chose.
using Carriers = std::vector<std::pair<std::string, std::string>>;

// What a launch on one host chose says nothing of several.
Carriers carriers_of(const store::Data& data) {
  Carriers carriers;
  if (data.scope.find(kOneHost) == std::string::npos) return carriers;
  for (const store::ArmRecord& arm : data.arms) {
    if (std::string carrier = carrier_text(arm); !carrier.empty()) {
      carriers.emplace_back(arm.label, std::move(carrier));
    }
  }
  return carriers;
}

// " (openmpi: pml ob1, btl vader; mpich: netmod ucx)": arms that do alike are named once.
std::string carriers_text(const Carriers& arms) {
  std::vector<std::pair<std::string, std::vector<std::string>>> carriers;
  for (const auto& [label, carrier] : arms) {
    auto known = std::ranges::find(carriers, carrier,
                                   &std::pair<std::string, std::vector<std::string>>::first);
    if (known == carriers.end()) known = carriers.insert(known, {carrier, {}});
    known->second.push_back(label);
  }
  if (carriers.empty()) return {};
  if (carriers.size() == 1) return " (" + carriers.front().first + ")";
  std::vector<std::string> texts;
  texts.reserve(carriers.size());
  for (const auto& [carrier, labels] : carriers) {
    texts.push_back(base::join(labels, ", ") + ": " + carrier);
  }
  return " (" + base::join(texts, "; ") + ")";
}

// An arm that chose the same in both campaigns has its bare label.
Carriers carriers_of(const NamedData& first, const NamedData& second) {
  const Carriers ours = carriers_of(first.data);
  const Carriers theirs = carriers_of(second.data);
  const auto in_both = [&](const Carriers::value_type& one) {
    return std::ranges::find(ours, one) != ours.end() &&
           std::ranges::find(theirs, one) != theirs.end();
  };
  Carriers carriers;
  for (const auto& one : ours) {
    carriers.emplace_back(in_both(one) ? one.first : one.first + "@" + first.name, one.second);
  }
  for (const auto& one : theirs) {
    if (!in_both(one)) carriers.emplace_back(one.first + "@" + second.name, one.second);
  }
  return carriers;
}

// A process without any MPI library sends nothing, and no settings of one are for it.
bool without_library(const store::Data& data) {
  return !data.arms.empty() && std::ranges::all_of(data.arms, [](const store::ArmRecord& arm) {
    return arm.library == record::kNoLibrary;
  });
}

// ", shared memory"; nothing where there are several hosts.
std::string transport_text(const store::Data& data) {
  if (data.scope.find(kOneHost) == std::string::npos || without_library(data)) return {};
  return mostly_over_network(data) ? ", not only shared memory" : ", shared memory";
}

// ", with UCX_TLS=sm set outside in day1 and UCX_TLS=tcp set outside in day2"
std::string variables_text(const NamedData& first, const NamedData& second) {
  const std::string ours = variables_text(first.data);
  const std::string theirs = variables_text(second.data);
  if (ours.empty() && theirs.empty()) return {};
  if (first.data.variables == second.data.variables) return ", with " + ours;
  std::vector<std::string> texts;
  if (!ours.empty()) texts.push_back(ours + " in " + first.name);
  if (!theirs.empty()) texts.push_back(theirs + " in " + second.name);
  return ", with " + list_text(texts) + (texts.size() == 1 ? " only" : "");
}

}  // namespace

std::string scope_text(const store::Data& data, bool this_launch_only) {
  return scope_text(data, this_launch_only, StartSkews(data));
}

std::string scope_text(const store::Data& data, bool this_launch_only, const StartSkews& starts) {
  std::string scope = data.scope + transport_text(data) + carriers_text(carriers_of(data));
  if (const std::string variables = variables_text(data);
      !variables.empty() && !without_library(data)) {
    scope += ", with " + variables;
  }
  if (this_launch_only) {
    scope += ", this launch only";
  } else if (data.sessions.size() > 1) {
    scope += ", " + count_text(data.sessions.size(), "session");
  } else {
    scope += ", this session";
  }
  const std::string apart = starts.scope();
  return apart.empty() ? scope : scope + ", " + apart;
}

std::string scope_text(const NamedData& first, const NamedData& second) {
  const std::string ours = first.data.scope + transport_text(first.data);
  const std::string theirs = second.data.scope + transport_text(second.data);
  const std::string scope = ours == theirs ? ours : ours + " against " + theirs;
  std::string starts;
  for (const NamedData* one : {&first, &second}) {
    const std::string apart =
        one->starts != nullptr ? one->starts->scope() : StartSkews(one->data).scope();
    if (!apart.empty()) starts += ", in " + one->name + " " + apart;
  }
  return scope + carriers_text(carriers_of(first, second)) + variables_text(first, second) +
         ", two campaigns, includes the machine's change" + starts;
}

std::optional<std::string> transport_warning(const store::Data& data) {
  if (!mostly_over_network(data)) return std::nullopt;
  std::uint64_t packets = 0;
  std::string interface;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (launch.network_packets <= packets) continue;
      packets = launch.network_packets;
      interface = launch.network_interface;
    }
  }
  return "the ranks' messages, or somebody else's, went over " + interface + " (up to " +
         std::to_string(packets) +
         " packets during a launch): some arm does not use shared memory alone (see 'invar env' "
         "for the transport libraries that each arm mapped)";
}

}  // namespace invar::analysis
