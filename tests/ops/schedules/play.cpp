#include "ops/schedules/play.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace invar::ops::test {
namespace {

constexpr std::array kCollectives{
    Collective{.name = "allgather", .all_out = true},
    Collective{.name = "allreduce", .reduces = true},
    Collective{.name = "alltoall", .all_in = true, .all_out = true},
    Collective{.name = "bcast", .rooted = true},
    Collective{.name = "gather", .rooted = true, .all_out = true},
    Collective{.name = "reduce", .rooted = true, .reduces = true},
    Collective{.name = "reduce_scatter_block", .reduces = true, .all_in = true},
    Collective{.name = "scan", .reduces = true},
    Collective{.name = "scatter", .rooted = true, .all_in = true},
};

// Memory of a rank that a piece lies in.
struct Region {
  std::size_t memory = 0;  // 0: input, 1: result, 2: scratch
  std::uint64_t begin = 0;
  std::uint64_t elements = 0;

  [[nodiscard]] bool overlaps(const Region& other) const {
    return memory == other.memory && begin < other.begin + other.elements &&
           other.begin < begin + elements;
  }
};

// A posted send or receive of a rank, until it has waited for it.
struct Request {
  int rank = 0;
  int partner = 0;
  bool receives = false;
  Region region = {};
  bool matched = false;
  int rounds = 0;  // messages before it, in the longest row
};

struct Rank {
  Steps steps = {};
  std::size_t next = 0;
  bool posted = false;                    // the messages of step `next`
  std::vector<std::size_t> earlier = {};  // under way from before
  std::vector<std::size_t> own = {};      // of this step
  // Nobody has matched them yet; by whom they were posted, in this order.
  std::vector<std::size_t> sends_to_it = {};
  std::vector<std::size_t> receives = {};
  std::array<std::vector<Value>, 3> memory = {};
  std::size_t input_memory = 0;
  std::uint64_t input_begin = 0;
  int rounds = 0;
  std::uint64_t elements_sent = 0;
};

class Play {
 public:
  Play(const Algorithm& algorithm, const Game& game)
      : algorithm_(algorithm), collective_(collective_of(algorithm)), game_(game) {
    ranks_.resize(static_cast<std::size_t>(game.ranks));
    for (int rank = 0; rank < game.ranks; ++rank) prepare(rank);
  }

  Played run() {
    std::vector<int> todo(ranks_.size());
    std::iota(todo.begin(), todo.end(), 0);
    while (!todo.empty() && played_.fault.empty()) {
      const int rank = todo.back();
      todo.pop_back();
      advance(rank, todo);
    }
    for (int rank = 0; rank < game_.ranks && played_.fault.empty(); ++rank) finish(rank);
    for (const Rank& rank : ranks_) {
      played_.rounds = std::max(played_.rounds, rank.rounds);
      played_.most_elements_sent = std::max(played_.most_elements_sent, rank.elements_sent);
    }
    return played_;
  }

 private:
  [[nodiscard]] Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_in_place(int rank) const {
    return game_.in_place && (!collective_.rooted || rank == game_.root);
  }

  void fault(int rank, const std::string& what) {
    if (!played_.fault.empty()) return;
    played_.fault = std::string(algorithm_.name) + ", " + std::to_string(game_.ranks) +
                    " ranks, root " + std::to_string(game_.root) + ", " +
                    std::to_string(game_.elements) + " elements, segment " +
                    std::to_string(game_.segment) + (game_.in_place ? ", in place" : "") +
                    ": rank " + std::to_string(rank) + " " + what;
  }

  void prepare(int number) {
    Rank& rank = of(number);
    const auto ranks = static_cast<std::uint64_t>(game_.ranks);
    const std::uint64_t in = game_.elements * (collective_.all_in ? ranks : 1);
    const std::uint64_t out = game_.elements * (collective_.all_out ? ranks : 1);
    const bool root = number == game_.root;
    const bool is_scatter = collective_.name == "scatter";
    const bool is_bcast = collective_.name == "bcast";
    const bool has_input = is_bcast ? false : !is_scatter || root;
    // Whoever has no result must not write one.
    bool has_result = !collective_.rooted || is_scatter || is_bcast || root;
    if (is_in_place(number)) {
      if (is_scatter) {
        has_result = false;
      } else {
        rank.input_memory = 1;
        const bool own_block = collective_.all_out && !collective_.all_in;
        if (own_block) rank.input_begin = game_.elements * static_cast<std::uint64_t>(number);
      }
    }
    std::uint64_t result = has_result ? out : 0;
    if (rank.input_memory == 1) result = std::max(result, rank.input_begin + in);
    rank.memory[1].resize(result);
    if (rank.input_memory == 0 && has_input) rank.memory[0].resize(in);
    if (has_input || (is_bcast && root)) {
      const std::size_t memory = is_bcast ? 1 : rank.input_memory;
      for (std::uint64_t i = 0; i < in; ++i) {
        Value& value = rank.memory[memory][rank.input_begin + i];
        value.element = static_cast<std::uint32_t>(i);
        value.of.set(static_cast<std::size_t>(number));
        value.first = value.last = number;
      }
    }
    rank.memory[2].resize(
        algorithm_.scratch.elements({.elements = game_.elements, .ranks = ranks}));
    rank.steps = algorithm_.steps({.ranks = game_.ranks,
                                   .rank = number,
                                   .root = game_.root,
                                   .elements = game_.elements,
                                   .segment = game_.segment,
                                   .in_place = is_in_place(number)});
  }

  // Nothing, and a fault, for what is not there.
  std::optional<Region> region(int number, const Piece& piece, bool written) {
    const Rank& rank = of(number);
    Region region{.begin = piece.begin, .elements = piece.elements};
    if (piece.where == Where::kInput) {
      if (written) {
        fault(number, "writes to its input");
        return std::nullopt;
      }
      region.memory = rank.input_memory;
      region.begin += rank.input_begin;
    } else {
      region.memory = piece.where == Where::kResult ? 1 : 2;
    }
    const std::size_t size = rank.memory[region.memory].size();
    if (region.begin + region.elements <= size || piece.elements == 0) return region;
    fault(number, "goes beyond its buffer: element " +
                      std::to_string(region.begin + region.elements) + " of " +
                      std::to_string(size) + " in memory " + std::to_string(region.memory));
    return std::nullopt;
  }

  // What is under way is left alone: sends are only read meanwhile, receives not even that.
  bool is_free(int number, const Region& region, bool written) {
    const Rank& rank = of(number);
    for (const auto* list : {&rank.earlier, &rank.own}) {
      for (const std::size_t id : *list) {
        const Request& request = requests_[id];
        if ((written || request.receives) && request.region.overlaps(region)) {
          fault(number, "touches what is under way");
          return false;
        }
      }
    }
    return true;
  }

  void post(int number, int partner, const Piece& piece, bool receives) {
    if (partner == kNobody || !played_.fault.empty()) return;
    Rank& rank = of(number);
    if (partner < 0 || partner >= game_.ranks || partner == number) {
      fault(number, "has no partner " + std::to_string(partner));
      return;
    }
    const auto where = region(number, piece, receives);
    if (!where || !is_free(number, *where, receives)) return;
    const std::size_t id = requests_.size();
    requests_.push_back({.rank = number,
                         .partner = partner,
                         .receives = receives,
                         .region = *where,
                         .rounds = rank.rounds + 1});
    rank.own.push_back(id);
    if (!receives) {
      ++played_.messages;
      played_.elements_sent += piece.elements;
      rank.elements_sent += piece.elements;
    }
    // Messages between two ranks are met in the order in which they were posted.
    std::vector<std::size_t>& others = receives ? rank.sends_to_it : of(partner).receives;
    const auto other = std::find_if(others.begin(), others.end(), [&](std::size_t one) {
      return receives ? requests_[one].rank == partner : requests_[one].partner == number;
    });
    if (other == others.end()) {
      (receives ? rank.receives : of(partner).sends_to_it).push_back(id);
      return;
    }
    const std::size_t match = *other;
    others.erase(other);
    transfer(receives ? match : id, receives ? id : match);
  }

  void transfer(std::size_t send_id, std::size_t receive_id) {
    Request& send = requests_[send_id];
    Request& receive = requests_[receive_id];
    send.matched = receive.matched = true;
    send.rounds = receive.rounds = std::max(send.rounds, receive.rounds);
    if (send.region.elements != receive.region.elements) {
      fault(receive.rank, "receives " + std::to_string(receive.region.elements) +
                              " elements from rank " + std::to_string(send.rank) +
                              ", which sends " + std::to_string(send.region.elements));
      return;
    }
    const auto& from = of(send.rank).memory[send.region.memory];
    auto& to = of(receive.rank).memory[receive.region.memory];
    for (std::uint64_t i = 0; i < send.region.elements; ++i) {
      const Value& value = from[send.region.begin + i];
      if (value.is_nothing()) fault(send.rank, "sends what it does not have");
      to[receive.region.begin + i] = value;
    }
  }

  bool have_arrived(const std::vector<std::size_t>& ids) {
    return std::all_of(ids.begin(), ids.end(),
                       [&](std::size_t id) { return requests_[id].matched; });
  }

  void end(Rank& rank, std::vector<std::size_t>& ids) {
    for (const std::size_t id : ids) rank.rounds = std::max(rank.rounds, requests_[id].rounds);
    ids.clear();
  }

  void act(int number, const Step& step) {
    if (step.then == Then::kNothingMore) return;
    const auto operand = region(number, step.operand, false);
    const auto into = region(number, step.into, true);
    if (!operand || !into || !is_free(number, *operand, false) || !is_free(number, *into, true)) {
      return;
    }
    if (operand->elements != into->elements) {
      fault(number, "combines pieces of different length");
      return;
    }
    Rank& rank = of(number);
    // Copies may be onto themselves, but not half so.
    const bool same = operand->memory == into->memory && operand->begin == into->begin;
    if (operand->overlaps(*into) && (step.then == Then::kReduce || !same)) {
      fault(number, "combines pieces that overlap");
      return;
    }
    for (std::uint64_t i = 0; i < into->elements; ++i) {
      const Value& value = rank.memory[operand->memory][operand->begin + i];
      Value& result = rank.memory[into->memory][into->begin + i];
      if (value.is_nothing()) fault(number, "copies what it does not have");
      if (step.then == Then::kCopy) {
        result = value;
        continue;
      }
      if (result.is_nothing() || value.element != result.element || (value.of & result.of).any()) {
        fault(number, "combines what does not belong together");
      }
      result.in_order = result.in_order && value.in_order && value.last + 1 == result.first;
      result.first = std::min(result.first, value.first);
      result.last = std::max(result.last, value.last);
      result.of |= value.of;
    }
  }

  // As far as the rank gets. Whoever may go on because of it is in `todo` then.
  void advance(int number, std::vector<int>& todo) {
    Rank& rank = of(number);
    while (rank.next < rank.steps.size() && played_.fault.empty()) {
      const Step& step = rank.steps[rank.next];
      if (!rank.posted) {
        post(number, step.from, step.received, true);
        post(number, step.to, step.sent, false);
        for (const std::size_t id : rank.own) {
          if (requests_[id].matched) todo.push_back(requests_[id].partner);
        }
        rank.posted = true;
      }
      if (step.wait != Wait::kNone && !have_arrived(rank.earlier)) return;
      if (step.wait == Wait::kAll && !have_arrived(rank.own)) return;
      if (step.wait != Wait::kNone) end(rank, rank.earlier);
      if (step.wait == Wait::kAll) end(rank, rank.own);
      rank.earlier.insert(rank.earlier.end(), rank.own.begin(), rank.own.end());
      rank.own.clear();
      act(number, step);
      ++rank.next;
      rank.posted = false;
    }
  }

  // What MPI promises for an element of the result; empty: nothing.
  [[nodiscard]] std::optional<Value> promised(int number, std::uint64_t at) const {
    const std::uint64_t block = at / std::max<std::uint64_t>(game_.elements, 1);
    const std::uint64_t in_block = at % std::max<std::uint64_t>(game_.elements, 1);
    const std::uint64_t own = game_.elements * static_cast<std::uint64_t>(number);
    Value value{.element = static_cast<std::uint32_t>(at)};
    if (collective_.reduces) {
      value.last = collective_.name == "scan" ? number : game_.ranks - 1;
      if (collective_.all_in) value.element = static_cast<std::uint32_t>(own + at);
      if (at >= game_.elements) return std::nullopt;  // reduce_scatter_block in place
    } else if (collective_.all_out) {
      value.first = value.last = static_cast<int>(block);
      value.element = static_cast<std::uint32_t>(in_block + (collective_.all_in ? own : 0));
    } else {
      value.first = value.last = game_.root;
      if (collective_.all_in) value.element = static_cast<std::uint32_t>(own + at);
    }
    for (int rank = value.first; rank <= value.last; ++rank) {
      value.of.set(static_cast<std::size_t>(rank));
    }
    return value;
  }

  void finish(int number) {
    const Rank& rank = of(number);
    if (rank.next < rank.steps.size()) {
      fault(number, "waits for ever in step " + std::to_string(rank.next) + " of " +
                        std::to_string(rank.steps.size()));
      return;
    }
    if (!rank.earlier.empty() || !rank.sends_to_it.empty() || !rank.receives.empty()) {
      fault(number, "leaves messages behind");
      return;
    }
    for (std::size_t i = 1; i < rank.steps.size(); ++i) {
      if (rank.steps[i].phase < rank.steps[i - 1].phase) fault(number, "goes back to a phase");
    }
    const std::vector<Value>& result = rank.memory[1];
    for (std::uint64_t i = 0; i < result.size(); ++i) {
      const auto wanted = promised(number, i);
      if (!wanted) continue;
      const Value& value = result[i];
      if (value.of != wanted->of || value.element != wanted->element) {
        fault(number, "has a wrong element " + std::to_string(i));
      } else if (collective_.reduces && !algorithm_.reorders && !value.in_order) {
        fault(number, "has combined operands out of order");
      }
    }
  }

  const Algorithm& algorithm_;
  const Collective& collective_;
  Game game_;
  std::vector<Rank> ranks_ = {};
  std::deque<Request> requests_ = {};
  Played played_ = {};
};

}  // namespace

const Collective& collective_of(const Algorithm& algorithm) {
  const auto found =
      std::find_if(kCollectives.begin(), kCollectives.end(),
                   [&](const Collective& one) { return one.name == algorithm.collective; });
  if (found == kCollectives.end()) throw std::invalid_argument(algorithm.collective);
  return *found;
}

bool cuts_vector(const Algorithm& algorithm) {
  const Collective& collective = collective_of(algorithm);
  return !collective.all_in && !collective.all_out;
}

Played play(const Algorithm& algorithm, const Game& game) { return Play(algorithm, game).run(); }

}  // namespace invar::ops::test
