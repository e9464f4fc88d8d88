// What a cell's calls know of their messages: levels, peers, and the communicator beside the
// operation's own. Its address does not change, because calls point into it.
#pragma once

#include <memory>
#include <vector>

#include "ops/call/other_comm.hpp"
#include "ops/operation.hpp"
#include "record/cell.hpp"

namespace invar::ops {

class Messaging {
 public:
  // The operation must have messages, and the cell a pattern that its ranks have. Collective over
  // the call's communicator.
  Messaging(const record::Cell& cell, const Operation& operation, const Call& call);
  Messaging(const Messaging&) = delete;
  Messaging& operator=(const Messaging&) = delete;

  // False on all ranks where the library made no communicator on some of them.
  [[nodiscard]] bool made() const { return made_; }
  void attach(Call& call) {
    call.peers = &peers_;
    call.levels = &levels_;
  }

 private:
  record::P2pLevels levels_;
  std::vector<int> to_ = {};
  std::vector<int> from_ = {};
  std::shared_ptr<const OtherComm> other_;
  bool made_ = false;
  Peers peers_ = {};
};

}  // namespace invar::ops
