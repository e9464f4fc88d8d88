#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "design/campaign/campaign.hpp"

namespace invar::cli {

void add_init(CLI::App& app, Outcome& outcome) {
  auto file = std::make_shared<std::string>("campaign.toml");
  CLI::App* command = app.add_subcommand("init", "write a commented campaign to begin with");
  command->add_option("FILE", *file, "its name; - prints it")->capture_default_str();
  command->callback([&outcome, file] {
    outcome.run = [file] {
      if (*file == "-") {
        std::cout << design::commented_campaign();
        return 0;
      }
      write_new_file(*file, design::commented_campaign());
      std::cout << "Wrote " << *file << ". Edit it, then: invar plan " << base::shell_quoted(*file)
                << '\n';
      return 0;
    };
  });
}

}  // namespace invar::cli
