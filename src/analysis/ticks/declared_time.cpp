#include "analysis/ticks/declared_time.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// A name as it was asked for: of all ranks or pairs, or of the k-th (from 1).
struct AskedTime {
  const record::TimeInfo* info = nullptr;
  std::size_t number = 0;  // of a rank of its role or of a pair, from 1 on; 0: none is asked for
};

AskedTime find_time(const record::OperationInfo& info, std::string_view name) {
  const auto named = [&](std::string_view wanted) -> const record::TimeInfo* {
    const auto found = std::ranges::find(info.times, wanted, &record::TimeInfo::name);
    return found == info.times.end() ? nullptr : &*found;
  };
  if (const record::TimeInfo* exact = named(name)) return {.info = exact};
  const std::size_t mark = name.rfind('#');
  if (mark == std::string_view::npos) return {};
  const auto number = base::parse_u64(name.substr(mark + 1));
  const record::TimeInfo* found = named(name.substr(0, mark));
  if (!number || *number == 0 || found == nullptr) return {};
  // The whole and a time across two roles have no ranks or pairs to choose from.
  if (found->kind != record::TimeKind::kOwn && found->kind != record::TimeKind::kPair) return {};
  return {.info = found, .number = *number};
}

std::optional<TickPoint> point_of(const record::OperationInfo& info, std::string_view name) {
  if (name == record::kStartPoint) return TickPoint{.kind = TickPoint::Kind::kStart};
  if (name == record::kEndPoint) return TickPoint{.kind = TickPoint::Kind::kEnd};
  const auto mark = std::ranges::find(info.marks, name, &record::MarkInfo::name);
  if (mark == info.marks.end()) return std::nullopt;
  return TickPoint{.kind = TickPoint::Kind::kMark,
                   .mark = static_cast<std::uint32_t>(mark - info.marks.begin())};
}

// The end of the pair that has the role.
std::uint32_t end_of(const record::RankPair& pair, record::Role role) {
  return role == record::Role::kStarts ? pair.from : pair.to;
}

// All ranks that send, or all that receive, ascending. Some do both.
std::vector<std::uint32_t> ends_of(std::span<const record::RankPair> pairs, record::Role role) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(pairs.size());
  for (const record::RankPair& pair : pairs) ranks.push_back(end_of(pair, role));
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<std::uint32_t> ranks_of(const record::OperationInfo& info, const record::Cell& cell,
                                    std::span<const record::RankPair> pairs, record::Role role) {
  if (info.messages != record::Messages::kNone) return ends_of(pairs, role);
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < cell.ranks; ++rank) {
    if (record::role_of(info.roles, rank, cell.ranks, cell.root) == role) ranks.push_back(rank);
  }
  return ranks;
}

// Both lists have the rank of that number alone, or (0) as many as the shorter one.
void match_ranks(DeclaredTime& time, std::size_t number) {
  const std::size_t pairs = std::min(time.from_ranks.size(), time.to_ranks.size());
  for (std::vector<std::uint32_t>* ranks : {&time.from_ranks, &time.to_ranks}) {
    ranks->resize(pairs);
    if (number == 0) continue;
    *ranks = number <= pairs ? std::vector{(*ranks)[number - 1]} : std::vector<std::uint32_t>();
  }
}

}  // namespace

std::string printed_name(std::string_view converted) {
  std::string name(kPrintedName);
  if (converted.empty()) return name;
  constexpr std::string_view kTimes = ", times ";
  const std::size_t at = converted.rfind(kTimes);
  return at == std::string_view::npos ? name + ", converted" : name.append(converted.substr(at));
}

std::vector<record::RankPair> pairs_of_cell(const record::OperationInfo& info,
                                            const record::Cell& cell) {
  if (info.messages == record::Messages::kNone) return {};
  const std::string_view text =
      cell.pattern.empty() ? record::usual_pattern(info.messages) : std::string_view(cell.pattern);
  const std::optional<record::Pattern> pattern = record::parse_pattern(text);
  const bool there =
      pattern && record::lack_of_pattern(*pattern, info.messages, cell.ranks).complaint.empty();
  return there ? record::pairs_of(*pattern, cell.ranks) : std::vector<record::RankPair>();
}

ChosenTime choose_time(const record::OperationInfo& info, const record::Cell& cell,
                       const TimeChoice& choice) {
  if (choice.kind == TimeChoice::Kind::kWhole || info.times.empty()) return {};
  const AskedTime asked = choice.kind == TimeChoice::Kind::kHeadline
                              ? AskedTime{.info = &info.times.front()}
                              : find_time(info, choice.name);
  if (asked.info == nullptr) {
    return {.lack = "'" + info.name + "' has no time '" + choice.name + "'"};
  }
  const record::TimeInfo& wanted = *asked.info;
  if (wanted.kind == record::TimeKind::kWhole) return {};
  const bool named = choice.kind == TimeChoice::Kind::kNamed;
  const std::vector<record::RankPair> pairs = pairs_of_cell(info, cell);
  DeclaredTime time{.name = named ? choice.name : wanted.name, .kind = wanted.kind};
  const bool own = wanted.kind == record::TimeKind::kOwn || wanted.kind == record::TimeKind::kLast;
  if (wanted.kind == record::TimeKind::kPair && info.messages != record::Messages::kNone) {
    for (const record::RankPair& pair : pairs) {
      time.from_ranks.push_back(end_of(pair, wanted.from_role));
      time.to_ranks.push_back(end_of(pair, wanted.to_role));
    }
  } else {
    time.from_ranks = ranks_of(info, cell, pairs, wanted.from_role);
    time.to_ranks = own ? time.from_ranks : ranks_of(info, cell, pairs, wanted.to_role);
  }
  const std::optional<TickPoint> from = point_of(info, wanted.from);
  const std::optional<TickPoint> to = point_of(info, wanted.to);
  for (const auto& [point, name] : {std::pair(&from, &wanted.from), {&to, &wanted.to}}) {
    if (!*point) {
      return {.lack = "'" + wanted.name + "' speaks of a point '" + *name + "', and '" + info.name +
                      "' has no such mark"};
    }
    if ((*point)->kind == TickPoint::Kind::kMark && info.marks_at(cell.marks) == 0) {
      return {.lack = "its phases are not marked (marks = \"on\" marks them)"};
    }
  }
  time.from = *from;
  time.to = *to;
  if (wanted.kind != record::TimeKind::kAcross) match_ranks(time, asked.number);
  if (time.from_ranks.empty() || time.to_ranks.empty()) {
    const record::Role role = time.from_ranks.empty() ? wanted.from_role : wanted.to_role;
    return {.lack = asked.number > 0
                        ? "it has no " + std::string(own ? "rank " : "pair ") +
                              std::to_string(asked.number) + " of that role"
                        : "no rank of it has the role '" + std::string(name_of(role)) + "'"};
  }
  return {.time = std::make_shared<const DeclaredTime>(std::move(time))};
}

bool asks_headline(const store::Data& data, const TimeChoice& choice) {
  if (choice.kind == TimeChoice::Kind::kHeadline) return true;
  for (const record::Cell& cell : data.cells) {
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      const record::OperationInfo info = data.operation(arm, cell.operation);
      const ChosenTime asked = choose_time(info, cell, choice);
      const ChosenTime headline = choose_time(info, cell, {});
      const auto name = [](const ChosenTime& chosen) {
        return chosen.time ? std::string_view(chosen.time->name) : kWholeName;
      };
      if (!asked.lack.empty() || name(asked) != name(headline)) return false;
    }
  }
  return true;
}

std::vector<std::string> time_names(const store::Data& data) {
  std::vector<std::string> names;
  for (const record::Cell& cell : data.cells) {
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      for (const record::TimeInfo& time : data.operation(arm, cell.operation).times) {
        if (std::ranges::find(names, time.name) == names.end()) names.push_back(time.name);
      }
    }
  }
  return names;
}

void check_time(const store::Data& data, const TimeChoice& choice, const std::string& option) {
  if (choice.kind != TimeChoice::Kind::kNamed) return;
  for (const record::Cell& cell : data.cells) {
    for (std::uint32_t arm = 0; arm < data.arms.size(); ++arm) {
      if (find_time(data.operation(arm, cell.operation), choice.name).info != nullptr) return;
    }
  }
  throw base::UserError(option, "no operation of this campaign has a time '" + choice.name + "'",
                        "known: " + base::join(time_names(data), ", "));
}

}  // namespace invar::analysis
