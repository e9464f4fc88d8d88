// Factors of a launch: what is decided when the ranks start and cannot change while they run. Every
// arm is launched once for each combination of their levels, as arms of its own that are called its
// variants; a plan, a resume and a comparison need to know nothing more of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "record/launch_spec.hpp"

namespace invar::design {

// A level as it is kept: a word, "4096" for environment-size, "performance" or "2400000kHz" for
// governor. Nothing, with what is wrong, if it is none.
struct LaunchLevel {
  std::optional<std::string> text = {};
  std::string complaint = {};
  std::string remedy = {};
};

// What is set from outside the ranks while launches run, so that programs of others have it, too.
enum class FromOutside { kNothing, kFrequency, kHugePages, kNumaBalancing };

// One row a factor. A new one is a row here and what makes the ranks so, and says why a host would
// refuse it (host/conditions.hpp).
struct LaunchFactor {
  std::string_view key;     // "environment-size"
  std::string_view factor;  // "environment_size": as analyses name it
  // Where nothing is written: the ranks are left as they are found. Also what campaigns mean that
  // were measured before there was this factor: never to be changed (but see `only`).
  std::string_view usual;
  // Stands before the level in a variant's label: "openmpi+aslr-off".
  std::string_view tag;
  LaunchLevel (*level)(std::string_view written);
  // Levels are numbers: they are written without quotes, and may be with them.
  bool number = false;
  // Where the launch's ranks read their level; null: they need not know it.
  std::string record::LaunchSpec::*told = nullptr;
  // Ranks make themselves so, and start again.
  bool made_by_ranks = false;
  FromOutside from_outside = FromOutside::kNothing;
  // What does it on other hosts, where there is such a thing, with a comma behind it.
  std::string_view elsewhere = {};
  // At this level ranks may move from core to core: they keep no start time. Empty: at none.
  std::string_view unpinned = {};
  // Launches that take turns on the same cores cannot differ in it: what they have one of.
  std::string_view shared_by_turns = {};
  // Where [engine] keeps a level that is the only one; null: as a list of one. It is always sealed,
  // so that its first value may be another than `usual`.
  std::string EngineOptions::*only = nullptr;
  // Its lines in the template of `invar init`.
  std::string_view sample = {};
};

// In the order in which they multiply arms.
std::span<const LaunchFactor> launch_factors();
const LaunchFactor* find_launch_factor(std::string_view key);

// What the arm's launches have: its own level, else the only one of [engine], else the usual one.
std::string level_of(const Campaign& campaign, const Arm& arm, std::string_view key);

// The level of `communicator` that measures on MPI_COMM_WORLD itself, with all ranks in its order.
constexpr std::string_view kWorldCommunicator = "world";

// Some launch of the campaign has that level of the factor `key`: of its arms, or of a list that is
// not written out for them as yet.
bool any_has_level(const Campaign& campaign, std::string_view key, std::string_view level);

// The label of the arm that this one is a variant of; its own if it is none.
const std::string& base_label(const Arm& arm);

// Arms of `campaign` whose ranks may move from core to core.
bool is_unpinned(const Campaign& campaign, const Arm& arm);
bool any_unpinned(const Campaign& campaign);
bool all_unpinned(const Campaign& campaign);

// All arms but the first and its variants, which measure the same code as it does.
bool plants_delays(const Campaign& campaign, const Arm& arm);

// Some arm's ranks are not left as they are found: they make themselves what is asked for and start
// again (host/conditions.hpp), and then those of all arms must.
bool any_starts_again(const Campaign& campaign);

// Gives every arm its launch levels and takes the lists out of [engine]: an arm becomes as many
// variants as there are combinations of levels that it has no level of its own for, the first
// levels first. Doing it again changes nothing. Throws UserError, with `place`, above 64 launches
// a group, and where a label is taken.
void expand_variants(Campaign& campaign, const std::string& place);

}  // namespace invar::design
