#include "launch/start/launch_template.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

LaunchWords words() {
  return {.ranks = 8,
          .hosts = {"n1", "n2"},
          .hostfile = "/tmp/hosts",
          .ppn = 4,
          .environment = {{"A", "1"}, {"B", "two words"}},
          .program = "/home/e/engine",
          .arguments = {"--launch", "dir with space"}};
}

TEST(LaunchTemplate, AllPlaceholdersAreFilledIn) {
  EXPECT_THAT(
      fill_template("srun -n{ranks} --ntasks-per-node={ppn} -w {hosts} {env} {program} {args}",
                    words(), "--launch"),
      ElementsAre("srun", "-n8", "--ntasks-per-node=4", "-w", "n1,n2", "env", "A=1", "B=two words",
                  "/home/e/engine", "--launch", "dir with space"));
}

TEST(LaunchTemplate, HostFileIsAPath) {
  EXPECT_THAT(fill_template("mpiexec -f {hostfile} -n {ranks} {program} {args}", words(), "x"),
              ElementsAre("mpiexec", "-f", "/tmp/hosts", "-n", "8", "/home/e/engine", "--launch",
                          "dir with space"));
}

TEST(LaunchTemplate, WithoutEnvironmentThereIsNoEnv) {
  LaunchWords none = words();
  none.environment.clear();
  none.arguments.clear();
  EXPECT_THAT(fill_template("srun -n {ranks} {env} {program} {args}", none, "x"),
              ElementsAre("srun", "-n", "8", "/home/e/engine"));
}

TEST(LaunchTemplate, QuotesKeepSpacesTogether) {
  EXPECT_THAT(fill_template(R"(a 'b c' "d e" f\ g {ranks} {program} {args})", {}, "x"),
              ElementsAre("a", "b c", "d e", "f g", "2", ""));
}

TEST(LaunchTemplate, UnknownPlaceholderIsNamedWithTheOneThatWasMeant) {
  const std::string error =
      error_of([] { check_template("srun -n {rank} {program} {args}", "--launch"); });
  EXPECT_THAT(error, HasSubstr("{rank}"));
  EXPECT_THAT(error, HasSubstr("did you mean 'ranks'?"));
}

TEST(LaunchTemplate, AllFaultsAreToldAtOnce) {
  const std::string error = error_of([] { check_template("srun 'x {nodes} {env}y", "--launch"); });
  EXPECT_THAT(error, HasSubstr("quote"));
  EXPECT_THAT(error, HasSubstr("{ranks}"));
  EXPECT_THAT(error, HasSubstr("{program}"));
  EXPECT_THAT(error, HasSubstr("{args}"));
}

TEST(LaunchTemplate, EnvironmentBehindTheProgramWouldBeAnArgument) {
  EXPECT_THAT(
      error_of([] { check_template("srun -n {ranks} {program} {env} {args}", "--launch"); }),
      HasSubstr("before {program}"));
}

}  // namespace
}  // namespace invar::launch
