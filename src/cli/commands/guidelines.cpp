// `invar guidelines`: measures rules and judges them, or judges a campaign that did.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/guidelines/guidelines.hpp"
#include "analysis/guidelines/pgmpi_guidelines.hpp"
#include "analysis/study/outcome.hpp"
#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/plan_text.hpp"
#include "cli/quick_words.hpp"
#include "cli/rules_file.hpp"
#include "design/recipes/guidelines_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "launch/libraries/profile_with.hpp"
#include "launch/start/arms.hpp"
#include "launch/start/launcher.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

// Those of paper 003.
constexpr const char* kPgmpiSizes =
    "1,2,4,8,16,32,64,100,128,256,512,1KiB,1500,2KiB,4KiB,5000,8KiB,10000,16KiB,32KiB";
constexpr std::string_view kViolated = "violated";
// What the paper measures, so that reductions of 1 and 2 bytes exist: their operation is bor.
constexpr const char* kPgmpiDatatype = "byte";

struct GuidelinesWords {
  std::vector<std::string> targets;  // arms, or the directory of a campaign
  std::string rules = "pgmpi";
  // Operations are those of the rules.
  QuickWords quick{
      .operation = "all", .size = kPgmpiSizes, .sync = record::Cell().sync, .budget = "5m"};
  std::string operations;
  std::string output;
  std::string as;
  std::string fail_on;
  bool fixed = false;
  bool dry_run = false;
  std::vector<std::string> measuring;  // options that were written and are of no use without
  AnswerWords answer;
};

void check_as(const std::string& as) {
  const std::vector<std::string> known{"pgmpi", "pgmpi-ks"};
  if (as.empty() || std::ranges::find(known, as) != known.end()) return;
  throw base::UserError("--as", "unknown value '" + as + "'", base::did_you_mean(as, known));
}

void check_fail_on(const std::string& fail_on) {
  const std::vector<std::string> known{std::string(kViolated)};
  if (fail_on.empty() || fail_on == kViolated) return;
  throw base::UserError("--fail-on", "unknown reason '" + fail_on + "'",
                        base::did_you_mean(fail_on, known));
}

int judge_guidelines(const fs::path& dir, const GuidelinesWords& words,
                     const AnswerOptions& options) {
  const bool pgmpi = !words.as.empty();
  analysis::CompareOptions asked;
  if (pgmpi) asked.method = "pgmpi";
  const analysis::Study study(store::read_campaign_dir(dir), asked);
  const analysis::Guidelines found =
      pgmpi ? analysis::pgmpi_guidelines(study, words.as == "pgmpi"
                                                    ? analysis::PgmpiTest::kWilcoxon
                                                    : analysis::PgmpiTest::kKolmogorovSmirnov)
            : analysis::guidelines(study);
  const int status = finish_with(analysis::answer_of(found), options);
  const bool violated = found.any(stats::Verdict::kViolated);
  if (words.fail_on.empty() || status != 0 || !violated) return status;
  fmt::print(stderr, "invar: guidelines are violated (exit 1)\n");
  return static_cast<int>(base::Exit::kFound);
}

std::vector<std::uint32_t> numbers_of(const std::vector<std::string>& levels) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(levels.size());
  for (const std::string& level : levels) {
    numbers.push_back(static_cast<std::uint32_t>(base::parse_u64(level).value_or(0)));
  }
  return numbers;
}

// What the engines of these arms know, as far as they are ready: nothing is built for it. None: not
// all of them are.
std::optional<std::vector<std::vector<record::OperationInfo>>> operations_that_are_ready(
    const std::vector<design::Arm>& arms) {
  const std::vector<launch::Profile> profiles = launch::ready_profiles();
  std::vector<std::vector<record::OperationInfo>> operations;
  for (const design::Arm& arm : arms) {
    const auto ready = std::ranges::find(profiles, arm.library, &launch::Profile::name);
    // Own operations are another engine.
    if (ready == profiles.end() || !arm.operations.empty()) return std::nullopt;
    operations.push_back(ready->operations);
  }
  return operations;
}

// What is wrong with the rules that can be read, besides those that cannot: so that a file need not
// be mended twice.
void add_faults_of_others(design::GuidelinesOrder order, base::Faults& faults) {
  auto operations = operations_that_are_ready(order.quick.arms);
  if (!operations || order.rules.empty()) return;
  order.operations = std::move(*operations);
  base::collect(faults, [&] { (void)design::guidelines_campaign(order); });
}

// What can be told without any library. Throws UserError with everything that is wrong.
design::GuidelinesOrder guidelines_order(GuidelinesWords words) {
  base::Faults faults;
  base::Faults of_rules;
  design::GuidelinesOrder order{.sequential = !words.fixed};
  order.quick = parse_quick_words(words.quick, faults);
  if (!words.as.empty()) {
    order.quick.cell_levels.try_emplace("datatype", std::vector<std::string>{kPgmpiDatatype});
  }
  base::collect(faults, [&] {
    order.rules_place = rules_file(words.rules);
    order.rules = read_rules(order.rules_place, of_rules);
  });
  if (auto arms = parse_arms(words.targets, "guidelines", faults)) {
    order.quick.arms = std::move(*arms);
    base::collect(faults, [&] { design::label_arms(order.quick.arms, "guidelines"); });
  }
  if (!words.operations.empty()) {
    base::collect(faults, [&] {
      const std::string folder = launch::checked_operations(words.operations).string();
      for (design::Arm& arm : order.quick.arms) arm.operations = folder;
    });
  }
  base::collect(faults, [&] { check_as(words.as); });
  base::collect(faults, [&] { check_fail_on(words.fail_on); });
  const bool rules_alone = faults.empty() && !of_rules.empty();
  faults.add(of_rules);
  if (!rules_alone) faults.throw_if_any();
  const auto ranks = order.quick.cell_levels.find("ranks");
  order.ranks = ranks == order.quick.cell_levels.end()
                    ? std::vector{static_cast<std::uint32_t>(launch::core_cpus().size())}
                    : numbers_of(ranks->second);
  // Each number has cells of its own, and is not a level that the sides of a rule differ in.
  if (ranks != order.quick.cell_levels.end()) order.quick.cell_levels.erase(ranks);
  if (rules_alone) add_faults_of_others(order, faults);
  faults.throw_if_any();
  return order;
}

// A dry run has no answer that would say why.
void print_not_measured(const design::Campaign& campaign) {
  std::size_t rules = 0;
  base::ByReason reasons;
  for (const design::GuidelineBlock& block : campaign.guidelines) {
    if (!block.families.empty()) continue;
    ++rules;
    const std::string name = design::parse_guidelines(block.rule, "").front().name;
    for (const design::NotMeasured& absent : block.not_measured) {
      reasons.add(absent.why + (absent.arm.empty() ? "" : " (" + absent.arm + ")"), name);
    }
  }
  if (rules == 0) return;
  fmt::print(stderr, "{} of {} cannot be measured: {}\n", rules,
             base::count_text(campaign.guidelines.size(), "rule"),
             base::join(reasons.texts(), "; "));
}

// What measuring as long for everything would cost.
void print_usual_cost(const driver::Prepared& prepared) {
  constexpr std::uint32_t kLaunches = 30;
  constexpr std::uint32_t kRepetitions = 1000;
  fmt::print(stderr, "{} launches of {} repetitions of every cell would take about {}\n", kLaunches,
             kRepetitions,
             base::span_text(driver::seconds_of_groups(prepared, kLaunches, kRepetitions)));
}

int measure_guidelines(const GuidelinesWords& words, const AnswerOptions& options) {
  design::GuidelinesOrder order = guidelines_order(words);
  const std::string dir = words.output.empty() ? new_directory_name("guidelines") : words.output;
  store::check_new_directory(dir);
  for (const launch::CheckedArm& arm : launch::check_arms(order.quick.arms)) {
    order.operations.push_back(arm.profile.operations);
  }
  const design::Campaign campaign = design::guidelines_campaign(order);
  driver::Prepared prepared = driver::prepare(campaign, {}, "guidelines");
  driver::check_launches(prepared);
  driver::check_budget_for_least(prepared);
  print_not_measured(campaign);
  if (words.dry_run) {
    print_plan(prepared, driver::first_plan(prepared), false);
    return 0;
  }
  announce(prepared, dir);
  print_usual_cost(prepared);
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  if (const auto status = unfinished_status(dir, result)) return *status;
  return judge_guidelines(dir, words, options);
}

int run_guidelines(const GuidelinesWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  base::Faults faults;
  std::vector<std::string> campaigns;
  for (const std::string& target : words.targets) {
    base::collect(faults, [&] {
      if (names_campaign(target)) campaigns.push_back(target);
    });
  }
  if (words.targets.size() > 1) {
    for (const std::string& dir : campaigns) {
      faults.add(dir, "is the directory of a campaign, which is judged by itself", "name it alone");
    }
  }
  faults.throw_if_any();
  if (campaigns.empty()) return measure_guidelines(words, options);
  base::collect(faults, [&] { check_as(words.as); });
  base::collect(faults, [&] { check_fail_on(words.fail_on); });
  for (const std::string& option : words.measuring) {
    faults.add(option, words.targets.front() + " is measured already",
               "leave it out, or name libraries");
  }
  faults.throw_if_any();
  return judge_guidelines(words.targets.front(), words, options);
}

}  // namespace

void add_guidelines(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<GuidelinesWords>();
  CLI::App* command = app.add_subcommand(
      "guidelines", "what a library does worse than it could, by operations that do the same");
  command
      ->add_option("ARM", words->targets,
                   "libraries of 'invar mpi list', with settings or without, each judged by "
                   "itself; or the directory of a campaign that measured guidelines")
      ->required();
  const auto add = [&](const char* name, std::string& text, const char* about, const char* type) {
    command->add_option(name, text, about)->capture_default_str()->type_name(type);
  };
  add("--rules", words->rules,
      "a file of rules, or the name of one that comes with Invar (share/invar/rules): pgmpi, all, "
      "references",
      "FILE");
  add("--size", words->quick.size, "sizes of the left sides, 8,1KiB:64KiB", "SIZE,...");
  add("--ranks", words->quick.ranks, "numbers of ranks, a,b; one a core if left out", "N,...");
  add("--arrival", words->quick.arrival,
      "ranks that start late on purpose, on both sides of a rule alike: linear:10us; linear:0.5x: "
      "of "
      "the left side's call",
      "PATTERN");
  command
      ->add_option("--with", words->quick.with,
                   "a level of any other factor of a campaign's [[cells]], FACTOR=LEVEL: "
                   "cache=cold-flush; may be repeated")
      ->type_name("LEVEL")
      ->allow_extra_args(false);
  add("--ops", words->operations, "folder of own operations, which may be mock-ups", "DIR");
  add("--sync", words->quick.sync, "how repetitions are synchronised", "SYNC");
  add("--budget", words->quick.budget, "time for measuring", "TIME");
  command->add_flag("--fixed", words->fixed,
                    "as many launches of everything as the budget allows, instead of looking "
                    "after 3, 5, 8, 12, 20 and 30 of them and measuring what is decided no more");
  add("--alpha", words->quick.alpha, "share of false verdicts allowed, as 0.05 or 5%", "A");
  add("--seed", words->quick.seed, "of the plan; drawn and recorded if left out", "N");
  command->add_flag("--dry-run", words->dry_run,
                    "say what would be measured and how long it would take, and measure nothing");
  command->add_option("-o,--output", words->output,
                      "the campaign's directory; invar-guidelines-DATE if left out");
  command
      ->add_option("--as", words->as,
                   "as PGMPI judges: pgmpi (Wilcoxon's test), pgmpi-ks (Kolmogorov and "
                   "Smirnov's), nothing corrected, split-robustness inferred; what is measured for "
                   "it is of bytes, unless --with datatype says else")
      ->type_name("METHOD");
  command->add_option("--fail-on", words->fail_on, "exit with 1 if a guideline is `violated`")
      ->type_name("violated");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words, command] {
    for (const char* option :
         {"--rules", "--size", "--ranks", "--arrival", "--with", "--ops", "--sync", "--budget",
          "--fixed", "--alpha", "--seed", "--dry-run", "--output"}) {
      if (command->count(option) > 0) words->measuring.emplace_back(option);
    }
    outcome.run = [words] { return run_guidelines(*words); };
  });
}

}  // namespace invar::cli
