// A decision table in the library's own form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/decision_table.hpp"
#include "tuning/library.hpp"
#include "tuning/size_law.hpp"
#include "tuning/variables.hpp"

namespace invar::tuning {

enum class FileFormat : std::uint8_t {
  kOpenMpiClassic,  // numbers; before 5.0.7 without header
  kOpenMpiJson,     // from 6.0 on
  kMpichJson,       // a selection tree, always whole
  kIntelVariables,  // no file: variables alone
};

// "open-mpi-classic", "open-mpi-json", "mpich-json", "intel-variables".
std::string_view to_string(FileFormat format);
FileFormat format_of(Library library, const Version& version);

// "rules.conf", "tuned.json"; empty where there is no file.
std::string_view file_name_of(FileFormat format);

struct DroppedEntry {
  Entry entry = {};
  std::string reason = {};  // "MPI_Scatter's arguments are read where MPI says they mean nothing"
};

struct TunedFile {
  FileFormat format = FileFormat::kOpenMpiClassic;
  std::string text = {};  // of the file; empty where there is none, or nothing to say
  // MPICH: of a second file beside it (kDeviceFileName), which keeps the device's own collectives
  // where no entry is. Empty: there is none.
  std::string device_text = {};
  // Variables of the environment, in alphabetical order: to be set, and to be unset.
  Variables set = {};
  std::vector<std::string> unset = {};
  std::vector<Entry> written = {};  // what the file says
  // What a file cannot say, or not without harm. Mock-ups and reference algorithms are among these:
  // a shim can (src/shim).
  std::vector<DroppedEntry> dropped = {};
  // What else changes for whoever uses it: sentences.
  std::vector<std::string> cautions = {};
};

// The name of the file with TunedFile::device_text, in the folder of TuningRequest::path.
constexpr std::string_view kDeviceFileName = "tuned-ch4.json";

// A candidate that a probe found to break something that MPI allows (an operator that does not
// commute, a zero count, insignificant arguments).
struct Breakage {
  std::string operation = {};
  Candidate candidate = {};
  std::string what = {};  // "gives wrong results for an operator that does not commute"
};

// What a writer has to know.
struct TuningRequest {
  DecisionTable table = {};
  Library library = Library::kOpenMpi;
  Version version = {};
  SizeLaws laws = {};     // learned by probes; an operation that has none is dropped
  std::string path = {};  // where the file will stand, as ranks see it: absolute
  // MPICH: the trees that the arm uses, its library's own ones (files/mpich_tree.hpp). Without that
  // of the device, its collectives are turned off for each operation that is written.
  std::string base_tree = {};
  std::string device_tree = {};
  // Settings of the arm, as in an environment. An algorithm that they force is what holds outside
  // of the entries, and the file says so in their place.
  Variables given = {};
  std::vector<Breakage> breakages = {};  // such entries are dropped
};

// Pure: nothing touches a file. Where the table has no entry, and where it says `default`, the file
// says what the arm does as it was given; `library-default` differs from that only where the arm
// forces an algorithm. Throws UserError with every fault: a path that is not absolute, a tree that
// is none, an arm that has a rules file or conditions of its own.
TunedFile write_tuned(const TuningRequest& request);

// The variables as a file that a shell reads (tuned.env): `unset` first, then `export`.
std::string variables_text(const TunedFile& file);

}  // namespace invar::tuning
