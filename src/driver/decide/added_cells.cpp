#include "driver/decide/added_cells.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/plan/families.hpp"
#include "record/factors.hpp"

namespace invar::driver {

void describe_operations(Prepared& prepared, std::span<const Decision> decisions) {
  for (const Decision& decision : decisions) {
    if (decision.operations == nullptr || !decision.asked(prepared)) continue;
    for (const std::string& name : decision.operations(prepared)) {
      for (std::size_t arm = 0; arm < prepared.arms.size(); ++arm) {
        if (prepared.campaign.arms.at(arm).is_program()) continue;
        const auto& all = prepared.arms[arm].profile.operations;
        const auto info = std::ranges::find(all, name, &record::OperationInfo::name);
        if (info == all.end() || !info->missing.empty()) continue;
        prepared.cells.operations.at(arm).emplace(name, *info);
      }
    }
  }
}

void describe_as_sealed(Prepared& prepared, const store::State& state) {
  for (const store::ArmRecord& sealed : state.arms) {
    const design::Arm* arm = prepared.campaign.find_arm(sealed.label);
    if (arm == nullptr) continue;
    const auto number = static_cast<std::size_t>(arm - prepared.campaign.arms.data());
    auto& known = prepared.cells.operations.at(number);
    for (const record::OperationInfo& info : sealed.operations) known.emplace(info.name, info);
  }
}

void add_cells(Prepared& prepared, const store::DecidedLine& decided) {
  for (const store::AddedCell& added : decided.added) {
    const auto wrong = [&](const std::string& what) {
      throw base::UserError(prepared.place,
                            "the decision '" + decided.decision + "' added cell " +
                                std::to_string(added.cell.id) + ", and " + what,
                            "go on where the campaign began");
    };
    if (added.cell.id != prepared.cells.cells.size()) {
      wrong("the campaign has " + base::count_text(prepared.cells.cells.size(), "cell") + " here");
    }
    std::vector<std::uint32_t>& arms = prepared.cells.arms.emplace_back();
    for (const std::string& label : added.arms) {
      const design::Arm* arm = prepared.campaign.find_arm(label);
      if (arm == nullptr) wrong("no arm is called '" + label + "' here");
      const auto number = static_cast<std::uint32_t>(arm - prepared.campaign.arms.data());
      // What an operation says of itself was sealed with the arms, before there was this cell.
      if (!arm->is_program() &&
          !prepared.cells.operations.at(number).contains(added.cell.operation)) {
        wrong("'" + added.cell.operation + "' of arm '" + label + "' is described nowhere");
      }
      arms.push_back(number);
    }
    if (added.cell.ranks > prepared.ranks) {
      wrong("launches have " + base::count_text(prepared.ranks, "rank") + " here");
    }
    prepared.cells.cells.push_back(added.cell);
  }
}

namespace {

// The first calls of a batch must be as good as its last ones, for every arm.
bool can_be_batched(const Prepared& prepared, const record::Cell& cell) {
  const std::vector<std::uint32_t>& arms = prepared.cells.arms.at(cell.id);
  return cell.scheme == record::kOwnScheme && record::factor_before_each_call(cell) == nullptr &&
         std::ranges::all_of(arms, [&](std::uint32_t arm) {
           return prepared.cells.operation(arm, cell.operation).batched_by_itself(cell.marks);
         });
}

// Those that the pilot group may have measured, and what is known of them.
class Measured {
 public:
  Measured(std::span<const record::Cell> cells, const std::vector<bool>& known,
           const record::Calls& batches)
      : cells_(cells),
        known_(known),
        batches_(batches),
        but_size_(record::levels_but(
            cells, std::vector{record::find_factor("size_bytes"), record::find_factor("family")})) {
  }

  // The larger number of the next smaller and the next larger size; 1 where there is neither.
  [[nodiscard]] std::uint32_t calls_beside(const record::Cell& cell) const {
    const auto alike = [&](const record::Cell& other) {
      return known_[other.id] && but_size_[other.id] == but_size_[cell.id];
    };
    const bool any = std::ranges::any_of(cells_, alike);
    const std::uint64_t size = cell.size_bytes.value_or(0);
    std::map<std::uint64_t, std::uint32_t> most;  // by size
    for (const record::Cell& other : cells_) {
      if (!known_[other.id] || other.scheme != record::kOwnScheme) continue;
      if (any ? !alike(other) : other.operation != cell.operation) continue;
      std::uint32_t& calls = most[other.size_bytes.value_or(0)];
      calls = std::max(calls, calls_of(other.id));
    }
    std::uint32_t calls = 1;
    const auto above = most.lower_bound(size);
    if (above != most.end()) calls = std::max(calls, above->second);
    const auto beyond = most.upper_bound(size);
    if (beyond != most.begin()) calls = std::max(calls, std::prev(beyond)->second);
    return calls;
  }

  [[nodiscard]] std::uint32_t calls_of(std::uint32_t cell) const {
    const auto found = batches_.find(cell);
    return found == batches_.end() ? 1 : found->second;
  }

 private:
  std::span<const record::Cell> cells_;
  const std::vector<bool>& known_;
  const record::Calls& batches_;
  std::vector<std::string> but_size_;
};

}  // namespace

record::Calls batches_of_all(const Prepared& prepared, const record::Calls& calls,
                             std::span<const record::Cell> cells, const std::vector<bool>& known) {
  const Measured measured(cells, known, calls);
  const std::vector<std::uint32_t> families = design::families_of(cells);
  std::map<std::uint32_t, std::uint32_t> most_calls;  // by family
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!known[i]) continue;
    std::uint32_t& most = most_calls[families[i]];
    most = std::max(most, measured.calls_of(cells[i].id));
  }
  // A family that is not known is timed alike: all in the longest batch, or none where one member
  // cannot be.
  std::map<std::uint32_t, std::uint32_t> made;
  for (const record::Cell& cell : cells) {
    if (known[cell.id] || most_calls.contains(families[cell.id])) continue;
    std::uint32_t& most = made[families[cell.id]];
    most = std::max(most, measured.calls_beside(cell));
  }
  most_calls.merge(made);
  for (const record::Cell& cell : cells) {
    if (!known[cell.id] && !can_be_batched(prepared, cell)) most_calls[families[cell.id]] = 1;
  }
  record::Calls batches = calls;
  for (const record::Cell& cell : cells) {
    const std::uint32_t of_family = most_calls[families[cell.id]];
    if (!known[cell.id] && of_family > 1) batches[cell.id] = of_family;
  }
  return batches;
}

record::Calls batches_with_added(const Prepared& prepared, const store::State& state,
                                 std::span<const record::Cell> cells, std::size_t known) {
  if (!state.batches) return {};
  if (known == 0 || known == cells.size()) return *state.batches;
  std::vector<bool> begun_with(cells.size(), false);
  std::fill_n(begun_with.begin(), known, true);
  return batches_of_all(prepared, *state.batches, cells, begun_with);
}

}  // namespace invar::driver
