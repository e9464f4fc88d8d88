#include "design/recipes/race_campaign.hpp"

#include <algorithm>
#include <utility>

#include "base/collect.hpp"
#include "design/campaign/program.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/sizes.hpp"
#include "design/suites/suite_ways.hpp"

namespace invar::design {
namespace {

void check_program(const Program& program, base::Faults& faults) {
  if (program.command.empty()) {
    if (!program.parse.empty() || !program.unit.empty()) {
      faults.add(program.parse.empty() ? "--unit" : "--parse", "says how a program is read",
                 "name the program: --exec 'IMB-MPI1 Allreduce'");
    }
    return;
  }
  if (const auto complaint = command_complaint(program.command)) {
    faults.add("--exec", complaint->what, complaint->remedy);
  }
  if (program.parse.empty()) {
    faults.add("--parse", "it is missing",
               "say where the program prints its time: imb, osu, or a regular expression with one "
               "group, as in 'time: ([0-9.]+) ms'");
  } else if (const auto complaint = parse_rule_complaint(program)) {
    faults.add("--parse", complaint->what, complaint->remedy);
  }
}

// The program is what is compared: under each of the libraries, or, if one is named, with our own
// measurement of the same operation in it.
void add_program(const RaceOrder& order, Campaign& campaign, base::Faults& faults) {
  campaign.engine.pairing = "launches";
  if (campaign.arms.size() != 1) {
    for (Arm& arm : campaign.arms) arm.program = order.program;
    return;
  }
  if (!order.operations_written) {
    faults.add("--operation",
               "with one library its program is compared with our own measurement, of which "
               "operation is not said",
               "write --operation, or name two libraries: then only the program is measured");
  }
  Arm arm = campaign.arms.front();
  if (!arm.label.empty()) arm.label += '+' + program_name(order.program.command);
  arm.program = order.program;
  campaign.arms.push_back(std::move(arm));
}

// What a program is called and at which sizes it is run, where that is not written.
void take_defaults(const RaceOrder& order, CellsBlock& cells) {
  const std::string& command = order.program.command;
  if (!order.operations_written) cells.operations = {"application"};
  const bool sized =
      takes(command, "size") || takes(command, "log2size") || order.operations_written;
  if (!order.sizes_written && !sized) cells.sizes_bytes.clear();
}

// Cells of an operation, as far as they are known beforehand.
std::size_t sizes_known(const CellsBlock& cells) {
  std::size_t count = cells.sizes_bytes.size();
  for (const AdaptiveSizes& asked : cells.adaptive) count += first_sizes(asked, 1).size();
  return count;
}

// Sizes are chosen by groups that judge nothing, looks judge under way.
void check_adaptive(const RaceOrder& order, const Campaign& campaign, base::Faults& faults) {
  if (order.quick.adaptive.empty()) return;
  if (order.sequential_written) {
    faults.add("--sequential",
               "with adaptive sizes cells are added while the race runs, and looks "
               "leave cells out",
               "leave --sequential out: such a race is --fixed by itself");
  }
  Campaign with_cells = campaign;
  with_cells.cells = {ordered_cells(order.quick)};
  for (const Conflict& conflict : adaptive_conflicts(with_cells)) {
    faults.add("--size", conflict.what, conflict.remedy);
  }
}

// What rests on verdicts, or on figures.
void check_shared_cores(const QuickOrder& quick, bool sequential_written, base::Faults& faults) {
  if (!quick.oversubscribe) return;
  if (sequential_written) {
    faults.add("--sequential", "with --oversubscribe there are no verdicts to look at",
               "leave --sequential out: such a race is --fixed by itself");
  }
  if (quick.gate) {
    faults.add("--fail-on",
               "with --oversubscribe there are no verdicts, so that it could never fail",
               "leave --fail-on out, or take no more ranks than there are cores");
  }
  if (!quick.adaptive.empty()) faults.add(adaptive_of_shared_cores());
}

}  // namespace

Campaign race_campaign(const RaceOrder& order) {
  Campaign campaign = begin_campaign(order.quick, "race", Question::kCompare);
  CellsBlock cells = ordered_cells(order.quick);
  if (order.sequential && order.quick.adaptive.empty() && !order.quick.oversubscribe) {
    campaign.stopping = Stopping::kLooks;
    campaign.launches = kLookLaunches;
  }
  campaign.analysis.presets = order.presets;
  campaign.engine.hosts = order.hosts;
  campaign.engine.hostfile = order.hostfile;
  base::Faults faults;
  check_program(order.program, faults);
  if (!order.program.command.empty()) {
    add_program(order, campaign, faults);
    take_defaults(order, cells);
  }
  if (!order.against.empty()) {
    campaign.analysis.against = order.against;
    campaign.together = {order.against};
  } else if (campaign.arms.size() < 2) {
    faults.add("race", "one arm has nobody to race against",
               "name two or more; the same one twice is an A/A test; or --against operation, and "
               "two operations of one library");
  }
  check_adaptive(order, campaign, faults);
  check_shared_cores(order.quick, order.sequential_written, faults);
  const auto is_program = [](const Arm& arm) { return arm.is_program(); };
  if (!order.operations.empty() && std::ranges::all_of(campaign.arms, is_program)) {
    faults.add("--ops", "is for the engine, and programs are all that is run here",
               "leave --ops or --exec out");
  }
  base::collect(faults, [&] { label_arms(campaign.arms, "race"); });
  faults.throw_if_any();
  for (Arm& arm : campaign.arms) {
    if (!arm.is_program()) arm.operations = order.operations;
  }
  std::size_t own_cells = std::max<std::size_t>(1, cells.operations.size() * sizes_known(cells));
  for (const auto& [key, levels] : cells.levels) own_cells *= levels.size();
  campaign.rounds = quick_rounds(own_cells * (1 + most_schemes(order.presets, cells.operations)));
  campaign.cells.push_back(std::move(cells));
  return campaign;
}

}  // namespace invar::design
