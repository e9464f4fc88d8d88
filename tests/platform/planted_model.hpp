// A network whose lines are known: every operation has breaks of its own.
#pragma once

#include "platform/platform_model.hpp"

namespace invar::test {

inline platform::PlatformModel planted_model() {
  return {.half_round_trip = {{.from_bytes = 0, .intercept_ns = 9000, .slope_ns = 2.5},
                              {.from_bytes = 1420, .intercept_ns = 14000, .slope_ns = 1.75},
                              {.from_bytes = 33000, .intercept_ns = 31000, .slope_ns = 1.25},
                              {.from_bytes = 65536, .intercept_ns = 60000, .slope_ns = 0.875}},
          .send = {{.from_bytes = 0, .intercept_ns = 800, .slope_ns = 0.25},
                   {.from_bytes = 3000, .intercept_ns = 2000, .slope_ns = 0.125}},
          .isend = {{.from_bytes = 0, .intercept_ns = 700, .slope_ns = 0.2},
                    {.from_bytes = 5000, .intercept_ns = 1500, .slope_ns = 0.1},
                    {.from_bytes = 100000, .intercept_ns = 2500, .slope_ns = 0}},
          .receive = {{.from_bytes = 0, .intercept_ns = 1200, .slope_ns = 0.3},
                      {.from_bytes = 1420, .intercept_ns = 1700, .slope_ns = 0.35},
                      {.from_bytes = 20000, .intercept_ns = 5000, .slope_ns = 0.2}},
          .detached_bytes = 65537,
          .async_bytes = 4097,
          .latency_ns = 10000,
          .pair_bandwidth_gb_s = 1.125,
          .shared_bandwidth_gb_s = 1.25,
          .wtime_ns = 40,
          .test_ns = 230,
          .iprobe_ns = 350,
          .selector = "ompi"};
}

}  // namespace invar::test
