// Campaigns whose arms simulate: where their ranks are, and what follows from that.
#pragma once

#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/campaign/hosts.hpp"
#include "driver/prepare/prepare.hpp"

namespace invar::driver {

// All arms simulate: the campaign is made one of simulated ranks (design::make_simulated). None
// does: false. Throws base::UserError where only some do, and for what is written and cannot be.
// Builds nothing. Settings that name a file have its whole path afterwards.
bool begin_simulation(design::Campaign& campaign, const std::string& place);

// Hosts that all arms' machines have enough of: those that the campaign names, else as many as the
// smallest one has, a rank on each. Throws base::UserError for names that a machine lacks.
std::vector<design::Host> simulated_hosts(const design::Campaign& campaign,
                                          const std::vector<launch::CheckedArm>& arms,
                                          const std::string& place);

// The hosts of an arm's launches: names may differ from machine to machine.
std::vector<design::Host> hosts_of_arm(const Prepared& prepared, std::size_t arm);

}  // namespace invar::driver
