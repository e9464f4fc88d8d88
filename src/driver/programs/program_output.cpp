#include "driver/programs/program_output.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <vector>

#include "base/text.hpp"

namespace invar::driver {
namespace {

constexpr double kNsPerUs = 1e3;
// Beyond a year nothing was measured in earnest, and picoseconds would not fit.
constexpr double kLongestNs = 3.2e16;
constexpr std::size_t kLongestRow = 40;
// The library's matching recurses with the length of a line.
constexpr std::size_t kLongestLine = 4096;

// Without a list of them all: an output may be long.
template <typename Take>
void for_each_line(std::string_view output, const char* ends, Take take) {
  while (!output.empty()) {
    const std::size_t end = std::min(output.find_first_of(ends), output.size());
    take(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\r') {
      if (!field.empty()) fields.push_back(std::move(field));
      field.clear();
    } else {
      field += c;
    }
  }
  if (!field.empty()) fields.push_back(std::move(field));
  return fields;
}

// The value of the last digit: "0.95" 0.01, "12" 1, "1.25e-5" 1e-7.
double last_digit(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  double exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = number.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    exponent = base::parse_double(digits).value_or(0);
  }
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t point = mantissa.find('.');
  if (point != std::string_view::npos) {
    exponent -= static_cast<double>(mantissa.size() - point - 1);
  }
  return std::pow(10.0, exponent);
}

// All numbers that were found where the time should be.
PrintedTime from_numbers(const std::vector<std::string>& found, double unit_ns,
                         const std::string& where) {
  PrintedTime printed;
  if (found.empty()) {
    printed.complaint = "printed no time " + where;
    return printed;
  }
  if (found.size() > 1) {
    printed.complaint = "printed " + std::to_string(found.size()) + " times " + where + " (" +
                        base::first_items(found, 3, ", ") + "), where one is expected";
    return printed;
  }
  std::string_view text = found.front();
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::optional<double> number = base::parse_double(text);
  if (!number) {
    printed.complaint = "printed '" + found.front() + "' " + where + ", which is no number";
  } else if (!(*number > 0)) {
    printed.complaint = "printed a time of " + found.front() + " " + where;
  } else if (!(*number * unit_ns < kLongestNs)) {
    printed.complaint = "printed a time of " + found.front() + " " + where + ", beyond a year";
  } else if (printed.time_ps = std::llround(*number * unit_ns * 1e3); printed.time_ps < 1) {
    printed.complaint = "printed a time of " + found.front() + " " + where + ", below 1 ps";
  }
  if (!printed.complaint.empty()) return printed;
  printed.step_ns = last_digit(text) * unit_ns;
  return printed;
}

std::string size_words(const record::Cell& cell) {
  return cell.size_bytes ? "for " + std::to_string(*cell.size_bytes) + " bytes" : "";
}

// The number behind "#processes =" of the line; none: it does not tell.
std::optional<std::uint64_t> processes_of(std::string_view line) {
  constexpr std::string_view kWords = "#processes =";
  const std::size_t at = line.find(kWords);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string rest(line.substr(at + kWords.size()));
  const std::vector<std::string> fields = fields_of(rest);
  return fields.empty() ? std::nullopt : base::parse_u64(fields.front());
}

PrintedTime read_imb(const std::string& column, const record::Cell& cell, std::string_view output) {
  std::vector<std::string> found;
  std::vector<std::string> header;
  std::string heading;
  std::string column_lacks;
  std::uint64_t processes = cell.ranks;
  for_each_line(output, "\n", [&](std::string_view raw) {
    const std::string_view line = base::trim(raw);
    const std::vector<std::string> fields = fields_of(line);
    if (heading.empty() && line.find("MPI Benchmarks") != std::string_view::npos) {
      heading = base::trim(line.substr(std::min(line.size(), line.find_first_not_of("# "))));
    }
    if (line.starts_with("# Benchmarking")) {
      header.clear();
      processes = cell.ranks;
    } else if (const auto count = processes_of(line)) {
      processes = *count;
    } else if (line.starts_with("#bytes") || line.starts_with("#repetitions")) {
      header = fields;
    } else if (!header.empty() && !fields.empty() && base::parse_u64(fields.front())) {
      const bool sized = header.front() == "#bytes";
      if (processes != cell.ranks || sized != cell.size_bytes.has_value()) return;
      if (sized && base::parse_u64(fields.front()) != cell.size_bytes) return;
      auto at = std::ranges::find(header, "t_" + column + "[usec]");
      if (at == header.end() && column == "avg") at = std::ranges::find(header, "t[usec]");
      const auto index = static_cast<std::size_t>(at - header.begin());
      if (at == header.end()) {
        column_lacks = "has no column t_" + column + "[usec]";
      } else {
        // A row may be words: "8 time-out.; Time limit ... is over".
        const bool words = fields.size() != header.size();
        found.push_back(words ? base::join(fields, " ").substr(0, kLongestRow) : fields[index]);
      }
    } else if (line.empty()) {
      header.clear();
    }
  });
  PrintedTime printed = found.empty() && !column_lacks.empty()
                            ? PrintedTime{.complaint = column_lacks}
                            : from_numbers(found, kNsPerUs, "in IMB's table " + size_words(cell));
  printed.heading = heading;
  return printed;
}

// Index of the column of the average latency in "# Size   Avg Latency(us)   Min Latency(us)"; the
// names are two spaces apart, or a tab.
std::optional<std::size_t> latency_column(std::string_view header) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < header.size();) {
    std::size_t end = i;
    while (end < header.size() && header[end] != '\t' && header.substr(end, 2) != "  ") ++end;
    if (const auto name = base::trim(header.substr(i, end - i)); !name.empty()) {
      names.emplace_back(name);
    }
    i = end + 1;
  }
  for (const char* word : {"Avg Lat", "Latency"}) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].find(word) != std::string::npos) return i;
    }
  }
  return std::nullopt;
}

PrintedTime read_osu(const record::Cell& cell, std::string_view output) {
  std::vector<std::string> found;
  std::string heading;
  std::string other_table;
  std::optional<std::size_t> column;
  bool sized = false;
  for_each_line(output, "\n", [&](std::string_view raw) {
    const std::string_view line = base::trim(raw);
    if (line.starts_with('#')) {
      const std::string_view words = base::trim(line.substr(1));
      if (heading.empty() && words.starts_with("OSU")) heading = words;
      if (words.starts_with("Size") || words.find("(us)") != std::string_view::npos ||
          words.find("(MB/s)") != std::string_view::npos) {
        column = latency_column(words);
        sized = words.starts_with("Size");
        other_table = column ? "" : std::string(words);
      }
      return;
    }
    const std::vector<std::string> fields = fields_of(line);
    if (!column || fields.empty() || sized != cell.size_bytes.has_value()) return;
    if (sized && base::parse_u64(fields.front()) != cell.size_bytes) return;
    if (!sized && !base::parse_double(fields.front()) && fields.front() != "nan") return;
    found.push_back(*column < fields.size() ? fields[*column] : base::join(fields, " "));
  });
  PrintedTime printed = from_numbers(found, kNsPerUs, "in OSU's table " + size_words(cell));
  if (found.empty() && !other_table.empty()) {
    printed.complaint = "printed no latency: its table has '" + other_table + "'";
  }
  printed.heading = heading;
  return printed;
}

PrintedTime read_pattern(const design::ParseRule& rule, std::string_view output) {
  const std::regex pattern(rule.pattern);
  std::vector<std::string> found;
  std::size_t longest = 0;
  // Bars of progress go back to the start of their line and write it anew: each is a line.
  for_each_line(output, "\r\n", [&](std::string_view line) {
    longest = std::max(longest, line.size());
    if (line.size() > kLongestLine) return;
    using Match = std::regex_iterator<const char*>;
    for (Match at(line.data(), line.data() + line.size(), pattern), end; at != end; ++at) {
      if ((*at)[1].matched) found.push_back((*at)[1]);
    }
  });
  // A part of a line may hold a part of a number.
  if (longest > kLongestLine) {
    return {.complaint = "printed a line of " + std::to_string(longest) +
                         " bytes, too long to look for a time in it (at most " +
                         std::to_string(kLongestLine) + ")"};
  }
  return from_numbers(found, rule.unit_ns, "that matches '" + rule.pattern + "'");
}

}  // namespace

PrintedTime read_time(const design::ParseRule& rule, const record::Cell& cell,
                      std::string_view output) {
  switch (rule.kind) {
    case design::ParseRule::Kind::kImb:
      return read_imb(rule.column, cell, output);
    case design::ParseRule::Kind::kOsu:
      return read_osu(cell, output);
    case design::ParseRule::Kind::kPattern:
      return read_pattern(rule, output);
  }
  return {.complaint = "has no rule"};
}

std::string last_lines(std::string_view output, std::string_view errors) {
  constexpr std::size_t kLines = 3;
  constexpr std::size_t kLongest = 160;
  std::vector<std::string> lines;  // the last one first
  for (std::string_view text : {errors, output}) {
    while (!text.empty() && lines.size() < kLines) {
      const std::size_t begin = text.find_last_of('\n') + 1;  // 0 where there is none
      std::string line(base::trim(text.substr(begin)).substr(0, kLongest + 1));
      text = text.substr(0, begin == 0 ? 0 : begin - 1);
      if (line.empty()) continue;
      for (char& c : line) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
      }
      if (line.size() > kLongest) line = line.substr(0, kLongest) + "...";
      lines.push_back(std::move(line));
    }
  }
  std::reverse(lines.begin(), lines.end());
  return base::join(lines, " | ");
}

}  // namespace invar::driver
