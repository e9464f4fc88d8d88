
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/study/pairs.hpp"
#include "analysis/study/study.hpp"
#include "analysis/study/summaries.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_words.hpp"
#include "design/recipes/self_test_campaign.hpp"
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
  QuickWords quick{.operation = "allreduce,bcast,alltoall,reduce,allgather",
                   .size = "8,4KiB",
                   .sync = record::Cell().sync,
                   .budget = "5m"};
  std::string pairing = "turns";
  std::string output = {};
  std::string from = {};
  AnswerWords answer = {};
};

// Throws UserError with everything that is wrong.
design::Campaign pilot_of(const SelfTestWords& words) {
  base::Faults faults;
  design::SelfTestOrder order{.quick = parse_quick_words(words.quick, faults),
                              .pairing = words.pairing};
  base::collect(faults, [&] { parse_answer_words(words.answer); });
  if (!words.output.empty()) {
    base::collect(faults, [&] { store::check_new_directory(words.output); });
  }
  if (words.pairing != "turns" && words.pairing != "launches") {
    faults.add("--pairing", "unknown value '" + words.pairing + "'", "write turns or launches");
  }
  design::Campaign pilot;
  if (words.library.empty()) {
    faults.add("--library", "no library is named", "invar mpi list shows those of this machine");
  } else if (auto arms = parse_arms({words.library}, "--library", faults)) {
    order.quick.arms = std::move(*arms);
    pilot = design::self_test_pilot(order);
  }
  faults.throw_if_any();
  return pilot;
}

// What a call takes, for every cell. Throws CommandError where a cell has no time.
std::vector<design::PilotTime> times_of(const store::Data& data,
                                        const std::vector<record::Cell>& cells) {
  const analysis::Summaries summaries =
      analysis::summarize_visits(data, analysis::Runtime::kAuto, true);
  const analysis::CellTable table =
      analysis::sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  std::map<std::pair<std::string, std::optional<std::uint64_t>>, double> found_ns;
  for (std::size_t i = 0; i < data.cells.size(); ++i) {
    if (table[i][0].empty()) continue;
    found_ns[{data.cells[i].operation, data.cells[i].size_bytes}] = table[i][0].typical_ns();
  }
  std::vector<design::PilotTime> times;
  for (const record::Cell& cell : cells) {
    const auto found = found_ns.find({cell.operation, cell.size_bytes});
    if (found == found_ns.end() || !(found->second > 0)) {
      throw base::CommandError(
          base::Exit::kMeasurementFailed,
          {{.place = "self-test",
            .what = record::cell_text(cell) + ": the pilot gave no time",
            .remedy = "leave it out (--operation, --size); invar doctor looks at this machine"}});
    }
    times.push_back({.cell = cell, .call_ns = found->second});
  }
  return times;
}

int run_self_test(const SelfTestWords& words) {
  if (!words.from.empty()) {
    const AnswerOptions options = parse_answer_words(words.answer);
    return ask_and_print(analysis::Study(store::read_campaign_dir(words.from)),
                         {.question = design::Question::kSelfTest, .written = true}, options);
  }
  const design::Campaign pilot = pilot_of(words);
  const AnswerOptions options = parse_answer_words(words.answer);
  const std::string dir = words.output.empty() ? new_directory_name("self-test") : words.output;
  store::check_new_directory(dir);
  driver::Prepared prepared_pilot = driver::prepare(pilot, {}, "self-test");
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
  // As its budget has it: without what was built and tried.
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - prepared_pilot.begun;
  const std::vector<design::PilotTime> times =
      times_of(store::read_campaign_dir(pilot_dir), prepared_pilot.cells.cells);
  const design::Campaign& whole_pilot = prepared_pilot.campaign;
  driver::Prepared prepared = driver::prepare(
      design::self_test_campaign(whole_pilot, times, *whole_pilot.budget_s - spent.count()), {},
      "self-test");
  // Those of the pilot, which are not let go of meanwhile.
  driver::claim_cores(prepared);
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
  add("--operation", words->quick.operation, "operations, a,b,c", "OP,...");
  add("--size", words->quick.size, "sizes, 8,1KiB:64KiB", "SIZE,...");
  add("--ranks", words->quick.ranks, "one a core if left out", "N");
  add("--sync", words->quick.sync, "how repetitions are synchronised", "SYNC");
  add("--pairing", words->pairing, "turns or launches", "P");
  add("--budget", words->quick.budget, "time for measuring", "TIME");
  add("--seed", words->quick.seed, "of the plan; drawn and recorded if left out", "N");
  add_format_option(*command, words->answer);
  add("-o,--output", words->output, "the campaign's directory; invar-self-test-DATE if left out",
      "DIR");
  command->callback([&outcome, words] { outcome.run = [words] { return run_self_test(*words); }; });
}

}  // namespace invar::cli
