// Which Invar this is: its version, and the commit that it was built from.
#pragma once

#include <string>
#include <string_view>

namespace invar::store {

// "0.1.0"
std::string_view invar_version();
// "1a2b3c4d5e6f", "v0.1-3-g1a2b3c4d5e6f-changed" (files differ from the commit), or "unknown".
std::string_view invar_commit();

// "0.1.0 (commit 1a2b3c4d5e6f)". `commit`: empty where it was not recorded: "0.1.0".
std::string version_text(std::string_view version, std::string_view commit);
// The running one.
std::string version_text();

}  // namespace invar::store
