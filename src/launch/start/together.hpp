// Whether two launches may run at once here: turns need it, and some batch systems, licences and
// launchers allow one job at a time.
#pragma once

#include <string>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Starts a tiny launch of each at the same moment, `options` but for arguments and directory (the
// second with an environment of its own), and waits until their ranks have met in a shared page, at
// most 40 s. Why they have not; empty: they have. Throws UserError only if nothing can be started
// at all.
std::string together_problem(const Profile& first, const Profile& second,
                             const StartOptions& options, const Variables& second_environment = {});

// Names that this host cannot resolve. Launchers may know better (aliases of ssh), so this alone is
// no reason to refuse them.
std::vector<std::string> unknown_hosts(const std::vector<design::Host>& hosts);

// Why a launch cannot start its ranks as `options` say, within 40 s (with a host that is not known
// here 10 s); empty: it can.
std::string alone_problem(const Profile& profile, const StartOptions& options);

}  // namespace invar::launch
