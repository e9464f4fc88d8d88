// What campaigns were measured on, as one table with a column a campaign.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/metadata/metadata.hpp"

namespace invar::analysis {

struct MetadataRow {
  std::string group = {};  // "library openmpi", "processor", "kernel and clock", ...
  std::string key = {};
  // One a campaign; none: it is not recorded there.
  std::vector<std::optional<std::string>> values = {};
  bool differs = false;  // as compare_metadata sees it: measured facts from a tolerance on
  bool matters = false;  // it may change run-times
};

// Everything that is recorded: libraries first, then by what a fact may change; within a group what
// differs and matters first. Libraries are the same ones if they have the same name and settings.
std::vector<MetadataRow> metadata_rows(std::span<const Metadata> campaigns);

}  // namespace invar::analysis
