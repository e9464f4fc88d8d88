// What a launch ran on: one JSON object per host, captured by one rank of each.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace invar::host {

// {"boot_id", "host_name", ..., "processor", "kernel", "limits", "load", "network", "environment",
// "mapped"}. What is absent is null. CPU flags, mitigations and caches, which are long and do not
// change during a campaign, come only with `full`. `own`: also what this very process has mapped.
std::string environment_json(bool full, bool own = true);

// Variables of this process that steer MPI libraries and their transports, by name: they act on all
// launches that inherit them, and nobody wrote them into a campaign.
std::map<std::string, std::string> steering_variables();

// True for a value that sets variables which may be secret, as "ALL,API_TOKEN=s3cret": nobody
// records it.
bool holds_secrets(std::string_view value);

// What went over the network devices since `before` (host::network_counters): a JSON object of the
// counters that moved. A counter that was reset or whose device is new counts from 0.
std::string network_deltas_json(const std::map<std::string, std::uint64_t>& before,
                                const std::map<std::string, std::uint64_t>& after);

}  // namespace invar::host
