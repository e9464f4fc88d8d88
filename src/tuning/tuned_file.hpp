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
  // Of the environment, in alphabetical order: to be set, and to be unset.
  Variables set = {};
  std::vector<std::string> unset = {};
  std::vector<Entry> written = {};  // algorithms that the file chooses
  // What a file cannot say, or not without harm. Mock-ups and reference algorithms are among these:
  // a shim can (src/shim).
  std::vector<DroppedEntry> dropped = {};
};

// What a writer has to know.
struct TuningRequest {
  DecisionTable table = {};
  Library library = Library::kOpenMpi;
  Version version = {};
  SizeLaws laws = {};          // learned by probes; an operation that has none is dropped
  std::string path = {};       // where the file will stand, as ranks see it: absolute
  std::string base_tree = {};  // MPICH: that of the library itself (files/mpich_tree.hpp)
};

// Pure: nothing is written. Entries `default` and `library-default` are not written, because a
// range without entry is that. Throws UserError: a path with what the form cannot hold, a base tree
// that is none.
TunedFile write_tuned(const TuningRequest& request);

// The variables as a file that a shell reads (tuned.env): `unset` first, then `export`.
std::string variables_text(const TunedFile& file);

}  // namespace invar::tuning
