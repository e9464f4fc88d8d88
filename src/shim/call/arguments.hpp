// The buffers of a call, as an operation takes them. What only moves data is called on bytes: ranks
// may describe one and the same message by different datatypes, and what one rank knows of its own
// must not decide. What does not lie as it is packed is packed before the call, and unpacked after.
#pragma once

#include <cstddef>
#include <optional>

#include "ops/operation.hpp"
#include "shim/call/asked.hpp"
#include "shim/call/datatype.hpp"
#include "shim/call/match.hpp"
#include "shim/library/library.hpp"
#include "shim/table/collective.hpp"

namespace invar::shim {

// Blocks in a buffer of the program.
struct Blocks {
  std::byte* begin = nullptr;
  int count = 0;  // elements of a block
  int blocks = 0;
  Datatype type = {};

  [[nodiscard]] std::size_t block_bytes() const {
    return static_cast<std::size_t>(count) * type.size_bytes;
  }
};

// The data that a collective moves, from before the call to after it.
class MovedData {
 public:
  // `block_bytes`: of the data of a block, on all ranks. All blocks together fit an int.
  MovedData(const Asked& asked, const Presence& presence, int ranks, std::size_t block_bytes);

  // Bytes for what is packed.
  [[nodiscard]] std::size_t staged_bytes() const;
  // Puts the buffers into the call; `staging` is so long. An MPI error code: a datatype that is
  // none, or blocks that are not as long as those of this rank's other buffer.
  int begin(ops::Call& call, std::byte* staging);
  // Behind a call that went well.
  [[nodiscard]] int end(const ops::Call& call) const;

 private:
  // Bytes of the staged copy; 0: there is none.
  [[nodiscard]] std::size_t staged_bytes(const std::optional<Blocks>& buffer) const;

  const CollectiveRow& row_;
  bool in_place_;
  std::size_t block_bytes_;
  bool fits_ = true;
  std::optional<Blocks> send_ = {};
  std::optional<Blocks> recv_ = {};
};

}  // namespace invar::shim
