// [clock.virtual]: clocks that are wrong on purpose.
#pragma once

#include <string>

#include "design/campaign/toml_table.hpp"
#include "record/virtual_clocks.hpp"

namespace invar::design {

void read_virtual_clocks(TomlTable& table, record::VirtualClocks& clocks);

// As TOML; empty where none are asked for.
std::string virtual_clocks_toml(const record::VirtualClocks& clocks);

}  // namespace invar::design
