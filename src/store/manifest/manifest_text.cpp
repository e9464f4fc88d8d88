#include "store/manifest/manifest_text.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "record/journal.hpp"
#include "store/files.hpp"

namespace invar::store {
namespace {

// One of the two files.
struct Copy {
  std::string name = {};
  std::optional<std::string> text = {};
  std::map<std::uint64_t, std::string_view> lines = {};  // those whose CRC holds
};

Copy read_copy(const std::filesystem::path& dir, std::string_view name) {
  Copy copy{.name = std::string(name), .text = read_text(dir / name)};
  if (!copy.text) return copy;
  std::string_view rest = *copy.text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // not finished
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (const std::uint64_t number = line_number(line);
        number != 0 && record::line_crc_holds(line)) {
      copy.lines.try_emplace(number, line);
    }
  }
  return copy;
}

// First line in which the two texts differ, from 1.
std::size_t first_difference(std::string_view a, std::string_view b) {
  const auto length = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  const auto* end = std::mismatch(a.begin(), a.begin() + length, b.begin()).first;
  return static_cast<std::size_t>(std::count(a.begin(), end, '\n')) + 1;
}

DataFault fault_of(const Copy& copy, std::string_view whole) {
  if (!copy.text) return {.place = copy.name, .what = "is missing or cannot be read"};
  if (whole.starts_with(*copy.text)) {
    return {.place = copy.name,
            .what = "is cut off after byte " + std::to_string(copy.text->size())};
  }
  return {.place = copy.name + ':' + std::to_string(first_difference(*copy.text, whole)),
          .what = "does not match its checksum"};
}

}  // namespace

std::uint64_t line_number(std::string_view line) {
  constexpr std::string_view kKey = ",\"line\":";
  const std::string_view head = line.substr(0, 64);
  const std::size_t at = head.find(kKey);
  if (!line.starts_with("{\"type\":\"") || at == std::string_view::npos) return 0;
  const char* begin = line.data() + at + kKey.size();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), number);
  return error == std::errc() && end != line.data() + line.size() && *end == ',' ? number : 0;
}

std::string ManifestText::text() const {
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return all;
}

namespace {

// That the file's end is missing, and of lines that were not waited for: seals of launches.
bool lacks_only_seals(const std::optional<std::string>& text, std::string_view whole) {
  if (!text || text->empty() || text->size() >= whole.size() || !whole.starts_with(*text)) {
    return false;
  }
  for (const std::string_view line : base::split(whole.substr(text->rfind('\n') + 1), '\n')) {
    if (!line.empty() && !line.starts_with("{\"type\":\"launch\"")) return false;
  }
  return text->find('\n') != std::string::npos;
}

}  // namespace

ManifestText read_manifest_text(const std::filesystem::path& dir) {
  ManifestText result;
  // The copy first: while a driver is at work, the main file is never behind it.
  const Copy copy = read_copy(dir, kManifestCopy);
  const Copy main = read_copy(dir, kManifest);
  result.present = main.text || copy.text;
  const std::uint64_t in_main = main.lines.empty() ? 0 : main.lines.rbegin()->first;
  const std::uint64_t in_copy = copy.lines.empty() ? 0 : copy.lines.rbegin()->first;
  // A number that is far off can only be a forged line; the files bound what is plausible.
  const std::uint64_t plausible =
      (main.text ? main.text->size() : 0) + (copy.text ? copy.text->size() : 0);
  const std::uint64_t last = std::min(std::max(in_main, in_copy), plausible);
  bool launched = false;
  for (std::uint64_t number = 1; number <= last; ++number) {
    const auto in_first = main.lines.find(number);
    const auto in_second = copy.lines.find(number);
    std::string_view line;
    if (in_first != main.lines.end()) {
      line = in_first->second;
    } else if (in_second != copy.lines.end()) {
      line = in_second->second;
    } else {
      result.lost.push_back(number);
    }
    launched = launched || line.starts_with("{\"type\":\"launch\"");
    result.lines.emplace_back(line);
  }
  const std::string whole = result.text();
  result.main_whole = main.text == whole;
  result.copy_whole = copy.text == whole;
  // A power cut takes lines that nobody waited for, from either file.
  const bool lacks_seals = lacks_only_seals(main.text, whole);
  if (!result.main_whole && result.present) {
    if (last > 0 && main.text && main.text->starts_with(whole)) {
      result.unfinished.push_back(main.name + ": its last line was not finished");
    } else if (lacks_seals) {
      result.unfinished.push_back(main.name + ": lacks the last lines");
    } else {
      result.damage.push_back(fault_of(main, whole));
    }
  }
  if (!result.copy_whole && result.present) {
    const std::size_t before_last =
        result.lines.empty() ? 0 : whole.size() - result.lines.back().size() - 1;
    const bool prefix = copy.text && !copy.text->empty() && whole.starts_with(*copy.text);
    const bool lacks_one = prefix && copy.text->size() >= before_last;
    // It is written behind the main file, and nobody waits for it before the end.
    const bool ended =
        !result.lines.empty() && result.lines.back().starts_with("{\"type\":\"end\"");
    const bool main_is_good = result.main_whole || !result.unfinished.empty();
    const bool behind = lacks_one || (prefix && main_is_good && !ended);
    if (behind || (!copy.text && !launched && last > 0)) {
      result.unfinished.push_back(
          copy.name + (behind && !lacks_one ? ": lacks the last lines" : ": lacks the last line"));
    } else if (last > 0 && copy.text && copy.text->starts_with(whole)) {
      // Cannot be written so: the main file comes first.
      result.damage.push_back({.place = copy.name, .what = "has bytes behind its last line"});
    } else {
      result.damage.push_back(fault_of(copy, whole));
    }
  }
  // One fault for lines that follow one another: a forged number tears a gap of any length.
  for (std::size_t i = 0; i < result.lost.size();) {
    std::size_t end = i + 1;
    while (end < result.lost.size() && result.lost[end] == result.lost[end - 1] + 1) ++end;
    result.damage.push_back(
        {.place = std::string(kManifest) + ':' + std::to_string(result.lost[i]),
         .what = (end - i > 1 ? "and the " + std::to_string(end - i - 1) + " behind it are"
                              : std::string("is")) +
                 " damaged in both copies and cannot be restored"});
    i = end;
  }
  return result;
}

}  // namespace invar::store
