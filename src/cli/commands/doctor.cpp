// `invar doctor`: what on this machine will spoil measurements.
#include "doctor/doctor.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "cli/answer.hpp"
#include "cli/commands.hpp"

namespace invar::cli {
namespace {

analysis::Answer answer_of(const doctor::Observed& seen, const doctor::DoctorReport& report) {
  analysis::Answer answer{.question = "doctor", .sentence = report.sentence};
  analysis::TidyTable findings{.id = "findings",
                               .columns = {{.name = "severity"},
                                           {.name = "topic"},
                                           {.name = "what"},
                                           {.name = "why"},
                                           {.name = "remedy"}}};
  for (const doctor::Finding& finding : report.findings) {
    const std::string severity = doctor::severity_name(finding.severity);
    findings.rows.push_back({severity, finding.topic, finding.what, finding.why, finding.remedy});
    answer.remarks.push_back({severity + ", " + finding.topic, finding.what});
    answer.remarks.push_back({"  why", finding.why});
    if (!finding.remedy.empty()) answer.remarks.push_back({"  do", finding.remedy});
  }
  for (const std::string& what : report.healthy) answer.remarks.push_back({"good", what});
  answer.tables.push_back(std::move(findings));
  answer.facts = {{"healthy", analysis::List(report.healthy.begin(), report.healthy.end())},
                  {"cores", analysis::List(seen.cores.begin(), seen.cores.end())},
                  {"core_ping_ns", std::nullopt}};
  if (seen.ping) {
    answer.facts.back().value =
        analysis::List(seen.ping->medians_ns.begin(), seen.ping->medians_ns.end());
  }
  return answer;
}

int run_doctor(const AnswerWords& words) {
  const AnswerOptions options = parse_answer_words(words);
  const doctor::Observed seen = doctor::look();
  return finish_with(answer_of(seen, doctor::examine(seen)), options);
}

}  // namespace

void add_doctor(CLI::App& app, Outcome& outcome) {
  const auto words = std::make_shared<AnswerWords>();
  CLI::App* command =
      app.add_subcommand("doctor", "what on this machine will spoil measurements, and the remedy");
  add_format_option(*command, *words);
  command->callback([words, &outcome] { outcome.run = [words] { return run_doctor(*words); }; });
}

}  // namespace invar::cli
