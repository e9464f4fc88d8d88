// Runs a campaign, or goes on with one, as `invar run` does, with a decision more that adds a cell:
//   half_way_campaign FILE DIR
//   half_way_campaign --resume DIR
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "driver/decide/half_way.hpp"
#include "driver/run/run.hpp"

int main(int argc, char** argv) {
  using namespace invar;
  if (argc != 3) return static_cast<int>(base::Exit::kUsage);
  const std::vector<driver::Decision> decisions = driver::test::with_half_way();
  try {
    if (std::strcmp(argv[1], "--resume") == 0) {
      driver::run_resumed(argv[2], {}, decisions);
      return 0;
    }
    std::ifstream file(argv[1]);
    const std::string toml{std::istreambuf_iterator<char>(file), {}};
    const driver::Prepared prepared =
        driver::prepare(design::read_campaign(toml, argv[1]), {}, argv[1]);
    driver::run_new(prepared, {}, argv[2], {}, decisions);
    return 0;
  } catch (const base::CommandError& error) {
    for (const base::Fault& fault : error.faults()) {
      std::fprintf(stderr, "half_way_campaign: %s\n", fault.text().c_str());
    }
    return static_cast<int>(error.status());
  }
}
