// The visits that the campaign measured as it says and that are evidence: without those that other
// suites' ways of measuring got (only the presets look at these), and without those from which a
// decision chose what else to measure.
#pragma once

#include <optional>

#include "store/reader.hpp"

namespace invar::analysis {

class OwnVisits {
 public:
  // `all` outlives this.
  explicit OwnVisits(const store::Data& all);

  // The same data where there are no other visits. Cells keep their order.
  [[nodiscard]] const store::Data& data() const { return own_ ? *own_ : *all_; }

 private:
  const store::Data* all_;
  std::optional<store::Data> own_ = {};
};

}  // namespace invar::analysis
