// The page itself: the built template with the data in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace invar::report {

// Stands in the template once, as the whole content of a script element of type application/json.
constexpr std::string_view kPageMarker = "@INVAR_DATA@";

// None if the template has no marker, or more than one. Whatever stands in the data ends no script
// element and no string: < > & and the line separators of JavaScript are escaped, which means the
// same in JSON.
std::optional<std::string> page_html(std::string_view page_template, std::string_view json);

// This text is a page, or the data of one, that Invar wrote: it may be written anew.
bool is_invar_page(std::string_view text);

}  // namespace invar::report
