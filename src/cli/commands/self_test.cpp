
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>

#include "analysis/study/pairs.hpp"
#include "analysis/study/study.hpp"
#include "analysis/study/summaries.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_campaign.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "launch/process/files.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct SelfTestWords {
  std::string library = {};
  std::string operation = "allreduce,bcast,alltoall,reduce,allgather";
  std::string size = "8,4KiB";
  std::string ranks = {};
  std::string sync = record::Cell().sync;
  std::string pairing = "turns";
  std::string budget = "5m";
  std::string seed = {};
  std::string output = {};
  std::string from = {};
  AnswerWords answer = {};
};

constexpr double kEffects[] = {0.01, 0.02, 0.05, 0.1, 0.2};
constexpr std::uint32_t kRounds = 6;
constexpr std::uint32_t kRepetitions = 25;
constexpr std::uint32_t kPilotGroups = 3;
// Fewer make no two tables of five.
constexpr design::Launches kGroups{.min = 10, .max = 1000};

// Without delays: one launch of the library measures what a call takes.
design::Campaign pilot_of(const SelfTestWords& words) {
  design::Campaign campaign{.name = "self-test",
                            .launches = {.min = kPilotGroups, .max = kPilotGroups}};
  campaign.rounds = kRounds;
  campaign.repetitions = kRepetitions;
  std::vector<std::string> operations;
  std::vector<std::uint64_t> sizes_bytes;
  design::Levels levels;
  base::Faults faults;
  collect(faults, [&] { campaign.seed = seed_of("--seed", words.seed); });
  collect(faults, [&] { operations = parse_words("--operation", words.operation); });
  collect(faults, [&] { sizes_bytes = design::parse_size_list(words.size, "--size"); });
  collect(faults, [&] {
    if (!words.ranks.empty()) take_levels("ranks", "--ranks", words.ranks, levels);
  });
  collect(faults, [&] { take_levels("sync", "--sync", words.sync, campaign.engine.levels); });
  collect(faults, [&] { campaign.budget_s = parse_budget_s("--budget", words.budget); });
  collect(faults, [&] { parse_answer_words(words.answer); });
  if (!words.output.empty()) collect(faults, [&] { store::check_new_directory(words.output); });
  if (words.pairing != "turns" && words.pairing != "launches") {
    faults.add("--pairing", "unknown value '" + words.pairing + "'", "write turns or launches");
  }
  if (words.library.empty()) {
    faults.add("--library", "no library is named", "invar mpi list shows those of this machine");
  } else {
    collect(faults, [&] {
      campaign.arms.push_back(design::parse_arm(words.library, "--library"));
      design::label_arms(campaign.arms, "--library");
    });
  }
  faults.throw_if_any();
  campaign.engine.pairing = words.pairing;
  for (const std::string& operation : operations) {
    campaign.cells.push_back(
        {.operations = {operation}, .sizes_bytes = sizes_bytes, .levels = levels});
  }
  return campaign;
}

// Typical time of a call by operation and size.
using Times = std::map<std::pair<std::string, std::optional<std::uint64_t>>, double>;

Times times_of(const store::Data& data) {
  const analysis::Summaries summaries =
      analysis::summarize_visits(data, analysis::Runtime::kAuto, true);
  const analysis::CellTable table =
      analysis::sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  Times times;
  for (std::size_t i = 0; i < data.cells.size(); ++i) {
    if (table[i][0].empty()) continue;
    times[{data.cells[i].operation, data.cells[i].size_bytes}] = table[i][0].typical_ns();
  }
  return times;
}

// Every cell without and with five delays, and the library twice.
design::Campaign campaign_of(const design::Campaign& pilot, const std::vector<record::Cell>& cells,
                             const Times& times, double spent_s) {
  design::Campaign campaign = pilot;
  campaign.analysis.question = design::Question::kSelfTest;
  campaign.launches = kGroups;
  campaign.budget_s = std::max(1.0, *pilot.budget_s - spent_s);
  // Delays are told apart inside a launch, too.
  campaign.together = {"delay"};
  campaign.arms.push_back(campaign.arms.front());
  for (design::Arm& arm : campaign.arms) arm.label.clear();
  design::label_arms(campaign.arms, "--library");
  const std::vector<design::CellsBlock> blocks = std::exchange(campaign.cells, {});
  for (const record::Cell& cell : cells) {
    const auto time = times.find({cell.operation, cell.size_bytes});
    if (time == times.end() || !(time->second > 0)) {
      throw base::CommandError(
          base::Exit::kMeasurementFailed,
          {{.place = "self-test",
            .what = record::cell_text(cell) + ": the pilot gave no time",
            .remedy = "leave it out (--operation, --size); invar doctor looks at this machine"}});
    }
    design::CellsBlock block{.operations = {cell.operation}, .levels = blocks.front().levels};
    if (cell.size_bytes) block.sizes_bytes = {*cell.size_bytes};
    std::vector<std::string> delays{"0"};
    long long last = 0;
    for (const double effect : kEffects) {
      // Whole nanoseconds; each differs from the one before.
      last = std::max(last + 1, std::llround(effect * time->second));
      delays.push_back(std::to_string(last));
    }
    block.levels["delay"] = std::move(delays);
    campaign.cells.push_back(std::move(block));
  }
  return campaign;
}

int run_self_test(const SelfTestWords& words) {
  if (!words.from.empty()) {
    const AnswerOptions options = parse_answer_words(words.answer);
    return ask_and_print(analysis::Study(store::read_campaign_dir(words.from)),
                         design::Question::kSelfTest, options);
  }
  const auto begin = std::chrono::steady_clock::now();
  const design::Campaign pilot = pilot_of(words);
  const AnswerOptions options = parse_answer_words(words.answer);
  const std::string dir = words.output.empty() ? new_directory_name("self-test") : words.output;
  store::check_new_directory(dir);
  const driver::Prepared prepared_pilot = driver::prepare(pilot, {}, "self-test");
  driver::check_launches(prepared_pilot);
  fmt::print(stderr, "invar: first what a call takes, without delays\n");
  const launch::ScratchDir scratch;
  const std::filesystem::path pilot_dir = scratch.path() / "pilot";
  const driver::RunResult measured = driver::run_new(prepared_pilot, std::nullopt, pilot_dir);
  if (measured.interrupted) {
    fmt::print(stderr, "invar: interrupted before the first delay was planted\n");
    return static_cast<int>(base::Exit::kIncomplete);
  }
  if (measured.library_changed || measured.groups_complete == 0) {
    fmt::print(stderr, "invar: without a pilot nobody knows how long a delay should be\n");
    return static_cast<int>(base::Exit::kMeasurementFailed);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  const Times times = times_of(store::read_campaign_dir(pilot_dir));
  const driver::Prepared prepared = driver::prepare(
      campaign_of(prepared_pilot.campaign, prepared_pilot.cells.cells, times, spent.count()), {},
      "self-test");
  announce(prepared, dir);
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  return answer(dir, result, options);
}

}  // namespace

void add_self_test(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<SelfTestWords>();
  CLI::App* command = app.add_subcommand(
      "self-test", "do Invar's verdicts hold here? a library against itself, with planted delays");
  CLI::Option* from =
      command->add_option("--from", words->from, "one measured before: judges it, no measuring")
          ->type_name("DIR");
  const auto add = [&](const char* name, std::string& text, const char* about, const char* type) {
    command->add_option(name, text, about)->capture_default_str()->type_name(type)->excludes(from);
  };
  add("--library", words->library, "a library (invar mpi list), or an arm as race has them",
      "NAME");
  add("--operation", words->operation, "operations, a,b,c", "OP,...");
  add("--size", words->size, "sizes, 8,1KiB:64KiB", "SIZE,...");
  add("--ranks", words->ranks, "one a core if left out", "N");
  add("--sync", words->sync, "how repetitions are synchronised", "SYNC");
  add("--pairing", words->pairing, "turns or launches", "P");
  add("--budget", words->budget, "time for measuring", "TIME");
  add("--seed", words->seed, "of the plan; drawn and recorded if left out", "N");
  add_format_option(*command, words->answer);
  add("-o,--output", words->output, "the campaign's directory; invar-self-test-DATE if left out",
      "DIR");
  command->callback([&outcome, words] { outcome.run = [words] { return run_self_test(*words); }; });
}

}  // namespace invar::cli
