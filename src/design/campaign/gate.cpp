#include "design/campaign/gate.hpp"

#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::design {

std::optional<Complaint> read_gate(std::string_view text, Gate& gate) {
  const std::size_t colon = text.find(':');
  const std::string reason(text.substr(0, colon));
  if (reason != "slower") {
    const std::vector<std::string> known{"slower"};
    return Complaint{.what = "unknown reason '" + reason + "'",
                     .remedy = base::did_you_mean(reason, known)};
  }
  gate = {};
  if (colon == std::string_view::npos) return std::nullopt;
  const base::Parsed<double> margin = base::parse_percent(text.substr(colon + 1));
  if (!margin.value) {
    return Complaint{.what = margin.error, .remedy = "write by how much, as in slower:5%"};
  }
  gate.margin = *margin.value;
  return std::nullopt;
}

}  // namespace invar::design
