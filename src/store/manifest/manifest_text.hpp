// The manifest's text: numbered lines, each with its own CRC, in two copies. Every line is appended
// to manifest.jsonl first and then to manifest.copy.jsonl, so that damage to either is restored
// from the other, and a cut-off end is told from a line that was never written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/fault.hpp"

namespace invar::store {

constexpr std::string_view kManifest = "manifest.jsonl";
constexpr std::string_view kManifestCopy = "manifest.copy.jsonl";

struct ManifestText {
  bool present = false;                 // one of the two files is there
  std::vector<std::string> lines = {};  // line N is lines[N - 1]; without line feed
  // Numbers of the lines that neither copy holds: what they said is lost (their place in `lines` is
  // empty).
  std::vector<std::uint64_t> lost = {};
  std::vector<DataFault> damage = {};
  // A driver was ended while it wrote: no damage, and nothing is lost but a line that says what
  // the directory shows as well.
  std::vector<std::string> unfinished = {};
  // The files hold exactly `lines`.
  bool main_whole = false;
  bool copy_whole = false;

  // What both files should hold.
  [[nodiscard]] std::string text() const;
};

// Never throws for damage; throws UserError if this user may not read the files.
ManifestText read_manifest_text(const std::filesystem::path& dir);

// The number in `{"type":"launch","line":7,...`, 0 if there is none.
std::uint64_t line_number(std::string_view line);

}  // namespace invar::store
