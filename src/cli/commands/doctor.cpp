// `invar doctor`: what on this machine will spoil measurements.
#include "doctor/doctor.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/answer.hpp"
#include "cli/commands.hpp"

namespace invar::cli {
namespace {

void print_json(const doctor::Observed& seen, const doctor::DoctorReport& report) {
  nlohmann::ordered_json json = {{"schema", 1}, {"sentence", report.sentence}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const doctor::Finding& finding : report.findings) {
    json["findings"].push_back({{"severity", doctor::severity_name(finding.severity)},
                                {"topic", finding.topic},
                                {"what", finding.what},
                                {"why", finding.why},
                                {"remedy", finding.remedy}});
  }
  json["healthy"] = report.healthy;
  json["cores"] = seen.cores;
  json["core_ping_ns"] = nullptr;
  if (seen.ping) json["core_ping_ns"] = seen.ping->medians_ns;
  print(fmt::format("{}\n", json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

int doctor(const std::string& format) {
  const doctor::Observed seen = doctor::look();
  const doctor::DoctorReport report = doctor::examine(seen);
  if (format == "json") {
    print_json(seen, report);
    return 0;
  }
  print(fmt::format("{}\n", report.sentence));
  for (const doctor::Finding& finding : report.findings) {
    print(fmt::format("\n  {:<8} {}: {}\n", doctor::severity_name(finding.severity), finding.topic,
                      finding.what));
    print(fmt::format("           why: {}\n", finding.why));
    if (!finding.remedy.empty()) print(fmt::format("           do:  {}\n", finding.remedy));
  }
  if (!report.healthy.empty()) print(fmt::format("\n"));
  for (const std::string& what : report.healthy) print(fmt::format("  good     {}\n", what));
  return 0;
}

}  // namespace

void add_doctor(CLI::App& app, Outcome& outcome) {
  const auto format = std::make_shared<std::string>("table");
  CLI::App* command =
      app.add_subcommand("doctor", "what on this machine will spoil measurements, and the remedy");
  command->add_option("--format", *format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  command->callback([format, &outcome] { outcome.run = [format] { return doctor(*format); }; });
}

}  // namespace invar::cli
