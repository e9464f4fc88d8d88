#include "launch/build/build_progress.hpp"

#include <utility>

namespace invar::launch {
namespace {

constexpr double kBetweenLinesS = 10;
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

BuildProgress::BuildProgress(std::string name, std::size_t files, bool terminal)
    : name_(std::move(name)), files_(files), terminal_(terminal) {}

std::string BuildProgress::compiled(std::size_t files, double elapsed_s) {
  done_ += files;
  const std::string text =
      name_ + ": compiled " + std::to_string(done_) + " of " + std::to_string(files_) + " files";
  if (terminal_) return kClearLine + text;
  if (elapsed_s - last_s_ < kBetweenLinesS || done_ == files_) return {};
  last_s_ = elapsed_s;
  return text + "\n";
}

std::string BuildProgress::end() const { return terminal_ && done_ > 0 ? kClearLine : ""; }

}  // namespace invar::launch
