// The kinds of MPI libraries that are known apart: one row each. What a library does its own way
// stands in its row, so that nobody else asks which library it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/process/command.hpp"

namespace invar::launch {

struct ControlVariable;  // launch/libraries/profile.hpp
struct Profile;
struct StartOptions;  // launch/start/launcher.hpp

// How it comes from PyPI.
struct WheelSource {
  std::string_view package;
  std::string_view launcher;  // in the wheel's bin
  std::string_view licence;
  bool abi = false;       // has a library for the MPI-5 ABI
  bool versioned = true;  // profiles are named by the major version: "openmpi-5"
  // What its profile sets; null: nothing.
  Environment (*environment)(const std::filesystem::path& venv) = nullptr;
};

// When its control variables choose the algorithm of a collective, if they do so while it runs.
enum class Switching : std::uint8_t {
  kNever,     // when it starts, and then no more
  kAtMaking,  // when a communicator is made, and for its life
  kAtCalls,   // in every call
};

struct LibraryKind {
  std::string_view name;   // Profile::family, and how detected profiles are named
  std::string_view title;  // in messages: "Open MPI"
  // It simulates: all ranks are one process here, on hosts that its settings describe, and time
  // there has nothing to do with ours. A campaign is all of such arms or of none, and where no arms
  // are written it takes none.
  bool simulates = false;
  // There is no library: one process, which needs no launcher. Its profile is built in, of the
  // compiler that is there (libraries/no_library.hpp), and only what works on memory alone, or on
  // nothing, can be measured. Where no arms are written a campaign takes none.
  bool alone = false;
  // Folder of our sources that its engine finds mpi.h in; empty: the wrapper has one.
  std::string_view headers = {};
  // Its wrapper's name, and its launcher's; empty: those that many libraries have (detect.cpp).
  std::string_view wrapper = {};
  std::string_view launcher = {};
  // How wrappers link it, where there is no "mpi" in it: "simgrid".
  std::string_view linked = {};
  // Flags of its engine's compilations, behind Invar's own and before the profile's.
  std::string_view cxxflags = {};
  // Its launcher says one of these when it is asked for its version, or its file is called so.
  std::span<const std::string_view> launcher_says = {};
  std::string_view launcher_file = {};
  // MPI_Get_library_version begins with one of these.
  std::span<const std::string_view> library_says = {};
  // What its control variables begin with in the environment. Empty: it has none that can be set.
  std::string_view variables = {};
  bool named_without = false;  // its own names lack that beginning
  // Which names are those of its control variables, where no beginning tells; null: `variables`.
  bool (*is_variable)(std::string_view name) = nullptr;
  // They are words of its launcher (`words` has them), and not in the environment of its launches.
  bool variables_are_words = false;
  // Control variables that MPI_T does not show; null: it shows them all.
  std::vector<ControlVariable> (*more_variables)(const Profile&) = nullptr;
  // What it was configured with, from the text of MPI_Get_library_version or from a tool of its
  // own; null: it does not tell. Empty: no line is found.
  std::string (*configured)(const Profile&, std::string_view library_version) = nullptr;
  // What is wrong with an arm's settings although each is known, as (what, remedy); null: nothing.
  std::vector<std::pair<std::string, std::string>> (*doubts)(
      const Environment& of_arm, const Environment& of_profile) = nullptr;
  // No interface names the items of an enumeration: a value that MPI_Init survived was understood.
  bool accepts_by_surviving = false;
  // Words between the launcher and the program; null: no more than the number of ranks is known.
  std::vector<std::string> (*words)(const Profile&, const StartOptions&) = nullptr;
  // Writes files that the words name, into StartOptions::scratch; null: they name none.
  void (*write_files)(const Profile&, const StartOptions&) = nullptr;
  // Its launcher ends with 0 although a launch went wrong, and then says one of these.
  std::span<const std::string_view> failure_says = {};
  // What its launches need in the environment; null: nothing.
  Environment (*environment)(const StartOptions&, const std::filesystem::path& scratch) = nullptr;
  // Variables that make a launch say which of its components it chose, and these from what it said;
  // null: it does not tell.
  Environment (*told)() = nullptr;
  std::vector<std::pair<std::string, std::string>> (*components)(std::string_view said) = nullptr;
  Switching switching = Switching::kNever;
  // Variables that make every rank of a launch write at its end which messages it has sent, to
  // FILE.RANK.prof (tuning/probes/ran.hpp); null: it cannot count them.
  Environment (*counting)(const std::filesystem::path& file, const Environment& of_arm,
                          const Environment& of_profile) = nullptr;
  std::string_view srun_option = {};      // how srun speaks with its ranks: "--mpi=pmix"
  std::string_view before_slots = {};     // in a hostfile, between host and ranks; empty: no ranks
  std::optional<WheelSource> wheel = {};  // none: it cannot be installed from PyPI
};

// In the order in which launchers are asked; the last one is "other", which nothing is known of.
std::span<const LibraryKind> library_kinds();

// That of a profile's family. "other" for what is in no row.
const LibraryKind& kind_of(std::string_view family);

// A setting of that name is one of its control variables.
bool has_variable(const LibraryKind& kind, std::string_view name);

// By what a launcher says of itself and the name of its file, links resolved.
const LibraryKind& kind_of_launcher(std::string_view says, std::string_view file);

// By MPI_Get_library_version; null: no row knows it.
const LibraryKind* kind_of_library(std::string_view version);

}  // namespace invar::launch
