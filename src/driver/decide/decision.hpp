// What every decision between two launch groups is: a function of what the campaign's directory
// holds that says what to write into the manifest and what to measure next. A driver may be killed
// at any moment, and the one that goes on asks all decisions again: the same directory, the same
// step.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "driver/decide/budget.hpp"
#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::driver {

// What a decision rests on.
struct StudySoFar {
  const Prepared& prepared;                 // with the cells that decisions added
  const store::State& state;                // with what was decided before
  const std::set<std::uint32_t>& finished;  // groups that are complete, or failed
  std::uint32_t groups_complete = 0;
  Spent spent = {};
  // The whole campaign has it, also a driver that goes on with groups that were planned within it,
  // which are measured whatever they take.
  std::optional<double> budget_s = {};
  // The complete groups. Reading them checks every byte, so only who asks pays, once between two
  // groups.
  std::function<const store::Data&()> measured = {};
};

// How many groups the campaign has, and why; as many as are finished (perhaps none): it ends here.
struct GroupCount {
  std::uint32_t groups = 0;
  std::string why = {};
};

// What a decision gives. Written in this order: line, plan, warning, number of groups; a
// DecidedLine holds plan and number itself, so that all of it is in force or nothing.
struct Step {
  std::variant<std::monostate, store::BatchesLine, store::LookLine, store::DecidedLine> line = {};
  std::optional<record::Plan> plan = {};  // of the next groups; it overrules earlier plans of these
  std::optional<GroupCount> groups = {};
  std::vector<std::uint32_t> given_up = {};  // groups that failed and are not tried once more
  double group_s = 0;               // what one of the plan's groups should take; 0: as those before
  std::string say = {};             // what was decided, for who is watching
  store::WarningLine warning = {};  // of an end that leaves something open; kept with the campaign
};

struct Decision {
  std::string_view name;  // of its DecidedLine
  bool (*asked)(const Prepared& prepared);
  Step (*decide)(const StudySoFar& so_far);
  // Operations that it may add cells of: described when the campaign is sealed. Null: none but
  // those that the campaign measures anyway.
  std::vector<std::string> (*operations)(const Prepared& prepared) = nullptr;
};

// Writes it into the campaign's directory, as the decision `name`.
void write_step(store::CampaignDir& dir, std::string_view name, const Step& step);

}  // namespace invar::driver
