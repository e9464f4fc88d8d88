#include "ops/p2p/hooks.hpp"

namespace invar::ops {

// No operation of the catalogue sends messages yet, so that no cell has other levels.
std::unique_ptr<Hook> make_attached_buffer(const record::Cell& /*cell*/, Call& /*call*/) {
  return nullptr;
}

std::unique_ptr<Hook> make_unexpected(const record::Cell& /*cell*/, Call& /*call*/) {
  return nullptr;
}

std::unique_ptr<Hook> make_pending(const record::Cell& /*cell*/, Call& /*call*/) { return nullptr; }

std::unique_ptr<Hook> make_posted_receives(const record::Cell& /*cell*/, Call& /*call*/) {
  return nullptr;
}

}  // namespace invar::ops
