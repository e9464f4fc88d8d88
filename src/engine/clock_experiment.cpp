#include "engine/clock_experiment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "clock/algorithm.hpp"
#include "engine/clocks.hpp"
#include "engine/host.hpp"
#include "engine/mpi_link.hpp"

namespace invar::engine {
namespace {

constexpr double kPsPerS = 1e12;

std::string decimal(double value) {
  std::array<char, 40> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

struct Error {
  double error_ns = 0;
  double half_width_ns = 0;
};

class Experiment {
 public:
  Experiment(MPI_Comm world, const record::ClockSpec& spec)
      : world_(world), spec_(spec), clocks_(world), hosts_(find_hosts(world)) {
    MPI_Comm_rank(world, &rank_);
    MPI_Comm_size(world, &ranks_);
    choose_clock();
    check_truth();
  }

  std::string run() {
    std::string csv = "algorithm,repetition,seconds,after_s,rank,error_ns,half_width_ns\n";
    MpiLink link(world_, clock_,
                 static_cast<std::int64_t>(spec_.virtual_clocks.latency_s * kPsPerS));
    std::vector<clock::Settings> algorithms;
    for (const std::string& text : spec_.algorithms) {
      algorithms.push_back(clock::parse_algorithm(text, "clocks.spec"));
    }
    // By turns, so that a slow moment of the machine does not hit one of them only.
    for (std::uint32_t repetition = 1; repetition <= spec_.repetitions; ++repetition) {
      for (std::size_t a = 0; a < algorithms.size(); ++a) {
        add_trial(link, algorithms[a], repetition, csv);
      }
    }
    return csv;
  }

 private:
  // The same rate and origin on all ranks: that they differ in truth is what a model says.
  void choose_clock() {
    clock_.source = clocks_.use(spec_.clock);
    clocks_.measure();
    double ps_per_tick = kPsPerS / clocks_.state(clock_.source).ticks_per_s;
    MPI_Bcast(&ps_per_tick, 1, MPI_DOUBLE, 0, world_);
    clock_.ps_per_tick = ps_per_tick;
    clock_.other_ticks = [wtime = clocks_.wtime()] { return wtime.now(); };
    std::int64_t origin = clocks_.with(clock_.source, [](auto clock) { return clock.now(); });
    MPI_Bcast(&origin, 1, MPI_INT64_T, 0, world_);
    clock_.origin_ticks = origin;
    if (!spec_.virtual_clocks.any()) return;
    clock_.virtual_clock = clock_of_rank(spec_.virtual_clocks, rank_);
  }

  // All ranks read one real clock.
  [[nodiscard]] bool truth_is_known() const {
    return hosts_.count == 1 && clock_.source != clock::Source::kMpiWtime;
  }

  void check_truth() const {
    if (!spec_.virtual_clocks.any() || truth_is_known()) return;
    throw base::UserError("virtual clocks",
                          hosts_.count > 1
                              ? "the ranks are on several hosts, whose real clocks differ"
                              : "MPI_Wtime need not have one origin for all ranks",
                          "use one host, and the clock tsc or monotonic-raw");
  }

  [[nodiscard]] double largest(double mine) const {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world_);
    return all;
  }

  void add_trial(MpiLink& link, const clock::Settings& settings, std::uint32_t repetition,
                 std::string& csv) {
    MPI_Barrier(world_);
    const std::int64_t begin_ps = clock_.real_ps();
    const clock::PerRank<clock::Model> models = clock::synchronise(link, settings);
    const std::int64_t own_end_ps = clock_.real_ps();
    const double seconds = largest(static_cast<double>(own_end_ps - begin_ps) / kPsPerS);
    std::int64_t end_ps = own_end_ps;
    if (truth_is_known()) MPI_Allreduce(&own_end_ps, &end_ps, 1, MPI_INT64_T, MPI_MAX, world_);
    for (const double after_s : spec_.after_s) {
      const std::int64_t at_ps = end_ps + static_cast<std::int64_t>(after_s * kPsPerS);
      const Error mine = truth_is_known() ? known_error(models[rank_], at_ps)
                                          : measured_error(link, models[rank_], at_ps);
      std::vector<Error> all(rank_ == 0 ? static_cast<std::size_t>(ranks_) : 0);
      MPI_Gather(&mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, 0, world_);
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        csv += settings.text() + ',' + std::to_string(repetition) + ',' + decimal(seconds) + ',' +
               decimal(after_s) + ',' + std::to_string(rank) + ',' + decimal(all[rank].error_ns) +
               ',' + decimal(all[rank].half_width_ns) + '\n';
      }
    }
  }

  // A model says what it says: nobody has to wait for that moment.
  [[nodiscard]] Error known_error(const clock::Model& model, std::int64_t at_ps) const {
    const std::int64_t local_ps = clock_.virtual_clock.at_ps(at_ps);
    const std::int64_t reference_ps = clock_of_rank(spec_.virtual_clocks, 0).at_ps(at_ps);
    return {static_cast<double>(model.to_reference_ps(local_ps) - reference_ps) / 1000, 0};
  }

  // One client after the other, when the time has come.
  Error measured_error(MpiLink& link, const clock::Model& model, std::int64_t at_ps) {
    constexpr int kPingPongs = 200;
    while (clock_.real_ps() < at_ps) clock::pause();
    Error error;
    std::vector<clock::PingPong> series;
    clock::for_each_client(link, [&](const clock::Pair& pair) {
      link.exchange(pair, {.count = kPingPongs}, series);
      if (rank_ != pair.client) return;
      const clock::Burst::Bounds bounds = [&] {
        const clock::Burst burst = clock::summarise(series);
        return burst.bounds(burst.middle_at_ps(), 0, 0);
      }();
      const clock::Offset measured = clock::bounded_offset(series);
      error.error_ns =
          static_cast<double>(measured.offset_ps - model.difference_ps(measured.at_ps)) / 1000;
      error.half_width_ns = bounds.width_ps / 2000;
    });
    return error;
  }

  MPI_Comm world_;
  const record::ClockSpec& spec_;
  Clocks clocks_;
  Hosts hosts_;
  LinkClock clock_ = {};
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace

void run_clock_experiment(MPI_Comm world, const std::string& dir, const record::ClockSpec& spec) {
  Experiment experiment(world, spec);
  const std::string csv = experiment.run();
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  if (rank != 0) return;
  const std::string path = dir + "/clocks.csv";
  std::ofstream file(path, std::ios::binary);
  file << csv;
  file.close();
  if (!file) throw base::UserError(path, "cannot be written");
}

}  // namespace invar::engine
