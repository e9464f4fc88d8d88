// A campaign's raw data, read: what stage 3 works on. Files are mapped, records are never copied.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/journal.hpp"
#include "record/plan.hpp"
#include "record/timing.hpp"
#include "store/campaign_dir.hpp"

namespace invar::store {

struct Visit {
  record::VisitLine line = {};
  std::span<const record::Timing> records = {};
};

struct Launch {
  std::uint32_t launch = 0;
  std::uint32_t group = 0;
  std::uint32_t arm = 0;  // index into Data::arms
  std::filesystem::path dir = {};
  std::vector<Visit> visits = {};  // in the order of execution
};

struct Group {
  std::uint32_t group = 0;
  std::vector<Launch> launches = {};
};

struct DataFault {
  std::string place = {};  // file, line or byte
  std::string what = {};
};

struct FailedCell {
  std::uint32_t cell = 0;
  std::string arm = {};
  std::string reason = {};
};

struct Data {
  std::filesystem::path dir = {};
  std::string campaign_toml = {};
  std::string scope = {};    // "2 ranks, 1 host, shared memory"
  std::string session = {};  // identifies allocation and day: date of the first launch, UTC
  std::vector<ArmRecord> arms = {};
  std::vector<record::Cell> cells = {};
  std::vector<Group> groups = {};  // complete and undamaged ones only
  std::vector<GroupOutcome> failed_groups = {};
  std::vector<FailedCell> failed_cells = {};
  std::vector<std::string> warnings = {};
  std::vector<DataFault> damage = {};  // groups with damage are left out whole
  std::optional<std::uint32_t> planned_groups = {};
  bool ended = false;
  double clock_step_ns = 0;  // largest measured step of the launches' clocks
  // Keeps the files mapped.
  std::shared_ptr<const void> mapped = {};
};

// Throws UserError if `dir` is no campaign directory. Damage is not thrown but listed.
Data read_campaign_dir(const std::filesystem::path& dir);

struct Verification {
  std::vector<DataFault> damage = {};        // exit 5
  std::vector<std::string> unfinished = {};  // exit 4
  std::uint64_t launches = 0;
  std::uint64_t bytes = 0;
};

// Checks every byte that has a checksum.
Verification verify_campaign_dir(const std::filesystem::path& dir);

}  // namespace invar::store
