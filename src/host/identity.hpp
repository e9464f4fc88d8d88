// Which host a process runs on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace invar::host {

// As uname(2) says it.
std::string host_name();

// Tells the running kernel apart, and so the machine: what its containers and namespaces share.
// None: it cannot be read. `root` stands in front of the path.
std::optional<std::string> boot_id(const std::string& root = {});

// The same text in all processes of a host, and in no process of another one: boot id, name, and
// the time namespace (processes of two of them do not share a clock).
std::string host_identity();
// A number for it.
std::uint64_t host_hash();

}  // namespace invar::host
