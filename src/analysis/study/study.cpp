#include "analysis/study/study.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "analysis/steps/size_choices.hpp"
#include "record/cell.hpp"

namespace invar::analysis {
namespace {

bool is_own(const record::Cell& cell) { return cell.scheme == record::kOwnScheme; }

// The same data without other suites' visits, without those from which a decision chose what else
// to measure, and without what it did not choose; none where there are no such visits.
std::optional<store::Data> own_visits(const store::Data& all) {
  const bool choosing = is_choosing_sizes(all.decided);
  const bool all_judge =
      !choosing && std::ranges::all_of(all.decided, [](const store::DecidedLine& line) {
        return line.not_judging.empty();
      });
  if (all_judge && std::ranges::all_of(all.cells, is_own)) return std::nullopt;
  store::Data own = all;
  std::set<std::uint32_t> others;
  for (const record::Cell& cell : all.cells) {
    if (!is_own(cell)) others.insert(cell.id);
  }
  const auto other = [&](std::uint32_t id) { return others.contains(id); };
  std::erase_if(own.cells, [](const record::Cell& cell) { return !is_own(cell); });
  std::erase_if(own.failed_cells,
                [&](const store::FailedCell& failed) { return other(failed.cell); });
  std::erase_if(own.missed, [&](const auto& run) { return other(run.cell); });
  for (store::Group& group : own.groups) {
    for (store::Launch& launch : group.launches) {
      std::erase_if(launch.visits, [&](const store::Visit& visit) {
        return choosing || other(visit.line.cell) ||
               !judges(all.decided, group.group, visit.line.cell, all.arms.at(launch.arm).label);
      });
    }
  }
  return own;
}

}  // namespace

struct Study::Read {
  store::Data all = {};
  std::optional<store::Data> own = {};  // none: all of them are
  design::Campaign campaign = {};
  bool whole_alone = true;  // operations have no other headline

  Read(store::Data read, design::Campaign of_campaign)
      : all(std::move(read)), own(own_visits(all)), campaign(std::move(of_campaign)) {
    for (const store::ArmRecord& arm : all.arms) {
      whole_alone =
          whole_alone && std::ranges::none_of(arm.operations, [](const auto& info) {
            return !info.times.empty() && info.times.front().kind != record::TimeKind::kWhole;
          });
    }
  }

  [[nodiscard]] const store::Data& data() const { return own ? *own : all; }
};

// Summaries point into the data, so that these never move.
struct Study::Opened {
  std::shared_ptr<const Read> read = {};
  bool one_for_all = false;  // of its starts
  StartSkews starts = {};    // of data()
  struct OfTime {
    TimeChoice time = {};
    std::array<std::optional<Summaries>, 3> by_runtime = {};
  };
  std::deque<OfTime> summaries = {};

  Opened(std::shared_ptr<const Read> of_campaign, bool one_runtime,
         const std::set<std::uint32_t>& kept_elsewhere = {})
      : read(std::move(of_campaign)),
        one_for_all(one_runtime),
        starts(read->data(), one_for_all, kept_elsewhere) {}

  [[nodiscard]] const store::Data& data() const { return read->data(); }

  OfTime& of(TimeChoice time) {
    if (time.kind == TimeChoice::Kind::kHeadline && read->whole_alone) {
      time.kind = TimeChoice::Kind::kWhole;
    }
    const auto known = std::ranges::find(summaries, time, &OfTime::time);
    return known != summaries.end() ? *known : summaries.emplace_back(OfTime{.time = time});
  }

  const Summaries& by(Runtime runtime, bool agreed_start, const TimeChoice& time,
                      bool one_runtime = false) {
    if (runtime == Runtime::kAuto && !agreed_start) runtime = Runtime::kLocal;
    OfTime& known = of(time);
    std::optional<Summaries>& made = known.by_runtime.at(static_cast<std::size_t>(runtime));
    if (made) return *made;
    if (runtime != Runtime::kAuto) {
      made = summarize_visits(data(), starts, runtime, false, known.time);
      return *made;
    }
    const Summaries& global = by(Runtime::kGlobal, true, time);
    if (!lacks_global_times(global)) return global;
    made = summarize_visits(data(), starts, Runtime::kAuto, true, known.time, one_runtime);
    return *made;
  }
};

Study::Study(store::Data data, design::Campaign campaign, Rules rules, CompareOptions options)
    : opened_{std::make_shared<Opened>(
          std::make_shared<const Read>(std::move(data), std::move(campaign)), rules.one_runtime())},
      options_(std::move(options)),
      rules_(std::move(rules)) {}

Study::Study(store::Data data, const CompareOptions& options) : options_(options) {
  design::Campaign campaign = campaign_of(data);
  rules_ = make_rules(campaign, options);
  check_time(data, rules_.time, "--time");
  opened_.push_back(std::make_shared<Opened>(
      std::make_shared<const Read>(std::move(data), std::move(campaign)), rules_.one_runtime()));
}

Study::Study(std::span<const Study> first, std::span<const Study> second)
    : options_(first.front().options_), rules_(first.front().rules_) {
  for (const std::span<const Study> side : {first, second}) {
    for (const Study& study : side) {
      opened_.insert(opened_.end(), study.opened_.begin(), study.opened_.end());
      const Rules& theirs = study.rules_;
      if (rules_.no_verdict.empty()) rules_.no_verdict = theirs.no_verdict;
      // Times after different ways of starting mean different things unless all are local.
      rules_.agreed_start = rules_.agreed_start && theirs.agreed_start;
    }
  }
  of_first_side_ = first.size();
  decide_starts_together();
  // The regime that one session named for itself binds none of the others.
  const auto names_the_same = [&](const Study& study) {
    return study.rules_.regime == rules_.regime;
  };
  if (over_sessions() && !options_.regime &&
      !(std::ranges::all_of(first, names_the_same) &&
        std::ranges::all_of(second, names_the_same))) {
    rules_.regime.reset();
  }
  rules_.pairing = Pairing::kNone;
  // Nobody looked at these differences; what the looks of each campaign did to its data is warned
  // of.
  rules_.sequential = false;
  // What one of the campaigns asked about its own arms is not a question about others, and one
  // session a side cannot tell the arms from the machine.
  rules_.gate = over_sessions() && options_.gate ? options_.gate->margin : std::nullopt;
}

// As far as cells of several campaigns are compared with each other. What one of them keeps because
// of another one may be what a third one's cell is compared with.
void Study::decide_starts_together() {
  std::vector<std::set<std::uint32_t>> kept_elsewhere(opened_.size());
  bool found = true;
  while (found) {
    found = false;
    for (std::size_t i = 0; i < opened_.size(); ++i) {
      const std::size_t known = kept_elsewhere[i].size();
      for (const record::Cell& cell : data(i).cells) {
        const CellStarts* const own = starts(i).of(cell.id);
        if (own != nullptr && !own->all_kept && is_kept_elsewhere(cell, i)) {
          kept_elsewhere[i].insert(cell.id);
        }
      }
      if (kept_elsewhere[i].size() == known) continue;
      found = true;
      opened_[i] =
          std::make_shared<Opened>(opened_[i]->read, opened_[i]->one_for_all, kept_elsewhere[i]);
    }
  }
}

// The counterpart of this cell of one campaign.
bool Study::is_kept_elsewhere(const record::Cell& cell, std::size_t campaign) const {
  for (std::size_t other = 0; other < opened_.size(); ++other) {
    if (other == campaign) continue;
    const std::vector<record::Cell>& cells = data(other).cells;
    const std::optional<std::size_t> match = record::counterpart(cell, data(campaign).cells, cells);
    if (match && starts(other).keeps_apart(cells[*match].id)) return true;
  }
  return false;
}

Study Study::in_regime(const base::CanaryBand& regime) const {
  Study same = *this;
  same.rules_.regime = regime;
  return same;
}

const design::Campaign& Study::campaign(std::size_t i) const {
  return opened_.at(i)->read->campaign;
}
const store::Data& Study::all(std::size_t i) const { return opened_.at(i)->read->all; }
const store::Data& Study::data(std::size_t i) const { return opened_.at(i)->data(); }

const StartSkews& Study::starts(std::size_t i) const { return opened_.at(i)->starts; }

const Summaries& Study::summaries(std::size_t i) const { return summaries_of(rules_.time, i); }

const Summaries& Study::summaries_of(const TimeChoice& time, std::size_t i) const {
  const auto of = [&](Runtime runtime, std::size_t campaign) -> const Summaries& {
    return opened_.at(campaign)->by(runtime, rules_.agreed_start, time, rules_.one_runtime());
  };
  const Summaries& summaries = of(rules_.runtime, i);
  if (!summaries.global) return summaries;
  for (std::size_t other = 0; other < opened_.size(); ++other) {
    const Summaries& theirs = of(rules_.runtime, other);
    // Whose cells are which is each campaign's own matter.
    const bool differ = opened_.size() > 1 && !theirs.local_cells.empty();
    if (!theirs.global || differ) return of(Runtime::kLocal, i);
  }
  return summaries;
}

const Summaries& Study::summaries_by(Runtime runtime, std::size_t i) const {
  return opened_.at(i)->by(runtime, rules_.agreed_start, {.kind = TimeChoice::Kind::kWhole});
}

namespace {

// All complete groups chose what to measure.
bool none_judges(const store::Data& data, const Summaries& own) {
  return own.visits.empty() &&
         std::ranges::any_of(data.decided, [](const store::DecidedLine& line) {
           return !line.not_judging.empty();
         });
}

}  // namespace

Health health_of(const store::Data& data, const Summaries& own) {
  Health health{
      .damaged = data.damage.size(),
      .unfinished = data.ended ? 0U : 1U,
      .failed_groups = data.failed_groups.size(),
      .failed_cells = data.failed_cells.size(),
      .dropped_arms = data.dropped_arms.size(),
      .missed_runs = data.missed.size(),
      .without_data = data.ended && (data.groups.empty() || none_judges(data, own)) ? 1U : 0U};
  for (const EmptyVisits& empty : own.empty) health.empty_visits += empty.visits;
  // What was asked for besides the headline may be missing by design.
  if (own.time.kind != TimeChoice::Kind::kNamed) {
    for (const UntoldVisits& untold : own.untold) health.empty_visits += untold.visits;
  }
  return health;
}

Health Study::health() const {
  Health health;
  for (std::size_t i = 0; i < opened_.size(); ++i) {
    health += health_of(all(i), summaries(i));
  }
  return health;
}

Rules judging_rules(const Study& study, const Summaries& summaries) {
  Rules rules = study.rules();
  const bool shared = std::ranges::any_of(
      summaries.arms, [](const Tally& tally) { return tally.oversubscribed > 0; });
  if (rules.no_verdict.empty() && shared)
    rules.no_verdict = "more ranks than cores (oversubscribed)";
  return rules;
}

}  // namespace invar::analysis
