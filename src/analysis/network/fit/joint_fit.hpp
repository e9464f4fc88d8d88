// The equations behind LogP, LogGP and PLogP, put together for one fit (docs/methods.md, "The
// network model"): which unknowns there are at which sizes, and which sums of them were measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/network/fit/series_points.hpp"
#include "analysis/network/fit/thresholds.hpp"

namespace invar::analysis {

// Sizes, both included.
struct ByteRange {
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;

  [[nodiscard]] bool contains(std::uint64_t size_bytes) const {
    return size_bytes >= from_bytes && size_bytes <= to_bytes;
  }
  bool operator==(const ByteRange&) const = default;
};

// What the joint fit looks at: points of these series, each ascending.
struct JointPoints {
  std::vector<SeriesPoint> half_round_trip = {};
  std::vector<SeriesPoint> send = {};
  std::vector<SeriesPoint> late_receive = {};
  std::vector<SeriesPoint> gap = {};
};

// A part of a train's sizes, in one range of L and G.
struct GapPart {
  ByteRange sizes = {};
  std::size_t range = 0;
  bool shares_gap = false;  // its time a byte is the range's G
};

// Pieces and thresholds, which stay as they are over all resamples.
struct JointShape {
  // Each with an L and a G: the pieces of half round trips, cut at both thresholds.
  std::vector<ByteRange> ranges = {};
  std::vector<ByteRange> send_pieces = {};     // of sends that do not wait
  std::vector<ByteRange> receive_pieces = {};  // of late receives that do not contain the transfer
  std::vector<GapPart> gap_parts = {};
  Threshold detached = {};
  Threshold async = {};
  bool has_send = false;
  bool has_receive = false;
};

// Where a new piece begins: the sizes of a series' pieces, of which each is the first.
struct JointBreaks {
  std::vector<std::uint64_t> half_round_trip = {};
  std::vector<std::uint64_t> send = {};
  std::vector<std::uint64_t> late_receive = {};
  std::vector<std::uint64_t> gap = {};
};
JointShape joint_shape(const JointPoints& points, const JointBreaks& breaks,
                       const Threshold& detached, const Threshold& async);

// An unknown of the fit: both numbers of a line.
enum class JointTerm : std::uint8_t { kSend, kReceive, kWire, kGap };
struct JointColumn {
  JointTerm term = JointTerm::kWire;
  std::size_t index = 0;  // into the shape's send_pieces, receive_pieces, ranges, gap_parts
  bool per_byte = false;

  bool operator==(const JointColumn&) const = default;
};

// A sum of unknowns: "half a round trip of 8 B".
struct JointSum {
  struct Part {
    std::size_t column = 0;
    double times = 1;
  };
  std::vector<Part> parts = {};

  void add(std::size_t column, double times) { parts.push_back({column, times}); }
  [[nodiscard]] double value(std::span<const double> unknowns) const;
};

// As JointFit::columns().
struct JointSolution {
  // 0 where nothing determines it. Those of the wire may be below 0 beside an overhead, which is
  // what both ends do at the same time: held at 0 they would take it from the overheads, which are
  // measured alone.
  std::vector<double> unknowns = {};
  std::vector<bool> on_bound = {};  // it is below 0, or would be
  std::vector<bool> determined = {};

  // As parameters are told: what is below 0 is 0.
  [[nodiscard]] std::vector<double> told() const;
};

class JointFit {
 public:
  explicit JointFit(JointShape shape);

  [[nodiscard]] const JointShape& shape() const { return shape_; }
  [[nodiscard]] const std::vector<JointColumn>& columns() const { return columns_; }
  // None: there is no such unknown.
  [[nodiscard]] std::optional<std::size_t> column(JointColumn wanted) const;

  // What the unknowns say of a size; none: of a size like this nothing is known.
  [[nodiscard]] std::optional<JointSum> half_round_trip(std::uint64_t size_bytes) const;
  [[nodiscard]] std::optional<JointSum> send(std::uint64_t size_bytes) const;
  [[nodiscard]] std::optional<JointSum> late_receive(std::uint64_t size_bytes) const;
  [[nodiscard]] std::optional<JointSum> gap(std::uint64_t size_bytes) const;

  // In the range the constant is not L alone, because these were not told apart from it.
  [[nodiscard]] bool lacks_send(std::size_t range) const;
  [[nodiscard]] bool lacks_receive(std::size_t range) const;

  // Least weighted squares over all points that fits see, every unknown at least 0, but for the
  // wire's beside overheads. None: nothing was measured.
  [[nodiscard]] std::optional<JointSolution> solve(const JointPoints& points) const;

 private:
  void add_columns(JointTerm term, std::size_t index);
  [[nodiscard]] std::optional<JointSum> line(JointTerm term, std::size_t index, double bytes) const;

  JointShape shape_;
  std::vector<JointColumn> columns_ = {};
};

}  // namespace invar::analysis
