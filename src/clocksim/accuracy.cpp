#include "clocksim/accuracy.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "clock/mesh/mesh.hpp"
#include "clocksim/simulation.hpp"

namespace invar::clocksim {
namespace {

// body(i) for 0 <= i < count on all processors.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  const std::size_t threads =
      std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::exception_ptr> errors(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      try {
        for (std::size_t i = next++; i < count; i = next++) body(i);
      } catch (...) {
        errors[t] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("a spread needs values");
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {  // type 7
    const double place = share * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
  };
  return {at(0), at(0.25), at(0.5), at(0.75), at(1), at(0.95)};
}

Trial run_trial(const Machine& machine, const clock::Settings& settings,
                const std::vector<double>& after_s, std::uint64_t seed) {
  Simulation simulation(machine.network, machine.ranks, machine.ranks_per_host, seed);
  SimulatedLink link(simulation);
  const clock::Synchronised clocks = clock::synchronise(link, settings);
  const double end_s = simulation.latest_s();
  Trial trial;
  trial.seconds = end_s;
  for (const double after : after_s) {
    const double now_s = end_s + after;
    const std::int64_t truth_ps = simulation.clock(0).at_ps(now_s);
    std::vector<double> errors;
    double covered = 0;
    for (int rank = 1; rank < machine.ranks; ++rank) {
      const std::int64_t local_ps = simulation.clock(rank).at_ps(now_s);
      const auto error_ps =
          std::abs(static_cast<double>(clocks.models[rank].to_reference_ps(local_ps) - truth_ps));
      errors.push_back(error_ps / 1000);
      if (clocks.stated && error_ps <= (*clocks.stated)[rank].half_width_ps(local_ps)) {
        ++covered;
      }
    }
    if (clocks.stated && !errors.empty()) {
      trial.covered.push_back(covered / static_cast<double>(errors.size()));
    }
    if (errors.empty()) errors.push_back(0);
    const Spread spread = spread_of(std::move(errors));
    trial.worst_ns.push_back(spread.most);
    trial.typical_ns.push_back(spread.median);
  }
  return trial;
}

std::vector<std::vector<Trial>> trials(const Machine& machine,
                                       const std::vector<clock::Settings>& algorithms,
                                       const std::vector<double>& after_s, int seeds) {
  if (seeds < 1) throw std::invalid_argument("trials need seeds");
  const auto count = static_cast<std::size_t>(seeds);
  std::vector<std::vector<Trial>> all(algorithms.size(), std::vector<Trial>(count));
  in_parallel(algorithms.size() * count, [&](std::size_t i) {
    all[i / count][i % count] = run_trial(machine, algorithms[i / count], after_s, 1 + i % count);
  });
  return all;
}

std::vector<Trial> barrier_trials(const Machine& machine, int seeds) {
  std::vector<Trial> trials(static_cast<std::size_t>(seeds));
  in_parallel(trials.size(), [&](std::size_t i) {
    Simulation simulation(machine.network, machine.ranks, machine.ranks_per_host, 1 + i);
    simulation.dissemination_barrier();
    std::vector<double> exits;
    exits.reserve(static_cast<std::size_t>(machine.ranks));
    for (int rank = 0; rank < machine.ranks; ++rank) exits.push_back(simulation.now_s(rank) * 1e9);
    const Spread spread = spread_of(std::move(exits));
    trials[i] = {spread.most / 1e9, {spread.most - spread.least}, {spread.median - spread.least}};
  });
  return trials;
}

std::vector<clock::Settings> sweep_of(const clock::Algorithm& algorithm) {
  std::vector<clock::Settings> all;
  const clock::Settings defaults(algorithm);
  const auto with = [&](std::initializer_list<std::pair<std::string_view, double>> values) {
    clock::Settings settings = defaults;
    for (const auto& [name, value] : values) settings.give(name, value);
    all.push_back(settings);
  };
  if (defaults.has("fit-points")) {
    for (const double points : {10.0, 30.0, 100.0, 300.0, 1000.0}) {
      for (const double exchanges : {10.0, 30.0, 100.0}) {
        with({{"fit-points", points}, {"exchanges", exchanges}});
        // All of them, as the papers' programs do; after ten the early stop would make them alike.
        if (defaults.on("offset-by-bounds")) all.back().give("least-exchanges", exchanges);
      }
    }
  } else if (defaults.has("duration")) {
    for (const double seconds : {0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0}) {
      with({{"duration", seconds}});
    }
  } else if (defaults.has("patience")) {
    for (const double patience : {10.0, 30.0, 100.0, 300.0}) with({{"patience", patience}});
  } else {
    for (const double exchanges : {10.0, 30.0, 100.0, 300.0}) with({{"exchanges", exchanges}});
  }
  return all;
}

TrackingTrial run_tracking(const Machine& machine, const clock::Settings& mesh_settings,
                           double seconds, double interval_s, std::uint64_t seed) {
  Simulation simulation(machine.network, machine.ranks, 1, seed);
  SimulatedLink link(simulation);
  clock::Mesh mesh(link, mesh_settings);
  mesh.synchronise();
  link.barrier();
  // From the first tracking on: before it, the smoothed clock is the first model.
  std::vector<clock::Model> first;
  first.reserve(static_cast<std::size_t>(machine.ranks));
  for (int rank = 0; rank < machine.ranks; ++rank) {
    first.push_back(mesh.tracker(rank).state().model);
  }
  constexpr double kStepS = 0.01;
  const double begin_s = simulation.latest_s();
  const auto error_ns = [&](std::int64_t reference_ps, double true_s) {
    return static_cast<double>(reference_ps - simulation.clock(0).at_ps(true_s)) / 1000;
  };
  TrackingTrial trial;
  const auto step_s = [&](int step) { return begin_s + step * kStepS; };
  const auto epochs = static_cast<int>(std::floor((seconds + 1e-9) / interval_s));
  int asked = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const double epoch_s = begin_s + epoch * interval_s;
    // What the clocks are taken for until the next epoch.
    for (; step_s(asked) < epoch_s; ++asked) {
      const double asked_s = step_s(asked);
      double untracked = 0;
      double predicted = 0;
      for (int rank = 1; rank < machine.ranks; ++rank) {
        const std::int64_t local_ps = simulation.clock(rank).at_ps(asked_s);
        const auto& model = first[static_cast<std::size_t>(rank)];
        const auto worse = [&](double& worst, const clock::Model& m) {
          worst = std::max(worst, std::abs(error_ns(m.to_reference_ps(local_ps), asked_s)));
        };
        worse(untracked, model);
        worse(predicted, mesh.tracker(rank).state().model);
      }
      trial.untracked_ns.push_back(untracked);
      trial.predicted_ns.push_back(predicted);
    }
    for (int rank = 0; rank < machine.ranks; ++rank) {
      simulation.now_s(rank) = std::max(simulation.now_s(rank), epoch_s);
    }
    mesh.track();
  }
  std::vector<clock::SmoothedClock> smoothed;
  smoothed.reserve(static_cast<std::size_t>(machine.ranks));
  for (int rank = 0; rank < machine.ranks; ++rank) {
    smoothed.emplace_back(mesh.tracker(rank).epochs(), mesh.tracker(rank).rules());
  }
  std::vector<double> sigmas;
  for (int step = 0; step_s(step) < begin_s + seconds; ++step) {
    const double t = step_s(step);
    double worst = 0;
    for (int rank = 1; rank < machine.ranks; ++rank) {
      const auto reading =
          smoothed[static_cast<std::size_t>(rank)].at(simulation.clock(rank).at_ps(t));
      if (!reading) continue;
      const double error = std::abs(error_ns(reading->reference_ps, t));
      worst = std::max(worst, error);
      sigmas.push_back(error * 1000 / std::max(reading->sigma_ps, 1.0));
    }
    trial.smoothed_ns.push_back(worst);
  }
  if (sigmas.empty()) return trial;
  const Spread spread = spread_of(std::move(sigmas));
  trial.worst_sigmas = spread.most;
  trial.typical_sigmas = spread.median;
  return trial;
}

std::vector<TrackingTrial> tracking(const Machine& machine, const clock::Settings& mesh,
                                    double seconds, double interval_s, int seeds) {
  std::vector<TrackingTrial> trials(static_cast<std::size_t>(seeds));
  in_parallel(trials.size(), [&](std::size_t i) {
    trials[i] = run_tracking(machine, mesh, seconds, interval_s, 1 + i);
  });
  return trials;
}

}  // namespace invar::clocksim
