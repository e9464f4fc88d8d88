// What the shim keeps at the moment, for tests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace invar::shim {

// The program's communicators that the table is about.
std::int64_t communicators_alive();

// Scratch of all of them.
std::size_t kept_scratch_bytes();

}  // namespace invar::shim
