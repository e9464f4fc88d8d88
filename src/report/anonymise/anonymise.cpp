#include "report/anonymise/anonymise.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "report/anonymise/anonymise_patterns.hpp"

namespace invar::report {
namespace {

// One character tells nobody, and would be replaced in every sentence.
constexpr std::size_t kShortestName = 2;
// Shorter ones are also parts of names that underscores join.
constexpr std::size_t kShortName = 4;

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool starts_with_one_of(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view start) { return text.starts_with(start); });
}

// Everybody has them.
constexpr std::array<std::string_view, 5> kEverybodysHosts{"localhost", "localdomain", "(none)",
                                                           "unknown", "ip6-localhost"};
constexpr std::array<std::string_view, 6> kEverybodysUsers{"root", "nobody", "daemon",
                                                           "user", "users",  "shared"};

// Variables that steer libraries, transports, threads and memory; of batch systems what a job's
// shape is. Their values are settings.
bool is_allowed_variable(std::string_view name) {
  static constexpr std::array<std::string_view, 25> kSettings{
      "OMPI_MCA_", "MPIR_CVAR_", "MPICH_", "UCX_",  "UCC_",  "FI_",   "I_MPI_",
      "PMIX_MCA_", "PRTE_MCA_",  "OMP_",   "KMP_",  "GOMP_", "MV2_",  "MVP_",
      "HCOLL_",    "SHARP_",     "PSM2_",  "PSM3_", "IBV_",  "MLX5_", "MALLOC_",
      "GLIBC_",    "NUMA_",      "CUDA_",  "ROCR_"};
  static constexpr std::array<std::string_view, 13> kOfJobs{
      "SLURM_NNODES",          "SLURM_JOB_NUM_NODES", "SLURM_NTASKS",       "SLURM_NPROCS",
      "SLURM_MPI_TYPE",        "SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_TASKS_PER_NODE",
      "SLURM_CPU_BIND",        "SLURM_CPU_BIND_TYPE", "SLURM_DISTRIBUTION", "SLURM_NTASKS_PER_NODE",
      "SLURM_THREADS_PER_CORE"};
  // Among the settings: who, where, and what a launcher tells its processes.
  static constexpr std::array<std::string_view, 14> kTelling{
      "uri",  "URI",  "dir",  "DIR",  "regex", "jobid", "user",
      "USER", "host", "HOST", "path", "PATH",  "nonce", "prefix"};
  const bool telling = std::ranges::any_of(
      kTelling, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
  return is_one_of(name, kOfJobs) || (!telling && starts_with_one_of(name, kSettings));
}

// Empty, or a number: the same everywhere.
bool says_nothing(std::string_view value) {
  return value.empty() || value == "(empty)" || value == "(unknown)" || value == "(none)" ||
         (value.size() < 4 && base::parse_double(value));
}

}  // namespace

std::string Anonymiser::word(const std::string& kind, std::string_view name) {
  if (made_.contains(name)) return std::string(name);
  auto& words = words_[kind];
  const auto found = words.find(name);
  if (found != words.end()) return found->second;
  std::string made;
  std::size_t number = words.size();
  do {
    made = kind + std::to_string(++number);
  } while (hidden_.contains(made) || made_.contains(made));
  words.emplace(std::string(name), made);
  made_.insert(made);
  return made;
}

void Anonymiser::hide(const std::string& kind, std::string_view name, std::string_view alias_of) {
  if (name.size() < kShortestName || !hidden_.emplace(name).second) return;
  learned_.push_back({kind, std::string(name), std::string(alias_of)});
}

void Anonymiser::give_words() {
  if (learned_.empty()) return;
  for (const Learned& one : learned_) {
    const std::string instead = word(one.kind, one.alias_of.empty() ? one.name : one.alias_of);
    auto& names = names_[one.name.front()];
    names.emplace_back(one.name, instead);
    std::ranges::stable_sort(names, std::ranges::greater{},
                             [](const auto& entry) { return entry.first.size(); });
  }
  learned_.clear();
}

void Anonymiser::learn_host(std::string_view name) {
  name = base::trim(name);
  if (name.empty() || is_one_of(name, kEverybodysHosts)) return;
  if (is_address(name)) return;
  const std::size_t dot = name.find('.');
  const std::string_view first = name.substr(0, dot);
  if (!is_one_of(first, kEverybodysHosts)) hide("host", first);
  if (dot == std::string_view::npos) return;
  const std::string_view domain = name.substr(dot + 1);
  if (!is_one_of(domain, kEverybodysHosts)) hide("domain", domain);
}

void Anonymiser::learn_user(std::string_view name) {
  name = base::trim(name);
  if (!is_one_of(name, kEverybodysUsers)) hide("user", name);
}

void Anonymiser::learn_session(std::string_view session) {
  // The date stays.
  constexpr std::size_t kBootDigits = 8;
  constexpr std::string_view kJob = "job-";
  for (const std::string_view part : base::split(session, '.')) {
    if (part.starts_with(kJob)) {
      hide("job", part);
    } else if (part.size() == kBootDigits && is_hexadecimal(part)) {
      hide("boot", part);
    }
  }
}

void Anonymiser::learn_kernel(std::string_view release) {
  hide("kernel", own_part_of_release(base::trim(release)));
}

// "/home/alice/...": whoever has a home is a user.
void Anonymiser::learn_users_of(std::string_view text) {
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    for (std::size_t at = text.find(homes); at != std::string_view::npos;
         at = text.find(homes, at + 1)) {
      const std::string_view rest = text.substr(at + homes.size());
      learn_user(rest.substr(0, rest.find_first_of("/ :;,\"'")));
    }
  }
}

Anonymiser::Found Anonymiser::name_at(std::string_view text, std::size_t at) const {
  const auto names = names_.find(text[at]);
  if (names == names_.end()) return {};
  for (const auto& [name, replacement] : names->second) {
    if (!text.substr(at).starts_with(name)) continue;
    const std::size_t end = at + name.size();
    if (end < text.size() && is_letter_or_digit(text[end])) continue;
    // A host that is called "vm" does not occur in the name "orte_max_vm_size".
    const bool joined = (at > 0 && text[at - 1] == '_') || (end < text.size() && text[end] == '_');
    if (joined && name.size() < kShortName) continue;
    return {name.size(), replacement};
  }
  return {};
}

Anonymiser::Found Anonymiser::address_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (const std::size_t length = identifier_length(rest); length > 0) {
    return {length, word("id", rest.substr(0, length))};
  }
  const std::size_t length = address_length(rest);
  if (length == 0) return {};
  const std::string_view address = rest.substr(0, length);
  if (is_everybodys_address(address)) return {length, std::string(address)};
  return {length, word("address", address)};
}

// What says which library or program it is stays: "/path1/lib/libmpi.so.40", "/path1/bin/mpirun".
std::string Anonymiser::path_word(std::string_view path) {
  const std::vector<std::string_view> parts = base::split(path, '/');
  const auto prefix = [&](std::size_t kept) {
    std::size_t length = path.size();
    for (std::size_t i = parts.size() - kept; i < parts.size(); ++i) length -= parts[i].size() + 1;
    return path.substr(0, length);
  };
  static constexpr std::array<std::string_view, 5> kPlaces{"bin", "sbin", "lib", "lib64",
                                                           "libexec"};
  const bool place = is_one_of(parts.back(), kPlaces);
  const bool in_place = parts.size() > 2 && is_one_of(parts[parts.size() - 2], kPlaces);
  const bool library = parts.back().find(".so") != std::string_view::npos;
  const std::size_t kept = in_place && !place ? 2 : (place || library ? 1 : 0);
  const std::string_view hidden = prefix(kept);
  if (hidden.empty() || made_.contains(hidden.substr(1))) return std::string(path);
  return '/' + word("path", hidden) + std::string(path.substr(hidden.size()));
}

Anonymiser::Found Anonymiser::path_at(std::string_view text, std::size_t at) {
  const std::size_t length = path_length(text, at);
  if (length == 0) return {};
  const std::string_view path = text.substr(at, length);
  if (is_system_path(path)) return {};
  return {length, path_word(path)};
}

std::string Anonymiser::apply(std::string_view text) {
  give_words();
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !is_letter_or_digit(text[at - 1]);
    Found found;
    if (const std::size_t authority = authority_length(text, at); authority > 0) {
      const std::string_view host = text.substr(at, authority);
      found = {authority, is_everybodys_address(host) ? std::string(host) : word("address", host)};
    } else if (text[at] == '/') {
      found = path_at(text, at);
    } else if (begins) {
      found = name_at(text, at);
      // The end of a version of five numbers is not an address.
      const bool within = at >= 2 && text[at - 1] == '.' && is_letter_or_digit(text[at - 2]);
      if (found.length == 0 && !within) found = address_at(text, at);
    }
    if (found.length == 0) {
      result += text[at++];
      continue;
    }
    result += found.word;
    at += found.length;
  }
  return result;
}

std::string Anonymiser::variable(std::string_view name, std::string_view value) {
  give_words();
  constexpr std::string_view kAny = "env:";
  if (name.starts_with(kAny)) name.remove_prefix(kAny.size());
  const bool of_job = !says_nothing(value) && !job_of_variable(name, value).empty();
  if (of_job) {
    const std::string known = apply(value);
    // A short number, as sessions have it.
    return known != value ? known : word("job", "job-" + std::string(value));
  }
  if (says_nothing(value) || is_allowed_variable(name)) return apply(value);
  return word("value", value);
}

std::string Anonymiser::fact(std::string_view name, std::string_view value) {
  if (name == "kernel.release") learn_kernel(value);
  give_words();
  for (const std::string_view variables : {"environment.", "set outside "}) {
    if (name.starts_with(variables)) return variable(name.substr(variables.size()), value);
  }
  if (says_nothing(value)) return std::string(value);
  if (name == "kernel.release") {
    // Four numbers are no address here: "5.15.146.1-microsoft-standard-WSL2".
    const std::size_t numbers = std::min(value.find_first_not_of("0123456789."), value.size());
    return std::string(value.substr(0, numbers)) + apply(value.substr(numbers));
  }
  if (name == "kernel.command_line") return word("command-line", value);
  if (name == "limits.cgroup_path" && value != "/") return word("cgroup", value);
  return apply(value);
}

}  // namespace invar::report
