#include "design/factors/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::design {
namespace {

using record::LevelKind;
using record::LevelText;

constexpr double kLongestSeconds = 1;

LevelText number(std::string_view written, const record::NumberRange& range) {
  const auto value = base::parse_u64(written);
  if (value && *value >= range.least && *value <= range.most) {
    return {.text = std::to_string(*value)};
  }
  return {.complaint = "is " + std::string(written) + (value ? "" : ", no whole number"),
          .remedy = "write " + std::to_string(range.least) + " to " + std::to_string(range.most)};
}

LevelText duration(std::string_view written) {
  if (written == "off") return {.text = "0"};
  const base::Parsed<double> seconds = base::parse_duration_s(written);
  if (!seconds.value) return {.complaint = seconds.error};
  if (*seconds.value > kLongestSeconds) {
    return {.complaint = "is longer than 1 s",
            .remedy = "write a time about as long as the operations, as in \"1us\", or \"off\""};
  }
  return {.text = std::to_string(std::llround(*seconds.value * 1e9))};
}

}  // namespace

record::LevelText level_text(const record::Factor& factor, std::string_view written) {
  switch (factor.kind) {
    case LevelKind::kWord:
      if (std::find(factor.words.begin(), factor.words.end(), written) != factor.words.end()) {
        return {.text = std::string(written)};
      }
      return {.complaint = "'" + std::string(written) + "' is not a value",
              .remedy = base::did_you_mean(std::string(written), factor.words)};
    case LevelKind::kName:
      if (!written.empty()) return {.text = std::string(written)};
      return {.complaint = "is empty", .remedy = "leave the key out for the usual one"};
    case LevelKind::kNumber:
      return number(written, factor.numbers);
    case LevelKind::kTruth:
      if (written == "yes" || written == "no") return {.text = std::string(written)};
      return {.complaint = "is '" + std::string(written) + "'", .remedy = "write true or false"};
    case LevelKind::kRoot:
      if (written == "rotating") return {.text = std::string(written)};
      {
        LevelText level = number(written, {.least = 0, .most = record::NumberRange().most - 1});
        if (!level.text)
          level.remedy = "write a rank of the cell: 0, 1, ... up to its ranks less one";
        return level;
      }
    case LevelKind::kDuration:
      return duration(written);
    case LevelKind::kText:
      return factor.level(written);
  }
  return {};
}

Levels engine_levels(const record::Cell& cell) {
  Levels levels;
  for (const record::Factor& factor : record::factors()) {
    if (factor.in_engine) levels[std::string(factor.key)] = {factor.text(cell)};
  }
  return levels;
}

const std::vector<std::string>& levels_of(const Campaign& campaign, const CellsBlock& block,
                                          std::string_view key) {
  const auto own = block.levels.find(key);
  if (own != block.levels.end()) return own->second;
  const auto general = campaign.engine.levels.find(key);
  if (general == campaign.engine.levels.end()) {
    throw std::invalid_argument("no levels of '" + std::string(key) + "'");
  }
  return general->second;
}

}  // namespace invar::design
