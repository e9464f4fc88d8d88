#include "platform/platform_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "platform/planted_model.hpp"

namespace invar::platform {
namespace {

using test::faults_of;
using test::planted_model;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PlatformSource, SaysWhatItIsAndHowItIsCompiled) {
  const std::vector<std::string> comments{"one\ntwo", "three\\"};
  const PlatformSource source = platform_source(
      {.inside_host = planted_model(), .between_hosts = planted_model(), .seed = 7}, comments);
  EXPECT_TRUE(source.text.starts_with("// one?two\n// three\n// g++ -std=c++17"));
  EXPECT_THAT(source.text, HasSubstr("constexpr unsigned long long kSeed = 7ULL;"));
  EXPECT_THAT(source.text, HasSubstr("set_default(\"smpi/wtime\", 4e-08);"));
  EXPECT_THAT(source.text,
              HasSubstr("set_default(\"smpi/coll-selector\", std::string(\"ompi\"));"));
  EXPECT_THAT(source.cautions, IsEmpty());
  EXPECT_THAT(source.inside_clippings, IsEmpty());
}

TEST(PlatformSource, NoiseIsAboutTheLine) {
  SourceOrder order{.inside_host = planted_model(), .between_hosts = planted_model()};
  order.between_hosts.send[1].noise = {{.share = 0.5, .factor = 1, .log_sd = 0},
                                       {.share = 0.5, .factor = 3, .log_sd = 0}};
  // The shorter half is a median, too.
  EXPECT_THAT(platform_source(order, {}).text, HasSubstr("{{0.5, 1.0, 0.0}, {0.5, 3.0, 0.0}}"));
  order.between_hosts.send[1].noise = {{.share = 0.25, .factor = 2, .log_sd = 0},
                                       {.share = 0.75, .factor = 4, .log_sd = 0}};
  EXPECT_THAT(platform_source(order, {}).text, HasSubstr("{{0.25, 0.5"));
  // One time in a thousand, however long, moves the others by next to nothing.
  order.between_hosts.send[1].noise = {{.share = 0.999, .factor = 1, .log_sd = 0.5},
                                       {.share = 0.001, .factor = 515, .log_sd = 0}};
  EXPECT_THAT(platform_source(order, {}).text, HasSubstr("{{0.999, 0.999"));
}

TEST(PlatformSource, InterruptionsAreSecondsOfAShareOfMessages) {
  SourceOrder order{.inside_host = planted_model(), .between_hosts = planted_model()};
  order.between_hosts.interruptions = {.share = 0.001, .duration_ns = 2e6};
  EXPECT_THAT(platform_source(order, {}).text, HasSubstr("    0.001, 0.002,\n"));
}

TEST(PlatformSource, ThresholdsThatDifferAreSaid) {
  SourceOrder order{.inside_host = planted_model(), .between_hosts = planted_model()};
  order.inside_host.detached_bytes = 4096;
  order.inside_host.async_bytes.reset();
  const PlatformSource source = platform_source(order, {});
  EXPECT_THAT(source.cautions,
              ElementsAre("SimGrid has one pair of thresholds: inside a host detached is taken for "
                          "65537 B (measured: 4096 B) and async for 4097 B (measured: none); round "
                          "trips are as measured all the same"));
}

TEST(PlatformSource, FaultsOfBothClassesAreNamedAtOnce) {
  SourceOrder order{.inside_host = planted_model(),
                    .between_hosts = planted_model(),
                    .hosts = 0,
                    .cores = 1U << 31U};
  order.inside_host.latency_ns = -1;
  order.between_hosts.send.clear();
  EXPECT_THAT(faults_of([&] { platform_source(order, {}); }),
              ElementsAre(HasSubstr("inside a host, latency: -1 is not a time"),
                          HasSubstr("between hosts, MPI_Send: has no piece"),
                          HasSubstr("hosts: 0 is none"), HasSubstr("cores of a host: 2147483648")));
}

}  // namespace
}  // namespace invar::platform
