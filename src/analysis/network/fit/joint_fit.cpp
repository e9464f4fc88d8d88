#include "analysis/network/fit/joint_fit.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "stats/model/bounded_lines.hpp"

namespace invar::analysis {
namespace {

// A range with fewer sizes has no line of its own.
constexpr std::size_t kLeastSizesOfRange = 3;

// Those of the points that fits see.
std::size_t sizes_within(std::span<const SeriesPoint> points, std::uint64_t from_bytes,
                         std::uint64_t before_bytes) {
  return static_cast<std::size_t>(std::ranges::count_if(points, [&](const SeriesPoint& point) {
    return !point.held_out && point.size_bytes >= from_bytes && point.size_bytes < before_bytes;
  }));
}

// The last one of the points that fits see before that size. Sizes behind it, up to where the next
// piece begins, may be of either: other series break between other sizes, and have some there.
std::uint64_t last_before(std::span<const SeriesPoint> points, std::uint64_t before_bytes) {
  std::uint64_t last_bytes = 0;
  for (const SeriesPoint& point : points) {
    if (!point.held_out && point.size_bytes < before_bytes) last_bytes = point.size_bytes;
  }
  return last_bytes;
}

// Pieces that begin at these sizes, up to the last point before `end_bytes`; those of too few
// sizes are left out, and so are sizes between a piece and the next one's first.
std::vector<ByteRange> pieces_up_to(std::span<const SeriesPoint> points,
                                    std::span<const std::uint64_t> begins_bytes,
                                    std::optional<std::uint64_t> end_bytes) {
  std::vector<ByteRange> pieces;
  if (points.empty()) return pieces;
  const std::uint64_t end = end_bytes.value_or(points.back().size_bytes + 1);
  for (std::size_t i = 0; i < begins_bytes.size(); ++i) {
    const std::uint64_t from = begins_bytes[i];
    const std::uint64_t before =
        i + 1 < begins_bytes.size() ? std::min(begins_bytes[i + 1], end) : end;
    if (from >= end || sizes_within(points, from, before) < kLeastSizesOfRange) continue;
    const std::uint64_t to = before < end ? last_before(points, before) : end - 1;
    pieces.push_back({.from_bytes = from, .to_bytes = to});
  }
  return pieces;
}

// The smallest one that is a size of some piece, from where on.
const ByteRange* piece_of(const std::vector<ByteRange>& pieces, std::uint64_t size_bytes) {
  const auto found = std::ranges::find_if(
      pieces, [&](const ByteRange& piece) { return piece.contains(size_bytes); });
  return found == pieces.end() ? nullptr : &*found;
}

template <typename Piece>
std::optional<std::size_t> index_at(const std::vector<Piece>& pieces, const Piece* piece) {
  if (piece == nullptr) return std::nullopt;
  return static_cast<std::size_t>(piece - pieces.data());
}

// Behind the last size that is surely on the near side of the threshold; none: it has no far side.
std::optional<std::uint64_t> near_end(const Threshold& threshold) {
  if (!threshold.first_bytes) return std::nullopt;
  return threshold.last_bytes ? *threshold.last_bytes + 1 : *threshold.first_bytes;
}

// Sizes between the last one of one way and the first one of the other.
bool is_between(const Threshold& threshold, std::uint64_t size_bytes) {
  return threshold.first_bytes && size_bytes >= near_end(threshold) &&
         size_bytes < *threshold.first_bytes;
}

// Where ranges begin. A break beside a threshold is that threshold; the sizes between its two ends,
// of which there may be many where a fit broke, are of neither side.
std::vector<ByteRange> ranges_of(const JointPoints& points, const JointBreaks& breaks,
                                 std::span<const Threshold* const> thresholds) {
  const std::span<const SeriesPoint> sizes = points.half_round_trip;
  const auto between = [&](std::uint64_t size_bytes) {
    return std::ranges::any_of(thresholds,
                               [&](const Threshold* one) { return is_between(*one, size_bytes); });
  };
  const std::uint64_t end = sizes.back().size_bytes + 1;
  std::set<std::uint64_t> all;
  for (const std::uint64_t begin : breaks.half_round_trip) {
    if (!between(begin)) all.insert(begin);
  }
  for (const Threshold* one : thresholds) {
    if (one->first_bytes) all.insert({*one->first_bytes, *near_end(*one)});
  }
  std::erase_if(all, [&](std::uint64_t begin) { return begin >= end; });
  all.insert(sizes.front().size_bytes);
  std::erase_if(all, [&](std::uint64_t begin) { return begin < sizes.front().size_bytes; });
  const std::vector<std::uint64_t> begins(all.begin(), all.end());
  std::vector<ByteRange> ranges;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::uint64_t before = i + 1 < begins.size() ? begins[i + 1] : end;
    if (between(begins[i]) || sizes_within(sizes, begins[i], before) < kLeastSizesOfRange) continue;
    const std::uint64_t to = before < end ? last_before(sizes, before) : end - 1;
    ranges.push_back({.from_bytes = begins[i], .to_bytes = to});
  }
  return ranges;
}

}  // namespace

double JointSum::value(std::span<const double> unknowns) const {
  double sum = 0;
  for (const Part& part : parts) sum += part.times * unknowns[part.column];
  return sum;
}

std::vector<double> JointSolution::told() const {
  std::vector<double> values = unknowns;
  for (double& value : values) value = std::max(value, 0.0);
  return values;
}

JointShape joint_shape(const JointPoints& points, const JointBreaks& breaks,
                       const Threshold& detached, const Threshold& async) {
  JointShape shape{.detached = detached, .async = async};
  if (points.half_round_trip.empty()) return shape;
  shape.ranges = ranges_of(points, breaks, std::array{&detached, &async});
  shape.send_pieces = pieces_up_to(points.send, breaks.send, near_end(detached));
  shape.receive_pieces = pieces_up_to(points.late_receive, breaks.late_receive, near_end(async));
  shape.has_send = !points.send.empty();
  shape.has_receive = !points.late_receive.empty();
  const std::vector<ByteRange> gaps = pieces_up_to(points.gap, breaks.gap, std::nullopt);
  for (std::size_t range = 0; range < shape.ranges.size(); ++range) {
    for (const ByteRange& piece : gaps) {
      const ByteRange& of = shape.ranges[range];
      const std::uint64_t from = std::max(of.from_bytes, piece.from_bytes);
      const std::uint64_t to = std::min(of.to_bytes, piece.to_bytes);
      if (from > to || sizes_within(points.gap, from, to + 1) < kLeastSizesOfRange) continue;
      shape.gap_parts.push_back({.sizes = {.from_bytes = from, .to_bytes = to}, .range = range});
    }
  }
  return shape;
}

JointFit::JointFit(JointShape shape) : shape_(std::move(shape)) {
  for (std::size_t i = 0; i < shape_.send_pieces.size(); ++i) add_columns(JointTerm::kSend, i);
  for (std::size_t i = 0; i < shape_.receive_pieces.size(); ++i) {
    add_columns(JointTerm::kReceive, i);
  }
  for (std::size_t i = 0; i < shape_.ranges.size(); ++i) add_columns(JointTerm::kWire, i);
  for (std::size_t i = 0; i < shape_.gap_parts.size(); ++i) {
    columns_.push_back({.term = JointTerm::kGap, .index = i});
    if (!shape_.gap_parts[i].shares_gap) {
      columns_.push_back({.term = JointTerm::kGap, .index = i, .per_byte = true});
    }
  }
}

void JointFit::add_columns(JointTerm term, std::size_t index) {
  columns_.push_back({.term = term, .index = index});
  columns_.push_back({.term = term, .index = index, .per_byte = true});
}

std::optional<std::size_t> JointFit::column(JointColumn wanted) const {
  const auto found = std::ranges::find(columns_, wanted);
  if (found == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns_.begin());
}

std::optional<JointSum> JointFit::line(JointTerm term, std::size_t index, double bytes) const {
  JointColumn slope{.term = term, .index = index, .per_byte = true};
  if (term == JointTerm::kGap && shape_.gap_parts[index].shares_gap) {
    slope = {.term = JointTerm::kWire, .index = shape_.gap_parts[index].range, .per_byte = true};
  }
  const std::optional<std::size_t> constant = column({.term = term, .index = index});
  const std::optional<std::size_t> rise = column(slope);
  if (!constant || !rise) return std::nullopt;
  JointSum sum;
  sum.add(*constant, 1);
  sum.add(*rise, bytes);
  return sum;
}

bool JointFit::lacks_send(std::size_t range) const {
  return !shape_.has_send || shape_.detached.beyond(shape_.ranges[range].from_bytes);
}

bool JointFit::lacks_receive(std::size_t range) const {
  return !shape_.has_receive || shape_.async.beyond(shape_.ranges[range].from_bytes);
}

std::optional<JointSum> JointFit::send(std::uint64_t size_bytes) const {
  const auto piece = index_at(shape_.send_pieces, piece_of(shape_.send_pieces, size_bytes));
  if (!piece) return std::nullopt;
  return line(JointTerm::kSend, *piece, static_cast<double>(size_bytes));
}

std::optional<JointSum> JointFit::half_round_trip(std::uint64_t size_bytes) const {
  const auto range = index_at(shape_.ranges, piece_of(shape_.ranges, size_bytes));
  if (!range) return std::nullopt;
  // (s - 1) G: of an empty message G has no part.
  std::optional<JointSum> sum = line(
      JointTerm::kWire, *range, static_cast<double>(std::max<std::uint64_t>(size_bytes, 1) - 1));
  const auto add = [&](const std::optional<JointSum>& overhead) {
    if (!overhead) {
      sum.reset();
    } else if (sum) {
      sum->parts.insert(sum->parts.end(), overhead->parts.begin(), overhead->parts.end());
    }
  };
  if (!lacks_send(*range)) add(send(size_bytes));
  if (!lacks_receive(*range)) {
    const auto piece = index_at(shape_.receive_pieces, piece_of(shape_.receive_pieces, size_bytes));
    add(piece ? line(JointTerm::kReceive, *piece, static_cast<double>(size_bytes)) : std::nullopt);
  }
  return sum;
}

std::optional<JointSum> JointFit::late_receive(std::uint64_t size_bytes) const {
  const auto range = index_at(shape_.ranges, piece_of(shape_.ranges, size_bytes));
  if (!range || !shape_.has_receive) return std::nullopt;
  if (!lacks_receive(*range)) {
    const auto piece = index_at(shape_.receive_pieces, piece_of(shape_.receive_pieces, size_bytes));
    if (!piece) return std::nullopt;
    return line(JointTerm::kReceive, *piece, static_cast<double>(size_bytes));
  }
  // o_r + L + G s. Where the sender waits as well it is told by a message first: another constant.
  if (lacks_send(*range)) return std::nullopt;
  return line(JointTerm::kWire, *range, static_cast<double>(size_bytes));
}

std::optional<JointSum> JointFit::gap(std::uint64_t size_bytes) const {
  for (std::size_t i = 0; i < shape_.gap_parts.size(); ++i) {
    if (!shape_.gap_parts[i].sizes.contains(size_bytes)) continue;
    return line(JointTerm::kGap, i,
                static_cast<double>(std::max<std::uint64_t>(size_bytes, 1) - 1));
  }
  return std::nullopt;
}

std::optional<JointSolution> JointFit::solve(const JointPoints& points) const {
  std::vector<bool> at_least_0;
  for (const JointColumn& one : columns_) {
    const bool alone =
        one.term != JointTerm::kWire || (lacks_send(one.index) && lacks_receive(one.index));
    at_least_0.push_back(alone);
  }
  stats::BoundedLines lines(at_least_0);
  bool any = false;
  std::vector<double> coefficients(columns_.size());
  const auto add = [&](std::span<const SeriesPoint> series,
                       std::optional<JointSum> (JointFit::*says)(std::uint64_t) const) {
    for (const SeriesPoint& point : series) {
      if (point.held_out) continue;
      const std::optional<JointSum> sum = (this->*says)(point.size_bytes);
      if (!sum) continue;
      std::ranges::fill(coefficients, 0.0);
      for (const JointSum::Part& part : sum->parts) coefficients[part.column] += part.times;
      lines.add(coefficients, point.mean_ns, point.variance_ns2);
      any = true;
    }
  };
  add(points.half_round_trip, &JointFit::half_round_trip);
  add(points.send, &JointFit::send);
  add(points.late_receive, &JointFit::late_receive);
  add(points.gap, &JointFit::gap);
  if (!any) return std::nullopt;
  JointSolution solution;
  for (const stats::BoundedEstimate& one : lines.fit().parameters) {
    solution.unknowns.push_back(one.value.value_or(0));
    solution.on_bound.push_back(one.on_bound || solution.unknowns.back() < 0);
    solution.determined.push_back(one.value.has_value());
  }
  return solution;
}

}  // namespace invar::analysis
