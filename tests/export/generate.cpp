// Campaigns with known numbers for the tests of `export --to r, python, pgfplots`, without MPI:
// generate DIR makes DIR/NAME.
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "record/clock_spec.hpp"
#include "store/clock_dir.hpp"
#include "store/reproduction.hpp"
#include "store/synthetic.hpp"

namespace invar {
namespace {

namespace fs = std::filesystem;

std::string toml_of(const std::string& cells, const std::vector<std::string>& labels) {
  std::string toml =
      "schema = 1\nname = \"made-up\"\nseed = 1\n[[cells]]\noperation = \"allreduce\"\n" + cells;
  for (const std::string& label : labels) {
    toml += "[[arm]]\nlibrary = \"openmpi\"\nlabel = \"" + label + "\"\n";
  }
  return toml;
}

// Two libraries over sizes, one faster for small messages and one for large ones, and a barrier.
synthetic::Options sizes() {
  synthetic::Options options{.arms = {"openmpi", "mpich"}, .cells = {}, .groups = 14};
  options.rounds = 6;
  options.repetitions = 40;
  options.group_sd = 0.12;
  options.launch_sd = 0.02;
  options.noise_sd = 0.06;
  for (std::uint64_t size = 8; size <= 65536; size *= 4) {
    record::Cell cell = synthetic::default_cells().front();
    cell.id = static_cast<std::uint32_t>(options.cells.size());
    cell.size_bytes = size;
    options.cells.push_back(cell);
  }
  options.cells.push_back(
      {.id = static_cast<std::uint32_t>(options.cells.size()), .operation = "barrier"});
  options.median_ns = [cells = options.cells](std::size_t arm, std::size_t cell) {
    const double bytes = static_cast<double>(cells[cell].size_bytes.value_or(0));
    return arm == 0 ? 300 + bytes / 3.5 : 600 + bytes / 5.5;
  };
  return options;
}

// Strings that would break scripts: quotes, commas, percent signs, what TeX and R expand, and
// names that must not be given away.
synthetic::Options odd() {
  synthetic::Options options = sizes();
  options.arms = {"a,b \"c\" 50 %", "$HOME \\alpha_1 #2 {x} 'd' & ~", "d\xc3\xa9j\xc3\xa0 <b>"};
  options.groups = 3;
  options.cells.resize(2);
  options.median_ns = [](std::size_t arm, std::size_t) {
    return 500.0 * (1 + 0.2 * static_cast<double>(arm));
  };
  options.toml = toml_of("size = [8, 32]\n", {"a", "b", "c"});
  return options;
}

// Two factors with two levels each, of which one matters.
synthetic::Options factors() {
  synthetic::Options options{.arms = {"openmpi"}, .cells = {}, .groups = 10};
  for (const std::uint64_t size : {8U, 1024U}) {
    for (const char* cache : {"warm", "cold-flush"}) {
      for (const char* placement : {"random", "same"}) {
        record::Cell cell = synthetic::default_cells().front();
        cell.id = static_cast<std::uint32_t>(options.cells.size());
        cell.size_bytes = size;
        cell.cache = cache;
        cell.placement = placement;
        options.cells.push_back(cell);
      }
    }
  }
  options.median_ns = [cells = options.cells](std::size_t, std::size_t cell) {
    return cells[cell].cache == "warm" ? 500.0 : 900.0;
  };
  options.toml = toml_of(
      "size = [8, 1024]\ncache = [\"warm\", \"cold-flush\"]\nplacement = [\"random\", \"same\"]\n",
      {"openmpi"});
  return options;
}

// Two levels of a factor against each other, in each of two arms.
synthetic::Options levels() {
  synthetic::Options options{.arms = {"openmpi", "mpich"}, .cells = {}, .groups = 8};
  for (const std::uint64_t size : {8U, 1024U}) {
    for (const char* cache : {"warm", "cold-flush"}) {
      record::Cell cell = synthetic::default_cells().front();
      cell.id = static_cast<std::uint32_t>(options.cells.size());
      cell.size_bytes = size;
      cell.cache = cache;
      options.cells.push_back(cell);
    }
  }
  options.median_ns = [cells = options.cells](std::size_t arm, std::size_t cell) {
    return (cells[cell].cache == "warm" ? 500.0 : 900.0) + 100.0 * static_cast<double>(arm);
  };
  options.toml = toml_of("size = [8, 1024]\ncache = [\"warm\", \"cold-flush\"]\n", options.arms) +
                 "[analysis]\nagainst = \"cache\"\n";
  return options;
}

// As `invar self-test` plants delays: 0, 1, 5 and 20 % into the calls of the second arm.
synthetic::Options self_test() {
  synthetic::Options options{.arms = {"openmpi#1", "openmpi#2"}, .cells = {}, .groups = 40};
  for (const std::uint64_t delay_ns : {0U, 10U, 50U, 200U}) {
    record::Cell cell = synthetic::default_cells().front();
    cell.id = static_cast<std::uint32_t>(options.cells.size());
    cell.delay_ns = delay_ns;
    options.cells.push_back(cell);
  }
  options.median_ns = [cells = options.cells](std::size_t arm, std::size_t cell) {
    return 1000.0 + (arm == 1 ? static_cast<double>(cells[cell].delay_ns) : 0.0);
  };
  options.toml = toml_of("size = 8\ndelay = [\"off\", \"10ns\", \"50ns\", \"200ns\"]\n",
                         {"openmpi#1", "openmpi#2"});
  options.library = "openmpi";
  return options;
}

// Five repeats of a campaign.
void write_reproduction(const fs::path& dir) {
  store::Reproduction plan{.budget_s = 1, .methods = {"invar"}};
  for (std::uint64_t repeat = 1; repeat <= 5; ++repeat) {
    synthetic::Options options = sizes();
    options.seed = repeat;
    plan.repeats.push_back({.seed = repeat, .order = {"invar"}});
    synthetic::write(store::repeat_dir(dir, repeat, "invar"), options);
  }
  std::ofstream(dir / "reproduce.json") << store::reproduction_json(plan);
}

// Two clocks that run apart by 50 and -20 ppm, with some noise of the ping-pongs.
void write_drift(const fs::path& dir) {
  const store::ClockHead head{.experiment = "drift",
                              .library = "mpich",
                              .library_version = "4.0.2",
                              .ranks = {3},
                              .host = "node1",
                              .command = "invar clocks drift --library mpich"};
  std::string rows = record::raw_header(record::kRawDrift);
  for (int i = 0; i < 20; ++i) {
    for (const auto& [rank, ppm] : {std::pair{1, 50.0}, {2, -20.0}}) {
      const double seconds = 0.25 * i;
      const double noise_ns = (i * 7 + rank) % 5 - 2.0;
      rows += std::to_string(seconds) + "," + std::to_string(rank) + "," +
              std::to_string(1e6 + 1e3 * ppm * seconds + noise_ns) + ",40,\n";
    }
  }
  // Named: g++ 12 takes a temporary one for uninitialised where an exception ends it.
  const record::ClockSpec spec;
  store::ClockDir kept = store::ClockDir::create(dir, head, record::clock_spec_text(spec));
  kept.add(rows);
  kept.seal();
}

// One of everything: an arm, a cell, a launch.
synthetic::Options single() {
  synthetic::Options options{.arms = {"alone"}, .cells = {}, .groups = 1};
  options.cells.push_back(synthetic::default_cells().front());
  return options;
}

// A failed launch group, and others that were never measured.
synthetic::Options broken() {
  synthetic::Options options{.groups = 4, .failed_groups = {2}, .end = false};
  options.toml = toml_of("size = [8, 1024]\n", {"alpha", "beta"});
  return options;
}

void generate(const fs::path& dir) {
  fs::remove_all(dir);
  fs::create_directories(dir);
  synthetic::write(dir / "sizes", sizes());
  synthetic::write(dir / "odd", odd());
  synthetic::write(dir / "single", single());
  synthetic::write(dir / "factors", factors());
  synthetic::write(dir / "levels", levels());
  synthetic::write(dir / "self-test", self_test());
  synthetic::write(dir / "broken", broken());
  write_reproduction(dir / "reproduce");
  write_drift(dir / "drift");
}

}  // namespace
}  // namespace invar

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR\n", argv[0]);
    return 2;
  }
  try {
    invar::generate(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
