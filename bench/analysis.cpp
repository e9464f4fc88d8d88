// From raw files to the verdict table, as `invar compare` does it, on one core: time and memory
// for a campaign of a given number of observations, beside half of it (linear?). Usage:
//   bench_analysis generate DIR LAUNCHES   240 cells, 2 arms by turns, LAUNCHES / 2 groups
//   bench_analysis compare DIR             one line: observations, seconds (all, of that reading,
//                                          of the processor), bytes, length of the table
//   bench_analysis report DIR              one line: seconds (all, of the processor), bytes of the
//                                          page's data
//   bench_analysis plan VISITS             milliseconds of the processor for reading a plan
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "analysis/compare/compare.hpp"
#include "analysis/page/page.hpp"
#include "base/text.hpp"
#include "report/kit/answer_text.hpp"
#include "report/page/page_json.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"

namespace {

constexpr std::uint32_t kCells = 240;
constexpr std::uint32_t kRounds = 10;
constexpr std::uint32_t kRepetitions = 139;  // 30 launches: 10^7 observations

void generate(const std::filesystem::path& dir, std::uint32_t launches) {
  invar::synthetic::Options options;
  options.groups = launches / 2;
  options.rounds = kRounds;
  options.repetitions = kRepetitions;
  options.per_rank = false;
  options.cells.clear();
  for (std::uint32_t id = 0; id < kCells; ++id) {
    invar::record::Cell cell{.id = id, .operation = "allreduce", .size_bytes = 8ULL * (id + 1)};
    cell.datatype = "int32";
    cell.reduction = "sum";
    options.cells.push_back(cell);
  }
  options.median_ns = [](std::size_t arm, std::size_t cell) {
    return 500.0 * (1.0 + 0.05 * static_cast<double>(cell)) * (arm == 0 ? 1.0 : 1.05);
  };
  invar::synthetic::write(dir, options);
}

// Largest resident memory that is not a file mapping: VmHWM holds both, so the files' size is taken
// off by the caller; here what is resident and anonymous at the end.
std::uint64_t status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != key) continue;
    std::uint64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

double processor_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

int compare(const std::filesystem::path& dir) {
  const auto begin = std::chrono::steady_clock::now();
  invar::store::Data raw = invar::store::read_campaign_dir(dir);
  const auto read = std::chrono::steady_clock::now();
  const invar::analysis::Study study(std::move(raw));
  const invar::store::Data& data = study.data();
  const invar::analysis::Comparison result = invar::analysis::compare(study);
  const std::string table = invar::report::answer_text(invar::analysis::answer_of(result));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t observations = 0;
  std::uint64_t file_bytes = 0;
  for (const auto& group : data.groups) {
    for (const auto& launch : group.launches) {
      for (const auto& visit : launch.visits) observations += visit.records.size();
      file_bytes += std::filesystem::file_size(launch.dir / "timings.bin");
    }
  }
  const double cpu_s = processor_s();
  std::printf("%llu %.4f %.4f %.4f %llu %zu\n", static_cast<unsigned long long>(observations),
              seconds, std::chrono::duration<double>(read - begin).count(), cpu_s,
              static_cast<unsigned long long>(status_bytes("VmHWM:") -
                                              std::min(file_bytes, status_bytes("RssFile:"))),
              table.size());
  return 0;
}

// Everything that `invar report --format json` does but writing the file.
int report(const std::filesystem::path& dir) {
  const auto begin = std::chrono::steady_clock::now();
  invar::analysis::PageSources sources;
  sources.campaigns.push_back(invar::store::read_campaign_dir(dir));
  const invar::analysis::Page page = invar::analysis::make_page(std::move(sources));
  const std::string json = invar::report::page_json(page, {.invar = "bench"});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.4f %.4f %zu\n", seconds, processor_s(), json.size());
  return 0;
}

// Milliseconds of the processor to read a plan of so many visits.
int plan(std::uint32_t visits) {
  invar::record::Plan plan{.cells = invar::synthetic::default_cells()};
  for (std::uint32_t i = 0; i < visits; ++i) {
    plan.rows.push_back({.group = 1,
                         .launch = 1 + i % 2,
                         .turn = i,
                         .round = i / 4,
                         .block = i / 2,
                         .visit = i + 1,
                         .cell = i / 2 % 2,
                         .arm = i % 2 == 0 ? "alpha" : "beta",
                         .repetitions = 50});
  }
  const std::string text = invar::record::plan_csv(plan);
  const std::clock_t begin = std::clock();
  const auto read = invar::record::read_plan(text, "plan.csv", invar::record::PlanExtent::kPart);
  const double ms =
      1e3 * static_cast<double>(std::clock() - begin) / static_cast<double>(CLOCKS_PER_SEC);
  std::printf("%.2f\n", ms);
  return read.rows.size() == visits ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "generate" && argc == 4) {
    generate(argv[2], static_cast<std::uint32_t>(std::atoi(argv[3])));
    return 0;
  }
  if (mode == "compare" && argc == 3) return compare(argv[2]);
  if (mode == "report" && argc == 3) return report(argv[2]);
  if (mode == "plan" && argc == 3) return plan(static_cast<std::uint32_t>(std::atoi(argv[2])));
  std::fputs("usage: bench_analysis generate DIR LAUNCHES | compare DIR | report DIR\n", stderr);
  return 2;
}
