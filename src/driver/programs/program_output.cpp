#include "driver/programs/program_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <regex>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"
#include "driver/programs/suite_benchmarks.hpp"

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

// All numbers that were found where the time should be, or the rate that it follows from.
PrintedTime from_numbers(const std::vector<std::string>& found, const Conversion& conversion,
                         const std::string& where) {
  PrintedTime printed{.converted = conversion.words};
  const std::string what = conversion.inverse ? "rate" : "time";
  if (found.empty()) {
    printed.complaint = "printed no " + what + ' ' + where;
    return printed;
  }
  if (found.size() > 1) {
    printed.complaint = "printed " + std::to_string(found.size()) + ' ' + what + "s " + where +
                        " (" + base::first_items(found, 3, ", ") + "), where one is expected";
    return printed;
  }
  if (!conversion.complaint.empty()) {
    printed.complaint = conversion.complaint;
    return printed;
  }
  std::string_view text = found.front();
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::optional<double> number = base::parse_double(text);
  if (!number) {
    printed.complaint = "printed '" + found.front() + "' " + where + ", which is not a number";
    return printed;
  }
  const std::string number_words = "printed a " + what + " of " + found.front() + ' ' + where;
  if (!(*number > 0)) {
    printed.complaint = number_words;
    return printed;
  }
  const double time_ns =
      conversion.inverse ? conversion.unit_ns / *number : *number * conversion.unit_ns;
  if (!(time_ns < kLongestNs)) {
    printed.complaint = number_words + ", beyond a year";
  } else if (printed.time_ps = std::llround(time_ns * 1e3); printed.time_ps < 1) {
    printed.complaint = number_words + ", below 1 ps";
  }
  if (!printed.complaint.empty()) return printed;
  const double digit = last_digit(text);
  printed.step_ns = conversion.inverse ? time_ns * digit / *number : digit * conversion.unit_ns;
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

// "Benchmarking PingPong" and what else may stand behind the word.
std::string imb_benchmark(std::string_view line) {
  const std::vector<std::string> fields = fields_of(line);
  const auto word = std::ranges::find(fields, "Benchmarking");
  return word == fields.end() || word + 1 == fields.end() ? std::string() : *(word + 1);
}

// The column of IMB's tables in which that quantity stands.
std::string imb_column(Quantity quantity) {
  return quantity == Quantity::kMessagesPerS ? "Msg/sec" : "Mbytes/sec";
}

std::string other_benchmark_words(const record::Cell& cell, const std::string& suite,
                                  const std::string& wanted, const std::string& printed) {
  return "printed a table of " + (printed.empty() ? std::string("something else") : printed) +
         ", and " + cell.operation + " is " + suite + "'s " + wanted;
}

PrintedTime read_imb(const design::ParseRule& rule, const record::Cell& cell,
                     std::string_view output) {
  const std::string& column = rule.column;
  const std::string wanted = benchmarks_of_operation(rule.kind, cell.operation);
  std::vector<std::string> found;
  std::vector<std::string> header;
  std::string heading;
  std::string column_lacks;
  std::string name;
  std::string other;                          // a benchmark that is not the cell's operation
  const SuiteBenchmark* benchmark = nullptr;  // of the tables that count; none: taken as they stand
  Quantity quantity = Quantity::kTime;
  std::uint64_t processes = cell.ranks;
  for_each_line(output, "\n", [&](std::string_view raw) {
    const std::string_view line = base::trim(raw);
    const std::vector<std::string> fields = fields_of(line);
    if (heading.empty() && line.find("MPI Benchmarks") != std::string_view::npos) {
      heading = base::trim(line.substr(std::min(line.size(), line.find_first_not_of("# "))));
    }
    if (line.starts_with("# Benchmarking")) {
      header.clear();
      name = imb_benchmark(line);
      processes = cell.ranks;
    } else if (const auto count = processes_of(line)) {
      processes = *count;
    } else if (line.starts_with("#bytes") || line.starts_with("#repetitions")) {
      header = fields;
    } else if (!header.empty() && !fields.empty() && base::parse_u64(fields.front())) {
      const bool sized = header.front() == "#bytes";
      if (processes != cell.ranks || sized != cell.size_bytes.has_value()) return;
      if (sized && base::parse_u64(fields.front()) != cell.size_bytes) return;
      const SuiteBenchmark* known = suite_benchmark(rule.kind, name);
      if (!wanted.empty() && (known == nullptr || known->operation != cell.operation)) {
        other = name;
        return;
      }
      auto at = std::ranges::find(header, "t_" + column + "[usec]");
      if (at == header.end() && column == "avg") at = std::ranges::find(header, "t[usec]");
      if (!wanted.empty()) {
        benchmark = known;
        quantity = known->printed;
      }
      if (!wanted.empty() && known->rate() && column == "avg") {
        // The rate with more digits; versions from before it have the other one.
        quantity = Quantity::kMessagesPerS;
        if (std::ranges::find(header, imb_column(quantity)) == header.end()) {
          quantity = Quantity::kMegabytesPerS;
        }
        at = std::ranges::find(header, imb_column(quantity));
      }
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
  PrintedTime printed;
  if (found.empty() && !column_lacks.empty()) {
    printed.complaint = column_lacks;
  } else if (found.empty() && !other.empty()) {
    printed.complaint = other_benchmark_words(cell, "IMB", wanted, other);
  } else {
    const Conversion conversion =
        benchmark == nullptr
            ? Conversion{.unit_ns = kNsPerUs}
            : conversion_of(*benchmark, quantity, cell, imb_window(output).value_or(rule.window));
    printed = from_numbers(found, conversion, "in IMB's table " + size_words(cell));
  }
  printed.heading = heading;
  return printed;
}

// Index of the column of the average latency in "# Size   Avg Latency(us)   Min Latency(us)", or of
// the bandwidth; the names are two spaces apart, or a tab.
std::optional<std::size_t> osu_column(std::string_view header, bool rate) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < header.size();) {
    std::size_t end = i;
    while (end < header.size() && header[end] != '\t' && header.substr(end, 2) != "  ") ++end;
    if (const auto name = base::trim(header.substr(i, end - i)); !name.empty()) {
      names.emplace_back(name);
    }
    i = end + 1;
  }
  const std::array<const char*, 2> words =
      rate ? std::array{"Bandwidth (MB/s)", "(MB/s)"} : std::array{"Avg Lat", "Latency"};
  for (const char* word : words) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].find(word) != std::string::npos) return i;
    }
  }
  return std::nullopt;
}

PrintedTime read_osu(const design::ParseRule& rule, const record::Cell& cell,
                     std::string_view output) {
  const std::string wanted = benchmarks_of_operation(rule.kind, cell.operation);
  const SuiteBenchmark* benchmark = nullptr;
  std::vector<std::string> found;
  std::string heading;
  std::string other_table;
  std::optional<std::size_t> column;
  bool sized = false;
  for_each_line(output, "\n", [&](std::string_view raw) {
    const std::string_view line = base::trim(raw);
    if (line.starts_with('#')) {
      const std::string_view words = base::trim(line.substr(1));
      if (heading.empty() && words.starts_with("OSU")) {
        heading = words;
        if (!wanted.empty()) benchmark = suite_benchmark(rule.kind, osu_benchmark(heading));
      }
      if (words.starts_with("Size") || words.find("(us)") != std::string_view::npos ||
          words.find("(MB/s)") != std::string_view::npos) {
        column = osu_column(words, benchmark != nullptr && benchmark->rate());
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
  Conversion conversion{.unit_ns = kNsPerUs};
  if (benchmark != nullptr) {
    conversion = conversion_of(*benchmark, benchmark->printed, cell, rule.window);
  }
  PrintedTime printed = from_numbers(found, conversion, "in OSU's table " + size_words(cell));
  const bool other =
      !wanted.empty() && (benchmark == nullptr || benchmark->operation != cell.operation);
  if (other && (!heading.empty() || !found.empty() || !other_table.empty())) {
    printed = {.complaint = other_benchmark_words(cell, "OSU", wanted, osu_benchmark(heading))};
  } else if (found.empty() && !other_table.empty()) {
    printed.complaint = "printed no latency: its table has '" + other_table +
                        "', which is converted with --operation stream or bistream";
  }
  printed.heading = heading;
  return printed;
}

// A rate is all bytes of a call over its time.
Conversion conversion_of(const design::ParseRule& rule, const record::Cell& cell,
                         const record::OperationInfo& operation) {
  if (rule.unit_bytes_per_s == 0) return {.unit_ns = rule.unit_ns};
  const std::optional<std::uint64_t> bytes = design::bytes_of_pass(cell, operation);
  if (!bytes) return {.inverse = true, .complaint = "prints a rate, and the cell has no size"};
  return {.unit_ns = static_cast<double>(*bytes) * 1e9 / rule.unit_bytes_per_s,
          .inverse = true,
          .words = base::size_text(*bytes) + " over the printed rate"};
}

PrintedTime read_pattern(const design::ParseRule& rule, const record::Cell& cell,
                         const record::OperationInfo& operation, std::string_view output) {
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
  return from_numbers(found, conversion_of(rule, cell, operation),
                      "that matches '" + rule.pattern + "'");
}

}  // namespace

PrintedTime read_time(const design::ParseRule& rule, const record::Cell& cell,
                      const record::OperationInfo& operation, std::string_view output) {
  switch (rule.kind) {
    case design::ParseRule::Kind::kImb:
      return read_imb(rule, cell, output);
    case design::ParseRule::Kind::kOsu:
      return read_osu(rule, cell, output);
    case design::ParseRule::Kind::kPattern:
      return read_pattern(rule, cell, operation, output);
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
