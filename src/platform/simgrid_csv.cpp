#include "platform/simgrid_csv.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "platform/platform_model.hpp"

namespace invar::platform {
namespace {

// The most faults that are told of one file: nobody reads a thousand that have one cause.
constexpr std::size_t kMostFaults = 20;

struct CalibrationLine {
  int number = 0;  // from 1
  std::string_view text = {};
};

class CalibrationFile {
 public:
  CalibrationFile(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  // False at the end; empty lines are passed over.
  bool next(CalibrationLine& line) {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line.text = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      line.number = number_;
      if (line.text.ends_with('\r')) line.text.remove_suffix(1);
      if (base::trim(line.text).empty()) continue;
      is_empty_ = false;
      return true;
    }
    return false;
  }

  // `field`: a part of the line; the fault stands where it begins.
  void fault(const CalibrationLine& line, std::string_view field, std::string what,
             std::string remedy) {
    if (++count_ > kMostFaults) return;
    const auto column = static_cast<int>(field.data() - line.text.data()) + 1;
    faults_.add({.place = place_,
                 .line = line.number,
                 .column = column,
                 .what = std::move(what),
                 .remedy = std::move(remedy)});
  }

  void throw_if_any() {
    if (is_empty_) {
      faults_.add(place_, "has no line", "let the calibration run to its end, or leave it out");
    }
    if (count_ > kMostFaults) {
      faults_.add(place_, base::count_text(count_ - kMostFaults, "fault") + " more in this file");
    }
    faults_.throw_if_any();
  }

 private:
  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
  int number_ = 0;
  bool is_empty_ = true;
  std::size_t count_ = 0;
  base::Faults faults_ = {};
};

std::string calibration_word(std::string_view text) {
  constexpr std::size_t kMostLetters = 40;
  const bool is_long = text.size() > kMostLetters;
  return "'" + base::without_controls(text.substr(0, kMostLetters)) + (is_long ? "...'" : "'");
}

// "MPI_Isend,765921,21.755961,1.146600e-05"; none: its faults are told.
std::optional<CalibrationCall> calibration_call(const CalibrationLine& line,
                                                std::span<const std::string_view> operations,
                                                std::string_view& operation,
                                                CalibrationFile& file) {
  constexpr std::size_t kFields = 4;
  const std::vector<std::string_view> fields = base::split(line.text, ',');
  if (fields.size() != kFields) {
    file.fault(line, line.text, "has " + base::count_text(fields.size(), "field") + ", not 4",
               "a line is operation,size,start,duration");
    return std::nullopt;
  }
  operation = base::trim(fields[0]);
  bool is_whole = true;
  const auto wrong = [&](std::size_t field, std::string what, const char* remedy) {
    is_whole = false;
    file.fault(line, fields[field], std::move(what), remedy);
  };
  if (std::ranges::find(operations, operation) == operations.end()) {
    wrong(0,
          "its operation is " + calibration_word(operation) + ", not " +
              std::string(operations.front()),
          "this file has the calls of one experiment alone");
  }
  CalibrationCall call{.line = line.number};
  const std::optional<std::uint64_t> size = base::parse_u64(base::trim(fields[1]));
  if (!size || *size > kMostBytes) {
    wrong(1, "its size is " + calibration_word(fields[1]), "a size is a whole number below 2^31");
  }
  call.size_bytes = size.value_or(0);
  const std::optional<double> start = base::parse_double(base::trim(fields[2]));
  if (!start || *start < 0) {
    wrong(2, "its start is " + calibration_word(fields[2]), "a start is 0 seconds or more");
  }
  call.start_s = start.value_or(0);
  const std::optional<double> duration = base::parse_double(base::trim(fields[3]));
  if (!duration || !(*duration > 0)) {
    wrong(3, "its duration is " + calibration_word(fields[3]), "a call takes more than 0 seconds");
  }
  call.duration_s = duration.value_or(0);
  if (!is_whole) return std::nullopt;
  return call;
}

void check_in_order(const CalibrationLine& line, double before_s, double start_s,
                    CalibrationFile& file) {
  if (start_s >= before_s) return;
  const std::vector<std::string_view> fields = base::split(line.text, ',');
  file.fault(line, fields[2],
             "begins at " + base::shortest_text(start_s) + " s, the call before it at " +
                 base::shortest_text(before_s) + " s",
             "lines are in the order of the calls");
}

}  // namespace

std::vector<CalibrationCall> parse_calibration_calls(std::string_view text,
                                                     std::string_view operation,
                                                     const std::string& place) {
  std::vector<CalibrationCall> calls;
  CalibrationFile file(text, place);
  double before_s = 0;
  std::string_view found;
  for (CalibrationLine line; file.next(line);) {
    const std::optional<CalibrationCall> call =
        calibration_call(line, std::array{operation}, found, file);
    if (!call) continue;
    check_in_order(line, before_s, call->start_s, file);
    before_s = call->start_s;
    calls.push_back(*call);
  }
  file.throw_if_any();
  return calls;
}

std::vector<CalibrationExchange> parse_calibration_ping_pong(std::string_view text,
                                                             const std::string& place) {
  constexpr std::array<std::string_view, 2> kPingPong{"MPI_Send", "MPI_Recv"};
  constexpr const char* kPairs = "each MPI_Send is followed by the MPI_Recv of the same exchange";
  std::vector<CalibrationExchange> exchanges;
  CalibrationFile file(text, place);
  CalibrationLine opened_line;  // of an MPI_Send whose MPI_Recv is to come
  std::optional<CalibrationCall> opened;
  double before_s = 0;
  bool is_unclear = false;  // whether the next MPI_Recv had an MPI_Send
  for (CalibrationLine line; file.next(line);) {
    std::string_view operation;
    const std::optional<CalibrationCall> call = calibration_call(line, kPingPong, operation, file);
    if (!call) {
      is_unclear = true;
      opened.reset();
      continue;
    }
    check_in_order(line, before_s, call->start_s, file);
    before_s = call->start_s;
    if (operation == kPingPong[0]) {
      if (opened) file.fault(opened_line, opened_line.text, "has no MPI_Recv behind it", kPairs);
      opened = call;
      opened_line = line;
      is_unclear = false;
      continue;
    }
    if (!std::exchange(is_unclear, false) && (!opened || opened->size_bytes != call->size_bytes)) {
      file.fault(line, line.text,
                 opened
                     ? "is of " + std::to_string(call->size_bytes) +
                           " bytes, the MPI_Send before it of " + std::to_string(opened->size_bytes)
                     : std::string("has no MPI_Send before it"),
                 kPairs);
    } else if (opened) {
      exchanges.push_back({.size_bytes = call->size_bytes,
                           .start_s = opened->start_s,
                           .send_s = opened->duration_s,
                           .receive_s = call->duration_s,
                           .line = opened->line});
    }
    opened.reset();
  }
  if (opened) file.fault(opened_line, opened_line.text, "has no MPI_Recv behind it", kPairs);
  file.throw_if_any();
  return exchanges;
}

std::vector<CalibrationBreak> parse_calibration_breaks(std::string_view text,
                                                       const std::string& place) {
  std::vector<CalibrationBreak> breaks;
  CalibrationFile file(text, place);
  bool is_header = true;
  for (CalibrationLine line; file.next(line);) {
    const std::vector<std::string_view> fields = base::split(line.text, ',');
    if (is_header) {
      is_header = false;
      if (fields.size() == 2 && base::trim(fields[0]) == "Limit" &&
          base::trim(fields[1]) == "Name") {
        continue;
      }
      file.fault(line, line.text, "is " + calibration_word(line.text) + ", not Limit, Name",
                 "the first line names the columns");
      continue;
    }
    if (fields.size() != 2) {
      file.fault(line, line.text, "has " + base::count_text(fields.size(), "field") + ", not 2",
                 "a line is a size and a name");
      continue;
    }
    const std::optional<std::uint64_t> limit = base::parse_u64(base::trim(fields[0]));
    if (!limit || *limit == 0 || *limit > kMostBytes) {
      file.fault(line, fields[0], "its limit is " + calibration_word(base::trim(fields[0])),
                 "a limit is a whole number from 1 to below 2^31");
      continue;
    }
    if (!breaks.empty() && *limit <= breaks.back().first_bytes) {
      file.fault(line, fields[0],
                 "its limit is " + std::to_string(*limit) + ", that of the line before " +
                     std::to_string(breaks.back().first_bytes),
                 "order limits by size");
    }
    breaks.push_back({.first_bytes = *limit, .name = std::string(base::trim(fields[1]))});
  }
  file.throw_if_any();
  return breaks;
}

}  // namespace invar::platform
