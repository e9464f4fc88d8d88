#include "launch/build/compiler_message.hpp"

#include <array>
#include <charconv>
#include <string_view>

#include "base/text.hpp"

namespace invar::launch {
namespace {

// "12" at the end of "name.cpp:12" is taken off; 0: there is none.
int take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return 0;
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, number);
  if (read.ec != std::errc{} || read.ptr != end) return 0;
  text = text.substr(0, colon);
  return number;
}

}  // namespace

base::Fault first_complaint(const std::string& output) {
  const std::vector<std::string_view> lines = base::split(output, '\n');
  for (const std::string_view line : lines) {
    for (const std::string_view mark : {": error: ", ": fatal error: "}) {
      const std::size_t at = line.find(mark);
      if (at == std::string_view::npos) continue;
      std::string_view place = line.substr(0, at);
      int column = take_number(place);
      int line_number = take_number(place);
      // A compiler may be told to leave columns out.
      if (line_number == 0) std::swap(line_number, column);
      if (line_number == 0) continue;
      return {.place = std::string(place),
              .line = line_number,
              .column = column,
              .what = std::string(base::trim(line.substr(at + mark.size())))};
    }
  }
  for (const std::string_view line : lines) {
    for (const std::string_view mark : {"undefined reference to ", "multiple definition of "}) {
      const std::size_t at = line.find(mark);
      if (at != std::string_view::npos) return {.what = std::string(base::trim(line.substr(at)))};
    }
  }
  return {.what = {}};
}

}  // namespace invar::launch
