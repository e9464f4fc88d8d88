#include "analysis/study/select.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

std::size_t launches_of(const store::Data& data, std::uint32_t arm) {
  std::size_t count = 0;
  for (const store::Group& group : data.groups) {
    count += static_cast<std::size_t>(std::ranges::count(group.launches, arm, &store::Launch::arm));
  }
  return count;
}

}  // namespace

std::vector<std::uint32_t> select_labels(std::span<const std::string> known,
                                         std::span<const std::string> asked,
                                         const std::string& option) {
  std::vector<std::uint32_t> selected;
  if (asked.empty()) {
    for (std::uint32_t i = 0; i < known.size(); ++i) selected.push_back(i);
    return selected;
  }
  base::Faults faults;
  for (const std::string& label : asked) {
    const auto found = std::ranges::find(known, label);
    if (found == known.end()) {
      faults.add(option, "unknown arm '" + label + "'", base::did_you_mean(label, known));
      continue;
    }
    const auto index = static_cast<std::uint32_t>(found - known.begin());
    if (std::ranges::find(selected, index) != selected.end()) {
      faults.add(option, "arm '" + label + "' is named twice", "name every arm once");
      continue;
    }
    selected.push_back(index);
  }
  faults.throw_if_any();
  return selected;
}

std::vector<bool> cells_with_visits(const store::Data& data) {
  std::vector<bool> has(data.cells.size());
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) has[cell_index(data, visit.line.cell)] = true;
    }
  }
  return has;
}

std::vector<record::Cell> measured_cells(const store::Data& data) {
  const std::vector<bool> has = cells_with_visits(data);
  std::vector<record::Cell> measured;
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (has[i]) measured.push_back(data.cells[i]);
  }
  return measured.empty() ? data.cells : measured;
}

std::vector<std::string> labels_of(const store::Data& data) {
  std::vector<std::string> labels;
  for (const store::ArmRecord& arm : data.arms) labels.push_back(arm.label);
  return labels;
}

void drop_failed_cells(const store::Data& data, CellTable& table) {
  const std::vector<std::string> labels = labels_of(data);
  for (const store::FailedCell& failed : data.failed_cells) {
    const auto arm = std::ranges::find(labels, failed.arm);
    if (arm == labels.end()) continue;
    table[cell_index(data, failed.cell)][static_cast<std::size_t>(arm - labels.begin())] = {};
  }
}

bool same_arm(std::span<const store::ArmRecord> arms) {
  return std::ranges::all_of(arms, [&](const store::ArmRecord& arm) {
    return arm.library == arms.front().library &&
           arm.library_version == arms.front().library_version &&
           arm.settings == arms.front().settings && arm.program == arms.front().program &&
           arm.program_parse == arms.front().program_parse;
  });
}

std::vector<ComparedArm> compared_arms(const store::Data& data,
                                       std::span<const std::uint32_t> arms) {
  std::vector<ComparedArm> compared;
  for (const std::uint32_t arm : arms) {
    const store::ArmRecord& record = data.arms[arm];
    compared.push_back({.label = record.label,
                        .library = record.library,
                        .library_version = record.library_version,
                        .program = record.program,
                        .settings = record.settings,
                        .launches = launches_of(data, arm)});
  }
  return compared;
}

}  // namespace invar::analysis
