#include "group/checked_visits.hpp"

#include <map>

#include "base/random.hpp"

namespace invar::group {
namespace {

constexpr std::uint64_t kCheckedStream = 0x636865636b6564;  // "checked"

}  // namespace

std::vector<bool> checked_visits(std::span<const record::PlanRow> rows, const std::string& arm,
                                 std::uint64_t seed, double share) {
  std::vector<bool> checked(rows.size(), false);
  if (!(share > 0)) return checked;
  std::map<std::uint32_t, std::size_t> last;  // row by cell
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].arm != arm) continue;
    // A visit's number counts over the campaign.
    checked[i] = base::Random::of({seed, kCheckedStream, rows[i].visit}).uniform() < share;
    last[rows[i].cell] = i;
  }
  for (const auto& [cell, row] : last) checked[row] = true;
  return checked;
}

}  // namespace invar::group
