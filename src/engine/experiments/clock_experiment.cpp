#include "engine/experiments/clock_experiment.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
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
    ClockExperiment{"pareto", clock_pareto},
    ClockExperiment{"scaling", clock_scaling},
    ClockExperiment{"tracking", clock_tracking},
    ClockExperiment{"resolution", clock_resolution},
    ClockExperiment{"drift", clock_drift},
    ClockExperiment{"barriers", clock_barriers},
    ClockExperiment{"runtime-over-time", clock_runtime},
};

// All of it or nothing is seen under that name.
void write_whole(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(part.c_str(), path.c_str()) != 0) {
    throw base::UserError(path, "cannot be written");
  }
}

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
  try {
    const std::string csv = experiment->run(setting);
    if (setting.rank() == 0) write_whole(dir + "/clocks.csv", csv);
  } catch (const ClockRefusal& refusal) {
    const base::Fault& fault = refusal.faults().front();
    if (setting.rank() != 0) return;
    write_whole(dir + "/clocks.refused",
                record::clock_refused_text({fault.place, fault.what, fault.remedy}));
  }
}

}  // namespace invar::engine
