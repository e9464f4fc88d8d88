#include "analysis/study/study.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace invar::analysis {
namespace {

bool is_own(const record::Cell& cell) { return cell.scheme == record::kOwnScheme; }

// The same data without other suites' visits, and without those from which a decision chose what
// else to measure; none where there are no such visits.
std::optional<store::Data> own_visits(const store::Data& all) {
  const bool all_judge = std::ranges::all_of(
      all.decided, [](const store::DecidedLine& line) { return line.not_judging.empty(); });
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
        return other(visit.line.cell) || !judges(all.decided, group.group, visit.line.cell);
      });
    }
  }
  return own;
}

}  // namespace

// Summaries point into the data, so that these never move.
struct Study::Opened {
  store::Data all = {};
  std::optional<store::Data> own = {};  // none: all of them are
  design::Campaign campaign = {};
  std::array<std::optional<Summaries>, 3> summaries = {};  // by Runtime

  Opened(store::Data data, design::Campaign read)
      : all(std::move(data)), own(own_visits(all)), campaign(std::move(read)) {}

  [[nodiscard]] const store::Data& data() const { return own ? *own : all; }

  const Summaries& by(Runtime runtime, bool agreed_start) {
    if (runtime == Runtime::kAuto && !agreed_start) runtime = Runtime::kLocal;
    std::optional<Summaries>& made = summaries.at(static_cast<std::size_t>(runtime));
    if (made) return *made;
    if (runtime != Runtime::kAuto) {
      made = summarize_visits(data(), runtime, false);
      return *made;
    }
    const Summaries& global = by(Runtime::kGlobal, true);
    if (!lacks_global_times(global)) return global;
    made = by(Runtime::kLocal, true);
    made->global_refused = true;
    return *made;
  }
};

Study::Study(store::Data data, design::Campaign campaign, Rules rules, CompareOptions options)
    : opened_{std::make_shared<Opened>(std::move(data), std::move(campaign))},
      options_(std::move(options)),
      rules_(std::move(rules)) {}

Study::Study(store::Data data, const CompareOptions& options) : options_(options) {
  design::Campaign campaign = campaign_of(data);
  rules_ = make_rules(campaign, options);
  opened_.push_back(std::make_shared<Opened>(std::move(data), std::move(campaign)));
}

Study::Study(const Study& first, const Study& second)
    : opened_(first.opened_), options_(first.options_), rules_(first.rules_) {
  opened_.insert(opened_.end(), second.opened_.begin(), second.opened_.end());
  const Rules& theirs = second.rules_;
  if (rules_.no_verdict.empty()) rules_.no_verdict = theirs.no_verdict;
  // Times after different ways of starting mean different things unless both are local.
  rules_.agreed_start = rules_.agreed_start && theirs.agreed_start;
  rules_.pairing = Pairing::kNone;
  // Nobody looked at these differences; what the looks of each campaign did to its data is warned
  // of.
  rules_.sequential = false;
  // What one of the campaigns asked about its own arms is no question about two sessions.
  rules_.gate.reset();
}

const design::Campaign& Study::campaign(std::size_t i) const { return opened_.at(i)->campaign; }
const store::Data& Study::all(std::size_t i) const { return opened_.at(i)->all; }
const store::Data& Study::data(std::size_t i) const { return opened_.at(i)->data(); }

const Summaries& Study::summaries(std::size_t i) const {
  const Summaries& summaries = summaries_by(rules_.runtime, i);
  if (!summaries.global) return summaries;
  for (std::size_t other = 0; other < opened_.size(); ++other) {
    if (!summaries_by(rules_.runtime, other).global) return summaries_by(Runtime::kLocal, i);
  }
  return summaries;
}

const Summaries& Study::summaries_by(Runtime runtime, std::size_t i) const {
  return opened_.at(i)->by(runtime, rules_.agreed_start);
}

Health Study::health() const {
  Health health;
  for (std::size_t i = 0; i < opened_.size(); ++i) {
    health += health_of(all(i), summaries(i));
  }
  return health;
}

}  // namespace invar::analysis
