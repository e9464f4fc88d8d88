#include "host/sockets.hpp"

#include "base/text.hpp"

namespace invar::host {

std::int32_t socket_of_cpu(std::uint32_t cpu, const std::string& sys) {
  const auto text = base::read_file(sys + "/devices/system/cpu/cpu" + std::to_string(cpu) +
                                    "/topology/physical_package_id");
  if (!text) return kUnknownSocket;
  // A kernel that does not know writes -1.
  const auto socket = base::parse_u64(base::trim(*text));
  return socket ? static_cast<std::int32_t>(*socket) : kUnknownSocket;
}

}  // namespace invar::host
