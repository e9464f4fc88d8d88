// `invar p2p`: measures messages between two ranks, and says how fast they are; or says so of a
// campaign that did.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/questions/questions.hpp"
#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_words.hpp"
#include "design/campaign/hosts.hpp"
#include "design/campaign/presets.hpp"
#include "design/messages/p2p_campaign.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

// More of them are chosen where times bend or jump.
constexpr const char* kMessageSizes = "adaptive:0:1MiB";
// None can be chosen where other suites measure them, too: they are planned beforehand.
constexpr const char* kSizesOfSuites = "0,1:1MiB";

struct P2pWords {
  std::vector<std::string> targets;  // arms, or the directory of a campaign
  // Operations are the command's.
  QuickWords quick{.operation = "pingpong",
                   .size = kMessageSizes,
                   .adaptive_sizes = true,
                   .sync = record::Cell().sync,
                   .budget = "120s"};
  std::string presets;
  std::string hosts;
  std::string hostfile;
  std::string output;
  bool size_written = false;
  bool dry_run = false;
  std::string regime;
  bool regimes = false;
  std::vector<std::string> measuring;  // options that were written and are of no use without
  AnswerWords answer;
};

// What can be told without any library. Throws UserError with everything that is wrong.
design::Campaign p2p_campaign_of(const P2pWords& words, const AnswerOptions& options) {
  base::Faults faults;
  QuickWords quick = words.quick;
  if (!words.presets.empty() && !words.size_written) quick.size = kSizesOfSuites;
  design::P2pOrder order{.quick = parse_quick_words(quick, faults),
                         .hostfile = words.hostfile,
                         .stream_bytes = words.size_written || !words.presets.empty()
                                             ? 0
                                             : design::kLargestStreamBytes,
                         .sizes_written = words.size_written};
  if (!words.presets.empty()) {
    base::collect(faults, [&] {
      order.presets = design::checked_presets(parse_words("--presets", words.presets), "--presets");
    });
  }
  if (!words.hosts.empty()) {
    base::collect(faults, [&] {
      order.hosts = design::parse_hosts(parse_words("--hosts", words.hosts), "--hosts");
    });
  }
  if (words.dry_run && options.format != Format::kTable) {
    faults.add("--dry-run", "says in words what would be measured", "leave --format out");
  }
  if (auto arms = parse_arms(words.targets, "p2p", faults)) order.quick.arms = std::move(*arms);
  // Cells are made of sizes: without any that can be read nothing more can be said of them.
  design::Campaign campaign;
  if (!order.quick.sizes_bytes.empty() || !order.quick.adaptive.empty()) {
    base::collect(faults, [&] { campaign = design::p2p_campaign(order); });
  }
  faults.throw_if_any();
  return campaign;
}

int show_messages(const fs::path& dir, const P2pWords& words, const AnswerOptions& options) {
  analysis::CompareOptions asked{.regimes = words.regimes};
  if (!words.regime.empty()) asked.regime = parse_regime(words.regime);
  const analysis::Study study(store::read_campaign_dir(dir), asked);
  return ask_and_print(study, {.question = design::Question::kP2p, .written = true}, options);
}

int measure_messages(const P2pWords& words, const AnswerOptions& options) {
  return measure_own({.command = "p2p",
                      .output = words.output,
                      .dry_run = words.dry_run,
                      .make = [&] { return p2p_campaign_of(words, options); }},
                     [&](const fs::path& dir) {
                       const int status = show_messages(dir, words, options);
                       if (!words.presets.empty() && options.format == Format::kTable) {
                         print(suites_remark(dir, words.presets));
                       }
                       return status;
                     });
}

int run_p2p(const P2pWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  const auto dir = asked_directory({.command = "p2p",
                                    .targets = words.targets,
                                    .regime = words.regime,
                                    .measuring = words.measuring});
  return dir ? show_messages(*dir, words, options) : measure_messages(words, options);
}

}  // namespace

void add_p2p(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<P2pWords>();
  CLI::App* command = app.add_subcommand(
      "p2p", "how fast are messages between two ranks: latency, bandwidth, steps, queues");
  command
      ->add_option("ARM", words->targets,
                   "libraries of 'invar mpi list', with settings or without; or the directory of a "
                   "campaign that measured messages")
      ->required();
  const auto add = [&](const char* name, std::string& text, const std::string& about,
                       const char* type) {
    return command->add_option(name, text, about)->capture_default_str()->type_name(type);
  };
  add("--size", words->quick.size,
      "sizes of ping-pongs, 8,1KiB:64KiB; adaptive:0:64KiB adds sizes where times bend or jump, by "
      "more than 5% if not written: adaptive:0:64KiB:2%; everything else has some of them, and "
      "messages in a row, which end at 4MiB, reach that if nothing is written",
      "SIZE,...");
  add("--ranks", words->quick.ranks,
      "numbers of ranks of a launch, a,b; two if left out. Ranks that have no part in the pattern "
      "sleep, unless --with others says else",
      "N,...");
  command
      ->add_option("--with", words->quick.with,
                   "levels of any other factor of a campaign's [[cells]], FACTOR=LEVEL,LEVEL: "
                   "form=blocking,persistent, pattern=distance:8; window is of messages in a row, "
                   "pending and unexpected take the place of the usual queues; may be repeated")
      ->type_name("LEVELS")
      ->allow_extra_args(false);
  add_oversubscribe_option(*command, words->quick);
  CLI::Option* hosts =
      add("--hosts", words->hosts,
          "hosts to run on, a,b: between two of them, a rank on each, unless --ranks or --with "
          "nodes says else",
          "HOST,...");
  add("--hostfile", words->hostfile, "the same in a file, one host a line", "FILE")
      ->excludes(hosts);
  add("--presets", words->presets,
      "suites that measure the same cells their own way as well, for `invar show DIR --as`, "
      "compare --method and export "
      "--to osu: " +
          base::join(design::preset_names(), ", ") + "; sizes are a list then, " + kSizesOfSuites +
          " if not written",
      "SUITE,...");
  add("--budget", words->quick.budget, "time for measuring, half of it for choosing sizes", "TIME");
  add("--alpha", words->quick.alpha, "intervals leave out the truth so often, as 0.05 or 5%", "A");
  add("--seed", words->quick.seed, "of the plan; drawn and recorded if left out", "N");
  command->add_flag("--dry-run", words->dry_run,
                    "say what would be measured and how long it would take, and measure nothing; "
                    "engines that are missing are built, because they know what they can do");
  command->add_option("-o,--output", words->output,
                      "the campaign's directory; invar-p2p-DATE if left out");
  command
      ->add_option("--regime", words->regime,
                   "of a directory: the machine's regime that the figures are of, by its canaries, "
                   "as 100ns:300ns")
      ->type_name("LOW:HIGH");
  command->add_flag("--regimes", words->regimes,
                    "shows the machine's other regimes, and everything together");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words, command] {
    for (const char* option :
         {"--size", "--ranks", "--with", "--presets", "--hosts", "--hostfile", "--budget",
          "--alpha", "--seed", "--oversubscribe", "--dry-run", "--output"}) {
      if (command->count(option) > 0) words->measuring.emplace_back(option);
    }
    words->size_written = command->count("--size") > 0;
    outcome.run = [words] { return run_p2p(*words); };
  });
}

}  // namespace invar::cli
