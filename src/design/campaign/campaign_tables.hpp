// The tables of a campaign's file, one function each: what campaign_read.cpp puts
// together. They leave alone what is absent or wrong, and tell every fault to the document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/campaign/toml_table.hpp"
#include "design/factors/launch_factors.hpp"
#include "record/factors.hpp"

namespace invar::design {

// Who wrote the file.
enum class Writer { kUser, kInvar };

inline constexpr const char* kNewerInvar = "it was made by a newer Invar: read it with that one";

void read_design(TomlTable& table, Campaign& campaign);
void read_cells(TomlTable& table, CellsBlock& block);
void read_family(TomlTable& table, FamilyBlock& block);
void read_guideline(TomlTable& table, GuidelineBlock& block);
void read_race(TomlTable& table, RaceBlock& block);
void read_entry(TomlTable& table, EntryBlock& block);
void read_engine(TomlTable& table, EngineOptions& engine);
void read_arm(TomlTable& table, Arm& arm);
void read_analysis(TomlTable& table, AnalysisOptions& analysis, Writer writer);

// A level of a factor of cells, or a list of them. Returns false where nothing is usable.
bool read_levels(TomlTable& table, const record::Factor& factor, std::vector<std::string>& levels);
// A level of a factor of a launch; nothing (and a fault) for what is none.
std::optional<std::string> read_launch_level(TomlTable& table, const LaunchFactor& factor,
                                             const toml::node& node);

// Two families of one name, or families in an order as written.
void check_families(TomlDocument& document, const Campaign& campaign);
// Two guidelines of one name; families that are none of the campaign's, or have not two cells (of
// splits: two or more).
void check_guidelines(TomlDocument& document, const Campaign& campaign);
// Two races of one family, or of one that is none of the campaign's; candidates of arms that are
// not there.
void check_races(TomlDocument& document, const Campaign& campaign);
// Entries that overlap.
void check_entries(TomlDocument& document, const Campaign& campaign);
// What resolve_cells() would find, where the ranks are written: told together with the other faults
// of the file.
void check_roots(TomlDocument& document, const CellsBlock& block);
// Two arms of one label.
void check_labels(TomlDocument& document, const std::vector<Arm>& arms);

}  // namespace invar::design
