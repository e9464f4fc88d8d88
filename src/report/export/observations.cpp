#include "report/export/observations.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "analysis/ticks/declared_time.hpp"
#include "analysis/ticks/tick_times.hpp"
#include "base/csv.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "record/cell.hpp"

namespace invar::report {
namespace {

constexpr std::array<std::string_view, 4> kBeforeFactors{"session", "group", "launch", "arm"};
constexpr std::array<std::string_view, 4> kOfVisit{"calls", "round", "block", "visit"};
// Over memory in each repetition, which all its times are of: where operations walk over any.
constexpr std::string_view kPasses = "passes";
constexpr std::array<std::string_view, 10> kOfRecord{
    "repetition",    "start_ns",      "global_ns",      "local_ns",  "local_min_ns",
    "local_mean_ns", "start_skew_ns", "uncertainty_ns", "canary_ns", "flags"};

bool has_passes(std::span<const record::Factor* const> written) {
  return std::ranges::find(written, "loops", &record::Factor::name) != written.end();
}

// Collects text and hands it on in large pieces.
class Buffer {
 public:
  explicit Buffer(std::ostream& out) : out_(out) { text_.reserve(kSize + kRow); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { flush(); }

  Buffer& add(std::string_view text) {
    text_ += text;
    return *this;
  }

  template <std::integral Integer>
  Buffer& add_number(Integer number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
    return *this;
  }

  // Picoseconds as nanoseconds with three decimals, without floating point.
  Buffer& add_ns(std::int64_t time_ps) {
    auto magnitude = static_cast<std::uint64_t>(time_ps);
    if (time_ps < 0) {
      text_ += '-';
      magnitude = 0 - magnitude;
    }
    add_number(magnitude / 1000);
    const auto rest = static_cast<unsigned>(magnitude % 1000);
    const std::array<char, 4> decimals{'.', static_cast<char>('0' + rest / 100),
                                       static_cast<char>('0' + rest / 10 % 10),
                                       static_cast<char>('0' + rest % 10)};
    text_.append(decimals.data(), decimals.size());
    return *this;
  }

  void end_row() {
    if (text_.size() >= kSize) flush();
  }

 private:
  static constexpr std::size_t kSize = 1U << 18U;
  static constexpr std::size_t kRow = 4096;

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  std::string text_ = {};
};

// How a row looks: what stands before each value, what stands for none, what ends a row.
struct Form {
  std::string (*text)(std::string_view);  // quoted as the form needs it
  bool named = false;                     // "name":value
  std::string_view none;
};

std::string json_level(std::string_view text) {
  if (text.empty()) return "null";
  return base::parse_u64(text) ? std::string(text) : base::json_string(text);
}

std::string csv_level(std::string_view text) { return base::csv_text(text); }

constexpr Form kCsv{.text = csv_level, .named = false, .none = ""};
constexpr Form kJson{.text = json_level, .named = true, .none = "null"};

// Times that are not whole calls and that some cell has, in the order of their names.
std::vector<std::string> own_times(const store::Data& data) {
  const bool any = std::ranges::any_of(data.arms, [](const store::ArmRecord& arm) {
    return std::ranges::any_of(arm.operations, &record::OperationInfo::has_own_times);
  });
  if (!any) return {};
  std::vector<std::string> names;
  for (std::string& name : analysis::time_names(data)) {
    const analysis::TimeChoice choice{.kind = analysis::TimeChoice::Kind::kNamed, .name = name};
    const auto has_it = [&](const record::Cell& cell) {
      for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
        if (choose_time(data.operation(arm, cell.operation), cell, choice).time) return true;
      }
      return false;
    };
    if (std::ranges::any_of(data.cells, has_it)) names.push_back(std::move(name));
  }
  return names;
}

std::string own_time_column(const std::string& name) { return name + "_ns"; }

// The times of a visit beside its whole calls; null: cannot be told.
class OwnTimes {
 public:
  explicit OwnTimes(const store::Data& data) : data_(data), names_(own_times(data)) {}

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  void begin(std::uint32_t arm, const store::Visit& visit) {
    of_visit_.clear();
    if (names_.empty()) return;
    for (const std::shared_ptr<const analysis::DeclaredTime>& time : chosen(arm, visit.line.cell)) {
      std::optional<analysis::TickTimes> ticks;
      if (time && analysis::lack_of_ticks(visit, *time).empty()) ticks.emplace(visit, *time);
      of_visit_.push_back({.time = time.get(), .ticks = std::move(ticks)});
    }
  }

  // Calls f(number, time_ps or none) for each declared time of the visit's next record.
  template <typename F>
  void next(const record::Timing& record, F f) {
    for (std::size_t i = 0; i < of_visit_.size(); ++i) {
      std::optional<std::int64_t> time_ps;
      if (of_visit_[i].ticks) time_ps = of_visit_[i].ticks->next();
      const bool global = (record.flags & record::kGlobalInvalid) == 0;
      if (time_ps && !global && of_visit_[i].time->needs_common_time()) time_ps.reset();
      f(i, time_ps);
    }
  }

 private:
  struct OfVisit {
    const analysis::DeclaredTime* time = nullptr;
    std::optional<analysis::TickTimes> ticks = {};
  };
  using Chosen = std::vector<std::shared_ptr<const analysis::DeclaredTime>>;

  const Chosen& chosen(std::uint32_t arm, std::uint32_t cell) {
    const auto [known, is_new] = chosen_.try_emplace({arm, cell});
    if (!is_new) return known->second;
    const record::OperationInfo info = data_.operation(arm, data_.cells[cell].operation);
    for (const std::string& name : names_) {
      known->second.push_back(
          analysis::choose_time(info, data_.cells[cell],
                                {.kind = analysis::TimeChoice::Kind::kNamed, .name = name})
              .time);
    }
    return known->second;
  }

  const store::Data& data_;
  std::vector<std::string> names_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Chosen> chosen_ = {};
  std::vector<OfVisit> of_visit_ = {};
};

class Rows {
 public:
  Rows(const store::Data& data, const Form& form, Buffer& out)
      : data_(data), form_(form), out_(out), own_(data) {
    const auto before = [&](std::string_view name) {
      return form.named ? "," + base::json_string(name) + ':' : std::string(",");
    };
    for (std::size_t i = 0; i < kOfRecord.size(); ++i) before_[i] = before(kOfRecord[i]);
    for (const std::string& name : own_.names()) {
      before_own_.push_back(before(own_time_column(name)));
    }
  }

  // `between` stands between two rows, `end` at the end of each.
  void write(std::string_view between, std::string_view begin, std::string_view end) {
    for (const store::Group& group : data_.groups) {
      for (const store::Launch& launch : group.launches) {
        for (const store::Visit& visit : launch.visits) {
          const std::string head = std::string(begin) + head_of(launch, visit.line);
          own_.begin(launch.arm, visit);
          for (const record::Timing& record : visit.records) {
            if (!first_) out_.add(between);
            first_ = false;
            out_.add(head);
            add_record(visit.line, record);
            own_.next(record, [&](std::size_t i, const std::optional<std::int64_t>& time_ps) {
              add_if(time_ps.has_value(), before_own_[i], time_ps.value_or(0));
            });
            out_.add(end).end_row();
          }
        }
      }
    }
  }

 private:
  // What all rows of a visit begin with.
  std::string head_of(const store::Launch& launch, const record::VisitLine& line) const {
    std::string head;
    bool first = true;  // the first field may be empty
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!first) head += ',';
      first = false;
      if (form_.named) head += base::json_string(name) + ':';
      head += value;
    };
    const auto label = [&](const std::string& text) {
      return form_.named ? base::json_string(text) : base::csv_text(text);
    };
    add(kBeforeFactors[0], label(launch.session));
    add(kBeforeFactors[1], std::to_string(launch.group));
    add(kBeforeFactors[2], std::to_string(launch.launch));
    add(kBeforeFactors[3], label(data_.arms[launch.arm].label));
    for (const record::Factor* factor : factors_) {
      add(factor->name, form_.text(factor->text(data_.cells[line.cell])));
    }
    add(kOfVisit[0], std::to_string(line.calls));
    add(kOfVisit[1], std::to_string(line.round));
    add(kOfVisit[2], std::to_string(line.block));
    add(kOfVisit[3], std::to_string(line.visit));
    if (has_passes_) {
      add(kPasses, line.loops ? std::to_string(*line.loops) : std::string(form_.none));
    }
    return head;
  }

  void add_record(const record::VisitLine& line, const record::Timing& record) {
    const bool global = (record.flags & record::kGlobalInvalid) == 0;
    out_.add(before_[0]).add_number(record.repetition);
    out_.add(before_[1]).add_ns(record.start_ps);
    add_if(global, before_[2], record.global_ps);
    out_.add(before_[3]).add_ns(record.local_max_ps);
    out_.add(before_[4]).add_ns(record.local_min_ps);
    out_.add(before_[5]).add_ns(record.local_mean_ps);
    add_if(global, before_[6], record.start_skew_ps);
    const bool stated = (record.flags & record::kErrorUnstated) == 0;
    add_if(global && stated, before_[7], record.uncertainty_ps);
    const auto slowest = std::max_element(line.canary_ps.begin(), line.canary_ps.end());
    const bool canary = slowest != line.canary_ps.end();
    add_if(canary, before_[8], canary ? *slowest : 0);
    out_.add(before_[9]).add_number(record.flags);
  }

  void add_if(bool exists, std::string_view before, std::int64_t time_ps) {
    out_.add(before);
    if (exists) {
      out_.add_ns(time_ps);
    } else {
      out_.add(form_.none);
    }
  }

  const store::Data& data_;
  const Form& form_;
  Buffer& out_;
  OwnTimes own_;
  std::array<std::string, kOfRecord.size()> before_ = {};
  std::vector<std::string> before_own_ = {};
  std::vector<const record::Factor*> factors_ = record::written_factors(data_.cells);
  bool has_passes_ = has_passes(factors_);
  bool first_ = true;
};

}  // namespace

std::vector<std::string> observation_columns(std::span<const record::Cell> cells) {
  std::vector<std::string> columns(kBeforeFactors.begin(), kBeforeFactors.end());
  const std::vector<const record::Factor*> factors = record::written_factors(cells);
  for (const record::Factor* factor : factors) columns.emplace_back(factor->name);
  columns.insert(columns.end(), kOfVisit.begin(), kOfVisit.end());
  if (has_passes(factors)) columns.emplace_back(kPasses);
  columns.insert(columns.end(), kOfRecord.begin(), kOfRecord.end());
  return columns;
}

std::vector<std::string> observation_columns_of(const store::Data& data) {
  std::vector<std::string> columns = observation_columns(data.cells);
  for (const std::string& name : own_times(data)) {
    columns.push_back(base::csv_field(own_time_column(name)));
  }
  return columns;
}

void write_observations_csv(const store::Data& data, std::ostream& out) {
  Buffer buffer(out);
  buffer.add(base::join(observation_columns_of(data), ",")).add("\n");
  Rows(data, kCsv, buffer).write("", "", "\n");
}

void write_observations_json(const store::Data& data, std::ostream& out) {
  Buffer buffer(out);
  buffer.add("{\"schema\":1,\"observations\":[");
  Rows(data, kJson, buffer).write(",", "\n{", "}");
  buffer.add("\n]}\n");
}

}  // namespace invar::report
