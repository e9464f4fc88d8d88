#include "analysis/machine/host_cores.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "base/text.hpp"
#include "store/json_text.hpp"

namespace invar::analysis {
namespace {

// More CPUs than that no host has.
constexpr std::uint64_t kMostCpus = 1U << 16U;

// "0-3,8"; empty: it is no such list.
std::set<std::uint64_t> cpus_in(std::string_view text) {
  std::set<std::uint64_t> cpus;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t hyphen = range.find('-');
    const std::optional<std::uint64_t> first = base::parse_u64(range.substr(0, hyphen));
    const std::optional<std::uint64_t> last =
        hyphen == std::string_view::npos ? first : base::parse_u64(range.substr(hyphen + 1));
    if (!first || !last || *last < *first || *last >= kMostCpus) return {};
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

// {SECTION: {KEY: "0-3"}}
std::set<std::uint64_t> cpus_of(const nlohmann::json& host, const char* section, const char* key) {
  const auto facts = host.find(section);
  if (facts == host.end() || !facts->is_object()) return {};
  const auto list = facts->find(key);
  return list == facts->end() || !list->is_string() ? std::set<std::uint64_t>()
                                                    : cpus_in(list->get<std::string>());
}

}  // namespace

std::uint32_t recorded_cores(std::string_view env_json) {
  const nlohmann::json environment = store::parse_json_or_none(env_json);
  if (!environment.is_object()) return 0;
  const auto hosts = environment.find("hosts");
  if (hosts == environment.end() || !hosts->is_array() || hosts->empty()) return 0;
  const nlohmann::json& host = hosts->front();
  if (!host.is_object()) return 0;
  std::set<std::uint64_t> cpus = cpus_of(host, "processor", "online");
  const std::set<std::uint64_t> allowed = cpus_of(host, "limits", "cpuset");
  if (!allowed.empty()) {
    std::erase_if(cpus, [&](std::uint64_t cpu) { return !allowed.contains(cpu); });
  }
  if (cpus.empty()) return 0;
  const bool threads = host.at("processor").value("smt_active", nlohmann::json()) == true;
  const auto count = static_cast<std::uint32_t>(cpus.size());
  return threads ? std::max(1U, count / 2) : count;
}

}  // namespace invar::analysis
