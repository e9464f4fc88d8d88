#include "store/reader.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "store/json_text.hpp"
#include "store/launch_files.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/open.hpp"

namespace invar::store {
namespace {

// "1 to 12, 14"
std::string ranges_text(const std::set<std::uint32_t>& numbers) {
  std::vector<std::string> parts;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) ++last;
    parts.push_back(std::to_string(*first) +
                    (first == last ? std::string() : " to " + std::to_string(*last)));
    first = std::next(last);
  }
  return base::join(parts, ", ");
}

// {"clock": {KEY: ...}}; 0 if it is not there.
double clock_number(const nlohmann::json& environment, const char* key) {
  const auto clock = environment.find("clock");
  if (clock == environment.end() || !clock->is_object()) return 0;
  const auto number = clock->find(key);
  return number != clock->end() && number->is_number() ? number->get<double>() : 0;
}

// 0: it is not there, or no number.
double number_of(const nlohmann::json& object, const char* key) {
  const auto number = object.find(key);
  return number != object.end() && number->is_number() ? number->get<double>() : 0;
}

// {"batch_calls": [{"cell": 0, "call_ns": 120.5, "step_ns": 10}, ...]}
void take_batch_calls(const nlohmann::json& environment, Launch& launch) {
  const auto cells = environment.find("batch_calls");
  if (cells == environment.end() || !cells->is_array()) return;
  for (const nlohmann::json& entry : *cells) {
    if (!entry.is_object()) continue;
    const auto cell = entry.find("cell");
    if (cell == entry.end() || !cell->is_number_unsigned()) continue;
    launch.batch_calls[cell->get<std::uint32_t>()] = {.call_ns = number_of(entry, "call_ns"),
                                                      .step_ns = number_of(entry, "step_ns"),
                                                      .known_ns = number_of(entry, "known_ns")};
  }
}

// "32K", "1024K", "32M" as the kernel writes sizes; 0: not that.
std::uint64_t kernel_size(const std::string& text) {
  if (text.empty()) return 0;
  std::uint64_t unit = 1;
  std::string digits = text;
  if (text.back() == 'K') unit = 1U << 10U;
  if (text.back() == 'M') unit = 1U << 20U;
  if (unit > 1) digits.pop_back();
  return base::parse_u64(digits).value_or(0) * unit;
}

// {"hosts": [{"processor": {"caches": [{"level": 1, "type": "Data", "size": "32K", ...}, ...]}},
// ...]}
void take_caches(const nlohmann::json& environment, Launch& launch) {
  const auto hosts = environment.find("hosts");
  if (hosts == environment.end() || !hosts->is_array() || hosts->empty()) return;
  const nlohmann::json& host = hosts->front();
  if (!host.is_object()) return;
  const auto processor = host.find("processor");
  if (processor == host.end() || !processor->is_object()) return;
  const auto caches = processor->find("caches");
  if (caches == processor->end() || !caches->is_array()) return;
  const auto text_of = [](const nlohmann::json& object, const char* key) {
    const auto text = object.find(key);
    return text != object.end() && text->is_string() ? text->get<std::string>() : std::string();
  };
  for (const nlohmann::json& entry : *caches) {
    if (!entry.is_object() || text_of(entry, "type") == "Instruction") continue;
    const ToldCache cache{.level = static_cast<std::uint32_t>(number_of(entry, "level")),
                          .bytes = kernel_size(text_of(entry, "size")),
                          .ways = static_cast<std::uint32_t>(number_of(entry, "ways")),
                          .line_bytes = static_cast<std::uint32_t>(number_of(entry, "line_bytes")),
                          .shared_cpus = text_of(entry, "shared_cpus")};
    if (cache.level > 0 && cache.bytes > 0) launch.caches.push_back(cache);
  }
  std::stable_sort(launch.caches.begin(), launch.caches.end(),
                   [](const ToldCache& a, const ToldCache& b) { return a.level < b.level; });
}

// {"memory": {"cells": [{"cell": 0, "width_bytes": 32, ...}, ...]}}
void take_widths(const nlohmann::json& environment, Launch& launch) {
  const auto memory = environment.find("memory");
  if (memory == environment.end() || !memory->is_object()) return;
  const auto cells = memory->find("cells");
  if (cells == memory->end() || !cells->is_array()) return;
  for (const nlohmann::json& entry : *cells) {
    if (!entry.is_object()) continue;
    const auto cell = entry.find("cell");
    if (cell == entry.end() || !cell->is_number_unsigned()) continue;
    launch.width_bytes[cell->get<std::uint32_t>()] =
        static_cast<std::uint32_t>(number_of(entry, "width_bytes"));
  }
}

// {"delay": {"planted": true, "step_ps": 1000.1, "check": 1.001}}
void take_delay(const nlohmann::json& environment, Launch& launch) {
  const auto delay = environment.find("delay");
  if (delay == environment.end() || !delay->is_object()) return;
  launch.delays_planted = delay->value("planted", nlohmann::json()) == true;
  const auto check = delay->find("check");
  if (check != delay->end() && check->is_number()) launch.delay_check = check->get<double>();
}

// {"printed_steps": [{"cell": 0, "step_ns": 10}, ...]}
void take_printed_steps(const nlohmann::json& environment, Launch& launch) {
  const auto cells = environment.find("printed_steps");
  if (cells == environment.end() || !cells->is_array()) return;
  for (const nlohmann::json& entry : *cells) {
    if (!entry.is_object()) continue;
    const auto cell = entry.find("cell");
    if (cell == entry.end() || !cell->is_number_unsigned()) continue;
    launch.printed_step_ns[cell->get<std::uint32_t>()] = number_of(entry, "step_ns");
  }
}

// {"converted": [{"cell": 0, "how": "half a round trip, times 2"}, ...]}
void take_converted(const nlohmann::json& environment, Launch& launch) {
  const auto cells = environment.find("converted");
  if (cells == environment.end() || !cells->is_array()) return;
  for (const nlohmann::json& entry : *cells) {
    if (!entry.is_object()) continue;
    const auto cell = entry.find("cell");
    const auto how = entry.find("how");
    if (cell == entry.end() || !cell->is_number_unsigned()) continue;
    if (how == entry.end() || !how->is_string()) continue;
    launch.converted[cell->get<std::uint32_t>()] = how->get<std::string>();
  }
}

// {"network_during": [{"lo.tx_packets": 12, ...}, ...]}, one object a host.
void take_network(const nlohmann::json& environment, Launch& launch) {
  constexpr std::string_view kPackets = ".tx_packets";
  const auto hosts = environment.find("network_during");
  if (hosts == environment.end() || !hosts->is_array()) return;
  for (const nlohmann::json& host : *hosts) {
    if (!host.is_object()) continue;
    for (const auto& [name, value] : host.items()) {
      if (!name.ends_with(kPackets) || !value.is_number_unsigned()) continue;
      const auto packets = value.get<std::uint64_t>();
      if (packets <= launch.network_packets) continue;
      launch.network_packets = packets;
      launch.network_interface = name.substr(0, name.size() - kPackets.size());
    }
  }
}

// What is known of a clock that visits were timed by.
struct ClockFacts {
  double tick_ps = 0;
  bool one_on_a_host = false;  // all ranks of a host read it alike
  bool one_on_all = false;     // those of all hosts do
  std::optional<double> agree_within_ns = {};
};

// By name. clock.csv has its rate at every flush, that of the whole launch last; env.json says
// whether the ranks of a host read it alike, or those of all (in a simulation: "hosts_agree"), and
// what comparing them left open:
// {"clocks": [{"source": "tsc", "ranks_agree": true, "agree_within_ns": 92}]}
std::map<std::string, ClockFacts> clock_facts(const nlohmann::json& environment,
                                              const std::string& csv, const std::string& place) {
  constexpr std::size_t kName = 0;
  constexpr std::size_t kTicksPerS = 4;
  std::map<std::string, ClockFacts> facts;
  base::CsvReader reader(csv, place);
  base::CsvRow row;
  while (reader.next(row)) {
    if (row.fields.size() <= kTicksPerS) continue;
    const double ticks_per_s = std::strtod(row.fields[kTicksPerS].c_str(), nullptr);
    if (ticks_per_s > 0) facts[row.fields[kName]].tick_ps = 1e12 / ticks_per_s;
  }
  const auto clocks = environment.find("clocks");
  if (clocks == environment.end() || !clocks->is_array()) return facts;
  for (const nlohmann::json& clock : *clocks) {
    if (!clock.is_object()) continue;
    const auto source = clock.find("source");
    if (source == clock.end() || !source->is_string()) continue;
    const auto known = facts.find(source->get<std::string>());
    if (known == facts.end()) continue;
    known->second.one_on_a_host = clock.value("ranks_agree", nlohmann::json()) == true;
    known->second.one_on_all = clock.value("hosts_agree", nlohmann::json()) == true;
    const auto within = clock.find("agree_within_ns");
    if (within != clock.end() && within->is_number()) {
      known->second.agree_within_ns = within->get<double>();
    }
  }
  return facts;
}

// What a tick of one clock was taken for on the leaders of clock domains.
struct RateRange {
  double least_ps = 0;
  double most_ps = 0;

  // Rates of one frequency are measured to better than that.
  [[nodiscard]] bool is_one() const { return most_ps <= least_ps * (1 + 1e-3); }
};

// By the clock's name, from clock_sync.csv: the clocks that were compared between hosts.
std::map<std::string, RateRange> compared_rates(const std::string& csv, const std::string& place) {
  constexpr std::size_t kName = 0;
  constexpr std::size_t kPsPerTick = 14;
  std::map<std::string, RateRange> rates;
  base::CsvReader reader(csv, place);
  base::CsvRow row;
  while (reader.next(row)) {
    if (row.fields.size() <= kPsPerTick) continue;
    const double ps = std::strtod(row.fields[kPsPerTick].c_str(), nullptr);
    if (!(ps > 0)) continue;
    RateRange& range =
        rates.try_emplace(row.fields[kName], RateRange{.least_ps = ps, .most_ps = ps})
            .first->second;
    range.least_ps = std::min(range.least_ps, ps);
    range.most_ps = std::max(range.most_ps, ps);
  }
  return rates;
}

// launch.spec of engines that tell lost starts has the limit from which these matter.
bool tells_lost_starts(const std::string& spec) {
  constexpr std::string_view kLimit = "skew_limit_ns = ";
  return spec.starts_with(kLimit) || spec.find("\n" + std::string(kLimit)) != std::string::npos;
}

// `auto` is the processor's counter where that is in use at all: every rank can trust it then.
ClockFacts clock_of(const std::map<std::string, ClockFacts>& facts, const record::Cell& cell) {
  const bool automatic = cell.clock == "auto";
  const auto known = facts.find(!automatic              ? cell.clock
                                : facts.contains("tsc") ? "tsc"
                                                        : "monotonic-raw");
  return known == facts.end() ? ClockFacts() : known->second;
}

// Whether a tick of this cell's clock is worth the same on all its ranks. `rates`: of clocks that
// were compared between hosts. Other clocks than the processor's counter tick in known units.
bool has_one_rate(const std::map<std::string, RateRange>& rates, const record::Cell& cell,
                  bool virtual_clocks) {
  // Clocks that are wrong on purpose may have several rates on one host.
  if (cell.nodes == 1 && !virtual_clocks) return true;
  if (cell.clock != "auto" && cell.clock != "tsc") return true;
  const auto known = rates.find("tsc");
  if (known != rates.end()) return known->second.is_one();
  // `auto` where no rank could trust its counter.
  return cell.clock == "auto" && rates.contains("monotonic-raw");
}

// Something else than whole calls may be asked for.
bool has_own_times(const std::vector<ArmRecord>& arms) {
  return std::any_of(arms.begin(), arms.end(), [](const ArmRecord& arm) {
    return std::any_of(arm.operations.begin(), arm.operations.end(),
                       [](const record::OperationInfo& info) { return info.has_own_times(); });
  });
}

class CampaignReader {
 public:
  explicit CampaignReader(const std::filesystem::path& dir) { data_.dir = dir; }

  Data read() {
    ManifestText text = open_manifest(data_.dir);
    data_.damage = std::move(text.damage);
    try {
      manifest_ = read_manifest(text.lines, (data_.dir / kManifest).string());
    } catch (const base::CommandError&) {
      throw;
    } catch (const std::runtime_error& error) {
      data_.damage.push_back({.place = std::string(kManifest), .what = error.what()});
      return std::move(data_);
    }
    take_manifest();
    if (!text.lost.empty() || text.lines.empty()) return std::move(data_);
    for (const auto& [number, group] : manifest_.groups) {
      if (group.outcome.complete) {
        read_group(group);
      } else {
        data_.failed_groups.push_back(group.outcome);
      }
    }
    data_.mapped =
        std::make_shared<std::vector<std::shared_ptr<const MappedFile>>>(std::move(mapped_));
    warn_of_tests();
    warn_of_decisions();
    if (!data_.sessions.empty()) data_.session = data_.sessions.front();
    return std::move(data_);
  }

 private:
  void take_manifest() {
    data_.campaign_toml = manifest_.campaign_toml;
    data_.made_by = manifest_.made_by;
    data_.scope = manifest_.place.scope;
    data_.hosts = manifest_.place.hosts;
    data_.regime_before = manifest_.place.regime_before;
    data_.variables = manifest_.place.variables;
    data_.session = manifest_.session;
    data_.arms = manifest_.arms;
    data_.cells = manifest_.cells();
    data_.failed_cells = manifest_.failed_cells;
    data_.dropped_arms = manifest_.dropped_arms;
    data_.warnings = manifest_.warnings;
    data_.planned_groups = manifest_.planned_groups;
    data_.looks = manifest_.looks;
    data_.decided = manifest_.decided;
    data_.ended = manifest_.ended;
  }

  void read_group(const GroupLine& line) {
    Group group{.group = line.outcome.group, .seconds = line.outcome.seconds};
    std::vector<DataFault> faults;
    std::vector<std::shared_ptr<const MappedFile>> mapped;
    std::vector<Missed> missed;
    for (const std::uint32_t launch : line.launches) {
      const auto seal = manifest_.seals.find(launch);
      if (seal == manifest_.seals.end()) {
        faults.push_back({.place = std::string(kManifest),
                          .what = "launch " + std::to_string(launch) + " of group " +
                                  std::to_string(group.group) + " has no seal"});
        continue;
      }
      read_launch(seal->second, group, faults, mapped, missed);
    }
    if (!faults.empty()) {
      data_.damaged_groups.push_back(group.group);
      data_.damage.insert(data_.damage.end(), faults.begin(), faults.end());
      return;
    }
    for (const Launch& launch : group.launches) {
      data_.clock_step_ns = std::max(data_.clock_step_ns, launch.clock_step_ns);
      if (std::find(data_.sessions.begin(), data_.sessions.end(), launch.session) ==
          data_.sessions.end()) {
        data_.sessions.push_back(launch.session);
      }
    }
    mapped_.insert(mapped_.end(), mapped.begin(), mapped.end());
    data_.missed.insert(data_.missed.end(), missed.begin(), missed.end());
    data_.groups.push_back(std::move(group));
  }

  void read_launch(const LaunchSeal& seal, Group& group, std::vector<DataFault>& faults,
                   std::vector<std::shared_ptr<const MappedFile>>& mapped,
                   std::vector<Missed>& missed) {
    const auto arm = std::find_if(data_.arms.begin(), data_.arms.end(),
                                  [&](const ArmRecord& known) { return known.label == seal.arm; });
    LaunchFiles files = read_sealed_launch(data_.dir, seal);
    if (arm == data_.arms.end()) {
      files.faults.push_back({.place = std::string(kManifest),
                              .what = "the arm '" + seal.arm + "' of launch " +
                                      std::to_string(seal.launch) + " is not known"});
    }
    Launch launch{.launch = seal.launch,
                  .group = seal.group,
                  .arm = static_cast<std::uint32_t>(arm - data_.arms.begin()),
                  .dir = data_.dir / seal.dir,
                  .session = seal.session};
    const nlohmann::json environment = parse_json_or_none(files.environment);
    if (environment.is_object()) {
      launch.clock_step_ns = clock_number(environment, "step_ns");
      launch.test_clock_step_ns = clock_number(environment, "test_step_ns");
      launch.virtual_clocks = environment.contains("virtual_clocks");
      take_delay(environment, launch);
      take_batch_calls(environment, launch);
      take_printed_steps(environment, launch);
      take_caches(environment, launch);
      take_widths(environment, launch);
      take_converted(environment, launch);
      take_network(environment, launch);
    }
    if (files.journal.end) launch.rate_change_ppm = files.journal.end->rate_change_ppm;
    std::map<std::string, ClockFacts> clocks;
    if (environment.is_object() && files.faults.empty() && has_own_times(data_.arms)) {
      clocks = clock_facts(environment, files.clock, seal.dir + '/' + kClock);
    }
    const bool program = arm != data_.arms.end() && !arm->program.empty();
    std::map<std::string, RateRange> rates;
    if (files.faults.empty() && (files.ranks || files.marks)) {
      rates = compared_rates(files.clock_sync, seal.dir + '/' + kClockSync);
    }
    launch.earlier_engine = !program && !tells_lost_starts(files.spec);
    launch.visits.reserve(files.journal.visits.size());
    for (record::VisitLine& line : files.journal.visits) {
      if (line.cell >= data_.cells.size()) {
        files.faults.push_back({.place = seal.dir + '/' + kJournal,
                                .what = "visit " + std::to_string(line.visit) + " is of cell " +
                                        std::to_string(line.cell) + ", which no plan has"});
        break;
      }
      const auto records = files.records(line);
      const auto rank_records = files.rank_records(line);
      const auto mark_records = files.mark_records(line);
      const record::Cell& cell = data_.cells[line.cell];
      const ClockFacts clock = clocks.empty() ? ClockFacts() : clock_of(clocks, cell);
      const bool one_clock =
          (cell.nodes == 1 ? clock.one_on_a_host : clock.one_on_all) && !launch.virtual_clocks;
      launch.visits.push_back({.line = std::move(line),
                               .records = records,
                               .rank_records = rank_records,
                               .mark_records = mark_records,
                               .program = program,
                               .tick_ps = clock.tick_ps,
                               .one_clock = one_clock,
                               .agree_within_ns = one_clock ? clock.agree_within_ns : std::nullopt,
                               .one_rate = has_one_rate(rates, cell, launch.virtual_clocks)});
    }
    note_failures(files.journal, seal.arm);
    for (record::MissedLine& line : files.journal.missed) {
      missed.push_back({.launch = seal.launch,
                        .arm = launch.arm,
                        .cell = line.cell,
                        .reason = std::move(line.reason)});
    }
    faults.insert(faults.end(), files.faults.begin(), files.faults.end());
    mapped.push_back(files.timings);
    if (files.ranks) mapped.push_back(files.ranks);
    if (files.marks) mapped.push_back(files.marks);
    group.launches.push_back(std::move(launch));
  }

  // Such data must never be mistaken for a measurement.
  void warn_of_tests() {
    const auto warn = [&](auto is_test, const std::string& why) {
      std::size_t launches = 0;
      for (const Group& group : data_.groups) {
        launches += static_cast<std::size_t>(
            std::count_if(group.launches.begin(), group.launches.end(), is_test));
      }
      if (launches == 0) return;
      data_.warnings.emplace_back("a test, no measurement: in " + std::to_string(launches) +
                                  (launches == 1 ? " launch " : " launches ") + why);
    };
    warn([](const Launch& launch) { return launch.test_clock_step_ns > 0; },
         "the clock was made coarse by INVAR_TEST_CLOCK_STEP_NS");
    warn([](const Launch& launch) { return launch.virtual_clocks; },
         "the ranks' clocks were wrong on purpose ([clock.virtual])");
    warn([](const Launch& launch) { return launch.delays_planted; },
         "calls were made slower on purpose ('delay')");
  }

  // What judges fewer groups than were measured: in every campaign that chooses anything.
  void warn_of_decisions() {
    constexpr std::size_t kMostListed = 3;
    constexpr bool kBorne = true;
    const record::CellTexts text(data_.cells);
    // One that looks at all cells time and again, in its last words.
    struct OfAllCells {
      std::set<std::uint32_t> groups = {};
      std::string why = {};
    };
    std::map<std::string, OfAllCells> of_all_cells;
    for (const DecidedLine& decided : data_.decided) {
      for (const NotJudging& some : decided.not_judging) {
        if (some.cells.empty() && some.arms.empty()) {
          OfAllCells& of_all = of_all_cells[decided.decision];
          of_all.groups.insert(some.groups.begin(), some.groups.end());
          of_all.why = decided.why;
          continue;
        }
        std::vector<std::string> groups;
        for (const std::uint32_t group : some.groups) groups.push_back(std::to_string(group));
        std::vector<std::string> texts;
        for (const std::uint32_t cell : some.cells) {
          if (cell < data_.cells.size()) texts.push_back(text(data_.cells[cell]));
        }
        std::string cells =
            some.cells.empty() ? "all cells" : base::first_items(texts, kMostListed, "; ", "cell");
        if (!some.arms.empty()) cells += " of " + base::join(some.arms, ", ");
        if (groups.empty()) {
          data_.warnings.emplace_back("not chosen by the decision '" + decided.decision +
                                          "', and left out of all launch groups: " + cells,
                                      kBorne);
          continue;
        }
        data_.warnings.emplace_back((groups.size() == 1 ? "launch group " : "launch groups ") +
                                        base::join(groups, ", ") + " left out of " + cells +
                                        ": the decision '" + decided.decision +
                                        "' was made from them (" + decided.why + ")",
                                    kBorne);
      }
    }
    for (const auto& [decision, of_all] : of_all_cells) {
      data_.warnings.emplace_back((of_all.groups.size() == 1 ? "launch group " : "launch groups ") +
                                      ranges_text(of_all.groups) +
                                      " left out of all cells: the decision '" + decision +
                                      "' was made from them (" + of_all.why + ")",
                                  kBorne);
    }
  }

  // A driver may have ended before it noted them in the manifest.
  void note_failures(const Journal& journal, const std::string& arm) {
    for (const record::FailureLine& line : journal.failures) {
      if (std::none_of(data_.failed_cells.begin(), data_.failed_cells.end(),
                       [&](const FailedCell& known) {
                         return known.cell == line.cell && known.arm == arm;
                       })) {
        data_.failed_cells.push_back({.cell = line.cell, .arm = arm, .reason = line.reason});
      }
    }
  }

  Data data_ = {};
  Manifest manifest_ = {};
  std::vector<std::shared_ptr<const MappedFile>> mapped_ = {};
};

}  // namespace

Data read_campaign_dir(const std::filesystem::path& dir) { return CampaignReader(dir).read(); }

}  // namespace invar::store
