#include "record/journal.hpp"

#include "base/crc32c.hpp"
#include "base/json_writer.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kCrcKey = ",\"line_crc\":\"";

std::string finished(base::JsonWriter& json) { return with_line_crc(json.text()); }

void write_times(base::JsonWriter& json, std::string_view key,
                 const std::vector<std::int64_t>& times) {
  json.key(key).begin_array();
  for (const std::int64_t time : times) json.value(time);
  json.end_array();
}

}  // namespace

std::string with_line_crc(std::string_view json_without_brace) {
  return std::string(json_without_brace) + std::string(kCrcKey) +
         base::crc_text(base::crc32c(json_without_brace)) + "\"}";
}

bool line_crc_holds(std::string_view line) {
  constexpr std::size_t kTail = kCrcKey.size() + 8 + 2;
  if (line.size() <= kTail) return false;
  const std::string_view body = line.substr(0, line.size() - kTail);
  return with_line_crc(body) == line;
}

std::string journal_line(const VisitLine& line) {
  base::JsonWriter json;
  json.begin_object()
      .field("type", "visit")
      .field("visit", line.visit)
      .field("cell", line.cell)
      .field("turn", line.turn)
      .field("round", line.round)
      .field("block", line.block)
      .field("calls", line.calls)
      .field("first_record", line.first_record)
      .field("records", line.records)
      .field("records_crc", base::crc_text(line.records_crc))
      .field("first_rank_record", line.first_rank_record)
      .field("rank_records", line.rank_records)
      .field("rank_records_crc", base::crc_text(line.rank_records_crc));
  if (line.mark_records > 0) {
    json.field("first_mark_record", line.first_mark_record)
        .field("mark_records", line.mark_records)
        .field("mark_records_crc", base::crc_text(line.mark_records_crc));
  }
  json.field("warm_up", line.warm_up)
      .field("valid", line.valid)
      .field("late", line.late)
      .field("repeated", line.repeated)
      .field("interrupted", line.interrupted)
      .field("retry_cap_reached", line.retry_cap_reached)
      .field("begin_ps", line.begin_ps)
      .field("end_ps", line.end_ps);
  write_times(json, "canary_ps", line.canary_ps);
  if (!line.across_ps.empty()) write_times(json, "across_ps", line.across_ps);
  if (!line.chain_ps.empty()) write_times(json, "chain_ps", line.chain_ps);
  if (!line.add_fs.empty()) write_times(json, "add_fs", line.add_fs);
  if (!line.l1_fs.empty()) write_times(json, "l1_fs", line.l1_fs);
  if (!line.beyond_fs.empty()) write_times(json, "beyond_fs", line.beyond_fs);
  json.field("empty_ps", line.empty_ps)
      .field("slack_ps", line.slack_ps)
      .field("involuntary_switches", line.involuntary_switches)
      .field("run_delay_ns", line.run_delay_ns)
      .field("steal_ticks", line.steal_ticks)
      .field("slept_cpu_ns", line.slept_cpu_ns)
      .field("send_offset_bytes", line.send_offset_bytes)
      .field("recv_offset_bytes", line.recv_offset_bytes);
  if (line.scratch_offset_bytes) json.field("scratch_offset_bytes", *line.scratch_offset_bytes);
  if (line.loops) json.field("loops", *line.loops);
  if (line.huge_ppm) json.field("huge_ppm", *line.huge_ppm);
  if (line.frames_again_ppm) json.field("frames_again_ppm", *line.frames_again_ppm);
  if (line.checked) json.field("checked", true);
  if (line.lost > 0) {
    json.field("lost", line.lost)
        .field("apart", line.apart)
        .field("skew_limit_ps", line.skew_limit_ps);
  }
  if (!line.late_ranks.empty()) {
    json.key("late_ranks").begin_array();
    for (const std::int64_t number : line.late_ranks) json.value(number);
    json.end_array();
  }
  return finished(json);
}

std::string journal_line(const FailureLine& line) {
  base::JsonWriter json;
  json.begin_object()
      .field("type", "failure")
      .field("cell", line.cell)
      .field("kind", line.kind)
      .field("reason", line.reason)
      .field("rank", line.rank)
      .field("host", line.host);
  return finished(json);
}

std::string journal_line(const MissedLine& line) {
  base::JsonWriter json;
  json.begin_object()
      .field("type", "missed")
      .field("visit", line.visit)
      .field("cell", line.cell)
      .field("reason", line.reason);
  return finished(json);
}

std::string journal_line(const EndLine& line) {
  base::JsonWriter json;
  json.begin_object().field("type", "end");
  json.key("files").begin_object();
  for (const auto& [name, crc] : line.files) json.field(name, base::crc_text(crc));
  json.end_object()
      .field("journal_bytes", line.journal_bytes)
      .field("journal_crc", base::crc_text(line.journal_crc))
      .field("ticks_per_s", line.ticks_per_s)
      .field("rate_change_ppm", line.rate_change_ppm);
  return finished(json);
}

}  // namespace invar::record
