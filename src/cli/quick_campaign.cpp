#include "cli/quick_campaign.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/units.hpp"
#include "cli/parse.hpp"
#include "design/factors/levels.hpp"

namespace invar::cli {
namespace {

constexpr std::size_t kVisitsOfAnArm = 120;

}  // namespace

std::uint32_t quick_rounds(std::size_t cells) {
  const std::size_t rounds = kVisitsOfAnArm / std::max<std::size_t>(1, cells);
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(rounds, 6, 20));
}

std::uint64_t seed_of(const std::string& option, const std::string& text) {
  if (text.empty()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
               std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) &
           design::kMaxSeed;
  }
  const base::Parsed<std::uint64_t> seed = base::parse_count(text);
  if (!seed.value) throw base::UserError(option, seed.error);
  if (*seed.value > design::kMaxSeed) {
    throw base::UserError(option, "'" + text + "' is too large",
                          "the largest is " + std::to_string(design::kMaxSeed));
  }
  return *seed.value;
}

void take_levels(const char* key, const std::string& option, const std::string& text,
                 design::Levels& levels) {
  const record::Factor& known = *record::find_factor_by_key(key);
  std::vector<std::string> found;
  base::Faults faults;
  for (const std::string& word : parse_words(option, text)) {
    const record::LevelText level = design::level_text(known, word);
    if (level.text) {
      if (std::ranges::find(found, *level.text) != found.end()) {
        faults.add(option, "'" + word + "' is named twice", "name every level once");
      }
      found.push_back(*level.text);
    } else {
      const bool verb = level.complaint.starts_with("is ");
      faults.add(option, (verb ? "it " : "") + level.complaint, level.remedy);
    }
  }
  faults.throw_if_any();
  levels[key] = found;
}

void refuse_lonely_cells(const driver::Prepared& prepared, const std::string& place) {
  base::Faults faults;
  const record::CellTexts text(design::all_cells(prepared.cells));
  for (const design::LeftOut& left_out : prepared.cells.left_out) {
    const bool comparable = std::any_of(
        prepared.cells.cells.begin(), prepared.cells.cells.end(), [&](const record::Cell& cell) {
          return cell.same_levels(left_out.cell) && prepared.cells.arms.at(cell.id).size() >= 2;
        });
    if (!comparable) {
      faults.add(place,
                 text(left_out.cell) + " cannot be compared: '" + left_out.arm + "' lacks it (" +
                     left_out.reason + ")",
                 "leave it out of --operation");
    }
  }
  faults.throw_if_any();
}

}  // namespace invar::cli
