// Campaigns with known numbers for the tests of `export --to r, python, pgfplots`, without MPI:
// generate DIR makes DIR/NAME.
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "store/synthetic.hpp"

namespace invar {
namespace {

namespace fs = std::filesystem;

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
  return options;
}

// One of everything: an arm, a cell, a launch.
synthetic::Options single() {
  synthetic::Options options{.arms = {"alone"}, .cells = {}, .groups = 1};
  options.cells.push_back(synthetic::default_cells().front());
  return options;
}

void generate(const fs::path& dir) {
  fs::remove_all(dir);
  fs::create_directories(dir);
  synthetic::write(dir / "sizes", sizes());
  synthetic::write(dir / "odd", odd());
  synthetic::write(dir / "single", single());
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
