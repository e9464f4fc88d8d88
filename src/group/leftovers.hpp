// What launches that were killed have left behind on this host, where no driver comes by to clean
// up.
#pragma once

#include <string>

namespace invar::group {

// Removes what is older than a minute and belongs to this user: pages in `pages` that no process
// uses any more, and empty session folders of run-time systems (invar-launch-*) in `folders`.
void remove_leftovers(const std::string& pages = "/dev/shm", const std::string& folders = "/tmp");

}  // namespace invar::group
