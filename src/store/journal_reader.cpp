#include "store/journal_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/crc32c.hpp"
#include "base/json_whole.hpp"
#include "store/json_text.hpp"

namespace invar::store {
namespace {

constexpr std::string_view kCrcKey = ",\"line_crc\":\"";
constexpr std::size_t kTail = kCrcKey.size() + 8 + 2;

bool read_crc(std::string_view digits, std::uint32_t& crc) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), crc, 16);
  return error == std::errc() && digits.size() == 8 && end == digits.data() + digits.size();
}

// The line without its CRC (and without the closing brace), or nothing if that does not hold.
std::optional<std::string_view> body_of(std::string_view line) {
  if (line.size() <= kTail || !line.ends_with("\"}")) return std::nullopt;
  const std::string_view body = line.substr(0, line.size() - kTail);
  const std::string_view tail = line.substr(body.size());
  std::uint32_t crc = 0;
  if (!tail.starts_with(kCrcKey) || !read_crc(tail.substr(kCrcKey.size(), 8), crc) ||
      crc != base::crc32c(body)) {
    return std::nullopt;
  }
  return body;
}

// Reads the keys of a line in the order in which record::journal_line writes them.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }

  // Keys that only some lines have.
  [[nodiscard]] bool has(std::string_view name) const {
    return rest_.starts_with(",\"") && rest_.substr(2).starts_with(name) &&
           rest_.substr(2 + name.size()).starts_with("\":");
  }

  void literal(std::string_view expected) {
    good_ = good_ && rest_.starts_with(expected);
    if (good_) rest_.remove_prefix(expected.size());
  }

  template <std::integral Integer>
  void number(Integer& value) {
    if (!good_) return;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    good_ = error == std::errc();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  }

  void key(std::string_view name) {
    literal(",\"");
    literal(name);
    literal("\":");
  }

  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) void field(std::string_view name, Integer& value) {
    key(name);
    number(value);
  }

  void field(std::string_view name, bool& value) {
    key(name);
    value = rest_.starts_with("true");
    literal(value ? "true" : "false");
  }

  template <std::integral Integer>
  void field(std::string_view name, std::optional<Integer>& value) {
    key(name);
    if (rest_.starts_with("null")) {
      literal("null");
    } else {
      number(value.emplace());
    }
  }

  void field(std::string_view name, std::vector<std::int64_t>& values) {
    key(name);
    literal("[");
    while (good_ && !rest_.starts_with("]")) {
      if (!values.empty()) literal(",");
      number(values.emplace_back());
    }
    literal("]");
  }

  void crc(std::string_view name, std::uint32_t& value) {
    key(name);
    literal("\"");
    good_ = good_ && rest_.size() >= 8 && read_crc(rest_.substr(0, 8), value);
    if (good_) rest_.remove_prefix(8);
    literal("\"");
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

constexpr std::string_view kVisit = "{\"type\":\"visit\"";

bool read_visit(std::string_view body, record::VisitLine& line) {
  Scanner scan(body);
  scan.literal(kVisit);
  scan.field("visit", line.visit);
  scan.field("cell", line.cell);
  scan.field("turn", line.turn);
  scan.field("round", line.round);
  scan.field("block", line.block);
  scan.field("calls", line.calls);
  scan.field("first_record", line.first_record);
  scan.field("records", line.records);
  scan.crc("records_crc", line.records_crc);
  scan.field("first_rank_record", line.first_rank_record);
  scan.field("rank_records", line.rank_records);
  scan.crc("rank_records_crc", line.rank_records_crc);
  if (scan.has("first_mark_record")) {
    scan.field("first_mark_record", line.first_mark_record);
    scan.field("mark_records", line.mark_records);
    scan.crc("mark_records_crc", line.mark_records_crc);
  }
  scan.field("warm_up", line.warm_up);
  scan.field("valid", line.valid);
  scan.field("late", line.late);
  scan.field("repeated", line.repeated);
  scan.field("interrupted", line.interrupted);
  scan.field("retry_cap_reached", line.retry_cap_reached);
  scan.field("begin_ps", line.begin_ps);
  scan.field("end_ps", line.end_ps);
  scan.field("canary_ps", line.canary_ps);
  if (scan.has("across_ps")) scan.field("across_ps", line.across_ps);
  if (scan.has("chain_ps")) scan.field("chain_ps", line.chain_ps);
  if (scan.has("add_fs")) scan.field("add_fs", line.add_fs);
  if (scan.has("l1_fs")) scan.field("l1_fs", line.l1_fs);
  if (scan.has("beyond_fs")) scan.field("beyond_fs", line.beyond_fs);
  scan.field("empty_ps", line.empty_ps);
  scan.field("slack_ps", line.slack_ps);
  scan.field("involuntary_switches", line.involuntary_switches);
  scan.field("run_delay_ns", line.run_delay_ns);
  scan.field("steal_ticks", line.steal_ticks);
  scan.field("slept_cpu_ns", line.slept_cpu_ns);
  scan.field("send_offset_bytes", line.send_offset_bytes);
  scan.field("recv_offset_bytes", line.recv_offset_bytes);
  if (scan.has("scratch_offset_bytes")) {
    scan.field("scratch_offset_bytes", line.scratch_offset_bytes);
  }
  if (scan.has("loops")) scan.field("loops", line.loops);
  if (scan.has("huge_ppm")) scan.field("huge_ppm", line.huge_ppm);
  if (scan.has("frames_again_ppm")) scan.field("frames_again_ppm", line.frames_again_ppm);
  if (scan.has("checked")) scan.field("checked", line.checked);
  if (scan.has("lost")) {
    scan.field("lost", line.lost);
    scan.field("apart", line.apart);
    scan.field("skew_limit_ps", line.skew_limit_ps);
    if (line.lost == 0) return false;  // then the three are not written
  }
  if (scan.has("late_ranks")) scan.field("late_ranks", line.late_ranks);
  return scan.done();
}

std::uint32_t crc_from(const nlohmann::json& text) {
  std::uint32_t crc = 0;
  if (!read_crc(text.get<std::string>(), crc)) throw std::runtime_error("no checksum");
  return crc;
}

// Lines that come seldom. Throws if a key is missing or of another type.
void read_other(std::string_view line, Journal& journal) {
  const nlohmann::json json = parse_json(line);
  const std::string type = json.at("type").get<std::string>();
  if (type == "failure") {
    journal.failures.push_back({.cell = base::whole<std::uint32_t>(json.at("cell")),
                                .kind = json.at("kind").get<std::string>(),
                                .reason = json.at("reason").get<std::string>(),
                                .rank = base::whole<std::uint32_t>(json.at("rank")),
                                .host = json.at("host").get<std::string>()});
  } else if (type == "missed") {
    journal.missed.push_back({.visit = base::whole<std::uint32_t>(json.at("visit")),
                              .cell = base::whole<std::uint32_t>(json.at("cell")),
                              .reason = json.at("reason").get<std::string>()});
  } else if (type == "end") {
    record::EndLine end{.journal_bytes = base::whole<std::uint64_t>(json.at("journal_bytes")),
                        .journal_crc = crc_from(json.at("journal_crc")),
                        .ticks_per_s = json.at("ticks_per_s").get<double>(),
                        .rate_change_ppm = json.at("rate_change_ppm").get<double>()};
    for (const auto& [name, crc] : json.at("files").items()) end.files[name] = crc_from(crc);
    journal.end = std::move(end);
  } else {
    throw std::runtime_error("lines of type '" + type + "' are unknown to this version");
  }
}

}  // namespace

Journal read_journal(std::string_view text, const std::string& place) {
  Journal journal;
  journal.visits.reserve(text.size() / 600);
  std::size_t number = 0;
  std::size_t offset = 0;
  const auto fault = [&](std::string what) {
    journal.faults.push_back({place + ':' + std::to_string(number), std::move(what)});
  };
  while (offset < text.size()) {
    ++number;
    const std::size_t feed = text.find('\n', offset);
    if (feed == std::string_view::npos) {
      journal.torn = true;
      break;
    }
    const std::string_view line = text.substr(offset, feed - offset);
    const std::size_t begin = offset;
    offset = feed + 1;
    if (journal.end) {
      fault("stands behind the end line");
      break;
    }
    const auto body = body_of(line);
    if (!body) {
      fault("does not match its checksum");
      continue;
    }
    if (body->starts_with(kVisit)) {
      if (!read_visit(*body, journal.visits.emplace_back())) {
        journal.visits.pop_back();
        fault("is not a visit as this version writes them");
      }
      continue;
    }
    try {
      read_other(line, journal);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      fault(without_code(error.what()));
      continue;
    }
    if (journal.end && (journal.end->journal_bytes != begin ||
                        journal.end->journal_crc != base::crc32c(text.substr(0, begin)))) {
      fault("the end line's checksum does not match the lines before it");
    }
  }
  return journal;
}

bool journal_is_ended(const std::filesystem::path& path) {
  constexpr std::streamoff kLongestEndLine = 4096;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (!file || size <= 0) return false;
  file.seekg(std::max<std::streamoff>(0, size - kLongestEndLine));
  std::string tail(static_cast<std::size_t>(std::min(size, kLongestEndLine)), '\0');
  if (!file.read(tail.data(), static_cast<std::streamsize>(tail.size()))) return false;
  if (!tail.ends_with('\n')) return false;
  tail.pop_back();
  return read_journal(tail.substr(tail.rfind('\n') + 1) + '\n', "").end.has_value();
}

}  // namespace invar::store
