#include "analysis/network/fit/known_places.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// What a simulator is told has lines of these.
constexpr std::array kToldKinds{SeriesKind::kRoundTrip, SeriesKind::kSend, SeriesKind::kIsend,
                                SeriesKind::kLateReceive};

class LooselyKnown {
 public:
  explicit LooselyKnown(const NearestSizes& nearest) : nearest_(nearest) {}

  void add(std::string_view name, const Threshold& threshold) {
    const bool measured = threshold.known && threshold.last_bytes && threshold.first_bytes;
    // A written threshold needs no test of its own: its two sizes are neighbours.
    if (!measured) return;
    const ByteRange bracket{.from_bytes = *threshold.last_bytes,
                            .to_bytes = *threshold.first_bytes};
    add_bracket(std::string(name), bracket);
    thresholds_.push_back(bracket);
  }

  void add(const ModelSeries& series) {
    for (const ModelBreak& one : series.breaks) {
      const auto holds = [&](const ByteRange& bracket) {
        return bracket.from_bytes <= one.last_bytes && one.first_bytes <= bracket.to_bytes;
      };
      if (one.written_bytes || std::ranges::any_of(thresholds_, holds)) continue;
      add_bracket("a break of " + std::string(info_of(series.key.kind).words),
                  {.from_bytes = one.last_bytes, .to_bytes = one.first_bytes});
    }
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(texts_); }

 private:
  void add_bracket(const std::string& name, const ByteRange& bracket) {
    const auto last = static_cast<double>(std::max<std::uint64_t>(bracket.from_bytes, 1));
    const auto apart = static_cast<double>(bracket.to_bytes - bracket.from_bytes);
    const double near = std::max(static_cast<double>(std::max<std::uint64_t>(nearest_.bytes, 1)),
                                 nearest_.share * last);
    if (apart <= near) return;
    texts_.push_back(name + " is known only to " + percent_text(apart / last) + ": " +
                     base::size_text(bracket.from_bytes) + " to " +
                     base::size_text(bracket.to_bytes));
  }

  NearestSizes nearest_;
  std::vector<ByteRange> thresholds_ = {};
  std::vector<std::string> texts_ = {};
};

}  // namespace

std::vector<std::string> loosely_known(const Threshold& detached, const Threshold& async,
                                       std::span<const ModelSeries> series,
                                       const NearestSizes& nearest) {
  LooselyKnown found(nearest);
  found.add("detached", detached);
  const bool same =
      async.last_bytes == detached.last_bytes && async.first_bytes == detached.first_bytes;
  if (!same) found.add("async", async);
  for (const ModelSeries& one : series) {
    if (std::ranges::find(kToldKinds, one.key.kind) != kToldKinds.end()) found.add(one);
  }
  return found.take();
}

}  // namespace invar::analysis
