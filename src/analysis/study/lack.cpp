#include "analysis/study/lack.hpp"

#include <algorithm>
#include <set>

#include "analysis/steps/size_choices.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {

std::string resume_command(const store::Data& data) {
  return "invar run --resume -o " + base::shell_quoted(data.dir.string());
}

std::string Lack::text() const {
  std::vector<std::string> texts;
  for (const base::Fault& fault : faults) texts.push_back(fault.what);
  return base::join(texts, "; ");
}

std::optional<Lack> lack_of_groups(const store::Data& data) {
  if (!data.groups.empty()) return std::nullopt;
  base::Fault fault{.place = data.dir.string(), .what = "no complete launch group"};
  base::Exit status = base::Exit::kIncomplete;
  if (!data.damage.empty()) {
    status = base::Exit::kDamaged;
    fault.what =
        "no undamaged launch group: " + data.damage.front().place + ": " + data.damage.front().what;
  } else if (!data.failed_groups.empty()) {
    status = base::Exit::kMeasurementFailed;
    fault.what += ", " + count_text(data.failed_groups.size(), "group") +
                  " failed: " + data.failed_groups.front().reason;
  } else if (data.ended) {
    // Why is among its warnings, of which the last one tells of the end.
    status = base::Exit::kMeasurementFailed;
    if (!data.warnings.empty()) fault.what += ": " + data.warnings.back().text;
    fault.remedy = "measure again";
    return Lack{.status = status, .faults = {std::move(fault)}};
  }
  fault.remedy = resume_command(data) + " goes on";
  return Lack{.status = status, .faults = {std::move(fault)}};
}

namespace {

// What the campaign is about: operations of its own, without what only choosing measures.
std::string operations_text(const store::Data& data) {
  constexpr std::size_t kMostListed = 4;
  std::set<std::uint32_t> probes;
  if (const std::optional<SizeChoice> choice = last_size_choice(data.decided)) {
    for (const EvidenceCells& cells : choice->evidence) {
      probes.insert({cells.low_cell, cells.high_cell});
    }
  }
  std::vector<std::string> names;
  for (const record::Cell& cell : data.cells) {
    if (probes.contains(cell.id)) continue;
    if (std::ranges::find(names, cell.operation) == names.end()) names.push_back(cell.operation);
  }
  return base::first_items(names, kMostListed, ", ");
}

Lack lack_of_judging_groups(const store::Data& data) {
  base::Fault fault{.place = data.dir.string(),
                    .what = "no times of " + operations_text(data) +
                            ": all complete launch groups chose what to measure, and none judges "
                            "it"};
  if (!data.ended) {
    fault.remedy = resume_command(data) + " goes on";
    return {.status = base::Exit::kIncomplete, .faults = {std::move(fault)}};
  }
  // The last warning that is not borne tells of the campaign's end.
  const auto end = std::find_if(data.warnings.rbegin(), data.warnings.rend(),
                                [](const store::WarningLine& warning) { return !warning.borne; });
  if (end != data.warnings.rend()) fault.what += ": " + end->text;
  fault.remedy = "measure again, with a larger budget";
  return {.status = base::Exit::kMeasurementFailed, .faults = {std::move(fault)}};
}

// Nothing of the time that was asked for: every reason once.
Lack lack_of_time(const store::Data& data, const Summaries& summaries) {
  const bool named = summaries.time.kind == TimeChoice::Kind::kNamed;
  Lack lack{.status = named ? base::Exit::kUsage : base::Exit::kMeasurementFailed};
  std::vector<std::string> told;
  for (const UntoldVisits& untold : summaries.untold) {
    if (std::ranges::find(told, untold.why) != told.end()) continue;
    told.push_back(untold.why);
    lack.faults.push_back(
        {.place = data.dir.string(),
         .what =
             (named ? "no time '" + summaries.time.name + "'" : std::string("no headline time")) +
             " of " + data.cells[untold.cell].operation + " in " + data.arms[untold.arm].label +
             ": " + untold.why,
         .remedy = "--time asks for another one: " + base::join(time_names(data), ", ")});
  }
  return lack;
}

}  // namespace

std::optional<Lack> lack_of_repetitions(const store::Data& data, const Summaries& summaries) {
  if (!summaries.visits.empty()) return std::nullopt;
  const std::string dir = data.dir.string();
  const bool none = std::ranges::all_of(data.groups, [](const store::Group& group) {
    return std::ranges::all_of(group.launches,
                               [](const store::Launch& launch) { return launch.visits.empty(); });
  });
  if (none && (!data.missed.empty() ||
               (!data.arms.empty() && data.dropped_arms.size() == data.arms.size()))) {
    // What happened first says more than that an arm was dropped for it.
    std::string why;
    if (!data.missed.empty()) {
      why = data.arms[data.missed.front().arm].label + ": " + data.missed.front().reason;
    } else if (!data.failed_cells.empty()) {
      const store::FailedCell& failed = data.failed_cells.front();
      why = failed.arm + ": " + failed.reason;
    } else {
      why = data.dropped_arms.front().arm + ": " + data.dropped_arms.front().reason;
    }
    return Lack{.status = base::Exit::kMeasurementFailed,
                .faults = {{.place = dir,
                            .what = "nothing gave a time (" + why + ")",
                            .remedy = "mend what failed and measure again"}}};
  }
  const bool chose = std::ranges::any_of(
      data.decided, [](const store::DecidedLine& line) { return !line.not_judging.empty(); });
  if (none && chose) return lack_of_judging_groups(data);
  if (none) {
    return Lack{
        .faults = {{.place = dir,
                    .what = "holds no visits of our own, only another suite's",
                    .remedy = "invar show " + dir + " --as SUITE, compare --method SUITE"}}};
  }
  if (!summaries.untold.empty()) return lack_of_time(data, summaries);
  return Lack{.status = base::Exit::kMeasurementFailed,
              .faults = {{.place = dir,
                          .what = "no valid repetition in " +
                                  count_text(data.groups.size(), "launch group") +
                                  ": all are warm-ups, late or without a valid global time",
                          .remedy = "--runtime local looks at local times"}}};
}

void require(const std::optional<Lack>& lack) {
  if (!lack) return;
  if (lack->status == base::Exit::kUsage) throw base::UserError(lack->faults);
  throw base::CommandError(lack->status, lack->faults);
}

}  // namespace invar::analysis
