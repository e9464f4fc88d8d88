#include "platform/usual_formulas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "golden.hpp"
#include "platform/inversion.hpp"
#include "platform/planted_model.hpp"
#include "platform/predicted.hpp"
#include "platform/simgrid_csv.hpp"
#include "platform/simgrid_xml.hpp"

namespace invar::platform {
namespace {

using test::planted_model;

TEST(UsualFormulas, AreThoseOfTheCalibration) {
  const PlatformModel model = planted_model();
  const SimgridPlatform platform = usual_formulas(model);
  // Up to 1420: a ping-pong of 18000 + 5 s, MPI_Recv 1200 + .3 s.
  EXPECT_DOUBLE_EQ(platform.bandwidth_factor[0].factor, 1 / ((5 - 0.3) / 2 * 1.125));
  // (18000 - 1200) / 2 ns is less than the route's 10000.
  EXPECT_EQ(platform.latency_factor[0].factor, 1);
  EXPECT_EQ(platform.bandwidth_factor[1].above_bytes, 1421U);
  EXPECT_EQ(platform.send[1].above_bytes, 3001U);
  // Where the sender waits: 120000 + 1.75 s.
  EXPECT_EQ(platform.bandwidth_factor.back().above_bytes, 65537U);
  EXPECT_EQ(platform.bandwidth_factor.back().factor, 1);
  EXPECT_DOUBLE_EQ(platform.latency_factor.back().factor, 6);
}

TEST(UsualFormulas, NegativeFactorsAreNoPlatform) {
  PlatformModel model = planted_model();
  model.receive[0].slope_ns = 6;
  const SimgridPlatform platform = usual_formulas(model);
  EXPECT_LT(platform.bandwidth_factor[0].factor, 0);
  EXPECT_FALSE(predicted_half_round_trip_s(platform, 100));
  EXPECT_THROW(simgrid_xml(platform, {}, {}), base::UserError);
  // The exact ones are one: the receive overhead gives way.
  EXPECT_NO_THROW(simgrid_xml(invert(model).platform, {}, {}));
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Medians of each size, in ns.
std::map<std::uint64_t, double> medians(
    const std::vector<std::pair<std::uint64_t, double>>& times) {
  std::map<std::uint64_t, std::vector<double>> by_size;
  for (const auto& [size, time_s] : times) by_size[size].push_back(time_s * 1e9);
  std::map<std::uint64_t, double> all;
  for (const auto& [size, values] : by_size) all[size] = median_of(values);
  return all;
}

// Least squares of relative errors, a line between two breaks at a time, of sizes below `end`; the
// last one holds on.
std::vector<Line> lines_of(const std::map<std::uint64_t, double>& times,
                           const std::vector<std::uint64_t>& breaks, std::uint64_t end) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < breaks.size() && breaks[i] < end; ++i) {
    const std::uint64_t next = std::min(i + 1 < breaks.size() ? breaks[i + 1] : kMostBytes, end);
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [size, time_ns] : times) {
      if (size < breaks[i] || size >= next) continue;
      const double weight = 1 / (time_ns * time_ns);
      const auto at = static_cast<double>(size);
      w += weight;
      x += weight * at;
      y += weight * time_ns;
      xx += weight * at * at;
      xy += weight * at * time_ns;
    }
    double slope = (w * xy - x * y) / (w * xx - x * x);
    // Nothing falls with the size.
    slope = std::max(slope, 0.0);
    lines.push_back({.from_bytes = i == 0 ? 0 : static_cast<double>(breaks[i] - 1),
                     .intercept_ns = (y - slope * x) / w,
                     .slope_ns = slope});
  }
  return lines;
}

struct GrapheneErrors {
  double exact = 0;  // median of the relative errors of each size's median half round trip
  double usual = 0;
  double usual_eager = 0;  // with its sign
};

GrapheneErrors graphene_errors(const std::vector<std::uint64_t>& breaks, std::uint64_t async,
                               std::uint64_t detached) {
  const Calibration calibration = read_calibration(std::string(INVAR_GOLDEN_DIR) + "/graphene_eth");
  std::vector<std::pair<std::uint64_t, double>> half, send, isend, receive;
  for (const CalibrationExchange& exchange : calibration.ping_pong) {
    half.emplace_back(exchange.size_bytes, (exchange.send_s + exchange.receive_s) / 2);
    send.emplace_back(exchange.size_bytes, exchange.send_s);
  }
  for (const CalibrationCall& call : calibration.isend)
    isend.emplace_back(call.size_bytes, call.duration_s);
  for (const CalibrationCall& call : calibration.receive)
    receive.emplace_back(call.size_bytes, call.duration_s);
  const std::map<std::uint64_t, double> measured = medians(half);
  PlatformModel model{.half_round_trip = lines_of(measured, breaks, kMostBytes),
                      .send = lines_of(medians(send), breaks, detached),
                      .isend = lines_of(medians(isend), breaks, kMostBytes),
                      .receive = lines_of(medians(receive), breaks, async),
                      .detached_bytes = detached,
                      .async_bytes = async,
                      .latency_ns = 24000,
                      .pair_bandwidth_gb_s = 0.125};
  const SimgridPlatform exact = invert(model).platform;
  // Late receives that contain the transfer are overheads to the usual formulas.
  model.receive = lines_of(medians(receive), breaks, detached);
  const SimgridPlatform usual = usual_formulas(model);
  std::vector<double> exact_errors, usual_errors, eager_errors;
  for (const auto& [size, time_ns] : measured) {
    const auto error = [size = size, time_ns = time_ns](const SimgridPlatform& platform) {
      return predicted_half_round_trip_s(platform, size).value() * 1e9 / time_ns - 1;
    };
    exact_errors.push_back(std::abs(error(exact)));
    usual_errors.push_back(std::abs(error(usual)));
    if (size < async) eager_errors.push_back(error(usual));
  }
  return {.exact = median_of(exact_errors),
          .usual = median_of(usual_errors),
          .usual_eager = median_of(eager_errors)};
}

// The breaks that somebody wrote down, and those that fit best.
TEST(UsualFormulas, AreFurtherOffOnGrapheneThanTheExactInversion) {
  const GrapheneErrors by_hand = graphene_errors({0, 1420, 32768, 65536, 270000}, 65536, 270000);
  EXPECT_NEAR(by_hand.exact, 0.035, 0.002);
  EXPECT_NEAR(by_hand.usual, 0.221, 0.002);
  EXPECT_NEAR(by_hand.usual_eager, 0.198, 0.002);
  const GrapheneErrors best = graphene_errors({0, 1448, 4065, 69552, 97243}, 69552, 270000);
  EXPECT_NEAR(best.exact, 0.0295, 0.002);
  EXPECT_NEAR(best.usual, 0.223, 0.002);
}

}  // namespace
}  // namespace invar::platform
