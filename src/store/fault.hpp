// Damage that was found in a campaign's directory.
#pragma once

#include <string>

namespace invar::store {

struct DataFault {
  std::string place = {};  // the file in the campaign's directory, with its line where it has lines
  std::string what = {};

  bool operator==(const DataFault&) const = default;
};

}  // namespace invar::store
