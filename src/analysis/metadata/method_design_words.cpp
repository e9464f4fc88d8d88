#include "analysis/metadata/method_design_words.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "analysis/study/batches.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/size_samples.hpp"

namespace invar::analysis {
namespace {

struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  static void add(std::optional<Range>& range, std::uint64_t value) {
    if (!range) range = Range{value, value};
    range->least = std::min(range->least, value);
    range->most = std::max(range->most, value);
  }

  // "30 repetitions", "1 batch", "20 to 30 repetitions"; `several`: the plural, if not with an s.
  [[nodiscard]] std::string text(const std::string& one, const std::string& several = {}) const {
    const std::string many = several.empty() ? one + "s" : several;
    const std::string number = std::to_string(most) + " " + (most == 1 ? one : many);
    return least == most ? number : std::to_string(least) + " to " + number;
  }
};

// Visits that hold the same kind of repetition.
struct VisitKind {
  std::uint64_t visits = 0;
  std::optional<Range> repetitions = {};  // in time; without visits that reached the retry cap
  std::optional<Range> calls = {};
};

// What the visits of the engine really have.
struct VisitContents {
  VisitKind single = {};
  VisitKind batches = {};            // of calls too short for the clock
  VisitKind suite_batches = {};      // as another suite times its calls
  std::optional<Range> rounds = {};  // visits of a cell in a launch
  std::uint64_t of_suites = 0;       // not counted here
  std::uint64_t capped = 0;
};

std::uint64_t timed_repetitions(const store::Visit& visit) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      visit.records,
      [](const record::Timing& timing) { return (timing.flags & record::kLeftOut) == 0; }));
}

void add_visit(const store::Visit& visit, bool own, bool keeps_apart, VisitContents& visits) {
  VisitKind& kind = visit.line.calls <= 1 ? visits.single
                    : own                 ? visits.batches
                                          : visits.suite_batches;
  ++kind.visits;
  Range::add(kind.calls, visit.line.calls);
  if (holds_fewer(visit.line, keeps_apart)) {
    ++visits.capped;
  } else if (visit.line.apart == 0 || keeps_apart) {
    // How many of others are left out is told of all visits together.
    Range::add(kind.repetitions, timed_repetitions(visit));
  }
}

VisitContents contents_of_visits(const MethodSource& source) {
  const store::Data& data = *source.data;
  std::set<std::uint32_t> own;
  std::set<std::uint32_t> counted;
  for (const record::Cell& cell : data.cells) {
    if (cell.scheme == record::kOwnScheme) own.insert(cell.id);
  }
  for (const record::Cell& cell : counted_cells(source)) counted.insert(cell.id);
  const Batches batches(data);
  VisitContents result;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      std::map<std::uint32_t, std::uint64_t> rounds;  // by Cell::id
      for (const store::Visit& visit : launch.visits) {
        if (visit.program) continue;
        if (!counted.contains(visit.line.cell)) {
          ++result.of_suites;
          continue;
        }
        ++rounds[visit.line.cell];
        if (!batches.keeps(visit)) continue;
        const std::uint32_t cell = visit.line.cell;
        const bool keeps_apart = source.starts != nullptr && source.starts->keeps_apart(cell);
        add_visit(visit, own.contains(cell), keeps_apart, result);
      }
      for (const auto& [cell, number] : rounds) Range::add(result.rounds, number);
    }
  }
  return result;
}

std::string kind_words(const VisitKind& kind, const std::string& one, const std::string& several) {
  // All reached the retry cap: that they hold fewer than planned is said apart.
  return kind.repetitions ? kind.repetitions->text(one, several) : several;
}

std::string placement_words(const MethodSource& source) {
  std::vector<std::string> placements;
  for (const record::Cell& cell : counted_cells(source)) {
    if (!cell.size_bytes || std::ranges::find(placements, cell.placement) != placements.end()) {
      continue;
    }
    placements.push_back(cell.placement);
  }
  if (placements.empty()) return {};
  constexpr std::string_view kFixed = "fixed:";
  std::vector<std::string> words;
  for (const std::string& placement : placements) {
    if (placement == "random") {
      words.emplace_back("at a place drawn anew for every visit");
    } else if (placement == "same") {
      words.emplace_back("always at the same place");
    } else if (placement.starts_with(kFixed)) {
      words.push_back(placement.substr(kFixed.size()) + " B after the start of a page");
    } else {
      words.push_back(placement);
    }
  }
  return "Buffers lay " + list_text(words, placements.size() > 1 ? " or " : " and ") +
         (placements.size() > 1 ? ", by cell" : "") + ". ";
}

// How the cells of a family stand in a round; plans of earlier versions say it by `together` alone.
std::string family_words(const MethodSource& source) {
  std::set<std::string> families;
  for (const record::Cell& cell : source.data->cells) {
    if (!cell.family.empty()) families.insert(cell.family);
  }
  const std::vector<std::string>& together = source.campaign->together;
  if (families.empty() && together.empty()) return {};
  const std::string balanced = families.empty() ? "" : ", in balanced order";
  if (source.campaign->families.empty()) {
    return "those that differ in nothing but " + list_text(together, " or ") +
           " one after the other" + balanced + "; ";
  }
  return "those of a family, which are compared with each other, one after the other" + balanced +
         " (" + std::to_string(families.size()) + (families.size() == 1 ? " family" : " families") +
         "); ";
}

std::string round_words(const MethodSource& source, const Range& rounds, Citations& cite) {
  const design::Campaign& campaign = *source.campaign;
  const std::string cells = design::has_parts(campaign) ? "each of its cells was visited in "
                                                        : "each cell was visited in ";
  return "Within a launch " + cells + rounds.text("round") +
         (campaign.shuffled
              ? ", cells in random order in each round (" + family_words(source) + "seed " +
                    std::to_string(campaign.seed) + ")" + cite("Stanisic 2017")
              : ", cells in a fixed order") +
         ". ";
}

// Random sizes that launch groups have parts of, or that fits do not see.
std::string sample_words(const MethodSource& source, Citations& cite) {
  std::string text;
  for (const design::SizeSample& sample : design::size_samples(*source.campaign)) {
    text += "Sizes are random, " + count_text(sample.sizes_bytes.size(), "different one") +
            ", uniform on the logarithm from " + base::size_text(sample.asked.low_bytes) + " to " +
            base::size_text(sample.asked.high_bytes) + cite("Stanisic 2017");
    if (sample.parts > 1) {
      text += "; each launch group measured another part of them by lot, at most " +
              std::to_string(sample.asked.per_launch) + ", so that each size is in one of " +
              count_text(sample.parts, "group") + " that follow one another";
    }
    if (sample.asked.hold_out > 0) {
      text += "; one in " + std::to_string(sample.asked.hold_out) +
              " was measured to judge what is fitted to the others";
    }
    text += ". ";
  }
  if (design::adds_at_breaks(*source.campaign)) {
    text +=
        "Between launch groups sizes were added where fits of times over sizes by straight "
        "pieces broke. ";
  }
  return text;
}

std::string content_words(const VisitContents& visits) {
  std::vector<std::string> kinds;
  if (visits.single.visits > 0) {
    kinds.push_back(kind_words(visits.single, "timed repetition", "timed repetitions"));
  }
  if (visits.batches.visits > 0) {
    kinds.push_back(
        kind_words(visits.batches, "timed batch", "timed batches") + " of " +
        visits.batches.calls->text("call") +
        (visits.single.visits > 0 ? " (" + count_text(visits.batches.visits, "visit") + ")" : "") +
        ", which are too short for the clock one by one");
  }
  if (visits.suite_batches.visits > 0) {
    kinds.push_back(kind_words(visits.suite_batches, "timed batch", "timed batches") + " of " +
                    visits.suite_batches.calls->text("call") +
                    ", as the suite does it whose numbers these are");
  }
  std::string text = "A visit has, after its warm-up, " + list_text(kinds, ", or ");
  if (visits.batches.visits + visits.suite_batches.visits > 0) {
    text += "; the time of a batch is divided by the number of its calls";
  }
  text += ". ";
  if (visits.capped > 0) {
    text += count_text(visits.capped, "visit") +
            " reached the limit of repeats for late repetitions and " +
            (visits.capped == 1 ? "holds" : "hold") + " fewer. ";
  }
  return text;
}

// What decided the number of launch groups; of a campaign that did not get there, what was to.
std::string stopping_words(const MethodSource& source, Citations& cite) {
  const design::Campaign& campaign = *source.campaign;
  const store::Data& data = *source.data;
  const bool ended = data.ended;
  std::string text;
  if (!ended) {
    text = "The campaign is not finished: there " +
           std::string(data.groups.size() == 1 ? "is " : "are ") +
           count_text(data.groups.size(), "complete launch group") +
           (data.planned_groups ? " of " + std::to_string(*data.planned_groups) : std::string()) +
           ". ";
  }
  if (campaign.stopping == design::Stopping::kLooks) {
    return text + "The number of launch groups and of visits " +
           (ended ? "followed" : "was to follow") +
           " from looks at the results under way, each with its share of alpha" + cite("Lan 1983") +
           "; numbers of repetitions and rounds from costs and variances" + cite("Kalibera 2013") +
           ". ";
  }
  if (campaign.launches.min != campaign.launches.max) {
    return text + "The number of launch groups " + (ended ? "followed" : "was to follow") +
           " from the time that groups took, never from the results. ";
  }
  if (!ended) return text;
  return text + "The number of launch groups was fixed beforehand. ";
}

std::string left_out_words(const Tally& tally) {
  std::vector<std::string> left_out{count_text(tally.warm_up, "warm-up")};
  if (tally.late > 0) {
    left_out.push_back(std::to_string(tally.late) + " that a rank began late (repeated)");
  }
  if (tally.past_window > 0) {
    left_out.push_back(std::to_string(tally.past_window) + " beyond their window");
  }
  if (tally.apart > 0) {
    left_out.push_back(std::to_string(tally.apart) +
                       " that a rank began too much later, having lost its processor (repeated)");
  }
  if (tally.global_invalid > 0) {
    left_out.push_back(std::to_string(tally.global_invalid) + " without a valid global time");
  }
  return list_text(left_out);
}

std::string counts_words(const MethodSource& source, const VisitContents& visits) {
  const Tally& tally = *source.repetitions;
  std::string text = "In all " + count_text(tally.kept, "repetition") + " in " +
                     count_text(tally.visits, "visit") + " count; left out were " +
                     left_out_words(tally) + "; nothing was removed for being slow.";
  if (visits.of_suites > 0) {
    text += " " + count_text(visits.of_suites, "more visit") +
            " measured as other suites do it do not enter these numbers.";
  }
  const store::Data& data = *source.data;
  if (!data.failed_groups.empty()) {
    text += " " + count_text(data.failed_groups.size(), "launch group") + " failed.";
  }
  if (!data.damaged_groups.empty()) {
    text += " " + count_text(data.damaged_groups.size(), "launch group") +
            " with damaged data left out.";
  }
  return text;
}

}  // namespace

std::vector<record::Cell> counted_cells(const MethodSource& source) {
  std::vector<record::Cell> cells = source.data->cells;
  const bool own = source.rules->own_visits;
  std::erase_if(cells, [own](const record::Cell& cell) {
    return (cell.scheme == record::kOwnScheme) != own;
  });
  return cells.empty() ? source.data->cells : cells;
}

std::string design_words(const MethodSource& source, Citations& cite) {
  std::size_t launches = 0;
  for (const store::Group& group : source.data->groups) launches += group.launches.size();
  const bool several = source.data->arms.size() > 1;
  std::string text = "The unit of replication is the launch, one call of mpirun" +
                     cite("Hunold 2016") + ": " + count_text(launches, "launch") + " in " +
                     count_text(source.data->groups.size(), "launch group") +
                     (several ? ", each with one launch of every arm" : "") + ". ";
  if (several && source.rules->pairing == Pairing::kTurns) {
    text +=
        "The processes of all arms of a group were alive at the same time on the same cores and "
        "took turns: in every block each arm measured the same cell once, milliseconds after the "
        "other, while the others slept, so that a change of the machine meets all arms alike. ";
  } else if (several) {
    text +=
        "The launches of a group followed each other, in an order that was turned around from "
        "group to group. ";
  }
  const VisitContents visits = contents_of_visits(source);
  if (visits.rounds) {
    text += round_words(source, *visits.rounds, cite) + sample_words(source, cite) +
            content_words(visits) + placement_words(source);
  }
  return text + stopping_words(source, cite) + counts_words(source, visits);
}

}  // namespace invar::analysis
