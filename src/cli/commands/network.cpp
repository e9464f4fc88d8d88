// `invar network`: measures what a simulator needs to know of messages between two ranks, and says
// it; or says it of a campaign that was measured before, or of SimGrid's own calibration.
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/network/network.hpp"
#include "analysis/network/network_import.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/network/check_directory.hpp"
#include "cli/network/platform_directory.hpp"
#include "cli/parse.hpp"
#include "cli/quick_words.hpp"
#include "design/campaign/hosts.hpp"
#include "design/factors/sizes.hpp"
#include "design/messages/network_campaign.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNetworkSizes = "1:4MiB";

struct NetworkWords {
  std::vector<std::string> targets;  // arms, or the directory of a campaign
  // Operations and sizes are the command's.
  QuickWords quick{
      .operation = "pingpong", .size = "1", .sync = record::Cell().sync, .budget = "180s"};
  std::string sizes = kNetworkSizes;
  std::string hosts;
  std::string hostfile;
  std::string output;
  bool dry_run = false;
  bool check = false;
  std::string imported;  // the folder of somebody else's calibration; empty: none
  std::string regime;
  bool regimes = false;
  std::vector<std::string> measuring;  // options that were written and are of no use without
  AnswerWords answer;
};

// What can be told without any library. Throws UserError with everything that is wrong.
design::Campaign network_campaign_of(const NetworkWords& words, const AnswerOptions& options) {
  base::Faults faults;
  design::NetworkOrder order{.quick = parse_quick_words(words.quick, faults),
                             .hostfile = words.hostfile};
  base::collect(faults, [&] { order.sizes = design::parse_size_range(words.sizes, "--sizes"); });
  if (!words.hosts.empty()) {
    base::collect(faults, [&] {
      order.hosts = design::parse_hosts(parse_words("--hosts", words.hosts), "--hosts");
    });
  }
  if (words.dry_run && options.format != Format::kTable) {
    faults.add("--dry-run", "says in words what would be measured", "leave --format out");
  }
  if (auto arms = parse_arms(words.targets, "network", faults)) order.quick.arms = std::move(*arms);
  design::Campaign campaign;
  base::collect(faults, [&] { campaign = design::network_campaign(order); });
  faults.throw_if_any();
  return campaign;
}

int show_directory(const fs::path& dir, const NetworkWords& words, const AnswerOptions& options) {
  analysis::CompareOptions asked{.regimes = words.regimes};
  if (!words.regime.empty()) asked.regime = parse_regime(words.regime);
  return show_network(analysis::Study(store::read_campaign_dir(dir), asked), options);
}

int measure_network(const NetworkWords& words, const AnswerOptions& options) {
  return measure_own({.command = "network",
                      .output = words.output,
                      .dry_run = words.dry_run,
                      .make = [&] { return network_campaign_of(words, options); }},
                     [&](const fs::path& dir) { return show_directory(dir, words, options); });
}

// Options of measuring that are not among those which say something else there.
std::vector<std::string> measuring_but(const NetworkWords& words,
                                       std::initializer_list<std::string_view> allowed) {
  std::vector<std::string> options = words.measuring;
  std::erase_if(options, [&](const std::string& option) {
    return std::ranges::find(allowed, option) != allowed.end();
  });
  return options;
}

// The budget of what --check measures on the real machine, unless --budget is written.
constexpr const char* kCheckBudget = "60s";

int check_platform(const NetworkWords& words, const AnswerOptions& options) {
  base::Faults faults;
  const std::string& dir = words.targets.front();
  refuse_measuring(measuring_but(words, {"--budget", "--seed"}), dir,
                   "leave it out, or name libraries", faults);
  if (!words.regime.empty() || words.regimes) {
    faults.add(words.regimes ? "--regimes" : "--regime",
               "--check is of the platform's files, and these of the reference regime",
               "leave it out");
  }
  const bool budget = std::ranges::find(words.measuring, "--budget") != words.measuring.end();
  CheckWords asked{.budget_written = budget};
  base::collect(faults, [&] {
    asked.budget_s = parse_budget_s("--budget", budget ? words.quick.budget : kCheckBudget);
  });
  if (!words.quick.seed.empty()) asked.seed = parse_quick_words(words.quick, faults).seed;
  faults.throw_if_any();
  return check_network(dir, asked, options);
}

// What --check takes is one directory, however it is named.
void refuse_no_directory(const NetworkWords& words) {
  if (!words.imported.empty()) {
    throw base::UserError("--check",
                          "nobody here has the machine that " + words.imported + " was measured on",
                          "leave it out, or check a campaign's directory");
  }
  if (words.targets.size() == 1 && names_campaign(words.targets.front())) return;
  throw base::UserError("--check",
                        words.targets.empty() ? std::string("no directory is named")
                                              : "'" + base::join(words.targets, " ") +
                                                    "' is not a directory of invar network",
                        "'invar network ARM -o DIR' makes one, which --check takes");
}

int show_imported(const NetworkWords& words, const AnswerOptions& options) {
  base::Faults faults;
  refuse_measuring(measuring_but(words, {"--output"}), words.imported, "leave it out", faults);
  for (const std::string& target : words.targets) {
    faults.add("--import", "'" + target + "' is measured, and " + words.imported + " is imported",
               "ask for one of them");
  }
  if (!words.regime.empty() || words.regimes) {
    faults.add(words.regimes ? "--regimes" : "--regime",
               "nothing is known of the machine that " + words.imported + " was measured on",
               "leave it out");
  }
  faults.throw_if_any();
  const analysis::Network found = analysis::network_of_calibration(words.imported);
  analysis::Answer answer = analysis::answer_of(found);
  if (!words.output.empty()) {
    add_platform(write_platform_into(words.output, found, words.imported), answer);
  }
  return finish_with(answer, options);
}

int run_network(const NetworkWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  if (words.imported.empty()) refuse_directories(words.targets);
  if (words.check) {
    refuse_no_directory(words);
    return check_platform(words, options);
  }
  if (!words.imported.empty()) return show_imported(words, options);
  if (words.targets.empty()) {
    throw base::UserError("network", "ARM is required", "see 'invar network --help'");
  }
  const auto dir = asked_directory({.command = "network",
                                    .targets = words.targets,
                                    .regime = words.regime,
                                    .measuring = words.measuring});
  return dir ? show_directory(*dir, words, options) : measure_network(words, options);
}

}  // namespace

void add_network(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<NetworkWords>();
  CLI::App* command = app.add_subcommand(
      "network", "what a simulator needs to know of messages: overheads, gap, latency, protocols");
  command->add_option("ARM", words->targets,
                      "libraries of 'invar mpi list', with settings or without; or the directory "
                      "of a campaign that was made for this");
  const auto add = [&](const char* name, std::string& text, const std::string& about,
                       const char* type) {
    return command->add_option(name, text, about)->capture_default_str()->type_name(type);
  };
  add("--sizes", words->sizes,
      "random sizes from LOW to HIGH, uniform on the logarithm, the same for all operations: 200 "
      "for three minutes, a fifth of them in each launch; more are added where fits break",
      "LOW:HIGH");
  add("--ranks", words->quick.ranks,
      "ranks of a launch, of which the first and the last one are measured; two if left out", "N");
  command
      ->add_option("--with", words->quick.with,
                   "levels of any other factor of a campaign's [[cells]], FACTOR=LEVEL,LEVEL: "
                   "source=specific,any, nodes=2 with ppn=1; may be repeated")
      ->type_name("LEVELS")
      ->allow_extra_args(false);
  CLI::Option* hosts = add("--hosts", words->hosts,
                           "hosts to run on, a,b: between two of them, a rank on each, unless "
                           "--ranks or --with nodes says else",
                           "HOST,...");
  add("--hostfile", words->hostfile, "the same in a file, one host a line", "FILE")
      ->excludes(hosts);
  add("--budget", words->quick.budget, "time for measuring; more time, more sizes", "TIME");
  add("--alpha", words->quick.alpha, "intervals leave out the truth so often, as 0.05 or 5%", "A");
  add("--seed", words->quick.seed, "of the plan; drawn and recorded if left out", "N");
  command->add_flag("--dry-run", words->dry_run,
                    "say what would be measured and how long it would take, and measure nothing; "
                    "engines that are missing are built, because they know what they can do");
  command->add_option("-o,--output", words->output,
                      "the campaign's directory, and that of the platform for SimGrid; "
                      "invar-network-DATE if left out; with --import the platform's alone");
  command->add_flag(
      "--check", words->check,
      "of a directory: the same messages on the platform, simulated by SimGrid, and "
      "bcast, allreduce and halo exchanges, to which nothing was fitted, measured "
      "(--budget, 60s if left out) and simulated; in DIR/check. It takes the budget and "
      "about half a minute more of each library, more of many ranks; engines of the "
      "campaign's libraries and of SimGrid that are missing are built before");
  command
      ->add_option("--import", words->imported,
                   "instead of an ARM: the answer from what SimGrid's platform-calibration left in "
                   "a folder (PREFIX_PingPong.csv and others), which has no launches")
      ->type_name("FOLDER");
  command
      ->add_option("--regime", words->regime,
                   "of a directory: the machine's regime that the model is of, by its canaries, as "
                   "100ns:300ns")
      ->type_name("LOW:HIGH");
  command->add_flag("--regimes", words->regimes, "shows the machine's other regimes, too");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words, command] {
    for (const char* option : {"--sizes", "--ranks", "--with", "--hosts", "--hostfile", "--budget",
                               "--alpha", "--seed", "--dry-run", "--output"}) {
      if (command->count(option) > 0) words->measuring.emplace_back(option);
    }
    outcome.run = [words] { return run_network(*words); };
  });
}

}  // namespace invar::cli
