// `invar memory`: measures bandwidth and latency over the size of a buffer, and says what the
// caches are; or says it of a campaign that was measured before.
#include <algorithm>
#include <cstdint>
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
#include "design/factors/sizes.hpp"
#include "design/memory/memory_campaign.hpp"
#include "driver/prepare/conditions.hpp"
#include "host/facts.hpp"
#include "host/files.hpp"
#include "launch/start/launcher.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

struct MemoryWords {
  std::vector<std::string> targets;  // arms, or the directory of a campaign; none: no library
  // Operations and sizes are the command's.
  QuickWords quick{
      .operation = "read", .size = "4KiB", .sync = record::Cell().sync, .budget = "180s"};
  std::string sizes;
  std::string output;
  bool dry_run = false;
  std::string regime;
  bool regimes = false;
  std::vector<std::string> measuring;  // options that were written and are of no use without
  AnswerWords answer;
};

// Where to look. What the kernel does not tell is left to the recipe.
design::MemoryMachine machine_here() {
  design::MemoryMachine machine{
      .widest_bytes = host::widest_load_bytes(driver::host_roots().proc),
      .cores = static_cast<std::uint32_t>(std::max<std::size_t>(launch::core_cpus().size(), 1))};
  for (const host::Cache& cache : host::data_caches()) {
    const host::Number bytes = cache.size_bytes();
    // A level that is not larger than the one before has nothing of its own to show.
    if (bytes && (machine.caches_bytes.empty() || *bytes > machine.caches_bytes.back())) {
      machine.caches_bytes.push_back(*bytes);
    }
  }
  const auto modes =
      host::read_line(driver::sysfs_root() + "/kernel/mm/transparent_hugepage/enabled");
  machine.transparent_huge_pages = modes && modes->find("[never]") == std::string::npos;
  return machine;
}

// What can be told without any library. Throws UserError with everything that is wrong.
design::Campaign memory_campaign_of(const MemoryWords& words, const AnswerOptions& options) {
  base::Faults faults;
  design::MemoryOrder order{.quick = parse_quick_words(words.quick, faults),
                            .machine = machine_here()};
  if (!words.sizes.empty()) {
    base::collect(faults, [&] { order.sizes = design::parse_size_range(words.sizes, "--sizes"); });
  }
  if (words.dry_run && options.format != Format::kTable) {
    faults.add("--dry-run", "says in words what would be measured", "leave --format out");
  }
  if (auto arms = parse_arms(words.targets, "memory", faults)) order.quick.arms = std::move(*arms);
  design::Campaign campaign;
  base::collect(faults, [&] { campaign = design::memory_campaign(order); });
  faults.throw_if_any();
  return campaign;
}

int show_memory(const fs::path& dir, const MemoryWords& words, const AnswerOptions& options) {
  analysis::CompareOptions asked{.regimes = words.regimes};
  if (!words.regime.empty()) asked.regime = parse_regime(words.regime);
  const analysis::Study study(store::read_campaign_dir(dir), asked);
  return ask_and_print(study, {.question = design::Question::kMemory, .written = true}, options);
}

int measure_memory(const MemoryWords& words, const AnswerOptions& options) {
  return measure_own({.command = "memory",
                      .output = words.output,
                      .dry_run = words.dry_run,
                      .make = [&] { return memory_campaign_of(words, options); }},
                     [&](const fs::path& dir) { return show_memory(dir, words, options); });
}

int run_memory(const MemoryWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  const auto dir = asked_directory({.command = "memory",
                                    .targets = words.targets,
                                    .regime = words.regime,
                                    .measuring = words.measuring});
  return dir ? show_memory(*dir, words, options) : measure_memory(words, options);
}

}  // namespace

void add_memory(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<MemoryWords>();
  CLI::App* command = app.add_subcommand(
      "memory", "how fast memory is: bandwidth, latency, what its caches are and how they behave");
  command->add_option("ARM", words->targets,
                      "libraries of 'invar mpi list', whose ranks measure alone and together; one "
                      "process without any if left out; or the directory of a campaign that was "
                      "made for this");
  const auto add = [&](const char* name, std::string& text, const std::string& about,
                       const char* type) {
    return command->add_option(name, text, about)->capture_default_str()->type_name(type);
  };
  add("--sizes", words->sizes,
      "random sizes of buffers from LOW to HIGH, multiples of 1 KiB, uniform on the logarithm: 40 "
      "for three minutes, half of them in each launch; from 4KiB to four times the last cache "
      "if left out",
      "LOW:HIGH");
  add("--ranks", words->quick.ranks,
      "the most ranks that measure together; one a core if left out, and one without a library",
      "N");
  command
      ->add_option("--with", words->quick.with,
                   "levels of any other factor of a campaign's [[cells]], FACTOR=LEVEL,LEVEL: "
                   "numa=local,interleaved, policy=other,fifo, allocation=arena,malloc; may be "
                   "repeated")
      ->type_name("LEVELS")
      ->allow_extra_args(false);
  add("--budget", words->quick.budget, "time for measuring; more time, more sizes", "TIME");
  add("--alpha", words->quick.alpha, "intervals leave out the truth so often, as 0.05 or 5%", "A");
  add("--seed", words->quick.seed, "of the plan; drawn and recorded if left out", "N");
  command->add_flag("--dry-run", words->dry_run,
                    "say what would be measured and how long it would take, and measure nothing; "
                    "engines that are missing are built, because they know what they can do");
  command->add_option("-o,--output", words->output,
                      "the campaign's directory; invar-memory-DATE if left out");
  command
      ->add_option("--regime", words->regime,
                   "of a directory: the machine's regime that the figures are of, by its canaries, "
                   "as 100ns:300ns")
      ->type_name("LOW:HIGH");
  command->add_flag("--regimes", words->regimes, "shows the machine's other regimes, too");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words, command] {
    for (const char* option : {"--sizes", "--ranks", "--with", "--budget", "--alpha", "--seed",
                               "--dry-run", "--output"}) {
      if (command->count(option) > 0) words->measuring.emplace_back(option);
    }
    outcome.run = [words] { return run_memory(*words); };
  });
}

}  // namespace invar::cli
