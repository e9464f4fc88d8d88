#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/plan_text.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"

namespace invar::cli {
namespace {

struct PlanOptions {
  std::string file;
  std::string output;
};

int run_plan(const PlanOptions& options) {
  const CampaignFile file = read_campaign_file(options.file);
  const driver::Prepared prepared = driver::prepare(file.campaign, {}, file.place);
  if (file.plan) design::check_plan(*file.plan, prepared.campaign, prepared.cells, file.plan_place);
  const record::Plan plan = file.plan ? *file.plan : driver::first_plan(prepared);
  print_plan(prepared, plan, file.plan.has_value());
  if (options.output.empty()) return 0;
  const std::filesystem::path dir(options.output);
  std::error_code error;
  if (std::filesystem::exists(dir)) {
    throw base::UserError(options.output, "exists already", "choose another directory");
  }
  std::filesystem::create_directories(dir, error);
  if (error) throw base::UserError(options.output, "cannot be made: " + error.message());
  write_new_file(dir / "campaign.toml", design::campaign_toml(prepared.campaign));
  write_new_file(dir / "plan.csv", record::plan_csv(plan));
  print(fmt::format(
      "\nWrote {0}/campaign.toml and {0}/plan.csv ({1}). Edit, then: invar run "
      "{0}/plan.csv -o DIR\n",
      options.output, base::count_text(plan.rows.empty() ? 0 : plan.rows.back().group, "group")));
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, Outcome& outcome) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand(
      "plan", "say what a campaign will do, how long it takes and how much data it makes");
  command->add_option("FILE", options->file, "campaign.toml, or an edited plan.csv")->required();
  command->add_option("-o,--output", options->output,
                      "write the resolved campaign.toml and plan.csv into this new directory");
  command->callback(
      [&outcome, options] { outcome.run = [options] { return run_plan(*options); }; });
}

}  // namespace invar::cli
