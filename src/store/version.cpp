#include "store/version.hpp"

namespace invar::store {

extern const char* const kCommit;  // the build writes it (cmake/commit.cmake)

std::string_view invar_version() { return INVAR_VERSION; }

std::string_view invar_commit() { return kCommit; }

std::string version_text(std::string_view version, std::string_view commit) {
  std::string text(version);
  if (!commit.empty()) text += " (commit " + std::string(commit) + ")";
  return text;
}

std::string version_text() { return version_text(invar_version(), invar_commit()); }

}  // namespace invar::store
