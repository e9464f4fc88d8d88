// Platform files that anybody wrote, and what SimGrid's calibration leaves: the first letter says
// which.
#include <algorithm>

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "platform/platform_text.hpp"
#include "platform/simgrid_csv.hpp"

namespace {

using namespace invar;

void read_platform(std::string_view text) {
  for (const platform::SimgridProperty& property : platform::platform_properties(text, "p.xml")) {
    fuzz::must_hold(property.line > 0 && property.column > 0, "a property has a place");
  }
  platform::check_platform_text(text, "p.xml");
}

void read_ping_pong(std::string_view text) {
  std::string written;
  const auto exchanges = platform::parse_calibration_ping_pong(text, "p.csv");
  for (const platform::CalibrationExchange& exchange : exchanges) {
    const std::string middle = ',' + std::to_string(exchange.size_bytes) + ',' +
                               base::shortest_text(exchange.start_s) + ',';
    written += "MPI_Send" + middle + base::shortest_text(exchange.send_s) + "\nMPI_Recv" + middle +
               base::shortest_text(exchange.receive_s) + '\n';
  }
  const auto again = platform::parse_calibration_ping_pong(written, "written");
  fuzz::must_hold(std::ranges::equal(exchanges, again,
                                     [](const auto& a, const auto& b) {
                                       return a.size_bytes == b.size_bytes &&
                                              a.start_s == b.start_s && a.send_s == b.send_s &&
                                              a.receive_s == b.receive_s;
                                     }),
                  "exchanges written are those read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (text.empty()) return 0;
  fuzz::may_be_refused([&] {
    const std::string_view rest = text.substr(1);
    switch (text.front()) {
      case 'x':
        return read_platform(rest);
      case 'p':
        return read_ping_pong(rest);
      case 'b':
        platform::parse_calibration_breaks(rest, "breakpoints");
        return;
      default:
        platform::parse_calibration_calls(rest, "MPI_Isend", "i.csv");
    }
  });
  return 0;
}
