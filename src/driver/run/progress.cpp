#include "driver/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::driver {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

std::string progress_line(const Progress::Now& now) {
  std::string line = now.planned ? fmt::format("  group {} of {}", now.done, *now.planned)
                                 : fmt::format("  group {} of at least {}", now.done, now.at_least);
  line += "   " + base::span_text(now.elapsed_s);
  if (now.planned && now.group_s > 0 && now.done < *now.planned) {
    line +=
        ", about " + base::span_text(std::ceil(now.group_s * (*now.planned - now.done))) + " left";
  }
  if (now.done > 0) line += fmt::format("   late {:.1f} %", now.late_share * 100);
  if (!now.canary_ns.empty()) {
    std::vector<double> sorted = now.canary_ns;
    std::sort(sorted.begin(), sorted.end());
    line += fmt::format("   {} {:.0f} ns [{:.0f}, {:.0f}]", base::canary_name(now.canary),
                        quantile(sorted, 0.5), quantile(sorted, 0.05), quantile(sorted, 0.95));
    if (!now.regimes.empty()) line += ", " + now.regimes;
  }
  return line;
}

Progress::Progress(std::string part)
    : terminal_(isatty(STDERR_FILENO) != 0), part_(std::move(part)) {}

void Progress::show(const Now& now) {
  if (!part_.empty() && !terminal_) return;
  line_ = base::without_controls((part_.empty() ? "" : "  " + part_) + progress_line(now));
  if (terminal_) {
    fmt::print(stderr, "\r\x1b[K{}", line_);
  } else {
    fmt::print(stderr, "{}\n", line_);
  }
  std::fflush(stderr);
}

void Progress::renew(const Now& now) {
  if (terminal_) show(now);
}

void Progress::say(const std::string& text) {
  // A manifest and programs have a say in it.
  std::string lines;
  for (const std::string_view line : base::split(text, '\n')) {
    lines += base::without_controls(line) + '\n';
  }
  fmt::print(stderr, "{}{}", terminal_ ? "\r\x1b[K" : "", lines);
  if (terminal_ && !line_.empty()) fmt::print(stderr, "{}", line_);
  std::fflush(stderr);
}

void Progress::finish() {
  if (terminal_ && !line_.empty()) fmt::print(stderr, "{}", part_.empty() ? "\n" : "\r\x1b[K");
  line_.clear();
  std::fflush(stderr);
}

}  // namespace invar::driver
