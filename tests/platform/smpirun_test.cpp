// What is emitted, simulated: the cost model is SimGrid's own, and not only what we read in its
// sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "platform/inversion.hpp"
#include "platform/planted_model.hpp"
#include "platform/platform_source.hpp"
#include "platform/predicted.hpp"
#include "platform/simgrid_xml.hpp"
#include "platform/smpirun.hpp"

namespace invar::platform {
namespace {

using test::planted_model;

// times SIZE...: a line for each: size, half round trip, MPI_Send, MPI_Isend, MPI_Recv of a message
// that was sent 50 ms ago; the cost of reading the clock is taken out.
// pairs SIZE: the first half of the ranks sends to the second one, all at once: the longest one.
// calls: MPI_Wtime, then twice an MPI_Test and an MPI_Iprobe that find nothing.
// repeat SIZE COUNT: a line for each of so many ping-pongs: half round trip, its first MPI_Send.
// sends SIZE COUNT: a line for each of so many MPI_Send in a row.
constexpr std::string_view kProgram = R"program(
#include <mpi.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
static int rank, ranks;
static void send(std::vector<char>& data, int to) {
  MPI_Send(data.data(), static_cast<int>(data.size()), MPI_CHAR, to, 0, MPI_COMM_WORLD);
}
static void receive(std::vector<char>& data, int from) {
  MPI_Recv(data.data(), static_cast<int>(data.size()), MPI_CHAR, from, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}
static void times(int size, double wtime) {
  std::vector<char> data(static_cast<std::size_t>(size));
  double late = 0;
  if (rank == 1) {
    receive(data, 0);
    send(data, 0);
    receive(data, 0);
    receive(data, 0);
    usleep(50000);
    const double begin = MPI_Wtime();
    receive(data, 0);
    late = MPI_Wtime() - begin - wtime;
    MPI_Send(&late, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    return;
  }
  double begin = MPI_Wtime();
  send(data, 1);
  receive(data, 1);
  const double half = (MPI_Wtime() - begin - wtime) / 2;
  begin = MPI_Wtime();
  send(data, 1);
  const double sending = MPI_Wtime() - begin - wtime;
  MPI_Request request;
  begin = MPI_Wtime();
  MPI_Isend(data.data(), size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
  const double posting = MPI_Wtime() - begin - wtime;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  send(data, 1);
  MPI_Recv(&late, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::printf("%d %.17g %.17g %.17g %.17g\n", size, half, sending, posting, late);
}
static void pairs(int size, double wtime) {
  std::vector<char> data(static_cast<std::size_t>(size));
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank < ranks / 2) send(data, rank + ranks / 2);
  else receive(data, rank - ranks / 2);
  double time = MPI_Wtime() - begin - wtime, longest = 0;
  MPI_Reduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.17g\n", longest);
}
static void calls(double wtime) {
  if (rank == 0) {
    char data = 0;
    int found = 0;
    MPI_Request request;
    MPI_Irecv(&data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    double times[4];
    for (int i = 0; i < 4; ++i) {
      const double begin = MPI_Wtime();
      if (i < 2) MPI_Test(&request, &found, MPI_STATUS_IGNORE);
      else MPI_Iprobe(1, 5, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      times[i] = MPI_Wtime() - begin - wtime;
    }
    std::printf("%.17g %.17g %.17g %.17g %.17g\n", wtime, times[0], times[1], times[2], times[3]);
    MPI_Send(&data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    std::vector<char> data(1);
    receive(data, 0);
    send(data, 0);
  }
}
static void repeat(int size, int count, double wtime) {
  std::vector<char> data(static_cast<std::size_t>(size));
  for (int i = 0; i < count; ++i) {
    if (rank == 1) {
      receive(data, 0);
      send(data, 0);
      continue;
    }
    const double begin = MPI_Wtime();
    send(data, 1);
    const double sent = MPI_Wtime();
    receive(data, 1);
    // Reading the clock on the way hides behind the message.
    std::printf("%.17g %.17g\n", (MPI_Wtime() - begin - wtime) / 2, sent - begin - wtime);
  }
}
static void sends(int size, int count, double wtime) {
  std::vector<char> data(static_cast<std::size_t>(size));
  for (int i = 0; i < count; ++i) {
    const double begin = MPI_Wtime();
    if (rank == 1) {
      receive(data, 0);
    } else {
      send(data, 1);
      std::printf("%.17g\n", MPI_Wtime() - begin - wtime);
    }
  }
}
int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double begin = MPI_Wtime();
  const double wtime = MPI_Wtime() - begin;
  if (std::strcmp(words[1], "times") == 0) {
    for (int i = 2; i < count; ++i) times(std::atoi(words[i]), wtime);
  } else if (std::strcmp(words[1], "pairs") == 0) {
    pairs(std::atoi(words[2]), wtime);
  } else if (std::strcmp(words[1], "calls") == 0) {
    calls(wtime);
  } else if (std::strcmp(words[1], "sends") == 0) {
    sends(std::atoi(words[2]), std::atoi(words[3]), wtime);
  } else {
    repeat(std::atoi(words[2]), std::atoi(words[3]), wtime);
  }
  MPI_Finalize();
}
)program";

class Smpirun : public test::SmpirunTest {
 protected:
  void expect_times(const std::vector<std::vector<double>>& rows, const SimgridPlatform& platform,
                    const std::vector<std::uint64_t>& sizes) {
    ASSERT_EQ(rows.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::uint64_t size = sizes[i];
      SCOPED_TRACE(size);
      ASSERT_EQ(rows[i].size(), 5U);
      EXPECT_EQ(rows[i][0], static_cast<double>(size));
      const double half = predicted_half_round_trip_s(platform, size).value();
      EXPECT_NEAR(rows[i][1], half, 2e-9 * half);
      // Differences of clocks that read a tenth of a second and more.
      constexpr double kClock = 1e-15;
      const double send = predicted_send_s(platform, size).value();
      EXPECT_NEAR(rows[i][2], send, 2e-9 * send + kClock);
      const double isend = overhead_s(platform.isend, size);
      EXPECT_NEAR(rows[i][3], isend, 2e-9 * isend + kClock);
      const double late = (size < platform.async_bytes ? 0 : wire_s(platform, size).value()) +
                          (size < platform.detached_bytes ? overhead_s(platform.receive, size) : 0);
      EXPECT_NEAR(rows[i][4], late, 2e-9 * late + kClock);
    }
  }

  void compile_platform(const SourceOrder& order) {
    write("platform.cpp", platform_source(order, {}).text);
    ASSERT_EQ(shell("g++ -std=c++17 -O1 -Wall -Wextra -fPIC -shared -o libplatform.so platform.cpp "
                    "-lsimgrid"),
              "");
  }

  static std::string words(const std::vector<std::uint64_t>& sizes) {
    std::string text = "times";
    for (const std::uint64_t size : sizes) text += ' ' + std::to_string(size);
    return text;
  }

  // 26 and more sizes on both sides of every break, threshold and their envelopes.
  static std::vector<std::uint64_t> sizes_of(const PlatformModel& model) {
    std::set<std::uint64_t> sizes{0, 1, 2, 100, 1000000};
    for (const auto* lines : {&model.half_round_trip, &model.send, &model.isend, &model.receive}) {
      for (const Line& line : *lines) {
        if (line.from_bytes == 0) continue;
        const auto at = static_cast<std::uint64_t>(line.from_bytes);
        for (const std::uint64_t size : {at - 16, at - 1, at, at + 1, at + 16}) sizes.insert(size);
      }
    }
    for (const std::uint64_t at : {*model.async_bytes, *model.detached_bytes}) {
      for (const std::uint64_t size : {at - 1, at, at + 1}) sizes.insert(size);
    }
    return {sizes.begin(), sizes.end()};
  }
};

TEST_F(Smpirun, XmlTakesTheModelsTimesAtEverySize) {
  compile(kProgram);
  const PlatformModel model = planted_model();
  const std::vector<std::uint64_t> sizes = sizes_of(model);
  ASSERT_GE(sizes.size(), 26U);
  write("hosts", "node-0\nnode-1\n");
  write("one-node", "node-0\nnode-0\n");
  for (const PairsAre pairs_are : {PairsAre::kBetweenHosts, PairsAre::kInsideHost}) {
    PlatformModel other = model;
    other.pairs_are = pairs_are;
    const SimgridPlatform platform = invert(other).platform;
    write("platform.xml", simgrid_xml(platform, {}, {}));
    expect_times(run(2, "platform.xml", "hosts", words(sizes)), platform, sizes);
    // Factors know only the size, and so must ranks of one node take the same.
    expect_times(run(2, "platform.xml", "one-node", words(sizes)), platform, sizes);
  }
}

TEST_F(Smpirun, CallsTakeWhatTheyTook) {
  compile(kProgram);
  write("hosts", "node-0\nnode-1\n");
  const auto expect_calls = [&](const char* platform) {
    const auto rows = run(2, platform, "hosts", "calls");
    ASSERT_EQ(rows.size(), 1U);
    const std::vector<double> expected{40e-9, 230e-9, 230e-9, 350e-9, 350e-9};
    ASSERT_EQ(rows[0].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(rows[0][i], expected[i], 1e-15) << i;
    }
  };
  write("platform.xml", simgrid_xml(invert(planted_model()).platform, {}, {}));
  expect_calls("platform.xml");
  compile_platform({.inside_host = planted_model(), .between_hosts = planted_model()});
  expect_calls("libplatform.so");
}

// Overheads that overlap: nothing is left for the wire, and the round trip is as measured.
TEST_F(Smpirun, ClippedModelKeepsItsRoundTrip) {
  compile(kProgram);
  PlatformModel model = planted_model();
  model.send = {{.from_bytes = 0, .intercept_ns = 4800, .slope_ns = 1.5}};
  model.receive = {{.from_bytes = 0, .intercept_ns = 6000, .slope_ns = 1.25}};
  const Inversion inversion = invert(model);
  ASSERT_FALSE(inversion.clippings.empty());
  write("hosts", "node-0\nnode-1\n");
  write("platform.xml", simgrid_xml(inversion.platform, {}, {}));
  const std::vector<std::uint64_t> sizes{0, 1, 1420, 1421, 32999, 33001, 65536, 65537};
  const auto rows = run(2, "platform.xml", "hosts", words(sizes));
  ASSERT_EQ(rows.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double half = line_ns(model.half_round_trip, sizes[i]) * 1e-9;
    EXPECT_NEAR(rows[i][1], half, 2e-9 * half) << sizes[i];
  }
}

// A pair alone reaches what a pair reaches, pairs together what they reach together.
TEST_F(Smpirun, PairsShareWhatTheyReachTogether) {
  compile(kProgram);
  PlatformModel model = planted_model();
  model.half_round_trip.back().slope_ns = 1;
  model.pair_bandwidth_gb_s = 1;
  model.shared_bandwidth_gb_s = 2.5;
  constexpr int kSize = 10000000;
  const auto expect_pairs = [&](const PlatformModel& of, const ClusterShape& shape) {
    write("platform.xml", simgrid_xml(invert(of).platform, shape, {}));
    for (const int pairs : {1, 2, 5}) {
      std::string hosts;
      for (int rank = 0; rank < 2 * pairs; ++rank) {
        const int node = of.pairs_are == PairsAre::kInsideHost ? rank : rank / pairs;
        hosts += node_name(static_cast<std::uint32_t>(node)) + '\n';
      }
      write("hosts", hosts);
      const auto rows = run(2 * pairs, "platform.xml", "hosts", "pairs " + std::to_string(kSize));
      ASSERT_EQ(rows.size(), 1U);
      // They leave the barrier at moments that differ by some latencies.
      const double rate = std::min(1.0, 2.5 / pairs);
      EXPECT_NEAR(rows[0][0], (60000 + kSize / rate) * 1e-9, 0.01 * kSize * 1e-9) << pairs;
    }
  };
  expect_pairs(model, {.nodes = 2, .cores = 5});
  model.pairs_are = PairsAre::kInsideHost;
  expect_pairs(model, {.nodes = 10, .cores = 1});
}

// Inside a host: faster, with other breaks, and less that is shared.
PlatformModel memory_model() {
  PlatformModel model = planted_model();
  model.half_round_trip = {{.from_bytes = 0, .intercept_ns = 700, .slope_ns = 0.5},
                           {.from_bytes = 4096, .intercept_ns = 2500, .slope_ns = 0.25}};
  model.send = {{.from_bytes = 0, .intercept_ns = 120, .slope_ns = 0.1}};
  model.isend = {{.from_bytes = 0, .intercept_ns = 130, .slope_ns = 0.05}};
  model.receive = {{.from_bytes = 0, .intercept_ns = 150, .slope_ns = 0.12},
                   {.from_bytes = 2000, .intercept_ns = 200, .slope_ns = 0.08}};
  model.latency_ns = 400;
  model.pair_bandwidth_gb_s = 4;
  model.shared_bandwidth_gb_s = 9;
  model.pairs_are = PairsAre::kInsideHost;
  return model;
}

TEST_F(Smpirun, SourceGivesBothClassesOfPairsTheirTimes) {
  compile(kProgram);
  const SourceOrder order{.inside_host = memory_model(), .between_hosts = planted_model()};
  compile_platform(order);
  write("between", "node-0\nnode-1\n");
  write("inside", "node-0\nnode-0\n");
  const std::vector<std::uint64_t> between = sizes_of(order.between_hosts);
  expect_times(run(2, "libplatform.so", "between", words(between)),
               invert(order.between_hosts).platform, between);
  const std::vector<std::uint64_t> inside = sizes_of(order.inside_host);
  expect_times(run(2, "libplatform.so", "inside", words(inside)),
               invert(order.inside_host).platform, inside);
}

TEST_F(Smpirun, SourceVariesTimesAsTheirPiecesDo) {
  compile(kProgram);
  SourceOrder order{.inside_host = memory_model(), .between_hosts = planted_model()};
  // One message in five takes three times as long; calls vary by a tenth by themselves.
  order.between_hosts.half_round_trip[0].noise = {{.share = 0.8, .factor = 1, .log_sd = 0},
                                                  {.share = 0.2, .factor = 3, .log_sd = 0}};
  order.between_hosts.send[0].noise = {{.share = 1, .factor = 1, .log_sd = 0.1}};
  order.between_hosts.receive[0].noise = {{.share = 1, .factor = 1, .log_sd = 0.1}};
  compile_platform(order);
  write("between", "node-0\nnode-1\n");
  constexpr int kCount = 2000;
  const auto rows = run(2, "libplatform.so", "between", "repeat 100 " + std::to_string(kCount));
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kCount));
  // Both ways quick, one of them, none; the quick ones are the median.
  const double quick = (9000 + 2.5 * 100) * 1e-9;
  std::vector<int> counts(4);
  double sum = 0;
  double sum_send = 0;
  double squares_send = 0;
  for (const std::vector<double>& row : rows) {
    const double times = row[0] / quick;
    const int kind = static_cast<int>(std::lround(times));
    ASSERT_TRUE(kind >= 1 && kind <= 3) << times;
    ASSERT_NEAR(times, kind, 1e-6);
    ++counts[static_cast<std::size_t>(kind)];
    sum += row[0];
    const double send = row[1] / ((800 + 0.25 * 100) * 1e-9);
    sum_send += send;
    squares_send += (send - 1) * (send - 1);
  }
  // Five standard deviations of a binomial count.
  const auto expect_share = [&](int kind, double share) {
    EXPECT_NEAR(counts[static_cast<std::size_t>(kind)], kCount * share,
                5 * std::sqrt(kCount * share * (1 - share)));
  };
  expect_share(1, 0.64);
  expect_share(2, 0.32);
  expect_share(3, 0.04);
  EXPECT_NEAR(sum / kCount / (1.4 * quick), 1, 0.05);
  EXPECT_NEAR(sum_send / kCount, 1, 0.012);
  EXPECT_NEAR(std::sqrt(squares_send / kCount), 0.1, 0.01);
}

// The same time at every size, once a message; all others stay at the line.
TEST_F(Smpirun, SourceInterruptsAShareOfMessages) {
  compile(kProgram);
  SourceOrder order{.inside_host = memory_model(), .between_hosts = planted_model()};
  order.between_hosts.interruptions = {.share = 0.25, .duration_ns = 2e6};
  compile_platform(order);
  write("between", "node-0\nnode-1\n");
  constexpr int kCount = 2000;
  for (const auto& [size, line_s] : {std::pair(100, 9250e-9), {100000, 147500e-9}}) {
    SCOPED_TRACE(size);
    const auto rows = run(2, "libplatform.so", "between",
                          "repeat " + std::to_string(size) + " " + std::to_string(kCount));
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(kCount));
    std::vector<int> counts(3);
    for (const std::vector<double>& row : rows) {
      // The time is half of a round trip, of which none, one or both messages are interrupted.
      const double interruptions = (row[0] - line_s) / 1e-3;
      const auto kind = static_cast<std::size_t>(std::lround(interruptions));
      ASSERT_LT(kind, counts.size());
      ASSERT_NEAR(interruptions, static_cast<double>(kind), 1e-4);
      ++counts[kind];
    }
    EXPECT_NEAR(counts[0], 0.5625 * kCount, 5 * std::sqrt(0.25 * kCount));
    EXPECT_NEAR(counts[1], 0.375 * kCount, 5 * std::sqrt(0.25 * kCount));
    EXPECT_GT(counts[2], 0);
  }
}

// Messages of one pair and size that nothing comes between.
TEST_F(Smpirun, SourceDrawsForEveryMessage) {
  compile(kProgram);
  SourceOrder order{.inside_host = memory_model(), .between_hosts = planted_model()};
  order.between_hosts.half_round_trip[3].noise = {{.share = 0.5, .factor = 1, .log_sd = 0},
                                                  {.share = 0.5, .factor = 3, .log_sd = 0}};
  compile_platform(order);
  write("between", "node-0\nnode-1\n");
  constexpr int kCount = 400;
  const auto rows = run(2, "libplatform.so", "between", "sends 100000 " + std::to_string(kCount));
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kCount));
  const double median = (60000 + 0.875 * 100000) * 1e-9;
  int slow = 0;
  for (const std::vector<double>& row : rows) {
    const bool is_slow = row[0] > 2 * median;
    ASSERT_NEAR(row[0] / median, is_slow ? 3 : 1, 1e-6);
    if (is_slow) ++slow;
  }
  EXPECT_NEAR(slow, 0.5 * kCount, 5 * 0.5 * std::sqrt(kCount));
}

}  // namespace
}  // namespace invar::platform
