#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/text.hpp"

namespace invar::cli {
namespace {

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  if (isatty(STDOUT_FILENO) == 0) return kUsual;
  // A user who sets COLUMNS means it.
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    if (const auto width = base::parse_u64(columns); width && *width > 0) return *width;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kUsual;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale;
    for (const char* c = value; *c != '\0'; ++c) {
      if (*c != '-') locale += static_cast<char>(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    }
    return locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

report::PictureLook terminal_look() {
  // Wider pictures only pull apart what belongs together.
  constexpr std::size_t kWidest = 120;
  return {.width = std::min(terminal_width(), kWidest), .unicode = locale_is_utf8()};
}

void tell(std::string_view line) {
  const std::string safe = base::without_controls(line) + '\n';
  std::fwrite(safe.data(), 1, safe.size(), stderr);
}

}  // namespace invar::cli
