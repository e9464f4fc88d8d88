// The files by which SimGrid simulates a measured network: XML, C++ source, and who is where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/platform_model.hpp"
#include "platform/simgrid_platform.hpp"
#include "platform/simgrid_xml.hpp"

namespace invar::platform {

struct NamedText {
  std::string name = {};  // of the file
  std::string text = {};
  bool operator==(const NamedText&) const = default;
};

struct FilesOrder {
  std::string stem = "platform";            // of the files' names
  std::vector<std::string> about = {};      // what was measured: lines for people
  PlatformModel model = {};                 // of the pairs that the XML has
  std::optional<PlatformModel> other = {};  // of the other class of pairs; none: not measured
  std::uint32_t ranks = 2;                  // that the machine takes, 1 or more
  std::uint64_t seed = 1;                   // of the noise
};

struct PlatformFiles {
  // STEM.xml and STEM.hosts, STEM.cpp and STEM.cpp.hosts.
  std::vector<NamedText> files = {};
  // What nobody measured, what had to give way, what SimGrid cannot say: sentences, which stand in
  // the files, too.
  std::vector<std::string> remarks = {};
};

// "smpirun -np 4 -platform platform.xml -hostfile platform.hosts ... PROGRAM".
std::string run_text(const std::string& stem, std::uint32_t ranks);

// Everything is checked before a text is made. Throws UserError as check_model() and
// simgrid_xml().
PlatformFiles platform_files(const FilesOrder& order);

// For comparison: the cluster alone, with whatever SimGrid takes for the rest; and what the usual
// formulas make of the model. Throws UserError where smpirun would misread it.
std::string defaults_xml(const PlatformModel& model, std::uint32_t ranks);
std::string usual_xml(const PlatformModel& model, std::uint32_t ranks);

}  // namespace invar::platform
