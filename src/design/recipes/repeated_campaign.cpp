#include "design/recipes/repeated_campaign.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/presets.hpp"
#include "design/factors/adaptive_sizes.hpp"

namespace invar::design {

Campaign repeated_campaign(const Campaign& written, bool suites_written, const std::string& place) {
  base::Faults faults;
  const AnalysisOptions& analysis = written.analysis;
  const Preset* method = find_preset(analysis.method);
  if (method != nullptr && !method->scheme.empty()) {
    const Position at = analysis.positions.of("method");
    faults.add(
        {.place = place,
         .line = at.line,
         .column = at.column,
         .what = "method '" + analysis.method +
                 "' is another suite's, and its visits are "
                 "not ours",
         .remedy = "write method = \"invar\" and name the suite: --presets " + analysis.method});
  }
  if (!analysis.against.empty()) {
    const Position at = analysis.positions.of("against");
    faults.add({.place = place,
                .line = at.line,
                .column = at.column,
                .what = "against = \"" + analysis.against +
                        "\": repeats are judged by times, winners and ratios of arms",
                .remedy = "leave 'against' out, or run the campaign several times"});
  }
  if (has_adaptive_sizes(written)) {
    const CellsBlock& block = *std::ranges::find_if(
        written.cells, [](const CellsBlock& one) { return !one.adaptive.empty(); });
    const Position at = block.positions.of("size", block.at);
    faults.add({.place = place,
                .line = at.line,
                .column = at.column,
                .what = "adaptive sizes are chosen anew by every repeat, which would have other "
                        "cells",
                .remedy = "write a list of sizes, such as those that one run has chosen"});
  }
  std::vector<std::string> programs;
  for (const Arm& arm : written.arms) {
    if (arm.is_program()) programs.push_back("'" + arm.label + "'");
  }
  if (!programs.empty() && suites_written) {
    faults.add("--presets",
               "another suite cannot measure a program its way: " + base::join(programs, ", "),
               "leave --presets out: the campaign itself is repeated");
  }
  faults.throw_if_any();
  Campaign campaign = written;
  campaign.analysis.presets.clear();
  // What is asked of repeats is whether winners and ratios are the same again.
  campaign.analysis.gate.reset();
  return campaign;
}

Campaign with_drawn_sizes(
    Campaign campaign, const std::function<std::vector<record::Cell>(const Campaign&)>& cells_of) {
  std::vector<CellsBlock> blocks;
  for (CellsBlock block : campaign.cells) {
    // A draw that blocks have in common stays one: of which a launch group has a part.
    std::vector<RandomSizes> common;
    std::vector<RandomSizes> own;
    for (RandomSizes request : block.random_sizes) {
      if (request.is_common() && !request.seed) request.seed = campaign.seed;
      (request.is_common() ? common : own).push_back(request);
    }
    if (own.empty()) {
      block.random_sizes = std::move(common);
      blocks.push_back(std::move(block));
      continue;
    }
    block.random_sizes = std::move(own);
    for (const std::string& operation : block.operations) {
      Campaign alone = campaign;
      alone.cells = {block};
      alone.cells.front().operations = {operation};
      alone.cells.front().operation_positions.clear();
      CellsBlock& fixed = blocks.emplace_back(alone.cells.front());
      fixed.random_sizes = common;
      fixed.sizes_bytes.clear();
      for (const record::Cell& cell : cells_of(alone)) {
        const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
        auto& sizes = fixed.sizes_bytes;
        if (std::ranges::find(sizes, size_bytes) == sizes.end()) sizes.push_back(size_bytes);
      }
    }
  }
  campaign.cells = std::move(blocks);
  return campaign;
}

}  // namespace invar::design
