#include "driver/programs/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/program.hpp"
#include "driver/programs/program_output.hpp"
#include "driver/run/blame.hpp"
#include "driver/run/child_ends.hpp"
#include "driver/run/group_page.hpp"
#include "driver/run/interrupt.hpp"
#include "group/stillness.hpp"
#include "host/environment.hpp"
#include "host/facts.hpp"
#include "launch/start/launcher.hpp"
#include "record/journal.hpp"
#include "record/record_file.hpp"
#include "record/timing.hpp"
#include "store/files.hpp"
#include "store/launch_files.hpp"

namespace invar::driver {
namespace {

using Clock = std::chrono::steady_clock;

// How often the limits are looked at; the end of a run and a signal wake us at once.
constexpr int kLookMs = 200;
// The limit of each of the two outputs. The kernel's own limit (RLIMIT_FSIZE) would hold for all
// files of the program.
constexpr std::uint64_t kMostOutputBytes = 64ULL << 20U;

constexpr std::array<const char*, 2> kOutputs{"stdout", "stderr"};

struct ProgramRun {
  bool interrupted = false;
  bool out_of_time = false;
  std::string problem = {};  // why there is no time
  PrintedTime printed = {};
};

class ProgramLaunch {
 public:
  explicit ProgramLaunch(const ProgramOrder& order)
      : order_(order),
        arm_(order.prepared.campaign.arms[order.arm]),
        checked_(order.prepared.arms[order.arm]),
        rule_(design::parse_rule(arm_.program)),
        timings_((order.dir / store::kTimings).string()),
        journal_((order.dir / store::kJournal).string()) {}

  ProgramEnd run() {
    ProgramEnd end;
    const std::map<std::string, std::uint64_t> network = host::network_counters();
    const std::string host = host::environment_json(order_.full_environment, false);
    for (const record::PlanRow& row : order_.rows.rows) {
      if (order_.failed_cells.contains(row.cell)) continue;
      const std::int64_t begin_ps = now_ps();
      const ProgramRun run = run_cell(row);
      end.interrupted = run.interrupted;
      end.out_of_time = run.out_of_time;
      if (end.interrupted || end.out_of_time) return end;
      ++end.runs;
      if (heading_.empty()) heading_ = run.printed.heading;
      if (run.problem.empty()) {
        write_visit(row, run.printed, begin_ps, now_ps());
        steps_ns_[row.cell] = run.printed.step_ns;
        if (!run.printed.converted.empty()) converted_[row.cell] = run.printed.converted;
      } else {
        write_line(record::journal_line(
            record::MissedLine{.visit = row.visit, .cell = row.cell, .reason = run.problem}));
      }
    }
    finish(host, host::network_deltas_json(network, host::network_counters()));
    return end;
  }

 private:
  [[nodiscard]] std::int64_t now_ps() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin_).count() *
           1000;
  }

  [[nodiscard]] const record::OperationInfo& operation_of(const record::Cell& cell) const {
    return order_.prepared.cells.operation(cell.operation);
  }

  [[nodiscard]] launch::StartOptions options_of(const record::PlanRow& row) const {
    const design::EngineOptions& engine = order_.prepared.campaign.engine;
    const record::Cell& cell = order_.rows.cells.at(row.cell);
    launch::StartOptions options{
        .ranks = cell.ranks,
        .hosts = order_.prepared.hosts,
        .launcher = engine.launcher,
        .oversubscribe = engine.oversubscribe,
        .environment = checked_.environment,
        .program = design::command_words(arm_.program.command, cell, operation_of(cell),
                                         "arm '" + arm_.label + "'"),
        .bind = engine.pinning == "core" && !engine.oversubscribe,
        .dir = order_.dir,
        .output = std::to_string(row.visit) + "."};
    options.program.front() = checked_.program->file;
    if (!options.hosts.empty()) options.hosts.resize(cell.nodes);
    return options;
  }

  [[nodiscard]] ProgramRun run_cell(const record::PlanRow& row) const {
    const launch::StartOptions options = options_of(row);
    // While the job is suspended, and this process with it, nothing takes the program's time.
    group::CountedTime time;
    time.look(steady_ns());
    ProgramRun run;
    std::optional<int> status;
    {
      launch::Process process = launch::start(checked_.profile, options);
      const ChildEnds child_ends;  // not before: the program would inherit the blocked signal
      while (!(status = process.poll())) {
        if (interrupted()) return {.interrupted = true};
        if (order_.latest_end && Clock::now() >= *order_.latest_end) return {.out_of_time = true};
        if (is_flooded(options.output)) break;
        if (static_cast<double>(time.look(steady_ns())) * 1e-9 > order_.limit_s) break;
        child_ends.wait(kLookMs);
      }
    }  // what still runs is ended here
    const bool flooded = is_flooded(options.output);
    if (flooded) cut(options.output);
    const Output out(order_.dir / (options.output + "stdout"));
    const Output errors(order_.dir / (options.output + "stderr"));
    const std::string said = last_lines(out.text(), errors.text());
    const std::string quoted = said.empty() ? "; it printed nothing" : "; its last words: " + said;
    if (flooded) {
      run.problem = "printed more than 64 MiB" + quoted;
    } else if (!status) {
      run.problem = std::string(kDidNotEnd) + base::span_text(order_.limit_s) + quoted;
    } else if (*status != 0) {
      run.problem = ended_text(*status) + quoted;
    } else {
      const record::Cell& cell = order_.rows.cells.at(row.cell);
      run.printed = read_time(rule_, cell, operation_of(cell), out.text());
      if (!run.printed.complaint.empty()) run.problem = run.printed.complaint + quoted;
    }
    return run;
  }

  // What a run printed, without a copy of it.
  class Output {
   public:
    explicit Output(const std::filesystem::path& path)
        : file_(store::MappedFile::open(path, error_)) {}
    [[nodiscard]] std::string_view text() const { return file_ ? file_->text() : ""; }

   private:
    int error_ = 0;
    std::optional<store::MappedFile> file_;
  };

  [[nodiscard]] bool is_flooded(const std::string& name) const {
    std::error_code error;
    return std::any_of(kOutputs.begin(), kOutputs.end(), [&](const char* output) {
      const std::uintmax_t bytes = std::filesystem::file_size(order_.dir / (name + output), error);
      return !error && bytes > kMostOutputBytes;
    });
  }

  // When no process writes any more.
  void cut(const std::string& name) const {
    std::error_code error;
    for (const char* output : kOutputs) {
      const std::filesystem::path path = order_.dir / (name + output);
      const std::uintmax_t bytes = std::filesystem::file_size(path, error);
      if (!error && bytes > kMostOutputBytes) {
        std::filesystem::resize_file(path, kMostOutputBytes, error);
      }
    }
  }

  void write_line(const std::string& line) {
    const std::string text = line + '\n';
    journal_.append(text.data(), text.size());
  }

  void write_visit(const record::PlanRow& row, const PrintedTime& printed, std::int64_t begin_ps,
                   std::int64_t end_ps) {
    const bool oversubscribed = order_.prepared.campaign.engine.oversubscribe;
    // One number stands for all ranks; nothing is known of starts and ends in a common clock.
    const record::Timing timing{
        .visit = row.visit,
        .repetition = 0,
        .start_ps = begin_ps,
        .global_ps = printed.time_ps,
        .local_max_ps = printed.time_ps,
        .local_min_ps = printed.time_ps,
        .local_mean_ps = printed.time_ps,
        .start_skew_ps = 0,
        .uncertainty_ps = 0xffffffffU,
        .flags = static_cast<std::uint16_t>(record::kGlobalInvalid |
                                            (oversubscribed ? record::kOversubscribed : 0)),
        .reserved = 0};
    const auto bytes = std::as_bytes(std::span(&timing, 1));
    const record::VisitLine line{.visit = row.visit,
                                 .cell = row.cell,
                                 .turn = row.turn,
                                 .round = row.round,
                                 .block = row.block,
                                 .calls = row.calls,
                                 .first_record = timings_.size() / sizeof(record::Timing),
                                 .records = 1,
                                 .records_crc = base::crc32c(bytes),
                                 .valid = 1,
                                 .begin_ps = begin_ps,
                                 .end_ps = end_ps};
    timings_.append(bytes.data(), bytes.size());
    write_line(record::journal_line(line));
  }

  // {"program": {...}, "printed_steps": [...], "converted": [...], "hosts": [this one]}
  [[nodiscard]] std::string environment(const std::string& host, const std::string& network) const {
    base::JsonWriter json;
    json.begin_object()
        .field("format", 1)
        .field("label", arm_.label)
        .field("group", order_.group)
        .field("launch", order_.launch)
        .field("ranks", order_.prepared.ranks)
        .field("hosts_count", order_.prepared.host_count());
    json.key("program")
        .begin_object()
        .field("command", arm_.program.command)
        .field("file", checked_.program->file)
        .field("heading", heading_)
        .end_object();
    json.key("printed_steps").begin_array();
    for (const auto& [cell, step_ns] : steps_ns_) {
      json.begin_object().field("cell", cell).field("step_ns", step_ns).end_object();
    }
    json.end_array();
    if (!converted_.empty()) {
      json.key("converted").begin_array();
      for (const auto& [cell, words] : converted_) {
        json.begin_object().field("cell", cell).field("how", words).end_object();
      }
      json.end_array();
    }
    std::string text = json.text();
    text += ",\"network_during\":[" + network + "],\"hosts\":[" + host + "]}\n";
    return text;
  }

  void finish(const std::string& host, const std::string& network) {
    const std::string text = environment(host, network);
    record::RecordFile file((order_.dir / store::kEnvironment).string());
    file.append(text.data(), text.size());
    file.sync();
    timings_.sync();
    const record::EndLine end{
        .files = {{store::kTimings, timings_.crc()}, {store::kEnvironment, file.crc()}},
        .journal_bytes = journal_.size(),
        .journal_crc = journal_.crc()};
    write_line(record::journal_line(end));
    journal_.sync();
  }

  const ProgramOrder& order_;
  const design::Arm& arm_;
  const launch::CheckedArm& checked_;
  design::ParseRule rule_;
  record::RecordFile timings_;
  record::RecordFile journal_;
  Clock::time_point begin_ = Clock::now();
  std::string heading_ = {};
  std::map<std::uint32_t, double> steps_ns_ = {};        // by Cell::id
  std::map<std::uint32_t, std::string> converted_ = {};  // likewise; to what PrintedTime says
};

}  // namespace

ProgramEnd run_program_launch(const ProgramOrder& order) { return ProgramLaunch(order).run(); }

}  // namespace invar::driver
