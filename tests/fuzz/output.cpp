// What a foreign program prints, read in every way.
#include <array>

#include "driver/programs/program_output.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  using Kind = design::ParseRule::Kind;
  const std::string_view text = fuzz::text_of(data, size);
  const std::array<design::ParseRule, 4> rules{
      {{.kind = Kind::kImb, .column = "avg"},
       {.kind = Kind::kImb, .column = "min"},
       {.kind = Kind::kOsu},
       {.kind = Kind::kPattern, .pattern = "time: ([0-9.eE+-]+) us", .unit_ns = 1000}}};
  for (const design::ParseRule& rule : rules) {
    for (const std::optional<std::uint64_t> bytes : {std::optional<std::uint64_t>(8), {}}) {
      const record::Cell cell{.operation = "allreduce", .size_bytes = bytes, .ranks = 2, .ppn = 2};
      const driver::PrintedTime read = driver::read_time(rule, cell, {}, text);
      fuzz::must_hold(read.complaint.empty() == (read.time_ps > 0), "a time or a complaint");
    }
  }
  (void)driver::last_lines(text);
  return 0;
}
