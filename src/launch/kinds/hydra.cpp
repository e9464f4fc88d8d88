#include "launch/kinds/hydra.hpp"

#include "base/text.hpp"
#include "launch/start/launch_command.hpp"

namespace invar::launch {
namespace {

using Words = std::vector<std::string>;

std::uint32_t only_ranks(const StartOptions& options, const design::Host& /*host*/) {
  return ranks_per_host(options);
}

Words hydra(const Profile& profile, const StartOptions& options) {
  Words words;
  if (!options.hosts.empty()) {
    append(words, {"-hosts", hosts_with_ranks(options, only_ranks)});
    for (const auto& [name, value] : given_environment(profile, options)) {
      append(words, {"-genv", name, value});
    }
  }
  append(words, {"-n", std::to_string(options.ranks)});
  return words;
}

}  // namespace

Words mpich_words(const Profile& profile, const StartOptions& options) {
  Words words{"-bind-to", options.bind ? "core" : "none"};
  append(words, hydra(profile, options));
  return words;
}

Words intel_words(const Profile& profile, const StartOptions& options) {
  return hydra(profile, options);
}

std::string mpich_configured(const Profile& /*profile*/, std::string_view library_version) {
  constexpr std::string_view kMark = " configure:";
  for (const std::string_view line : base::split(library_version, '\n')) {
    const std::size_t mark = line.find(kMark);
    if (mark != std::string_view::npos) {
      return std::string(base::trim(line.substr(mark + kMark.size())));
    }
  }
  return {};
}

Environment intel_environment(const StartOptions& options,
                              const std::filesystem::path& /*scratch*/) {
  if (options.bind) return {};
  return {{"I_MPI_PIN", "0"}};
}

Environment intel_wheel_environment(const std::filesystem::path& venv) {
  // Wrapper and launcher find their parts by I_MPI_ROOT; programs that other wrappers linked find
  // the library by LD_LIBRARY_PATH.
  return {{"I_MPI_ROOT", venv.string()},
          {"LD_LIBRARY_PATH", (venv / "lib").string() + ":$LD_LIBRARY_PATH"}};
}

}  // namespace invar::launch
