#include "tuning/tuned_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/files/plan.hpp"

namespace invar::tuning {
namespace {

struct FormatRow {
  std::string_view word;
  std::string_view file_name;
  void (*write)(const TuningRequest&, const FilePlan&, TunedFile&);
};

constexpr std::array<FormatRow, 4> kFormats{{
    {"open-mpi-classic", "rules.conf", write_open_mpi_classic},
    {"open-mpi-json", "tuned.json", write_open_mpi_json},
    {"mpich-json", "tuned.json", write_mpich_json},
    {"intel-variables", {}, write_intel_variables},
}};

const FormatRow& row_of(FileFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

void check_path(const TuningRequest& request) {
  const bool controls = std::ranges::any_of(
      request.path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if (request.path.starts_with('/') && !controls) return;
  throw base::UserError("'" + base::without_controls(request.path) + "'",
                        "is not an absolute path, and ranks on other hosts must find the file",
                        "name the file from / on, without control characters");
}

// What decides beside the file, or over it, of the operations that it has entries for.
void unset_what_overrules(const TuningRequest& request, const FilePlan& plan, TunedFile& file) {
  for (const OperationPlan& operation : plan.operations) {
    for (std::string& name : overruling_variables(request.library, operation.operation)) {
      file.unset.push_back(std::move(name));
    }
  }
  std::sort(file.unset.begin(), file.unset.end());
  file.unset.erase(std::unique(file.unset.begin(), file.unset.end()), file.unset.end());
  std::sort(file.set.begin(), file.set.end());
}

}  // namespace

std::string_view to_string(FileFormat format) { return row_of(format).word; }

FileFormat format_of(Library library, const Version& version) {
  switch (library) {
    case Library::kOpenMpi:
      return version.generation >= 6 ? FileFormat::kOpenMpiJson : FileFormat::kOpenMpiClassic;
    case Library::kMpich:
      return FileFormat::kMpichJson;
    case Library::kIntel:
      break;
  }
  return FileFormat::kIntelVariables;
}

std::string_view file_name_of(FileFormat format) { return row_of(format).file_name; }

TunedFile write_tuned(const TuningRequest& request) {
  TunedFile file{.format = format_of(request.library, request.version)};
  FilePlan plan;
  base::Faults faults;
  base::collect(faults, [&] {
    if (!file_name_of(file.format).empty()) check_path(request);
  });
  base::collect(faults, [&] { plan = plan_file(request, file.format); });
  faults.throw_if_any();
  if (!plan.operations.empty()) {
    row_of(file.format).write(request, plan, file);
    unset_what_overrules(request, plan, file);
  }
  file.written = std::move(plan.written);
  file.dropped = std::move(plan.dropped);
  for (std::string& caution : plan.cautions) file.cautions.push_back(std::move(caution));
  return file;
}

std::string variables_text(const TunedFile& file) {
  std::string text;
  for (const std::string& name : file.unset) text += "unset " + name + '\n';
  for (const auto& [name, value] : file.set) {
    text += "export " + name + '=' + base::shell_quoted(value) + '\n';
  }
  return text;
}

}  // namespace invar::tuning
