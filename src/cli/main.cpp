// invar: the command line. Each subcommand is one file; they are listed in commands.def.
#include <exception>
#include <iostream>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"

int main(int argc, char** argv) {
  using invar::base::Exit;
  try {
    return invar::cli::run_command_line(argc, argv);
  } catch (const invar::base::CommandError& error) {
    for (const auto& fault : error.faults()) std::cerr << "invar: " << fault.text() << '\n';
    return invar::cli::failed_status(error.status(), argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "invar: " << error.what() << '\n';
    return invar::cli::failed_status(Exit::kMeasurementFailed, argc, argv);
  }
}
