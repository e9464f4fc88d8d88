#include "cli/parse.hpp"

#include <array>
#include <iostream>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "store/version.hpp"

namespace invar::cli {
namespace {

constexpr const char* kAbout =
    "Reproducible, statistically sound benchmarks of MPI libraries.\n"
    "Begin with: invar race openmpi mpich    (or: invar doctor, invar mpi list)";

constexpr std::array kCommands{
#define INVAR_COMMAND(name) add_##name,
#include "cli/commands.def"
#undef INVAR_COMMAND
};

// The subcommand that the words belong to, as far as they were understood.
const CLI::App* innermost(const CLI::App& app) {
  const CLI::App* current = &app;
  while (!current->get_subcommands().empty()) current = current->get_subcommands().back();
  return current;
}

// "mpi add"; empty for invar itself, whose name comes before every message.
std::string full_name(const CLI::App* command) {
  std::string name = command->get_name();
  if (command->get_parent() == nullptr) return "";
  while ((command = command->get_parent())->get_parent() != nullptr) {
    name = command->get_name() + " " + name;
  }
  return name;
}

std::string help_of(const CLI::App& command) {
  const std::string name = full_name(&command);
  return "see 'invar " + (name.empty() ? "" : name + " ") + "--help'";
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

[[noreturn]] void refuse_extras(const CLI::App& app) {
  const CLI::App* command = innermost(app);
  const std::string place = full_name(command);
  base::Faults faults;
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with("-")) {
      const std::string name = word.substr(0, word.find('='));
      faults.add(place, "unknown option '" + name + "'",
                 base::did_you_mean(name, option_names(*command)));
    } else if (!command->get_subcommands({}).empty()) {
      faults.add(place, "unknown subcommand '" + word + "'",
                 base::did_you_mean(word, subcommand_names(*command)));
    } else {
      faults.add(place, "'" + word + "' is one word too many", help_of(*command));
    }
  }
  faults.throw_if_any();
  throw base::UserError(place, "cannot be understood", help_of(*command));
}

// Whatever a command printed, and however: what did not arrive is not a success.
int printed(int status) {
  flush_output();
  return status;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CLI::App app{kAbout, "invar"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "invar " + store::version_text());
  // A word that ends an option too early must not be taken for another one's value.
  app.allow_extras(false);
  Outcome outcome;
  for (const auto add : kCommands) add(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    refuse_extras(app);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      return printed(app.exit(error));
    }
    const CLI::App* command = innermost(app);
    // Something is missing, and a word was not understood: that is the likelier mistake.
    if (app.remaining_size(true) > 0) refuse_extras(app);
    throw base::UserError(full_name(command), error.what(), help_of(*command));
  }
  return printed(outcome.run());
}

int failed_status(base::Exit status, int argc, const char* const* argv) {
  bool bisect = false;
  bool contradicts = false;  // which is a fault of its own, with the status of one
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    bisect = bisect || word.starts_with("--bisect");
    contradicts = contradicts || word.starts_with("--undecided-exit");
  }
  return bisect && !contradicts ? kBisectStop : static_cast<int>(status);
}

base::CanaryBand parse_regime(const std::string& text) {
  const base::Parsed<base::CanaryBand> band = base::parse_band(text);
  if (!band.value) {
    throw base::UserError("--regime", band.error,
                          "write the shortest and the longest canary, as in 100ns:300ns");
  }
  return *band.value;
}

double parse_alpha(const std::string& text) {
  const std::optional<double> alpha =
      text.ends_with('%') ? base::parse_percent(text).value : base::parse_double(text);
  if (!alpha) {
    throw base::UserError("--alpha", "'" + text + "' is not a number", "write it as 0.05 or 5%");
  }
  if (!(*alpha > 0 && *alpha < 1)) {
    throw base::UserError("--alpha", "must lie between 0 and 1", "the usual value is 0.05");
  }
  return *alpha;
}

double parse_min_effect(const std::string& text) {
  const base::Parsed<double> effect = base::parse_percent(text);
  if (!effect.value) throw base::UserError("--min-effect", effect.error);
  return *effect.value;
}

std::vector<std::string> parse_words(const std::string& option, const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view part : base::split(text, ',')) {
    const std::string_view word = base::trim(part);
    if (word.empty()) throw base::UserError(option, "'" + text + "' has an empty part");
    words.emplace_back(word);
  }
  return words;
}

double parse_budget_s(const std::string& option, const std::string& text) {
  const base::Parsed<double> seconds = base::parse_duration_s(text);
  if (!seconds.value) throw base::UserError(option, seconds.error);
  if (*seconds.value <= 0) throw base::UserError(option, "the budget is 0", "give it some time");
  return *seconds.value;
}

std::uint32_t parse_positive(const std::string& option, const std::string& text) {
  const base::Parsed<std::uint64_t> count = base::parse_count(text);
  if (!count.value) throw base::UserError(option, count.error);
  if (*count.value == 0 || *count.value > std::numeric_limits<std::uint32_t>::max()) {
    throw base::UserError(option, "'" + text + "' is out of range", "write 1 or more");
  }
  return static_cast<std::uint32_t>(*count.value);
}

}  // namespace invar::cli
