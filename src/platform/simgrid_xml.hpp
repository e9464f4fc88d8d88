// A platform as the XML file that smpirun reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "platform/simgrid_platform.hpp"
#include "platform/simgrid_property.hpp"

namespace invar::platform {

// For pairs between hosts a node is a host. For pairs inside a host a node is a core of it: give as
// many nodes as there are ranks then, and one core.
struct ClusterShape {
  std::uint32_t nodes = 2;  // 1 or more, as all of these
  std::uint32_t cores = 1;
};

// Everything that the file says, in its order: properties of <config>, then attributes of
// <cluster>.
std::vector<SimgridProperty> properties_of(const SimgridPlatform& platform,
                                           const ClusterShape& shape);

// The calibrated platform, or its cluster alone with SimGrid's usual parameters, for comparison.
enum class XmlSays : std::uint8_t { kEverything, kClusterAlone };

// The whole file; `comments` are lines at its beginning, whatever they hold. Throws UserError with
// everything that smpirun would misread in it (check_properties), so that nobody writes such a
// file.
std::string simgrid_xml(const SimgridPlatform& platform, const ClusterShape& shape,
                        std::span<const std::string> comments, XmlSays says = XmlSays::kEverything);

// "node-0", as simgrid_xml() and platform_source() name them.
std::string node_name(std::uint32_t node);
// For smpirun -hostfile: every node, as often as it has cores.
std::string hostfile_text(const ClusterShape& shape);

}  // namespace invar::platform
