#include "analysis/network/fit/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/words/numbers.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// A parameter that follows from the unknowns, before it has numbers.
struct AskedParameter {
  Parameter told = {};
  JointSum sum = {};
  std::optional<std::size_t> column = {};  // it is this unknown alone
};

std::string ns_text(double ns) { return time_text({.median_ns = ns}).estimate; }

// What both ends of a message take and the wire does not.
constexpr const char* kOverlap =
    "half a round trip takes less than MPI_Send and a late MPI_Recv together: in it they overlap";

class ParameterTeller {
 public:
  // `solved`: of judged.shape.
  ParameterTeller(const SolvedJoint& solved, const JudgedGaps& judged)
      : solved_(solved), fit_(solved.fit()), whole_(solved.question().points), judged_(judged) {}

  JointParameters tell() {
    JointParameters found{
        .plogp = plogp_rows(solved_), .fit = fit_, .solution = solved_.solution()};
    for (const AskedParameter& asked : asked_parameters()) {
      found.parameters.push_back(told(asked));
    }
    tell_missing(found.parameters);
    for (Parameter& one : found.parameters) one.sizes = seen(one.sizes);
    return found;
  }

 private:
  // As far as sizes were measured: what lies between two of them nobody has seen.
  [[nodiscard]] ByteRange seen(ByteRange sizes) const {
    std::uint64_t last_bytes = sizes.from_bytes;
    for (const SeriesPoint& point : whole_.half_round_trip) {
      if (sizes.contains(point.size_bytes)) last_bytes = point.size_bytes;
    }
    sizes.to_bytes = last_bytes;
    return sizes;
  }

  [[nodiscard]] AskedParameter asked(const std::string& name, const JointColumn& column,
                                     const ByteRange& sizes) const {
    const std::size_t index = *fit_.column(column);
    AskedParameter made{
        .told = {.model = "LogGP", .name = name, .per_byte = column.per_byte, .sizes = sizes},
        .column = index};
    made.sum.add(index, 1);
    return made;
  }

  // "L", "o_s + L", "L + o_r", "o_s + L + o_r".
  [[nodiscard]] std::string constant_name(std::size_t range) const {
    return std::string(fit_.lacks_send(range) ? "o_s + " : "") + "L" +
           (fit_.lacks_receive(range) ? " + o_r" : "");
  }

  [[nodiscard]] std::vector<AskedParameter> asked_parameters() const {
    std::vector<AskedParameter> all = logp();
    const JointShape& shape = fit_.shape();
    for (std::size_t i = 0; i < shape.ranges.size(); ++i) {
      all.push_back(
          asked(constant_name(i), {.term = JointTerm::kWire, .index = i}, shape.ranges[i]));
      all.push_back(
          asked("G", {.term = JointTerm::kWire, .index = i, .per_byte = true}, shape.ranges[i]));
      if (lacks_either(i)) {
        all.back().told.why = "with what overheads take a byte that are not identified";
        continue;
      }
      const SubtractedLine line = by_subtraction(whole_, shape.ranges[i]);
      all[all.size() - 2].told.by_subtraction = line.constant;
      all.back().told.by_subtraction = line.slope;
    }
    for (std::size_t i = 0; i < shape.send_pieces.size(); ++i) {
      add_line(all, "o_s", JointTerm::kSend, i, shape.send_pieces[i]);
    }
    for (std::size_t i = 0; i < shape.receive_pieces.size(); ++i) {
      add_line(all, "o_r", JointTerm::kReceive, i, shape.receive_pieces[i]);
    }
    for (std::size_t i = 0; i < shape.gap_parts.size(); ++i) {
      const GapPart& part = shape.gap_parts[i];
      AskedParameter gap = asked("g", {.term = JointTerm::kGap, .index = i}, part.sizes);
      if (judged_.busy[i]) mark_busy(gap.told);
      all.push_back(std::move(gap));
      if (part.shares_gap) continue;
      all.push_back(asked("G of trains", {.term = JointTerm::kGap, .index = i, .per_byte = true},
                          part.sizes));
      if (judged_.busy[i]) mark_busy(all.back().told);
    }
    if (std::optional<AskedParameter> latency = plogp_latency()) all.push_back(*latency);
    return all;
  }

  void add_line(std::vector<AskedParameter>& all, const std::string& name, JointTerm term,
                std::size_t index, const ByteRange& sizes) const {
    all.push_back(asked(name, {.term = term, .index = index}, sizes));
    all.push_back(
        asked(name + " per byte", {.term = term, .index = index, .per_byte = true}, sizes));
  }

  [[nodiscard]] bool is_busy_at(std::uint64_t size_bytes) const {
    const std::vector<GapPart>& parts = fit_.shape().gap_parts;
    const auto part = std::ranges::find_if(
        parts, [&](const GapPart& one) { return one.sizes.contains(size_bytes); });
    return part != parts.end() && judged_.busy[static_cast<std::size_t>(part - parts.begin())];
  }

  static void mark_busy(Parameter& told) {
    told.state = ParameterState::kNotIdentified;
    told.why =
        "bound by overheads: messages in a row follow each other as fast as a rank is free, and "
        "the train says nothing of g, nor of G";
  }

  // The parameters of the smallest messages: L, o = (o_s + o_r) / 2 and g (Culler et al., PPoPP
  // 1993).
  [[nodiscard]] std::vector<AskedParameter> logp() const {
    const JointShape& shape = fit_.shape();
    std::vector<AskedParameter> all;
    const ByteRange& first = shape.ranges.front();
    const std::uint64_t least_bytes = first.from_bytes;
    const auto take = [&](std::string name, std::optional<JointSum> sum,
                          std::optional<std::size_t> column) {
      AskedParameter made{.told = {.model = "LogP", .name = std::move(name), .sizes = first},
                          .column = column};
      if (sum) {
        made.sum = std::move(*sum);
      } else {
        made.told.state = ParameterState::kNotIdentified;
      }
      all.push_back(std::move(made));
    };
    const std::size_t wire = *fit_.column({.term = JointTerm::kWire, .index = 0});
    JointSum constant;
    constant.add(wire, 1);
    take(constant_name(0), constant, wire);
    if (!lacks_either(0)) all.back().told.by_subtraction = by_subtraction(whole_, first).constant;
    std::optional<JointSum> overhead;
    const std::optional<JointSum> send = fit_.send(least_bytes);
    const std::optional<JointSum> receive =
        fit_.lacks_receive(0) ? std::nullopt : fit_.late_receive(least_bytes);
    if (send && receive) {
      overhead.emplace();
      for (const JointSum* one : {&*send, &*receive}) {
        for (const JointSum::Part& part : one->parts) overhead->add(part.column, part.times / 2);
      }
    }
    take("o", overhead, std::nullopt);
    if (!overhead) all.back().told.why = send ? why_no_receive() : why_no_send();
    const std::optional<std::uint64_t> train_bytes = least_train_bytes();
    take("g", train_bytes ? fit_.gap(*train_bytes) : std::nullopt, std::nullopt);
    if (!train_bytes) {
      all.back().told.why = "no trains of these sizes were measured";
    } else if (is_busy_at(*train_bytes)) {
      mark_busy(all.back().told);
    }
    return all;
  }

  // The smallest size of trains, which are of fewer sizes than round trips; none: there is none
  // among the smallest messages.
  [[nodiscard]] std::optional<std::uint64_t> least_train_bytes() const {
    const std::vector<GapPart>& parts = fit_.shape().gap_parts;
    if (parts.empty() || parts.front().range != 0) return std::nullopt;
    return parts.front().sizes.from_bytes;
  }

  // RTT(0) = 2 (L + g(0)), of the smallest messages that were measured.
  [[nodiscard]] std::optional<AskedParameter> plogp_latency() const {
    const std::optional<std::uint64_t> least_bytes = least_train_bytes();
    if (!least_bytes) return std::nullopt;
    const std::optional<JointSum> half = fit_.half_round_trip(*least_bytes);
    const std::optional<JointSum> gap = fit_.gap(*least_bytes);
    if (!half || !gap) return std::nullopt;
    AskedParameter made{.told = {.model = "PLogP",
                                 .name = "L",
                                 .sizes = {.from_bytes = *least_bytes, .to_bytes = *least_bytes}},
                        .sum = *half};
    for (const JointSum::Part& part : gap->parts) made.sum.add(part.column, -part.times);
    return made;
  }

  [[nodiscard]] ModelEstimate estimate_of(const JointSum& sum) const {
    ModelEstimate made = solved_.estimate(
        [&](std::span<const double> unknowns) { return std::max(0.0, sum.value(unknowns)); });
    // Resamples are at least 0; what few groups add to the ends is not.
    if (made.interval) made.interval->low = std::max(0.0, made.interval->low);
    return made;
  }

  [[nodiscard]] Parameter told(const AskedParameter& asked) const {
    Parameter made = asked.told;
    const bool known = made.state != ParameterState::kNotIdentified;
    if (!known && asked.sum.parts.empty()) return made;
    const bool determined = std::ranges::all_of(asked.sum.parts, [&](const JointSum::Part& part) {
      return solved_.solution()->determined[part.column];
    });
    if (!known) {
      // A gap that overheads bind was measured all the same.
      if (determined) made.at_most = estimate_of(asked.sum);
      // 0 but for rounding: on the fit's bound, and no bound of anything.
      constexpr double kNothingNs = 1e-6;
      if (made.at_most && made.at_most->value < kNothingNs) made.at_most.reset();
      return made;
    }
    if (!determined) {
      made.state = ParameterState::kNotIdentified;
      made.why = "the sizes that were measured do not determine it";
      return made;
    }
    // PLogP's L is a difference, whose bound is its own.
    const double raw = asked.sum.value(solved_.solution()->unknowns);
    made.estimate = estimate_of(asked.sum);
    const bool below = !asked.column && raw < 0;
    if (!below && (!asked.column || !solved_.solution()->on_bound[*asked.column])) return made;
    made.state = ParameterState::kOnBound;
    if (below) {
      made.by_subtraction = raw;
      made.why = "half a round trip takes less than a further message of a train";
      return made;
    }
    // Both are below 0, or the fit alone, which has more sizes.
    if (raw < 0 && made.by_subtraction && *made.by_subtraction >= 0) made.by_subtraction = raw;
    if (made.by_subtraction && *made.by_subtraction < 0) {
      made.why = std::string(kOverlap) + " (by subtraction " + amount_text(made) + ")";
    } else {
      made.why = "the fit would have it below 0";
    }
    return made;
  }

  static std::string amount_text(const Parameter& of) {
    return of.per_byte ? fmt::format("{:.3g} ns/B", *of.by_subtraction)
                       : ns_text(*of.by_subtraction);
  }

  [[nodiscard]] std::string why_no_send() const {
    const Threshold& detached = fit_.shape().detached;
    if (!fit_.shape().has_send) return "no sends were measured";
    if (!detached.first_bytes) return "too few sizes of sends were measured";
    return "from " + base::size_text(*detached.first_bytes) + " on MPI_Send waits for its receiver";
  }

  [[nodiscard]] std::string why_no_receive() const {
    const Threshold& async = fit_.shape().async;
    if (!fit_.shape().has_receive) return "no late receives were measured";
    if (!async.first_bytes) return "too few sizes of late receives were measured";
    return "from " + base::size_text(*async.first_bytes) +
           " on a late receive contains the transfer: o_r + L + G s" +
           (async.why.empty() ? "" : " (" + async.why + ")");
  }

  // Each overhead from the size on from where it is part of a sum.
  void tell_missing(std::vector<Parameter>& parameters) const {
    const JointShape& shape = fit_.shape();
    const std::uint64_t last_bytes = shape.ranges.back().to_bytes;
    const auto tell = [&](const std::string& name, auto lacks, const std::string& why) {
      for (std::size_t i = 0; i < shape.ranges.size(); ++i) {
        if (!(this->*lacks)(i)) continue;
        parameters.push_back(
            {.model = "LogGP",
             .name = name,
             .sizes = {.from_bytes = shape.ranges[i].from_bytes, .to_bytes = last_bytes},
             .state = ParameterState::kNotIdentified,
             .why = why});
        return;
      }
    };
    tell("o_s", &ParameterTeller::lacks_send, why_no_send());
    tell("o_r", &ParameterTeller::lacks_receive, why_no_receive());
    tell("L", &ParameterTeller::lacks_either,
         lacks_send_anywhere() ? "only a sum with what is not identified is known"
                               : "only L + o_r is known");
    if (shape.gap_parts.empty()) {
      parameters.push_back(
          {.model = "LogGP",
           .name = "g",
           .sizes = {.from_bytes = shape.ranges.front().from_bytes, .to_bytes = last_bytes},
           .state = ParameterState::kNotIdentified,
           .why = "no trains were measured"});
    }
  }

  [[nodiscard]] bool lacks_send(std::size_t range) const { return fit_.lacks_send(range); }
  [[nodiscard]] bool lacks_receive(std::size_t range) const { return fit_.lacks_receive(range); }
  [[nodiscard]] bool lacks_either(std::size_t range) const {
    return lacks_send(range) || lacks_receive(range);
  }
  [[nodiscard]] bool lacks_send_anywhere() const {
    return lacks_send(fit_.shape().ranges.size() - 1);
  }

  const SolvedJoint& solved_;
  const JointFit& fit_;
  const JointPoints& whole_;
  const JudgedGaps& judged_;
};

}  // namespace

std::string_view name_of(ParameterState state) {
  constexpr std::array<std::string_view, 3> kNames{"identified", "on its bound", "not identified"};
  return kNames.at(static_cast<std::size_t>(state));
}

JointParameters joint_parameters(const JointQuestion& question, JointShape shape) {
  if (shape.ranges.empty()) return {};
  const SolvedJoint apart(question, std::move(shape));
  if (!apart.solution()) return {};
  const JudgedGaps judged = judge_gaps(apart);
  const SolvedJoint solved(question, judged.shape);
  return ParameterTeller(solved, judged).tell();
}

}  // namespace invar::analysis
