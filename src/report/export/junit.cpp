#include "report/export/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::TestCase;

// XML has no control characters, not even written as numbers.
std::string xml_text(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string outcome_xml(const TestCase& one) {
  const std::string text = xml_text(one.text);
  switch (one.state) {
    case TestCase::State::kFailed:
      return "<failure message=\"" + text + "\"/>";
    case TestCase::State::kError:
      return "<error message=\"" + text + "\"/>";
    case TestCase::State::kSkipped:
      return "<skipped message=\"" + text + "\"/>";
    case TestCase::State::kPassed:
      break;
  }
  return "<system-out>" + text + "</system-out>";
}

}  // namespace

std::string junit_xml(const std::string& suite, std::span<const TestCase> cases) {
  const auto count = [&](TestCase::State state) {
    return std::ranges::count(cases, state, &TestCase::state);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      xml_text(suite), cases.size(), count(TestCase::State::kFailed),
      count(TestCase::State::kError), count(TestCase::State::kSkipped));
  for (const TestCase& one : cases) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
                        xml_text(one.group), xml_text(one.name), outcome_xml(one));
  }
  return text + "</testsuite>\n</testsuites>\n";
}

}  // namespace invar::report
