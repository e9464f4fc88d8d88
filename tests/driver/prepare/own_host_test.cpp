// People name a host as they like, and its cores are claimed all the same.
#include "driver/prepare/own_host.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "host/identity.hpp"

namespace invar::driver {
namespace {

std::string own_short_name() {
  const std::string name = host::host_name();
  return name.substr(0, name.find('.'));
}

TEST(Whereabouts, OfThisHostsNameIsHereHoweverItIsWritten) {
  std::string loud = own_short_name();
  std::ranges::transform(loud, loud.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string& name :
       {host::host_name(), own_short_name(), loud, own_short_name() + ".of.some.cluster",
        std::string("localhost"), std::string("LocalHost.localdomain")}) {
    EXPECT_EQ(whereabouts_of(name), Whereabouts::kHere) << name;
  }
}

TEST(Whereabouts, OfThisMachinesAddressesIsHere) {
  ifaddrs* all = nullptr;
  ASSERT_EQ(getifaddrs(&all), 0);
  std::vector<std::string> addresses{"127.0.0.1", "127.0.1.1"};
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    char text[NI_MAXHOST];
    if (getnameinfo(one->ifa_addr, sizeof(sockaddr_in), text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text);
    }
  }
  freeifaddrs(all);
  for (const std::string& address : addresses) {
    EXPECT_EQ(whereabouts_of(address), Whereabouts::kHere) << address;
  }
}

// 192.0.2.0/24 is for examples, and no machine has it (RFC 5737).
TEST(Whereabouts, OfOtherAddressesIsElsewhere) {
  EXPECT_EQ(whereabouts_of("192.0.2.17"), Whereabouts::kElsewhere);
}

TEST(Whereabouts, OfANameWithoutAddressIsNotKnown) {
  EXPECT_EQ(whereabouts_of("x-" + own_short_name() + ".invalid"), Whereabouts::kUnknown);
}

TEST(SomeAreHere, WhereNoHostIsNamedOrOneOfThemIsThisOne) {
  EXPECT_TRUE(some_are_here({}));
  const std::vector<design::Host> with_this = {{.name = "192.0.2.17"},
                                               {.name = own_short_name() + ".cluster"}};
  EXPECT_TRUE(some_are_here(with_this));
}

TEST(SomeAreHere, SaysSoOnlyWhereOneMayBeThisOne) {
  const std::vector<design::Host> others = {{.name = "192.0.2.17"}};
  testing::internal::CaptureStderr();
  EXPECT_FALSE(some_are_here(others));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const std::vector<design::Host> unknown = {{.name = "x-other.invalid"}};
  testing::internal::CaptureStderr();
  EXPECT_FALSE(some_are_here(unknown));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("no cores of this host"), std::string::npos) << said;
  EXPECT_NE(said.find("x-other.invalid"), std::string::npos) << said;
}

}  // namespace
}  // namespace invar::driver
