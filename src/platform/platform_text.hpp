// Platform files that anybody wrote: the settings in them, and what smpirun misreads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/simgrid_property.hpp"

namespace invar::platform {

// The properties of <config> and the attributes of <cluster>, in their order, with line and column
// of their values. Comments are passed over, entities are left as they are. Throws UserError for
// tags, attributes and comments that do not end, and for a <config> behind the first zone, host or
// cluster, which smpirun refuses.
std::vector<SimgridProperty> platform_properties(std::string_view xml, const std::string& place);

// Throws UserError with every fault that check_properties() finds in the file.
void check_platform_text(std::string_view xml, const std::string& place);

}  // namespace invar::platform
