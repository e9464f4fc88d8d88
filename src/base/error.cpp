#include "base/error.hpp"

namespace invar::base {
namespace {

std::string joined(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += fault.text();
  }
  return text;
}

}  // namespace

std::string Fault::text() const {
  std::string text = place;
  if (line > 0) {
    text += ':' + std::to_string(line);
    if (column > 0) text += ':' + std::to_string(column);
  }
  if (!text.empty()) text += ": ";
  text += what;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

CommandError::CommandError(Exit status, std::vector<Fault> faults)
    : std::runtime_error(joined(faults)), status_(status), faults_(std::move(faults)) {}

void Faults::throw_if_any() const {
  if (!faults_.empty()) throw UserError(faults_);
}

}  // namespace invar::base
