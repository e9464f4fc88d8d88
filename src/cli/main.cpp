// invar: the command line. Each subcommand is one file; they are listed in commands.def.
#include <exception>
#include <iostream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "report/kit/text_table.hpp"

namespace {

// What is wrong may quote data of anybody: no escape in them reaches the terminal.
void tell(std::string_view text) {
  std::string line;
  for (const std::string_view part : invar::base::split(text, '\n')) {
    line += (line.empty() ? "invar: " : "\n") + invar::report::printable(part);
  }
  std::cerr << line << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  using invar::base::Exit;
  try {
    return invar::cli::run_command_line(argc, argv);
  } catch (const invar::base::CommandError& error) {
    for (const auto& fault : error.faults()) tell(fault.text());
    return invar::cli::failed_status(error.status(), argc, argv);
  } catch (const std::exception& error) {
    tell(error.what());
    return invar::cli::failed_status(Exit::kMeasurementFailed, argc, argv);
  }
}
