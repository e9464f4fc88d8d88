#include "engine/clocks/global_clock.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/launch_spec.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;

constexpr std::int64_t kTrackEveryNs = 1'000'000'000;

// An epoch on its way to rank 0.
struct Told {
  std::int64_t rank;
  std::int64_t epoch;
  std::int64_t origin_ticks;
  double ps_per_tick;
  bool error_stated;  // of `what`; else it is a model alone
  clock::Epoch what;
};
static_assert(std::is_trivially_copyable_v<Told>);

}  // namespace

GlobalClock::GlobalClock(MPI_Comm all, const Hosts& hosts, const Clocks& clocks,
                         clock::Source source, Domains domains, const clock::Settings& algorithm)
    : source_(source), domains_(domains), algorithm_(algorithm) {
  MPI_Comm_rank(all, &rank_);
  const int domain =
      rank_domains() ? rank_ : static_cast<int>(hosts.of_rank[static_cast<std::size_t>(rank_)]);
  comms_ = DomainComms::split(all, domain);
  const ClockState& state = clocks.state(source);
  if (state.virtual_link) {
    virtual_ = true;
    own_ = *state.virtual_link;
    own_.virtual_scale = kPsPerS / state.ticks_per_s;
  } else {
    own_.source = source;
    own_.ps_per_tick = source == clock::Source::kTsc ? 1e12 / state.ticks_per_s : 1000;
    own_.origin_ticks = state.origin_ticks;
    // What visits read, and what the models are for.
    own_.ahead_ticks = state.ahead_ticks;
  }
  // Numbers only: what rank 0 reads is not here.
  struct {
    double ps_per_tick;
    std::int64_t origin_ticks;
  } first{own_.ps_per_tick, own_.origin_ticks};
  MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, all);
  reference_.ps_per_tick = first.ps_per_tick;
  reference_.origin_ticks = first.origin_ticks;
  const bool alike = std::abs(own_.ps_per_tick / first.ps_per_tick - 1) < kSameFrequency;
  if (alike) own_.ps_per_tick = first.ps_per_tick;
  // The ranks of a domain must agree on it.
  MPI_Bcast(&own_.ps_per_tick, 1, MPI_DOUBLE, 0, comms_.domain);
  if (comms_.leaders == MPI_COMM_NULL) return;
  link_.emplace(comms_.leaders, own_,
                static_cast<std::int64_t>(clocks.virtual_clocks().latency_s * 1e12));
  if (tracked()) mesh_.emplace(*link_, algorithm_);
}

void GlobalClock::free() { comms_.free(); }

bool GlobalClock::tracked() const { return algorithm_.algorithm().name == clock::kMesh.name; }

void GlobalClock::spread_prediction() {
  if (mesh_) prediction_ = mesh_->tracker(link_->first()).state().model;
  static_assert(std::is_trivially_copyable_v<clock::Model>);
  MPI_Bcast(&prediction_, sizeof prediction_, MPI_BYTE, 0, comms_.domain);
  tracked_ns_ = clock::monotonic_raw_ns();
}

void GlobalClock::synchronise() {
  if (mesh_) {
    mesh_->synchronise();
  } else if (link_) {
    // The link is the leaders' already: every rank of it is a domain.
    prediction_ = clock::synchronise(*link_, algorithm_).models[link_->first()];
  }
  spread_prediction();
}

void GlobalClock::track() {
  if (!tracked()) return;
  if (mesh_) mesh_->track();
  spread_prediction();
}

bool GlobalClock::due() const {
  return tracked() && clock::monotonic_raw_ns() - tracked_ns_ >= kTrackEveryNs;
}

// With virtual clocks, ticks are the picoseconds that they show; rank 0's are the link's.
std::int64_t GlobalClock::to_link_ps(std::int64_t own_ticks) const {
  return virtual_ ? own_.ps_of_virtual(own_ticks) : own_.real_ps_of(own_ticks);
}

std::int64_t GlobalClock::to_global(std::int64_t own_ticks) const {
  const std::int64_t ps = prediction_.to_reference_ps(to_link_ps(own_ticks));
  return virtual_ ? ps : reference_.ticks_of(ps);
}

std::int64_t GlobalClock::to_own(std::int64_t global_ticks) const {
  const std::int64_t ps = virtual_ ? global_ticks : reference_.real_ps_of(global_ticks);
  const std::int64_t own_ps = prediction_.to_local_ps(ps);
  return virtual_ ? own_.virtual_of_ps(own_ps) : own_.ticks_of(own_ps);
}

void GlobalClock::smooth() {
  if (!tracked()) return;
  static_assert(std::is_trivially_copyable_v<clock::Epoch>);
  static_assert(std::is_trivially_copyable_v<clock::TrackingRules>);
  std::vector<clock::Epoch> epochs;
  clock::TrackingRules rules;
  if (mesh_) {
    const clock::Tracker& tracker = mesh_->tracker(link_->first());
    const std::span<const clock::Epoch> news = tracker.epochs().subspan(smoothed_epochs_);
    epochs.assign(news.begin(), news.end());
    rules = tracker.rules();
    // The last one is the first of the next time.
    smoothed_epochs_ = tracker.epochs().size() - 1;
  }
  std::uint64_t count = epochs.size();
  MPI_Bcast(&count, 1, MPI_UINT64_T, 0, comms_.domain);
  epochs.resize(count);
  MPI_Bcast(epochs.data(), static_cast<int>(count * sizeof(clock::Epoch)), MPI_BYTE, 0,
            comms_.domain);
  MPI_Bcast(&rules, sizeof rules, MPI_BYTE, 0, comms_.domain);
  smoothed_.emplace(epochs, rules);
}

std::optional<GlobalClock::Reading> GlobalClock::reading(std::int64_t own_ticks) const {
  if (!tracked()) return Reading{.ticks = to_global(own_ticks)};
  if (!smoothed_) return std::nullopt;
  const auto read = smoothed_->at(to_link_ps(own_ticks));
  if (!read) return std::nullopt;
  return Reading{virtual_ ? read->reference_ps : reference_.ticks_of(read->reference_ps),
                 read->sigma_ps};
}

std::string GlobalClock::new_lines() {
  if (!link_) return {};
  // Where nothing is tracked there is the first synchronisation alone.
  const clock::Epoch only{.filtered = {.model = prediction_}};
  const std::span<const clock::Epoch> epochs =
      mesh_ ? mesh_->tracker(link_->first()).epochs() : std::span<const clock::Epoch>(&only, 1);
  std::vector<Told> mine;
  for (; told_epochs_ < epochs.size(); ++told_epochs_) {
    mine.push_back({.rank = rank_,
                    .epoch = static_cast<std::int64_t>(told_epochs_),
                    .origin_ticks = virtual_ ? 0 : own_.origin_ticks,
                    .ps_per_tick = virtual_ ? own_.virtual_scale : own_.ps_per_tick,
                    .error_stated = mesh_.has_value(),
                    .what = epochs[told_epochs_]});
  }
  // All leaders have learned equally much.
  const auto bytes = static_cast<int>(mine.size() * sizeof(Told));
  int leaders = 1;
  MPI_Comm_size(comms_.leaders, &leaders);
  std::vector<Told> all(rank_ == 0 ? mine.size() * static_cast<std::size_t>(leaders) : 0);
  MPI_Gather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comms_.leaders);
  std::string lines;
  for (const Told& told : all) {
    // Empty: the algorithm does not say.
    const auto stated = [&](double value) {
      return told.error_stated ? base::shortest_text(value) : std::string();
    };
    const clock::Epoch& epoch = told.what;
    const clock::ClockState& state = epoch.filtered;
    lines += std::string(source_name(source_)) + ',' + std::to_string(told.rank) + ',' +
             std::to_string(told.epoch) + ',' + std::to_string(state.model.at_ps) + ',' +
             std::to_string(state.model.offset_ps) + ',' + base::shortest_text(state.model.skew) +
             ',' + stated(std::sqrt(std::max(0.0, state.offset_variance_ps2))) + ',' +
             stated(std::sqrt(std::max(0.0, state.skew_variance))) + ',';
    // The first one is the first synchronisation: nothing was measured or predicted before.
    if (told.epoch == 0) {
      lines += ",,,,,";
    } else {
      lines += std::to_string(epoch.measured.offset_ps) + ',' +
               base::shortest_text(std::sqrt(epoch.measured.variance_ps2)) + ',' +
               base::shortest_text(epoch.innovation_ps) + ',' +
               base::shortest_text(epoch.innovation_sigma_ps) + ',' +
               (epoch.accepted ? "yes," : "no,");
    }
    lines += std::to_string(told.origin_ticks) + ',' + base::shortest_text(told.ps_per_tick) + ',' +
             stated(epoch.wander) + ',' + stated(epoch.noise) + ',' +
             (told.epoch == 0   ? ""
              : epoch.restarted ? "yes"
                                : "no") +
             '\n';
  }
  return lines;
}

void GlobalClocks::start(MPI_Comm all, const Hosts& hosts, const Clocks& clocks, bool fixed,
                         const std::string& clock_sync) {
  if (clock_sync == record::kNoClockSync || !expected(hosts.count, clocks.virtual_clocks())) return;
  const clock::Settings algorithm = clock::parse_algorithm(clock_sync, "launch.spec: clock_sync");
  for (std::uint32_t number = 0; number < group::kClocks; ++number) {
    const auto source = static_cast<clock::Source>(number);
    if (!clocks.used(source) || source == clock::Source::kMpiWtime) continue;
    const ClockState& state = clocks.state(source);
    const bool one_each = state.virtual_link.has_value() || (fixed && !state.ranks_agree);
    // Ranks that move about were not compared, and a model of one of them would not be the others'.
    if (!one_each && state.within_ticks == 0) continue;
    // As published, most algorithms do not know that ranks share a clock.
    const bool by_ranks = one_each || !algorithm.algorithm().between_leaders;
    clocks_[number] = std::make_unique<GlobalClock>(
        all, hosts, clocks, source, by_ranks ? Domains::kRanks : Domains::kHosts, algorithm);
    clocks_[number]->synchronise();
  }
}

void GlobalClocks::free() {
  for (const auto& clock : clocks_) {
    if (clock) clock->free();
  }
}

void GlobalClocks::track(MPI_Comm all, bool now) {
  for (const auto& clock : clocks_) {
    if (!clock) continue;
    int due = now || clock->due() ? 1 : 0;
    if (!now) MPI_Bcast(&due, 1, MPI_INT, 0, all);
    if (due != 0) clock->track();
  }
}

void GlobalClocks::smooth() {
  for (const auto& clock : clocks_) {
    if (clock) clock->smooth();
  }
}

std::string GlobalClocks::heading() {
  return "clock,rank,epoch,at_ps,offset_ps,skew,offset_sd_ps,skew_sd,measured_ps,"
         "measured_sd_ps,innovation_ps,innovation_sd_ps,accepted,origin_ticks,ps_per_tick,"
         "wander,noise,restarted\n";
}

std::string GlobalClocks::new_lines() {
  std::string lines;
  for (const auto& clock : clocks_) {
    if (clock) lines += clock->new_lines();
  }
  return lines;
}

}  // namespace invar::engine
