// What a campaign was measured on, put together from its manifest, its journals and its launches'
// env.json; what differs between two of them is in metadata_compare.hpp.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/canary_band.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// What a fact may change, 1 first.
enum class Weight {
  kNature = 0,   // changes from launch to launch by nature: counters, process ids, addresses
  kLibrary = 1,  // the library's files, version, settings, control variables
  kProcessor = 2,
  kKernel = 3,
  kPlaces = 4,  // which ranks on which cores
  kState = 5,   // what else ran, and the regime that the canary shows
  kRest = 6,
};

// The fact that names the version of Invar, with its commit where that was recorded.
inline constexpr const char* kMeasuredBy = "measured by Invar";

// What one fact was, over all launches and hosts.
struct Values {
  std::set<std::string> texts = {};  // one line each, never empty
  std::vector<double> numbers = {};  // in the order of reading, if it is a number
  bool numeric = true;               // every value was a number (an identifier is none)

  // "performance", "3.1 to 4.2", "a; b", "a; b; c; 4 more".
  [[nodiscard]] std::string text() const;
};

using Facts = std::map<std::string, Values>;

// Arms of the same library with the same settings are one here: an A/A test has one library.
struct ArmFacts {
  std::string library = {};                                        // the profile's name
  std::vector<std::pair<std::string, std::string>> settings = {};  // sorted
  std::string program = {};  // command of a foreign program; empty: the engine
  std::vector<std::string> labels = {};
  // Name of a file of the library without its folder -> checksums.
  std::map<std::string, std::set<std::string>> files = {};
  Facts facts = {};      // version, compiler, environment, what was mapped
  Facts variables = {};  // control variables of the library, as read back

  // "openmpi", "openmpi with OMPI_MCA_coll=basic", "openmpi running 'app {size}'".
  [[nodiscard]] std::string name() const;
};

// State of the machine in absolute terms: round trip of a cache line, no MPI in it; where no host
// has two ranks, the chain of one core.
struct Canary {
  base::CanaryKind kind = base::CanaryKind::kLine;
  double median_ns = 0;
  double low_ns = 0;  // 5 % and 95 % of the visits
  double high_ns = 0;

  // "501 ns [491, 531]"
  [[nodiscard]] std::string text() const;
};

// The canary of all visits that had one; of the line, else of the chain.
std::optional<Canary> canary_of(const store::Data& data);

struct Metadata {
  std::string name = {};  // the campaign's directory
  std::string scope = {};
  std::vector<std::string> sessions = {};
  Facts facts = {};  // of hosts, clock and launches: "kernel.release"
  std::vector<ArmFacts> arms = {};
  std::optional<Canary> canary = {};
  std::set<std::string> hosts = {};
  // Facts that hosts of one launch do not share: "kernel.release: node1 6.1, node2 6.5".
  std::set<std::string> host_differences = {};
  std::size_t launches = 0;
  // Variables of the environment in which it began are known: in campaigns of earlier versions they
  // are not.
  bool tells_variables = false;
  // Launches whose env.json is missing or cannot be read.
  std::vector<std::string> unreadable = {};
};

// Reads env.json of every launch, or only of the first one of every session.
enum class Reading { kAll, kOnePerSession };
Metadata read_metadata(const store::Data& data, Reading reading = Reading::kAll);

// Adds the facts of one env.json to `metadata` and to `arm`. False if it cannot be read.
bool add_environment(std::string_view env_json, Metadata& metadata, ArmFacts& arm);

// How much a fact of a host, of the clock or of a launch matters.
Weight weight_of(const std::string& fact);
// What facts of this weight are called together: "kernel and clock"; "more" where it says nothing.
const char* group_of(Weight weight);
// How much a variable of the environment or a control variable matters.
Weight weight_of_variable(std::string_view name, std::string_view value);

// Several hosts that are not alike, in a sentence; nothing if all is well or nothing is recorded.
std::optional<std::string> hosts_warning(const store::Data& data);

}  // namespace invar::analysis
