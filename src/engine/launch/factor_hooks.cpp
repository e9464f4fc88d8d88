#include "engine/launch/factor_hooks.hpp"

#include <array>
#include <utility>

#include "host/policy.hpp"
#include "ops/memory/memory_call.hpp"
#include "ops/overlap/overlap.hpp"
#include "ops/p2p/hooks.hpp"
#include "record/memory/levels.hpp"
#include "record/p2p/levels.hpp"

namespace invar::engine {
namespace {

class ColdHook final : public ops::Hook {
 public:
  ColdHook(const HookedVisit& visit, ops::Cache cache)
      : cold_(visit.cold),
        cache_(cache),
        need_(visit.setup.need()),
        call_(visit.setup.call()),
        home_(visit.placement) {}
  ~ColdHook() override { ops::ColdCache::end_visit(call_, home_); }

  void before(ops::Call& call, std::uint32_t /*repetition*/) override {
    cold_.before_repetition(cache_, call, need_);
  }

 private:
  ops::ColdCache& cold_;
  ops::Cache cache_;
  ops::BufferNeed need_;
  ops::Call& call_;
  ops::Placement home_;
};

// Where the two sides of messages are told apart, one of them may keep its cache.
bool is_cold_here(const HookedVisit& visit) {
  if (visit.cell.cache == "warm") return false;
  if (visit.cell.cold_side == record::kColdSides.front()) return true;
  const bool sends = visit.setup.call().role == record::Role::kStarts;
  return sends == (visit.cell.cold_side == "sender");
}

std::unique_ptr<ops::Hook> make_cold(const HookedVisit& visit) {
  if (!is_cold_here(visit)) return nullptr;
  return std::make_unique<ColdHook>(
      visit, visit.cell.cache == "cold-flush" ? ops::Cache::kFlush : ops::Cache::kCycle);
}

// The root's start is where placing puts it.
class RotatingRoot final : public ops::Hook {
 public:
  void behind(ops::Call& call, std::uint32_t /*repetition*/) override { call.next_root(); }
};

std::unique_ptr<ops::Hook> make_rotation(const HookedVisit& visit) {
  return visit.setup.call().rotates ? std::make_unique<RotatingRoot>() : nullptr;
}

// Something holds from the hook's making to its end.
class HeldHook final : public ops::Hook {
 public:
  explicit HeldHook(std::unique_ptr<ops::Around> around)
      : around_(std::move(around)), held_(around_.get()) {}

 private:
  std::unique_ptr<ops::Around> around_;
  ops::Held held_;
};

// In the calls of a visit; whose it is stays with the cell.
class HeldVisit final : public ops::Hook {
 public:
  explicit HeldVisit(ops::Around& around) : held_(&around) {}

 private:
  ops::Held held_;
};

std::unique_ptr<ops::Hook> make_while_made(const HookedMaking& making) {
  if (making.switches == nullptr) return nullptr;
  std::unique_ptr<ops::Around> around = making.switches->making(making.cell);
  return around ? std::make_unique<HeldHook>(std::move(around)) : nullptr;
}

std::string key_of_algorithm(const HookedMaking& making) {
  return making.switches == nullptr ? "" : making.switches->making_key(making.cell);
}

std::unique_ptr<ops::Hook> make_while_visited(const HookedVisit& visit) {
  ops::Around* const around = visit.setup.call().around;
  return around == nullptr ? nullptr : std::make_unique<HeldVisit>(*around);
}

// Operations without messages have the usual levels alone, and need no hook. None is needed either
// where only the computation is measured, because nothing is sent then.
template <std::unique_ptr<ops::Hook> (*Make)(const record::Cell&, ops::Call&)>
std::unique_ptr<ops::Hook> make_for_messages(const HookedVisit& visit) {
  ops::Call& call = visit.setup.call();
  const bool sends = call.overlap == nullptr || !call.overlap->alone;
  return call.peers == nullptr || !sends ? nullptr : Make(visit.cell, call);
}

// Chains are there before the first repetition; nothing is to be undone.
std::unique_ptr<ops::Hook> make_chains_there(const HookedVisit& visit) {
  ops::Call& call = visit.setup.call();
  if (call.memory != nullptr && call.memory->chains.lines > 0) ops::ensure_chains(call);
  return nullptr;
}

class PolicyHook final : public ops::Hook {
 public:
  explicit PolicyHook(const record::Policy& policy) : guard_(policy) {}

 private:
  host::PolicyGuard guard_;
};

std::unique_ptr<ops::Hook> make_policy(const HookedVisit& visit) {
  const record::Policy policy = record::parse_policy(visit.cell.policy).value_or(record::Policy{});
  return policy == record::Policy{} ? nullptr : std::make_unique<PolicyHook>(policy);
}

// Receives are posted last, where buffers have come to lie by then; nothing of ours is sent on the
// operation's communicator from then on.
constexpr std::array kFactorHooks{
    FactorHooks{.factor = "algorithm",
                .communicator = make_while_made,
                .key = key_of_algorithm,
                .visit = make_while_visited},
    FactorHooks{.factor = "root", .visit = make_rotation},
    FactorHooks{.factor = "access", .visit = make_chains_there},
    FactorHooks{.factor = "policy", .visit = make_policy},
    FactorHooks{.factor = "cache", .visit = make_cold},
    FactorHooks{.factor = "send_mode", .visit = make_for_messages<ops::make_attached_buffer>},
    FactorHooks{.factor = "unexpected", .visit = make_for_messages<ops::make_unexpected>},
    FactorHooks{.factor = "pending", .visit = make_for_messages<ops::make_pending>},
    FactorHooks{.factor = "receives", .visit = make_for_messages<ops::make_posted_receives>},
};

}  // namespace

std::span<const FactorHooks> factor_hooks() { return kFactorHooks; }

std::string communicator_key(const HookedMaking& making, const ops::Operation& operation,
                             std::span<const FactorHooks> rows) {
  std::string key;
  if (operation.hooks.communicator != nullptr) key += std::string(operation.name) + ';';
  for (const FactorHooks& row : rows) {
    if (row.communicator == nullptr) continue;
    const std::string own =
        row.key != nullptr ? row.key(making) : record::find_factor(row.factor)->text(making.cell);
    if (row.key == nullptr || !own.empty()) key += std::string(row.factor) + '=' + own + ';';
  }
  return key;
}

void add_communicator_hooks(const HookedMaking& making, const ops::Operation& operation,
                            ops::Hooks& hooks, std::span<const FactorHooks> rows) {
  for (const FactorHooks& row : rows) {
    if (row.communicator != nullptr) hooks.add(row.communicator(making));
  }
  if (operation.hooks.communicator != nullptr) hooks.add(operation.hooks.communicator(making.cell));
}

void add_visit_hooks(const HookedVisit& visit, const ops::Operation& operation, ops::Hooks& hooks) {
  for (const FactorHooks& row : factor_hooks()) {
    if (row.visit != nullptr) hooks.add(row.visit(visit));
  }
  if (operation.hooks.visit != nullptr) {
    hooks.add(operation.hooks.visit(visit.cell, visit.setup.call()));
  }
}

}  // namespace invar::engine
