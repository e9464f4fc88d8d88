// What is wrong with the data that an answer rests on, whatever the question.
#pragma once

namespace invar::analysis {

struct Health {
  bool damaged = false;     // some of it was left out: it does not match its checksums
  bool failed = false;      // a launch or a cell gave nothing
  bool incomplete = false;  // not everything that was planned was measured
};

}  // namespace invar::analysis
