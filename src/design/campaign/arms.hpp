// What an arm may look like, wherever it is written: in a campaign or on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "design/campaign/campaign.hpp"

namespace invar::design {

struct Complaint {
  std::string what;
  std::string remedy;
};

// Labels and names of profiles are folders, columns and words of the command line: letters, digits
// and . _ - + #, beginning with a letter or digit. `kind`: "label" or "library".
std::optional<Complaint> name_complaint(std::string_view kind, std::string_view name);

// A setting's key must be a variable that an MPI library or its transport reads (OMPI_MCA_,
// MPIR_CVAR_, UCX_, ...), or say `env:` that it is meant as it stands (docs/guide.md, Settings of
// an arm).
std::optional<Complaint> setting_complaint(std::string_view key, std::string_view value);

}  // namespace invar::design
