#include "report/page/page_html.hpp"

namespace invar::report {
namespace {

// How the data begin (page_json).
constexpr std::string_view kDataBegin = "{\"schema\":1,\"invar\":\"";

std::string escaped(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else if (json.substr(i, 3) == "\xe2\x80\xa8") {  // U+2028
      text += "\\u2028";
      i += 2;
    } else if (json.substr(i, 3) == "\xe2\x80\xa9") {  // U+2029
      text += "\\u2029";
      i += 2;
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> page_html(std::string_view page_template, std::string_view json) {
  const std::size_t at = page_template.find(kPageMarker);
  if (at == std::string_view::npos ||
      page_template.find(kPageMarker, at + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  std::string page(page_template.substr(0, at));
  page += escaped(json);
  page += page_template.substr(at + kPageMarker.size());
  return page;
}

bool is_invar_page(std::string_view text) {
  if (text.starts_with(kDataBegin)) return true;
  constexpr std::string_view kScript = "type=\"application/json\" id=\"data\">";
  const std::size_t at = text.find(kScript);
  return at != std::string_view::npos && text.substr(at + kScript.size()).starts_with(kDataBegin);
}

}  // namespace invar::report
