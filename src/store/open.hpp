// Opening a directory that should be a campaign's, or an experiment's with clocks.
#pragma once

#include <filesystem>

#include "store/manifest/manifest_text.hpp"

namespace invar::store {

// The manifest's text. Throws UserError, with what to do, if there is no such directory or no
// campaign in it.
ManifestText open_manifest(const std::filesystem::path& dir);
// The same of an experiment with clocks.
ManifestText open_clock_manifest(const std::filesystem::path& dir);

}  // namespace invar::store
