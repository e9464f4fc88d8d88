#include "store/manifest/sealed_copies.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/crc32c.hpp"
#include "record/plan.hpp"
#include "store/files.hpp"

namespace invar::store {
namespace {

// As CampaignCheck has it.
using Reading = std::optional<std::vector<base::Fault>>;

// Where nobody can say better: text without control characters, that names its schema.
Reading looks_like_campaign(const std::string& toml) {
  const bool text = std::none_of(toml.begin(), toml.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte >= 0x7f;
  });
  if (!text || toml.find("schema") == std::string::npos) return std::nullopt;
  return Reading(std::in_place);
}

Reading read_plan_copy(const std::string& csv, const std::string& place) {
  try {
    record::read_plan(csv, place);
    return Reading(std::in_place);
  } catch (const base::CommandError&) {
    return std::nullopt;
  }
}

base::Fault edit_of(const std::filesystem::path& path, const std::string& found,
                    const std::string& sealed) {
  const auto length = static_cast<std::ptrdiff_t>(std::min(found.size(), sealed.size()));
  const auto difference =
      std::mismatch(found.begin(), found.begin() + length, sealed.begin()).first;
  const auto begin = std::find(std::make_reverse_iterator(difference), found.rend(), '\n').base();
  return {.place = path.string(),
          .line = static_cast<int>(std::count(found.begin(), difference, '\n')) + 1,
          .column = static_cast<int>(difference - begin) + 1,
          .what = "differs from what was sealed when the campaign began",
          .remedy =
              "a campaign cannot be changed once it runs: start another one, or take this file "
              "away, then --resume restores the sealed one"};
}

}  // namespace

CopyCheck check_sealed_copies(const std::filesystem::path& dir, const Manifest& manifest,
                              const CampaignCheck& campaign_check) {
  CopyCheck check;
  const auto examine = [&](const std::string& file, std::string sealed, const auto& read) {
    const auto found = read_text(dir / file);
    if (found == sealed) {
      check.whole.push_back(file);
    } else if (const Reading reading = found ? read(*found) : std::nullopt) {
      check.edits.push_back(edit_of(dir / file, *found, sealed));
      check.edits.insert(check.edits.end(), reading->begin(), reading->end());
    } else {
      check.damage.push_back({.place = file,
                              .what = found ? "is damaged (the manifest's copy is whole)"
                                            : "is missing (the manifest has a copy)"});
      check.to_restore.push_back({.file = file, .text = std::move(sealed)});
    }
  };
  examine("campaign.toml", manifest.campaign_toml, [&](const std::string& text) {
    return campaign_check ? campaign_check(text) : looks_like_campaign(text);
  });
  for (const PlanCopy& plan : manifest.plans) {
    std::string csv = plan.csv();
    if (base::crc32c(csv) != plan.crc) {
      throw std::runtime_error("the manifest's copy of " + plan.file +
                               " does not match its checksum");
    }
    examine(plan.file, std::move(csv),
            [&](const std::string& text) { return read_plan_copy(text, plan.file); });
  }
  return check;
}

}  // namespace invar::store
