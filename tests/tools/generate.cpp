// Campaigns with known numbers for the tests of the readers in tools/, each with what Invar itself
// exports of it: generate DIR makes DIR/NAME and DIR/NAME.csv.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "report/export/observations.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/tampering.hpp"

namespace invar {
namespace {

namespace fs = std::filesystem;

void write_csv(const fs::path& campaign) {
  std::ofstream out(campaign.string() + ".csv", std::ios::binary);
  report::write_observations_csv(store::read_campaign_dir(campaign), out);
}

// Everything that a value can lack, and names that need quoting.
synthetic::Options odd() {
  record::Cell barrier{.id = 0, .operation = "barrier"};
  record::Cell bcast{.id = 1, .operation = "bcast", .size_bytes = 65536, .ranks = 4, .nodes = 2};
  bcast.root = 3;
  bcast.datatype = "byte";
  return {.arms = {"a,b", "say \"c\"", "d\xc3\xa9"},
          .cells = {barrier, bcast},
          .groups = 3,
          .rounds = 2,
          .repetitions = 7,
          .warm_up = 0,
          .calls = 20,
          .clock_step_ns = 0.001,
          .late_share = 0.2,
          .interrupted_share = 0.2,
          .global_valid = false,
          .canary = false,
          .per_rank = false,
          .seed = 7,
          .failed_groups = {2}};
}

// Columns that plans have only where a cell has another level than all cells had before.
synthetic::Options messages() {
  record::Cell pingpong{.id = 0, .operation = "pingpong", .size_bytes = 8};
  pingpong.datatype = "byte";
  pingpong.pattern = "distance:1";
  record::Cell stream{.id = 1, .operation = "stream", .size_bytes = 1024};
  stream.datatype = "struct";
  stream.pattern = "matching:0:back";
  stream.form = "non-blocking";
  stream.send_mode = "synchronous";
  stream.source = "any";
  stream.receives = "before";
  stream.pending = "same:16";
  stream.unexpected = "other:3";
  stream.window = 64;
  stream.packing = "hand";
  return {.cells = {pingpong, stream}, .groups = 2};
}

void generate(const fs::path& dir) {
  fs::remove_all(dir);
  fs::create_directories(dir);
  synthetic::write(dir / "plain");
  write_csv(dir / "plain");

  synthetic::write(dir / "odd", odd());
  write_csv(dir / "odd");

  synthetic::write(dir / "messages", messages());
  write_csv(dir / "messages");

  // Group 2 was damaged and measured again; group 3 is damaged now.
  const synthetic::Options options{.groups = 4};
  synthetic::write(dir / "damaged", options);
  store::flip(dir / "damaged/launches/0003-alpha/timings.bin", 100);
  {
    std::vector<std::string> notes;
    store::CampaignDir campaign = store::CampaignDir::resume(dir / "damaged", notes);
    campaign.fail_cell(1, "beta", "wrong result");
    campaign.warn("a \"warning\"\n\xc2\xb5");
    synthetic::write_group(campaign, options, synthetic::make_plan(options), 2);
    campaign.end();
  }
  store::flip(dir / "damaged/launches/0006-beta/env.json", 10);
  write_csv(dir / "damaged");

  // Clocks that were synchronised, told by an engine of now and by one of before.
  const std::string columns =
      "clock,rank,epoch,at_ps,offset_ps,skew,offset_sd_ps,skew_sd,measured_ps,measured_sd_ps,"
      "innovation_ps,innovation_sd_ps,accepted,origin_ticks,ps_per_tick";
  const std::string start =
      "tsc,1,0,5000000000000,-250,1.3e-05,120.5,2e-09,,,,,,123456789012,400.5";
  const std::string look =
      "tsc,1,1,6000000000000,-300,1.31e-05,90.25,1e-09,-310,100,-10,150.5,yes,123456789012,400.5";
  synthetic::write(dir / "synced", {.groups = 2,
                                    .clock_sync = columns + ",wander,noise,restarted\n" + start +
                                                  ",1e-09,1,\n" + look + ",2e-09,0.5,no\n"});
  synthetic::write(dir / "synced-before",
                   {.groups = 1, .clock_sync = columns + "\n" + start + "\n" + look + "\n"});

  // Lengths around every seam of a reader's CRC-32C, over bytes 7 i mod 256.
  std::ofstream crcs(dir / "crc.txt");
  std::string bytes;
  for (std::size_t i = 0; i < 100'000; ++i) bytes += static_cast<char>(7 * i % 256);
  for (const std::size_t length : {0UL, 1UL, 4UL, 511UL, 512UL, 513UL, 1024UL, 2047UL, 2048UL,
                                   2049UL, 4096UL, 65'536UL, 100'000UL}) {
    crcs << length << ' ' << base::crc_text(base::crc32c(bytes.substr(0, length))) << '\n';
  }
}

}  // namespace
}  // namespace invar

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    invar::generate(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
