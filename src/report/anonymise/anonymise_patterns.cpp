#include "report/anonymise/anonymise_patterns.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace invar::report {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

template <typename Accept>
std::size_t run_of(std::string_view text, Accept accept) {
  const auto end = std::ranges::find_if_not(text, accept);
  return static_cast<std::size_t>(end - text.begin());
}

// Four numbers up to 255; a fifth one makes it a version.
std::size_t ipv4_length(std::string_view text) {
  std::size_t length = 0;
  for (int number = 0; number < 4; ++number) {
    if (number > 0) {
      if (length >= text.size() || text[length] != '.') return 0;
      ++length;
    }
    const std::size_t digits = run_of(text.substr(length), is_digit);
    const auto value = base::parse_u64(text.substr(length, digits));
    if (digits == 0 || digits > 3 || !value || *value > 255) return 0;
    length += digits;
  }
  if (length == text.size()) return length;
  const bool goes_on =
      text[length] == '.' && length + 1 < text.size() && is_digit(text[length + 1]);
  return is_letter_or_digit(text[length]) || goes_on ? 0 : length;
}

// Two hexadecimal digits six times or more, separated by the same ':' or '-'.
std::size_t hardware_length(std::string_view text) {
  constexpr std::size_t kFewest = 6;
  std::size_t groups = 0;
  std::size_t length = 0;
  char separator = 0;
  while (run_of(text.substr(length), is_hex_digit) == 2) {
    length += 2;
    ++groups;
    if (length == text.size() || (text[length] != ':' && text[length] != '-')) break;
    if (separator == 0) separator = text[length];
    if (text[length] != separator) return 0;
    ++length;
  }
  return groups >= kFewest ? length : 0;
}

std::size_t ipv6_length(std::string_view text) {
  constexpr std::size_t kGroups = 8;
  const std::size_t length =
      run_of(text, [](char c) { return is_hex_digit(c) || c == ':' || c == '.'; });
  std::string_view address = text.substr(0, length);
  while (address.ends_with('.') || (address.ends_with(':') && !address.ends_with("::"))) {
    address.remove_suffix(1);
  }
  if (length < text.size() && is_letter_or_digit(text[length])) return 0;
  const std::vector<std::string_view> groups = base::split(address, ':');
  const bool shortened = address.find("::") != std::string_view::npos;
  if (groups.size() < 3 || (shortened ? groups.size() > kGroups + 1 : groups.size() != kGroups)) {
    return 0;
  }
  const bool fitting = std::ranges::all_of(groups, [&](std::string_view group) {
    return group.size() <= 4 ? is_hexadecimal(group) : ipv4_length(group) == group.size();
  });
  return fitting ? address.size() : 0;
}

}  // namespace

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_hexadecimal(std::string_view text) { return std::ranges::all_of(text, is_hex_digit); }

std::size_t address_length(std::string_view text) {
  if (const std::size_t length = hardware_length(text); length > 0) return length;
  if (const std::size_t length = ipv4_length(text); length > 0) return length;
  return ipv6_length(text);
}

std::size_t identifier_length(std::string_view text) {
  constexpr std::array<std::size_t, 5> kUuid{8, 4, 4, 4, 12};
  constexpr std::size_t kLong = 32;
  const std::size_t digits = run_of(text, is_hex_digit);
  const auto ends = [&](std::size_t length) {
    return length == text.size() || !is_letter_or_digit(text[length]);
  };
  if (digits >= kLong) return ends(digits) ? digits : 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kUuid.size(); ++i) {
    if (i > 0) {
      if (length >= text.size() || text[length] != '-') return 0;
      ++length;
    }
    if (run_of(text.substr(length), is_hex_digit) != kUuid[i]) return 0;
    length += kUuid[i];
  }
  return ends(length) ? length : 0;
}

bool is_address(std::string_view text) {
  return !text.empty() && address_length(text) == text.size();
}

bool is_everybodys_address(std::string_view text) {
  return text == "localhost" || text == "::" || text == "::1" || text == "0.0.0.0" ||
         text.starts_with("127.");
}

std::size_t authority_length(std::string_view text, std::size_t at) {
  constexpr std::string_view kMark = "://";
  if (at < kMark.size() || text.substr(at - kMark.size(), kMark.size()) != kMark) return 0;
  const std::string_view rest = text.substr(at);
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    return end == std::string_view::npos ? 0 : end + 1;
  }
  return std::min(rest.find_first_of("/:?#,; \t\"'<>)"), rest.size());
}

std::size_t path_length(std::string_view text, std::size_t at) {
  const char before = at == 0 ? ' ' : text[at - 1];
  constexpr std::string_view kBefore = " \t\n'\"`=:;,([{<>|@";
  const bool option = at >= 2 && text[at - 2] == '-' && is_letter_or_digit(before) &&
                      (at == 2 || kBefore.find(text[at - 3]) != std::string_view::npos);
  if (kBefore.find(before) == std::string_view::npos && !option) return 0;
  const std::string_view rest = text.substr(at);
  if (rest.size() < 2 || rest[1] == '/' || rest[1] == ' ') return 0;
  if (before == '\'' || before == '"' || before == '`') {
    const std::size_t closing = rest.find(before);
    if (closing != std::string_view::npos) return closing;
  }
  std::size_t length = std::min(rest.find_first_of(" \t\n'\"`=:;,)]}<>|"), rest.size());
  // The end of a sentence, and folders written with a slash.
  while (length > 1 && (rest[length - 1] == '.' || rest[length - 1] == '/')) --length;
  return length < 2 ? 0 : length;
}

bool is_system_path(std::string_view path) {
  static constexpr std::array<std::string_view, 14> kRoots{
      "/usr", "/lib", "/lib32", "/lib64",     "/bin",      "/sbin",     "/etc",
      "/dev", "/sys", "/proc",  "/opt/intel", "/opt/cray", "/opt/rocm", "/opt/nvidia"};
  const auto inside = [&](std::string_view root) {
    return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
  };
  if (inside("/usr/local")) {
    static constexpr std::array<std::string_view, 9> kUsual{
        "/usr/local/bin",     "/usr/local/sbin",    "/usr/local/lib",
        "/usr/local/lib64",   "/usr/local/include", "/usr/local/share",
        "/usr/local/libexec", "/usr/local/etc",     "/usr/local/cuda"};
    return path == "/usr/local" || std::ranges::any_of(kUsual, inside);
  }
  return std::ranges::any_of(kRoots, inside);
}

std::string_view own_part_of_release(std::string_view release) {
  // Without the number at their end: "el9", "fc39". Architectures, flavours, clouds.
  static constexpr std::array<std::string_view, 49> kUsual{
      "",         "x",         "i",        "amd",        "arm",   "aarch",  "armhf",
      "ppc",      "ppc64le",   "s390x",    "riscv",      "v",     "el",     "fc",
      "amzn",     "deb",       "bpo",      "rc",         "rt",    "cloud",  "generic",
      "default",  "lts",       "hwe",      "arch",       "zen",   "server", "desktop",
      "virtual",  "kvm",       "pve",      "uek",        "azure", "aws",    "gcp",
      "gke",      "oracle",    "ibm",      "nvidia",     "tegra", "raspi",  "rpi",
      "linuxkit", "microsoft", "standard", "lowlatency", "WSL",   "cos",    "hardened"};
  constexpr std::string_view kSeparators = "-+_~.";
  const std::size_t numbers = release.find_first_of("-+_~");
  if (numbers == std::string_view::npos) return {};
  std::string_view own = release.substr(numbers);
  own.remove_prefix(std::min(own.find_first_not_of(kSeparators), own.size()));
  own = own.substr(0, own.find_last_not_of(kSeparators) + 1);
  for (std::string_view left = own; !left.empty();) {
    std::string_view part = left.substr(0, left.find_first_of(kSeparators));
    left.remove_prefix(std::min(part.size() + 1, left.size()));
    while (!part.empty() && is_digit(part.back())) part.remove_suffix(1);
    if (std::ranges::find(kUsual, part) == kUsual.end()) return own;
  }
  return {};
}

std::string_view job_of_variable(std::string_view name, std::string_view value) {
  static constexpr std::array<std::string_view, 6> kNumbers{
      "jobid", "JOBID", "JOB_ID", "PMIX_NAMESPACE", "PMIX_ID", "precondition_transports"};
  // "1806565376.0;tcp://192.0.2.1:48265".
  const bool uri = name.ends_with("_uri") || name.starts_with("PMIX_SERVER_URI");
  const bool number =
      std::ranges::any_of(kNumbers, [&](std::string_view end) { return name.ends_with(end); });
  if (!uri && !number) return {};
  if (uri && value.find(';') == std::string_view::npos) return {};
  if (uri) value = value.substr(0, value.find(';'));
  // The rank in it.
  if (uri || name.ends_with("PMIX_ID")) value = value.substr(0, value.rfind('.'));
  return value;
}

}  // namespace invar::report
