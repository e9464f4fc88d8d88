// A complete campaign directory with known numbers in it, written through CampaignDir and the
// journal as driver and engine write it: for tests of everything that reads campaigns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/crc32c.hpp"
#include "base/random.hpp"
#include "record/journal.hpp"
#include "record/launch_spec.hpp"
#include "record/plan.hpp"
#include "record/timing.hpp"
#include "store/campaign_dir.hpp"

namespace invar::synthetic {

// Two cells to begin with: allreduce of 8 B and of 1 KiB on two ranks.
inline std::vector<record::Cell> default_cells() {
  record::Cell small{.id = 0, .operation = "allreduce", .size_bytes = 8};
  small.datatype = "int32";
  small.reduction = "sum";
  record::Cell large = small;
  large.id = 1;
  large.size_bytes = 1024;
  return {small, large};
}

struct Options {
  std::vector<std::string> arms = {"alpha", "beta"};  // labels; the first one is the reference
  std::vector<record::Cell> cells = default_cells();  // ids 0, 1, 2, ...
  std::uint32_t groups = 4;
  std::uint32_t rounds = 3;        // visits of a cell per launch
  std::uint32_t repetitions = 20;  // valid ones a visit
  std::uint32_t warm_up = 3;       // before them, twice as slow
  std::uint32_t calls = 1;         // more: flagged as batches
  // True median of local run-time, by arm and cell (indices). Ratios are planted here.
  std::function<double(std::size_t arm, std::size_t cell)> median_ns = [](std::size_t arm,
                                                                          std::size_t cell) {
    return 500.0 * (1.0 + static_cast<double>(cell)) * (arm == 0 ? 1.0 : 1.3);
  };
  // Standard deviations of log run-time: luck that all launches of a group share, that one launch
  // has in all cells, that one launch has in one cell, and that one repetition has.
  double group_sd = 0.10;
  double launch_sd = 0.02;
  double cell_sd = 0.02;
  double noise_sd = 0.05;
  double clock_step_ns = 1;      // times are multiples of it
  double late_share = 0;         // repetitions flagged late (three times as slow) and repeated
  double apart_share = 0;        // flagged lost and apart, and repeated
  double interrupted_share = 0;  // flagged 8, twice as slow
  bool global_valid = true;      // else every record has flag 32
  bool oversubscribed = false;
  bool canary = true;
  double canary_ns = 260;                    // the least one
  bool per_rank = true;                      // ranks.bin
  std::string clock_sync = {};               // clock_sync.csv of every launch; empty: none
  std::string clock = "epoch,ticks\n0,0\n";  // clock.csv
  std::string environment = {};              // further keys of env.json
  std::vector<record::OperationInfo> operations = {};  // that the arms' engines describe
  std::uint64_t seed = 1;
  std::string scope = "2 ranks, 1 host";
  std::string toml = {};     // empty: made from the above
  std::string library = {};  // of all arms; empty: each is one of its own
  // Groups that fail for good.
  std::vector<std::uint32_t> failed_groups = {};
  bool end = true;
};

// Standard normal (Box and Muller).
inline double normal(base::Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

inline std::string campaign_toml(const Options& options) {
  std::string toml = "schema = 1\nname = \"synthetic\"\nseed = " + std::to_string(options.seed) +
                     "\n\n[design]\nlaunches = " + std::to_string(options.groups) +
                     "\nrounds = " + std::to_string(options.rounds) +
                     "\nrepetitions = " + std::to_string(options.repetitions) + "\n\n";
  for (const record::Cell& cell : options.cells) {
    toml += "[[cells]]\noperation = [\"" + cell.operation + "\"]\n";
    if (cell.size_bytes) toml += "size = [\"" + std::to_string(*cell.size_bytes) + "\"]\n";
    toml += "ranks = " + std::to_string(cell.ranks) + "\n\n";
  }
  for (const std::string& arm : options.arms) {
    toml += "[[arm]]\nlibrary = \"" + arm + "\"\nlabel = \"" + arm + "\"\n\n";
  }
  return toml + "[analysis]\nmethod = \"invar\"\n";
}

// Every arm once per cell in every round, the order turned round from block to block (ABBA).
inline record::Plan make_plan(const Options& options) {
  record::Plan plan{.cells = options.cells};
  const auto arms = static_cast<std::uint32_t>(options.arms.size());
  std::uint32_t visit = 0;
  for (std::uint32_t group = 1; group <= options.groups; ++group) {
    std::uint32_t turn = 0;
    std::uint32_t block = 0;
    for (std::uint32_t round = 0; round < options.rounds; ++round) {
      std::vector<std::uint32_t> order(options.cells.size());
      for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
      base::Random random = base::Random::of({options.seed, group, round});
      random.shuffle(std::span(order));
      for (const std::uint32_t cell : order) {
        for (std::uint32_t i = 0; i < arms; ++i) {
          const std::uint32_t arm = block % 2 == 0 ? i : arms - 1 - i;
          plan.rows.push_back({.group = group,
                               .launch = (group - 1) * arms + arm + 1,
                               .turn = turn++,
                               .round = round,
                               .block = block,
                               .visit = ++visit,
                               .cell = cell,
                               .arm = options.arms[arm],
                               .calls = options.calls,
                               .repetitions = options.repetitions});
        }
        ++block;
      }
    }
  }
  return plan;
}

// Draws one launch's records and writes its files as the engine does.
class LaunchWriter {
 public:
  LaunchWriter(const Options& options, const record::Plan& plan, std::uint32_t group,
               std::size_t arm)
      : options_(options),
        plan_(plan),
        group_(group),
        arm_(arm),
        launch_((group - 1) * static_cast<std::uint32_t>(options.arms.size()) +
                static_cast<std::uint32_t>(arm) + 1),
        random_(base::Random::of({options.seed, 1000U + group, arm})) {
    base::Random shared = base::Random::of({options.seed, 2000U + group});
    luck_ = options.group_sd * normal(shared) + options.launch_sd * normal(random_);
    for (std::size_t i = 0; i < options.cells.size(); ++i) {
      cell_luck_.push_back(options.cell_sd * normal(random_));
    }
  }

  [[nodiscard]] std::uint32_t launch() const { return launch_; }

  // Without the end line if `finished` is false.
  void write(const std::filesystem::path& dir, bool finished = true) {
    for (const record::PlanRow& row : plan_.rows) {
      if (row.group != group_) continue;
      visits_csv_.rows.push_back(row);
      if (row.launch == launch_) add_visit(row);
    }
    visits_csv_.cells = plan_.cells;
    record::LaunchSpec spec{.group_id = "synthetic-" + std::to_string(group_),
                            .group = group_,
                            .launch = launch_,
                            .arms = options_.arms,
                            .arm = static_cast<std::uint32_t>(arm_),
                            .ranks = 2,
                            .cpus = {0, 1},
                            .seed = options_.seed};
    put(dir / "launch.spec", record::launch_spec_text(spec));
    put(dir / "visits.csv", record::plan_csv(visits_csv_));
    put(dir / "stdout", "");
    put(dir / "stderr", "a word of the library\n");
    record::EndLine end{.ticks_per_s = 1e9, .rate_change_ppm = 0.01};
    const auto put_counted = [&](const char* name, const std::string& text) {
      put(dir / name, text);
      end.files[name] = base::crc32c(text);
    };
    put_counted("timings.bin", bytes_of(timings_));
    if (options_.per_rank) put_counted("ranks.bin", bytes_of(ranks_));
    put_counted("env.json", "{\"clock\":{\"step_ns\":" + std::to_string(options_.clock_step_ns) +
                                ",\"resolution_ns\":1,\"cost_ns\":20,\"source\":\"tsc\"},"
                                "\"hosts\":[\"node1\"]" +
                                options_.environment + "}\n");
    put_counted("clock.csv", options_.clock);
    if (!options_.clock_sync.empty()) put_counted("clock_sync.csv", options_.clock_sync);
    end.journal_bytes = journal_.size();
    end.journal_crc = base::crc32c(journal_);
    if (finished) journal_ += record::journal_line(end) + '\n';
    put(dir / "journal.jsonl", journal_);
  }

 private:
  static void put(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
  }

  template <typename Record>
  static std::string bytes_of(const std::vector<Record>& records) {
    return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record)};
  }

  [[nodiscard]] std::int64_t whole_steps_ps(double time_ns) const {
    const double steps = std::max(1.0, std::round(time_ns / options_.clock_step_ns));
    return static_cast<std::int64_t>(std::llround(steps * options_.clock_step_ns * 1000.0));
  }

  void add_record(const record::PlanRow& row, std::uint32_t repetition, unsigned flags,
                  record::VisitLine& line) {
    double time_ns = options_.median_ns(arm_, row.cell) *
                     std::exp(luck_ + cell_luck_[row.cell] + options_.noise_sd * normal(random_));
    if ((flags & record::kWarmUp) != 0U) time_ns *= 2;
    if ((flags & record::kLate) != 0U) time_ns *= 3;
    if ((flags & record::kInterrupted) != 0U) time_ns *= 2;
    if (!options_.global_valid) flags |= record::kGlobalInvalid;
    if (options_.oversubscribed) flags |= record::kOversubscribed;
    if (row.calls > 1) flags |= record::kBatch;
    const std::int64_t local_ps = whole_steps_ps(time_ns);
    const std::int64_t skew_ps = static_cast<std::int64_t>(random_.below(20'000));
    timings_.push_back({.visit = row.visit,
                        .repetition = repetition,
                        .start_ps = now_ps_,
                        .global_ps = local_ps + skew_ps,
                        .local_max_ps = local_ps,
                        .local_min_ps = local_ps * 9 / 10,
                        .local_mean_ps = local_ps * 19 / 20,
                        .start_skew_ps = skew_ps,
                        .uncertainty_ps = 10'000,
                        .flags = static_cast<std::uint16_t>(flags),
                        .reserved = 0});
    if (options_.per_rank) {
      for (std::uint32_t rank = 0; rank < 2; ++rank) {
        ranks_.push_back({.visit = row.visit,
                          .repetition = repetition,
                          .rank = rank,
                          .reserved = 0,
                          .start_ticks = now_ps_ / 1000 + rank,
                          .end_ticks = (now_ps_ + local_ps) / 1000 + rank});
      }
      line.rank_records += 2;
    }
    now_ps_ += local_ps + 2'000'000;
    ++line.records;
  }

  void add_visit(const record::PlanRow& row) {
    now_ps_ = std::max(now_ps_, static_cast<std::int64_t>(row.turn) * 100'000'000);
    record::VisitLine line{.visit = row.visit,
                           .cell = row.cell,
                           .turn = row.turn,
                           .round = row.round,
                           .block = row.block,
                           .calls = row.calls,
                           .first_record = timings_.size(),
                           .first_rank_record = ranks_.size(),
                           .begin_ps = now_ps_};
    std::uint32_t repetition = 0;
    for (; repetition < options_.warm_up; ++repetition) {
      add_record(row, repetition, record::kWarmUp, line);
    }
    line.warm_up = options_.warm_up;
    unsigned repeats = 0;
    while (line.valid < options_.repetitions) {
      const bool late = random_.uniform() < options_.late_share;
      const bool interrupted = random_.uniform() < options_.interrupted_share;
      // No draw where there are none: what is drawn behind it stays as it was.
      const bool apart =
          options_.apart_share > 0 && random_.uniform() < options_.apart_share && !late;
      unsigned flags = 0;
      if (apart) flags |= record::kLost | record::kApart;
      if (repeats > 0) flags |= record::kRepeatsLate;
      if (late) flags |= record::kLate;
      if (interrupted) flags |= record::kInterrupted;
      add_record(row, repetition++, flags, line);
      line.late += late ? 1U : 0U;
      line.interrupted += interrupted ? 1U : 0U;
      line.repeated += repeats > 0 ? 1U : 0U;
      line.lost += apart ? 1U : 0U;
      line.apart += apart ? 1U : 0U;
      line.valid += late || apart ? 0U : 1U;
      repeats = late || apart ? repeats + 1 : (repeats > 0 ? repeats - 1 : 0);
    }
    line.end_ps = now_ps_;
    if (options_.canary)
      line.canary_ps = {static_cast<std::int64_t>(options_.canary_ns * 1000) +
                        static_cast<std::int64_t>(random_.below(9000))};
    if (row.cell == 0) line.empty_ps = 20'000;
    line.slack_ps = 1'000'000;
    const auto all = std::span(timings_).subspan(line.first_record);
    line.records_crc = base::crc32c(std::as_bytes(all));
    if (options_.per_rank) {
      line.rank_records_crc =
          base::crc32c(std::as_bytes(std::span(ranks_).subspan(line.first_rank_record)));
    }
    journal_ += record::journal_line(line) + '\n';
  }

  const Options& options_;
  const record::Plan& plan_;
  std::uint32_t group_;
  std::size_t arm_;
  std::uint32_t launch_;
  base::Random random_;
  double luck_ = 0;
  std::vector<double> cell_luck_ = {};
  std::int64_t now_ps_ = 0;
  record::Plan visits_csv_ = {};
  std::vector<record::Timing> timings_ = {};
  std::vector<record::RankTicks> ranks_ = {};
  std::string journal_ = {};
};

inline std::vector<store::ArmRecord> arm_records(const Options& options) {
  std::vector<store::ArmRecord> arms;
  for (const std::string& label : options.arms) {
    const std::string& library = options.library.empty() ? label : options.library;
    arms.push_back({.label = label,
                    .library = library,
                    .library_version = "Synthetic MPI of " + library,
                    .checksums = {{"/lib/lib" + label + ".so", "89abcdef"}},
                    .profile_json = "{\"name\": \"" + label + "\"}",
                    .operations = options.operations});
  }
  return arms;
}

// Makes `dir` with no group in it.
inline store::CampaignDir create(const std::filesystem::path& dir, const Options& options,
                                 const record::Plan& plan) {
  return store::CampaignDir::create(
      dir, options.toml.empty() ? campaign_toml(options) : options.toml, plan, arm_records(options),
      {.scope = options.scope, .cpus = {0, 1}, .hosts = {"node1"}});
}

// Writes and seals one group.
inline void write_group(store::CampaignDir& campaign, const Options& options,
                        const record::Plan& plan, std::uint32_t group) {
  for (std::size_t arm = 0; arm < options.arms.size(); ++arm) {
    LaunchWriter writer(options, plan, group, arm);
    writer.write(campaign.make_launch_dir(writer.launch(), options.arms[arm]));
    campaign.seal_launch(writer.launch(), group, options.arms[arm]);
  }
  campaign.finish_group({.group = group, .complete = true, .seconds = 0.25});
}

// The whole campaign, with its end.
inline void write(const std::filesystem::path& dir, const Options& options = {}) {
  const record::Plan plan = make_plan(options);
  store::CampaignDir campaign = create(dir, options, plan);
  campaign.decide_groups(options.groups, "synthetic");
  for (std::uint32_t group = 1; group <= options.groups; ++group) {
    if (std::find(options.failed_groups.begin(), options.failed_groups.end(), group) !=
        options.failed_groups.end()) {
      campaign.finish_group({.group = group, .reason = "rank 1 on node1 exited with status 3"});
    } else {
      write_group(campaign, options, plan, group);
    }
  }
  if (options.end) campaign.end();
}

}  // namespace invar::synthetic
