#include "report/kit/reporters.hpp"

#include <algorithm>
#include <array>

#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"

namespace invar::report {
namespace {

using analysis::Answer;

Printed print_text(const Answer& answer, std::string_view /*table*/, bool verbose) {
  return {.out = answer_text(answer, verbose)};
}

Printed print_csv(const Answer& answer, std::string_view table, bool verbose) {
  return {.out = answer_csv(answer, table), .talk = answer_talk(answer, verbose)};
}

Printed print_json(const Answer& answer, std::string_view /*table*/, bool /*verbose*/) {
  return {.out = answer_json(answer)};
}

Printed print_markdown(const Answer& answer, std::string_view /*table*/, bool verbose) {
  return {.out = answer_markdown(answer, verbose)};
}

constexpr std::array<Reporter, 4> kReporters{{{Format::kTable, "table", print_text},
                                              {Format::kCsv, "csv", print_csv},
                                              {Format::kJson, "json", print_json},
                                              {Format::kMarkdown, "markdown", print_markdown}}};

}  // namespace

std::span<const Reporter> reporters() { return kReporters; }

const Reporter& reporter(Format format) {
  return *std::ranges::find(kReporters, format, &Reporter::format);
}

}  // namespace invar::report
