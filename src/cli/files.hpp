// Campaign files as commands name them, and files that commands write.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "design/campaign/campaign.hpp"
#include "record/plan.hpp"

namespace invar::cli {

// A campaign.toml, or a plan.csv with its campaign.toml beside it.
struct CampaignFile {
  design::Campaign campaign = {};
  std::optional<record::Plan> plan = {};
  std::string place = {};       // the campaign's file
  std::string plan_place = {};  // empty: no plan was named
};

// Throws UserError: cannot be read, or all faults of what it says.
CampaignFile read_campaign_file(const std::string& path);

// Where a word may be a directory or an arm: the directory of a campaign, or one that can be
// nothing else; an arm may have the name of any other directory. Throws UserError: a path where
// there is no directory, and no arm has a slash in its name.
bool names_campaign(const std::string& word);

// Makes the folders that a new file or directory is to stand in. Throws UserError.
void make_parents(const std::filesystem::path& path);

// Why a file or directory cannot be written later; empty if it can.
std::string write_problem(const std::filesystem::path& path);

// Writes a new file and the folders on the way to it, whole or not at all. Throws UserError if it
// exists or cannot be written.
void write_new_file(const std::filesystem::path& path, const std::string& text);

// Writes a file beside the old one and puts it in its place, whole or not at all; folders as above.
// Throws UserError if it cannot be written.
void replace_file(const std::filesystem::path& path, const std::string& text);

// `wanted`, or, if that is taken, with a number behind it: "data-2".
std::string free_directory_name(const std::string& wanted);

// "invar-race-20261121-0830" in the working directory; a number behind it if that is taken.
std::string new_directory_name(const std::string& name);

}  // namespace invar::cli
