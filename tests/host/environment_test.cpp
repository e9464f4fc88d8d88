// What of a process' variables is written into files that are passed on.
#include "host/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace invar::host {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Environment, WhatMayBeSecretIsNeverRecorded) {
  for (const char* name : {"SLURM_JWT", "PBS_JOBCOOKIE", "UCX_TOKEN", "OMPI_MCA_my_password",
                           "I_MPI_AUTH_METHOD", "FI_SECRET", "PMIX_CREDENTIAL", "FLUX_KEY"}) {
    ASSERT_EQ(::setenv(name, "s3cret", 1), 0);
  }
  ::setenv("SLURM_JOB_ID", "4711", 1);
  ::setenv("UCX_TLS", "posix", 1);
  ::setenv("UCX_IB_PKEY", "0x8001", 1);
  ::setenv("SLURM_EXPORT_ENV", "ALL,API_TOKEN=s3cret", 1);
  ::setenv("OMPI_MCA_mca_base_env_list", "A=1;DB_PASSWORD=s3cret", 1);
  ::setenv("SLURM_DEPLOY_PKEY", "s3cret", 1);
  const std::string text = environment_json(false);
  EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  EXPECT_THAT(text, HasSubstr("\"SLURM_JOB_ID\":\"4711\""));
  for (const auto& [name, value] : steering_variables()) EXPECT_NE(value, "s3cret") << name;
  EXPECT_EQ(steering_variables().at("UCX_TLS"), "posix");
  EXPECT_EQ(steering_variables().at("UCX_IB_PKEY"), "0x8001") << "a partition is not a secret";
  EXPECT_EQ(steering_variables().at("OMPI_MCA_mca_base_env_list"), "(not recorded)");
}

}  // namespace
}  // namespace invar::host
