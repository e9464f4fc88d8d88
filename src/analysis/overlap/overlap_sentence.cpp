// Overlap in a sentence, an arm after the other: what it hides of which calls by itself, of which
// hardly anything, and what calls into the library under way bring.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/overlap/overlap_words.hpp"
#include "analysis/words/where.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// Whoever hides less of a call does not overlap it.
constexpr double kHardly = 0.1;
constexpr std::size_t kMostCallsTold = 3;

std::string one_row_clause(const OverlapRow& row, const CallNames& name) {
  if (row.costs()) {
    return row.arm + " takes longer for " + name(row.call) + " and " + multiple_words(row) +
           " of computation at once than for one after the other, by " +
           overlap_words(
               {.value = -row.overlap.value,
                .interval = stats::Interval{-row.overlap.interval->high, -row.overlap.interval->low,
                                            row.overlap.interval->confidence}}) +
           " of the shorter one";
  }
  const std::string of = name(row.call) + " behind " + multiple_words(row);
  if (row.overlap.interval && !row.hides()) {
    return row.arm + " hides nothing of " + of + " that could be told (" +
           overlap_words(row.overlap) + ")";
  }
  return row.arm + " hides " + overlap_words(row.overlap) + " of " + of;
}

// What is hidden of a call, over all amounts of computation: at its knee, which more computation
// does not change; where none is so long that it has one, at the longest.
struct HiddenOfCall {
  const OverlapRow* row = nullptr;

  [[nodiscard]] double share() const { return row->availability.value; }
  [[nodiscard]] bool costs() const {
    return row->availability.interval && row->availability.interval->high < 0;
  }
  [[nodiscard]] double most() const {
    return row->availability.interval ? row->availability.interval->high : share();
  }
  // It may be nothing, and may be much.
  [[nodiscard]] bool untold() const {
    return row->availability.interval && row->availability.interval->low <= 0 && most() >= kHardly;
  }
  [[nodiscard]] bool hardly() const { return share() < kHardly; }
};

// The rows are those of one arm, in the order of the plan. The result has every call once, in the
// same order.
std::vector<HiddenOfCall> hidden_of_calls(const std::vector<const OverlapRow*>& rows) {
  std::vector<std::vector<const OverlapRow*>> calls;
  for (const OverlapRow* row : rows) {
    const auto known = std::ranges::find_if(
        calls, [&](const auto& others) { return others.front()->call.id == row->call.id; });
    if (known == calls.end()) {
      calls.push_back({row});
    } else {
      known->push_back(row);
    }
  }
  std::vector<HiddenOfCall> all;
  for (auto& call : calls) {
    std::ranges::stable_sort(call, {},
                             [](const OverlapRow* row) { return row->compute_time.median_ns; });
    const auto knee = std::ranges::find_if(
        call, &is_beyond_knee, [](const OverlapRow* row) -> auto& { return *row; });
    all.push_back({knee == call.end() ? call.back() : *knee});
  }
  return all;
}

// "28 % of ibcast 1 KiB and 12 % of iallreduce 1 KiB": the most first.
std::string hidden_words(std::vector<HiddenOfCall> calls, const CallNames& name) {
  std::ranges::stable_sort(calls, std::greater<>(), &HiddenOfCall::share);
  std::vector<std::string> texts;
  for (const HiddenOfCall& call : calls) {
    OverlapEstimate share = call.row->availability;
    if (calls.size() > 1) share.interval.reset();
    texts.push_back(overlap_words(share) + " of " + name(call.row->call));
  }
  if (texts.size() <= kMostCallsTold) return list_text(texts);
  return base::first_items(texts, kMostCallsTold, ", ", "call");
}

// "ibcast, iallreduce and exchange at 64 KiB"; of several sizes "ibcast (1 KiB, 64 KiB) and
// exchange", of all calls of the arm.
std::string calls_words(const std::vector<HiddenOfCall>& some, const std::vector<HiddenOfCall>& all,
                        const CallNames& name) {
  const record::Cell& first = some.front().row->call;
  if (some.size() == 1) return name(first);
  std::set<std::string> operations;
  bool one_size = first.size_bytes.has_value();
  for (const HiddenOfCall& call : some) {
    one_size = one_size && call.row->call.size_bytes == first.size_bytes;
    one_size = one_size && operations.insert(call.row->call.operation).second;
  }
  if (one_size) {
    std::vector<std::string> names;
    names.reserve(some.size());
    for (const HiddenOfCall& call : some) names.push_back(call.row->call.operation);
    return list_text(names) + " at " + base::size_text(*first.size_bytes);
  }
  std::vector<record::Cell> cells;
  std::vector<std::size_t> subset;
  for (const HiddenOfCall& call : all) {
    const bool in =
        std::ranges::any_of(some, [&](const HiddenOfCall& one) { return one.row == call.row; });
    if (in) subset.push_back(cells.size());
    cells.push_back(call.row->call);
  }
  return list_text(CellWords(cells).items(subset));
}

// What an arm does without calls into its library, from "hides" on.
std::string by_itself_words(const std::vector<HiddenOfCall>& calls, const CallNames& name) {
  std::vector<HiddenOfCall> hidden;
  std::vector<HiddenOfCall> hardly;
  std::vector<HiddenOfCall> costs;
  std::vector<HiddenOfCall> untold;
  for (const HiddenOfCall& call : calls) {
    (call.costs()    ? costs
     : call.untold() ? untold
     : call.hardly() ? hardly
                     : hidden)
        .push_back(call);
  }
  std::vector<std::string> parts;
  if (!hidden.empty()) parts.push_back("hides " + hidden_words(hidden, name) + " by itself");
  if (!hardly.empty()) {
    const double most = std::max(0.0, std::ranges::max(hardly, {}, &HiddenOfCall::most).most());
    const std::string at_most = overlap_words({.value = most});
    parts.push_back(hidden.empty() ? "hides hardly anything of " +
                                         (hardly.size() == calls.size() && hardly.size() > 1
                                              ? "any call"
                                              : calls_words(hardly, calls, name)) +
                                         " by itself (at most " + at_most + ")"
                                   : "hardly anything of " + calls_words(hardly, calls, name) +
                                         " (at most " + at_most + ")");
  }
  if (!costs.empty()) {
    parts.push_back("takes longer for " + calls_words(costs, calls, name) +
                    " and computation at once than for one after the other");
  }
  if (!untold.empty()) {
    parts.push_back("what it hides of " + calls_words(untold, calls, name) + " cannot be told");
  }
  return base::join(parts, ", ");
}

// "with 10 progress calls 6.55 us of the 14.0 us of iallreduce 64 KiB", one text a number of calls.
std::vector<std::string> progress_words(const std::vector<HiddenOfCall>& calls) {
  std::map<std::uint32_t, std::vector<std::string>> texts;
  for (const HiddenOfCall& call : calls) {
    const OverlapRow& row = *call.row;
    // What is surely below 0, or may be nothing, is no gain.
    const bool gains =
        row.hidden_ns.value > 0 && !(row.hidden_ns.interval && row.hidden_ns.interval->low <= 0);
    const std::string hidden = gains ? base::duration_text(row.hidden_ns.value) : "nothing";
    texts[row.call.progress_calls].push_back(hidden + " of the " +
                                             base::duration_text(row.call_time.median_ns) + " of " +
                                             short_call_name(row.call));
  }
  std::vector<std::string> words;
  words.reserve(texts.size());
  for (const auto& [count, of_calls] : texts) {
    words.push_back("with " + base::count_text(count, "progress call") + " " +
                    (of_calls.size() <= kMostCallsTold
                         ? list_text(of_calls)
                         : base::first_items(of_calls, kMostCallsTold, ", ", "call")));
  }
  return words;
}

std::string overlap_clause(const std::vector<const OverlapRow*>& rows, const CallNames& name) {
  std::vector<HiddenOfCall> by_itself;
  std::vector<HiddenOfCall> helped;
  for (const HiddenOfCall& call : hidden_of_calls(rows)) {
    (call.row->call.progress_calls == 0 ? by_itself : helped).push_back(call);
  }
  if (rows.size() == 1 && helped.empty()) return one_row_clause(*rows.front(), name);
  std::vector<std::string> parts;
  if (!by_itself.empty()) parts.push_back(by_itself_words(by_itself, name));
  for (std::string& words : progress_words(helped)) {
    parts.push_back((by_itself.empty() ? "hides " : "") + std::move(words));
  }
  return rows.front()->arm + " " + base::join(parts, ", ");
}

}  // namespace

std::string overlap_sentence(const Overlaps& found) {
  // Ranks that share cores take turns: what they hide of each other is the scheduler's.
  if (!found.no_verdict.empty()) {
    return "No figures: " + found.no_verdict +
           "; the table has times as behaviour alone: " + found.scope + ".";
  }
  const CallNames name(found);
  std::vector<std::string> clauses;
  for (const ComparedArm& arm : found.arms) {
    std::vector<const OverlapRow*> rows;
    for (const OverlapRow& row : found.rows) {
      if (row.arm == arm.label) rows.push_back(&row);
    }
    if (!rows.empty()) clauses.push_back(overlap_clause(rows, name));
  }
  return base::join(clauses, "; ") + ": " + found.scope + ".";
}

}  // namespace invar::analysis
