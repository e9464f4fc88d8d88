#include "launch/kinds/components.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace invar::launch {
namespace {

// What stands between the two in the line; none: they do not.
std::optional<std::string> between(std::string_view line, std::string_view before,
                                   std::string_view after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + before.size());
  const std::size_t end = rest.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(base::trim(rest.substr(0, end)));
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

void add(Components& components, const char* kind, const std::vector<std::string>& names) {
  if (!names.empty()) components.emplace_back(kind, base::join(names, ", "));
}

// "[node1:00505] ..."
std::string_view process_of(std::string_view line) {
  return line.starts_with('[') ? line.substr(0, line.find(']')) : std::string_view();
}

}  // namespace

Environment open_mpi_told() {
  return {{"OMPI_MCA_pml_base_verbose", "10"},
          {"OMPI_MCA_btl_base_verbose", "100"},
          {"OMPI_MCA_coll_base_verbose", "10"}};
}

Components open_mpi_components(std::string_view said) {
  std::vector<std::string> pml;
  std::vector<std::string> btl;
  // One process, its first communicator: a name that comes again begins the next one. Those
  // that come last are asked first.
  std::vector<std::string> coll;
  std::string_view process;
  bool first_communicator = true;
  for (const std::string_view line : base::split(said, '\n')) {
    if (auto name = between(line, "select: component ", " selected")) add_once(pml, *name);
    if (auto name = between(line, "bml: Using ", " btl for send"); name && *name != "self") {
      add_once(btl, *name);
    }
    const auto name = between(line, "comm_select: selecting", ",");
    if (!name || line.find(", Enabled") == std::string_view::npos) continue;
    if (process.empty()) process = process_of(line);
    if (process_of(line) != process) continue;
    first_communicator = first_communicator && std::ranges::find(coll, *name) == coll.end();
    if (first_communicator) coll.insert(coll.begin(), *name);
  }
  std::ranges::sort(btl);
  Components components;
  add(components, "pml", pml);
  add(components, "btl", btl);
  add(components, "coll", coll);
  return components;
}

Environment mpich_told() { return {{"MPIR_CVAR_DEBUG_SUMMARY", "1"}, {"UCX_LOG_LEVEL", "info"}}; }

Components mpich_components(std::string_view said) {
  std::vector<std::string> netmod;
  std::vector<std::string> transports;
  std::vector<std::string> provider;
  for (const std::string_view line : base::split(said, '\n')) {
    if (line.find("UCX netmod") != std::string_view::npos) add_once(netmod, "ucx");
    if (line.find("OFI netmod") != std::string_view::npos ||
        line.find("fi_version") != std::string_view::npos) {
      add_once(netmod, "ofi");
    }
    if (auto name = between(line, "provider: ", ",")) add_once(provider, *name);
    // "ep_cfg[0]: tag(sysv/memory cma/memory) ..."; that to the process itself is of no interest.
    const auto lanes = line.find("self/") == std::string_view::npos ? between(line, "tag(", ")")
                                                                    : std::optional<std::string>();
    if (!lanes) continue;
    for (const std::string_view lane : base::split(*lanes, ' ')) {
      add_once(transports, std::string(lane.substr(0, lane.find('/'))));
    }
  }
  Components components;
  add(components, "netmod", netmod);
  add(components, "transports", transports);
  add(components, "provider", provider);
  return components;
}

Environment intel_told() { return {{"I_MPI_DEBUG", "2"}}; }

Components intel_components(std::string_view said) {
  std::vector<std::string> provider;
  std::vector<std::string> tuning;
  for (const std::string_view line : base::split(said, '\n')) {
    // ".../tuning_generic_shm.dat": for which fabric its collectives are chosen.
    if (const auto file = between(line, "Load tuning file: \"", ".dat\"")) {
      const std::string name = file->substr(file->rfind('/') + 1);
      constexpr std::string_view kPrefix = "tuning_";
      add_once(tuning, name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
    }
    const std::size_t at = line.find("libfabric provider: ");
    if (at == std::string_view::npos) continue;
    add_once(provider, std::string(base::trim(line.substr(line.find(':', at) + 1))));
  }
  Components components;
  add(components, "provider", provider);
  add(components, "tuning", tuning);
  return components;
}

}  // namespace invar::launch
