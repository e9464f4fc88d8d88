// What in a directory is a campaign's own. A directory may come from anybody: what its manifest
// names lies inside of it, and what it holds are files and folders, no links and nothing to wait
// for.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace invar::store {

// "plan.csv", "plan-2.csv".
bool is_plan_name(std::string_view name);

// "launches/0007-openmpi" for the folder "launches": one name in it, and nothing above it.
bool is_name_in(std::string_view folder, std::string_view name);

// A name without any folder: "journal.jsonl".
bool is_plain_name(std::string_view name);

// Throws UserError with everything in `dir` that has the name of something of ours and is neither a
// file nor a folder, as it ought to be: links, pipes, devices. Other names are nobody's business.
void refuse_links(const std::filesystem::path& dir);

// Throws UserError where this is anything but a folder. What is not there is in order.
void refuse_linked_folder(const std::filesystem::path& folder);

// Throws UserError if the directory is another user's: whoever goes on with a campaign runs what it
// names.
void refuse_other_owner(const std::filesystem::path& dir);

}  // namespace invar::store
