// From raw files to verdicts: the cost must grow linearly in observations. The last lines of the
// output (BigO, RMS) say how well it does.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "analysis/compare.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"

namespace {

// A synthetic campaign of about `groups` x 2 arms x 2 cells x 10 rounds x 500 repetitions.
class Campaign {
 public:
  explicit Campaign(std::uint32_t groups)
      : dir_(std::filesystem::temp_directory_path() /
             ("invar-bench-" + std::to_string(getpid()) + "-" + std::to_string(groups))) {
    invar::synthetic::Options options;
    options.groups = groups;
    options.rounds = 10;
    options.repetitions = 500;
    options.per_rank = false;
    invar::synthetic::write(dir_, options);
  }
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;
  ~Campaign() { std::filesystem::remove_all(dir_); }
  [[nodiscard]] const std::filesystem::path& dir() const { return dir_; }

 private:
  std::filesystem::path dir_;
};

std::int64_t observations(const invar::store::Data& data) {
  std::int64_t count = 0;
  for (const auto& group : data.groups) {
    for (const auto& launch : group.launches) {
      for (const auto& visit : launch.visits)
        count += static_cast<std::int64_t>(visit.records.size());
    }
  }
  return count;
}

void BM_RawFilesToVerdicts(benchmark::State& state) {
  const Campaign campaign(static_cast<std::uint32_t>(state.range(0)));
  std::int64_t count = 0;
  for (auto _ : state) {
    const invar::store::Data data = invar::store::read_campaign_dir(campaign.dir());
    benchmark::DoNotOptimize(invar::analysis::compare(data, invar::analysis::CompareOptions{}));
    count = observations(data);
  }
  state.SetComplexityN(count);
  state.counters["observations"] = static_cast<double>(count);
  state.counters["observations/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_RawFilesToVerdicts)
    ->Arg(5)
    ->Arg(10)
    ->Arg(20)
    ->Arg(40)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace
