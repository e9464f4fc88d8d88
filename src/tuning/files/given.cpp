#include "tuning/files/given.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/operations.hpp"

namespace invar::tuning {
namespace {

// The row that the value chooses, by its number or its name. Null: the library's own choice.
const LibraryAlgorithm* row_of_value(const TuningRequest& request, std::string_view operation,
                                     const std::string& variable, const std::string& value) {
  const std::optional<std::uint64_t> number = base::parse_u64(base::trim(value));
  if (number == 0U && request.library != Library::kIntel) return nullptr;
  for (const char* none : {"", "ignore", "auto", "-1"}) {
    if (base::trim(value) == none) return nullptr;
  }
  for (const LibraryAlgorithm* row : algorithms_of(request.library, request.version, operation)) {
    if (!row->item.empty() && row->item == base::trim(value)) return row;
    if (number && row->number >= 0 && *number == static_cast<std::uint64_t>(row->number)) {
      return row;
    }
  }
  throw base::UserError(
      variable,
      "the arm sets it to '" + value + "', which is not an algorithm of " + std::string(operation) +
          " in " + std::string(title_of(request.library)) + ' ' + to_string(request.version),
      "a table can only be written for an arm whose settings are understood: "
      "tune the arm without it");
}

std::uint64_t given_number(const Variables& given, const std::string& name,
                           std::uint64_t otherwise) {
  const std::string* value = given_value(given, name);
  if (value == nullptr) return otherwise;
  const std::optional<std::uint64_t> number = base::parse_u64(base::trim(*value));
  if (!number || *number > std::numeric_limits<std::int32_t>::max()) {
    throw base::UserError(name, "the arm sets it to '" + *value + "'", "write a whole number");
  }
  return *number;
}

// Open MPI has these knobs whether the algorithm obeys them or not.
Choice open_mpi_choice(const TuningRequest& request, std::string_view operation,
                       const LibraryAlgorithm& row, const std::string& variable) {
  Choice choice{.algorithm = &row};
  if (row.segments) {
    choice.segment_bytes =
        given_number(request.given, variable + "_segmentsize", row.usual_segment_bytes);
  }
  const OpenMpiOperation* of = find_open_mpi_operation(operation);
  if (row.fanout != FanoutOf::kNothing && row.fanout_variable.empty() && of != nullptr) {
    const std::string knob =
        environment_name(Library::kOpenMpi,
                         "coll_tuned_" + std::string(operation) + std::string(of->fanout_variable));
    choice.fanout = static_cast<std::uint32_t>(given_number(request.given, knob, row.usual_fanout));
  }
  return choice;
}

Choice mpich_choice(const TuningRequest& request, const LibraryAlgorithm& row) {
  Choice choice{
      .algorithm = &row, .fanout = row.usual_fanout, .segment_bytes = row.usual_segment_bytes};
  if (row.fanout != FanoutOf::kNothing) {
    choice.fanout = static_cast<std::uint32_t>(
        given_number(request.given, std::string(row.fanout_variable), row.usual_fanout));
  }
  if (row.segments) {
    choice.segment_bytes =
        given_number(request.given, std::string(row.segment_variable), row.usual_segment_bytes);
  }
  return choice;
}

}  // namespace

const std::string* given_value(const Variables& given, std::string_view name) {
  const std::string* value = nullptr;
  for (const auto& [key, text] : given) {
    if (key == name) value = &text;  // the last word counts
  }
  return value;
}

std::optional<Choice> forced_choice(const TuningRequest& request, std::string_view operation) {
  const std::string variable =
      environment_name(request.library, algorithm_variable(request.library, operation));
  const std::string* value = given_value(request.given, variable);
  if (value == nullptr) return {};
  if (request.library == Library::kOpenMpi) {
    const std::string* rules = given_value(request.given, "OMPI_MCA_coll_tuned_use_dynamic_rules");
    // Without them it is only a word.
    if (rules == nullptr || !base::parse_truth(*rules).value_or(false)) return {};
  }
  const LibraryAlgorithm* row = row_of_value(request, operation, variable, *value);
  if (row == nullptr) return {};
  switch (request.library) {
    case Library::kOpenMpi:
      return open_mpi_choice(request, operation, *row, variable);
    case Library::kMpich:
      return mpich_choice(request, *row);
    case Library::kIntel:
      break;
  }
  return Choice{.algorithm = row};
}

void refuse_given_file(const TuningRequest& request) {
  struct FileVariable {
    Library library;
    std::string_view name;
  };
  constexpr FileVariable kFiles[] = {
      {Library::kOpenMpi, "OMPI_MCA_coll_tuned_dynamic_rules_filename"},
      {Library::kMpich, "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"},
      {Library::kMpich, "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"},
  };
  for (const FileVariable& variable : kFiles) {
    const std::string* file = given_value(request.given, variable.name);
    if (variable.library != request.library || file == nullptr || base::trim(*file).empty()) {
      continue;
    }
    throw base::UserError(std::string(variable.name),
                          "the arm has a file of its own, " + *file + ", and " +
                              std::string(title_of(request.library)) +
                              " reads only one: a new one would replace it whole",
                          "tune the arm without it");
  }
}

}  // namespace invar::tuning
