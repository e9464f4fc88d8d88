#include "engine/experiments/clock_experiment.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "base/error.hpp"
#include "engine/experiments/clock_experiments.hpp"

namespace invar::engine {
namespace {

struct ClockExperiment {
  const char* name;
  std::string (*run)(ClockSetting& setting);
};

constexpr std::array kExperiments{
    ClockExperiment{"accuracy", clock_accuracy},
    ClockExperiment{"tracking", clock_tracking},
    ClockExperiment{"resolution", clock_resolution},
    ClockExperiment{"drift", clock_drift},
    ClockExperiment{"barriers", clock_barriers},
    ClockExperiment{"runtime-over-time", clock_runtime},
};

}  // namespace

void run_clock_experiment(MPI_Comm world, const std::string& dir, const record::ClockSpec& spec) {
  const auto experiment =
      std::find_if(kExperiments.begin(), kExperiments.end(),
                   [&](const ClockExperiment& one) { return spec.experiment == one.name; });
  if (experiment == kExperiments.end()) {
    throw base::UserError(dir + "/clocks.spec",
                          "this engine has no experiment '" + spec.experiment + "'");
  }
  ClockSetting setting(world, spec);
  const std::string csv = experiment->run(setting);
  if (setting.rank() != 0) return;
  const std::string path = dir + "/clocks.csv";
  std::ofstream file(path, std::ios::binary);
  file << csv;
  file.close();
  if (!file) throw base::UserError(path, "cannot be written");
}

}  // namespace invar::engine
