#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "design/campaign/campaign.hpp"
#include "store/clock_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

int run_verify(const std::string& dir) {
  const bool clocks = store::is_clock_dir(dir);
  const store::Verification found =
      clocks ? store::verify_clock_dir(dir)
             : store::verify_campaign_dir(dir, [&](const std::string& toml) {
                 return design::written_by_newer(toml, dir + "/campaign.toml");
               });
  const std::string checked =
      (clocks ? "" : base::count_text(found.launches, "sealed launch") + ", ") +
      fmt::format("{} bytes checked", found.bytes);
  if (!found.damage.empty()) {
    print(fmt::format("{} is damaged: {}.\n", dir, checked));
  } else if (!found.edits.empty()) {
    print(fmt::format("{} was edited after it began: {}.\n", dir, checked));
  } else if (!found.unfinished.empty()) {
    print(fmt::format("{} is unfinished, and what it has is whole: {}.\n", dir, checked));
  } else {
    print(fmt::format("{} is complete and whole: {}.\n", dir, checked));
  }
  for (const store::DataFault& fault : found.damage)
    print(fmt::format("  {}: {}\n", fault.place, fault.what));
  for (const base::Fault& fault : found.edits) print(fmt::format("  {}\n", fault.text()));
  for (const std::string& what : found.unfinished) print(fmt::format("  {}\n", what));
  if (found.status() == base::Exit::kDamaged || found.status() == base::Exit::kIncomplete) {
    print(fmt::format(
        "{}\n", clocks ? store::clock_remedy(dir) : "go on with: invar run --resume -o " + dir));
  }
  return static_cast<int>(found.status());
}

}  // namespace

void add_verify(CLI::App& app, Outcome& outcome) {
  auto dir = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("verify", "check every byte of a campaign or an experiment");
  command->add_option("DIR", *dir, "its directory")->required();
  command->callback([&outcome, dir] { outcome.run = [dir] { return run_verify(*dir); }; });
}

}  // namespace invar::cli
