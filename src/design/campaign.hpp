// A campaign as people write it, resolved: every default filled in, every list expanded as far as
// that needs no machine (docs/formats.md describes the TOML).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/cell.hpp"

namespace invar::design {

// One alternative under comparison: a library profile, with settings or without.
struct Arm {
  std::string label = {};
  std::string library = {};  // name of a profile
  std::vector<std::pair<std::string, std::string>> settings = {};  // in the order written

  bool operator==(const Arm&) const = default;
};

struct Launches {
  std::uint32_t min = 3;
  std::uint32_t max = 60;
};

// [[cells]]: the product of its lists. Sizes are already expanded and in bytes.
struct CellsBlock {
  std::vector<std::string> operations = {};
  std::vector<std::uint64_t> sizes_bytes = {};  // ignored by operations without a size
  // None: one rank a core of the machine that runs the campaign.
  std::optional<std::uint32_t> ranks = {};
  std::optional<std::uint32_t> root = {};        // none: 0 where the operation has a root
  std::optional<std::string> datatype = {};      // none: byte, int32 for reductions
  std::optional<std::string> reduction = {};     // none: sum for reductions
  // Where in the file it stands, for messages that need the machine or the catalogue.
  int line = 0;
  int operation_line = 0;
  int size_line = 0;
};

struct EngineOptions {
  std::string pairing = "turns";     // turns | launches
  std::string sync = "round-time";   // barrier | dissemination | double-barrier | round-time | none
  std::string clock = "auto";        // auto | tsc | monotonic-raw | mpi-wtime
  std::string cache = "warm";
  std::string record = "auto";       // auto | extent | per-rank
  std::string pinning = "core";      // core | none
  bool oversubscribe = false;
  double dither_s = 1e-6;            // 0: off
};

struct AnalysisOptions {
  std::string method = "invar";  // invar | reprompi
  std::string runtime = "auto";  // auto | local | global
  double min_effect = 0.02;
  double alpha = 0.05;
  std::string correction = "bh";  // bh | holm
};

struct Campaign {
  std::string name = {};
  std::uint64_t seed = 0;
  Launches launches = {};
  std::optional<double> budget_s = {};
  std::uint32_t rounds = 10;
  std::uint32_t repetitions = 50;
  bool shuffled = true;
  std::vector<CellsBlock> cells = {};
  EngineOptions engine = {};
  std::vector<Arm> arms = {};  // empty: all registered profiles
  AnalysisOptions analysis = {};
};

// Reads TOML. Throws UserError with all faults, each with file:line:column and a "did you mean".
Campaign read_campaign(std::string_view toml, const std::string& place);

// The same as TOML, with every default written out: what `plan` and `run` store.
// read_campaign(campaign_toml(c)) equals c.
std::string campaign_toml(const Campaign& campaign);

// A commented campaign for `invar init`; the operations are those of the catalogue.
std::string commented_campaign();

// "openmpi", "label=openmpi", "openmpi:KEY=VALUE,KEY=VALUE", "slow=openmpi:KEY=VALUE"; a comma in
// a value is `\,`. `env:KEY=VALUE` passes any variable on. Throws UserError naming `place`.
Arm parse_arm(std::string_view text, const std::string& place);

// Labels for arms that have none: the library's name; the same arm twice becomes `openmpi#1`,
// `openmpi#2`. Throws UserError when two arms have the same explicit label.
void label_arms(std::vector<Arm>& arms);

// Sizes of the command line: "8,1KiB:64KiB": a list of sizes and of ranges by factor 2.
std::vector<std::uint64_t> parse_size_list(std::string_view text, const std::string& place);

}  // namespace invar::design
