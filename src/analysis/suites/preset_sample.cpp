#include "analysis/suites/preset_sample.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "analysis/ticks/declared_time.hpp"

namespace invar::analysis {
namespace {

// The ticks of one visit's ranks as times.
class RankTimes {
 public:
  explicit RankTimes(const store::Visit& visit)
      : visit_(visit), calls_(std::max(1U, visit.line.calls)) {
    // Their ticks are worth different times on different hosts, and only rank 0's is known.
    if (!visit.one_rate || visit.rank_records.empty()) return;
    // Only data that are there say which ranks there were: a plan can name any number, and those
    // that stand by have no records.
    for (const record::RankTicks& ticks : visit.rank_records) {
      if (ticks.repetition != visit.rank_records.front().repetition) break;
      ranks_.push_back(ticks.rank);
    }
    if (visit.rank_records.size() != visit.records.size() * ranks_.size()) return;
    // The recorder knows the rate, and wrote the largest of each repetition as a time.
    double ticks = 0;
    double time_ns = 0;
    for (std::size_t i = 0; i < visit.records.size(); ++i) {
      std::int64_t largest = 0;
      for (std::size_t place = 0; place < ranks_.size(); ++place) {
        largest = std::max(largest, of(i, place).end_ticks - of(i, place).start_ticks);
      }
      ticks += static_cast<double>(largest);
      time_ns += static_cast<double>(visit.records[i].local_max_ps) * 1e-3 * calls_;
    }
    tick_ns_ = ticks > 0 ? time_ns / ticks : 0;
    exist_ = true;
  }

  [[nodiscard]] bool exist() const { return exist_; }
  // In the order of their places.
  [[nodiscard]] const std::vector<std::uint32_t>& ranks() const { return ranks_; }
  // None: the rank has no records.
  [[nodiscard]] std::optional<std::size_t> place_of(std::uint32_t rank) const {
    const auto found = std::ranges::find(ranks_, rank);
    if (found == ranks_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - ranks_.begin());
  }

  // The time of one call.
  [[nodiscard]] double time_ns(std::size_t repetition, std::size_t place) const {
    const record::RankTicks& ticks = of(repetition, place);
    return static_cast<double>(ticks.end_ticks - ticks.start_ticks) * tick_ns_ / calls_;
  }

  [[nodiscard]] double first_to_last_ns(std::size_t repetition, std::size_t first) const {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (std::size_t place = 0; place < ranks_.size(); ++place) {
      last = std::max(last, of(repetition, place).end_ticks);
    }
    return static_cast<double>(last - of(repetition, first).start_ticks) * tick_ns_ / calls_;
  }

 private:
  [[nodiscard]] const record::RankTicks& of(std::size_t repetition, std::size_t place) const {
    return visit_.rank_records[repetition * ranks_.size() + place];
  }

  const store::Visit& visit_;
  std::vector<std::uint32_t> ranks_ = {};
  double calls_;
  bool exist_ = false;
  double tick_ns_ = 0;
};

// The first of these ranks that starts; none: the roles name none of them.
std::optional<std::uint32_t> first_that_starts(const record::OperationInfo& info,
                                               const record::Cell& cell,
                                               std::span<const std::uint32_t> ranks) {
  const std::vector<record::RankPair> pairs = pairs_of_cell(info, cell);
  if (!pairs.empty()) return pairs.front().from;
  for (const std::uint32_t rank : ranks) {
    const record::Role role = record::role_of(info.roles, rank, cell.ranks, cell.root);
    if (role == record::Role::kStarts) return rank;
  }
  return std::nullopt;
}

// Its headline is what ranks that start read on their own clocks, from start to end.
bool is_starters_own(const record::OperationInfo& info) {
  if (info.messages == record::Messages::kNone || info.times.empty()) return false;
  const record::TimeInfo& time = info.times.front();
  return time.kind == record::TimeKind::kOwn && time.from_role == record::Role::kStarts &&
         time.from == record::kStartPoint && time.to == record::kEndPoint;
}

}  // namespace

PresetSample preset_sample(const store::Launch& launch, const record::Cell& cell,
                           const record::OperationInfo& info) {
  PresetSample sample;
  bool single = true;  // every rank's times are there
  std::optional<std::vector<std::uint32_t>> known;
  for (const store::Visit& visit : launch.visits) {
    if (visit.line.cell != cell.id) continue;
    const RankTimes ranks(visit);
    single = single && ranks.exist() && (!known || *known == ranks.ranks());
    if (!known) known = ranks.ranks();
    sample.one_rate = sample.one_rate && visit.one_rate;
  }
  if (single && known) sample.ranks = *known;
  sample.rank_ns.resize(sample.ranks.size());
  const std::optional<std::uint32_t> starter = first_that_starts(info, cell, sample.ranks);
  const bool messages = info.messages != record::Messages::kNone;
  // Raw ticks can be compared where all ranks read one clock.
  bool comparable =
      cell.nodes == 1 && !launch.virtual_clocks && (messages || cell.root < cell.ranks);
  for (const store::Visit& visit : launch.visits) {
    if (visit.line.cell != cell.id) continue;
    const RankTimes ranks(visit);
    const auto initiator = starter ? ranks.place_of(*starter) : std::nullopt;
    const auto first = messages ? initiator : ranks.place_of(cell.root);
    comparable = comparable && first.has_value();
    for (std::size_t i = 0; i < visit.records.size(); ++i) {
      const record::Timing& timing = visit.records[i];
      if ((timing.flags & record::kLeftOut) != 0) continue;
      sample.largest_ns.push_back(static_cast<double>(timing.local_max_ps) * 1e-3);
      sample.mean_ns.push_back(static_cast<double>(timing.local_mean_ps) * 1e-3);
      if (sample.ranks.empty()) continue;
      for (std::size_t place = 0; place < sample.ranks.size(); ++place) {
        sample.rank_ns[place].push_back(ranks.time_ns(i, place));
      }
      if (initiator) sample.initiator_ns.push_back(ranks.time_ns(i, *initiator));
      comparable = comparable && (timing.flags & record::kGlobalInvalid) == 0;
      if (comparable) sample.root_to_last_ns.push_back(ranks.first_to_last_ns(i, *first));
    }
  }
  if (sample.ranks.empty() || !comparable) sample.root_to_last_ns.clear();
  if (is_starters_own(info)) sample.root_to_last_ns = sample.initiator_ns;
  return sample;
}

}  // namespace invar::analysis
