// MPICH's selection trees, as csel.c reads them. A library has one of its own, and a file replaces
// it whole; so a file is that tree with the branches for some operations put in.
//
// Traps that shape what is written here:
//  * There is no "comm_size=N", only limits: each number of ranks is fenced by its neighbours.
//  * A communicator goes down the questions about itself once, when it is made, and stops at the
//    first one about a call. Below that one the same questions are asked at each call, and there
//    "comm_size<N" means N as well. So old branches that come to stand below a new question about
//    calls say "comm_size<=N-1", and are cut down to what they are for their number of ranks.
//  * An algorithm that a tree names runs without being asked whether it can: each of its limits is
//    a question of its own, with the old branch where the answer is no.
//  * Two equal keys side by side are one, and a branch with nothing below stops the program.
//  * What runs stands alone in its object: beside a question MPICH does not know it.
//  * A file is mapped, and read to a zero byte: it must not end with a page.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/files/mpich_tree.hpp"
#include "tuning/files/plan.hpp"
#include "tuning/operations.hpp"

namespace invar::tuning {
namespace {

constexpr std::size_t kPageBytes = 4096;  // larger pages are multiples

Branch leaf(std::string key) { return {.key = std::move(key), .below = {}}; }

Branch* find_branch(Tree& tree, std::string_view key) {
  const auto found = std::find_if(tree.begin(), tree.end(),
                                  [&](const Branch& branch) { return branch.key == key; });
  return found == tree.end() ? nullptr : &*found;
}

// Whether a communicator of so many ranks takes the branch; nothing if that is not all that it
// asks.
std::optional<bool> taken_by(std::string_view key, std::uint32_t ranks) {
  constexpr std::string_view kSize = "comm_size";
  if (!key.starts_with(kSize)) return {};
  std::string_view limit = key.substr(kSize.size());
  if (limit == "=any") return true;
  if (limit == "=pow2") return (ranks & (ranks - 1)) == 0;
  if (!limit.starts_with('<')) return {};  // "=node_comm_size"
  const bool included = limit.starts_with("<=");
  limit.remove_prefix(included ? 2 : 1);
  const std::optional<std::uint64_t> most = base::parse_u64(limit);
  if (!most) return {};
  return included ? ranks <= *most : ranks < *most;
}

// It is asked when a communicator is made, and only then if no question about a call stands above.
bool asks_communicator(std::string_view key) {
  return key.starts_with("comm_") || key.starts_with("is_node_consecutive=");
}

// Branches that no communicator takes: nothing is found there. Something must stand below.
Tree taken_by_none(const Tree& below) { return {{.key = "comm_type=inter", .below = below}}; }

bool runs_something(const Branch& branch) {
  return branch.key.starts_with("algorithm=") || branch.key.starts_with("composition=");
}

// Adds a branch. A question that stands there already has been answered, so that nobody asks again.
void add_branch(Tree& tree, Branch branch) {
  if (find_branch(tree, branch.key) == nullptr) tree.push_back(std::move(branch));
}

// The same, with limits that mean the same wherever they are asked.
Tree with_plain_limits(const Tree& tree) {
  Tree plain;
  bool asked_early = true;
  for (const Branch& branch : tree) {
    asked_early = asked_early && asks_communicator(branch.key);
    if (!asked_early) {
      add_branch(plain, branch);
      continue;
    }
    constexpr std::string_view kBelow = "comm_size<";
    std::string key = branch.key;
    if (key.starts_with(kBelow)) {
      const std::optional<std::uint64_t> limit =
          base::parse_u64(std::string_view(key).substr(kBelow.size()));
      if (limit && *limit > 0) key = "comm_size<=" + std::to_string(*limit - 1);
    }
    add_branch(plain, {.key = std::move(key), .below = with_plain_limits(branch.below)});
  }
  return plain;
}

// What the branches are for communicators of so many ranks.
Tree for_ranks(const Tree& tree, std::uint32_t ranks) {
  Tree cut;
  const auto add = [&cut](const Branch& branch) { add_branch(cut, branch); };
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Branch& branch = tree[i];
    if (!asks_communicator(branch.key)) {
      std::for_each(tree.begin() + static_cast<std::ptrdiff_t>(i), tree.end(), add);
      break;
    }
    const std::optional<bool> taken = taken_by(branch.key, ranks);
    if (!taken) {
      add({.key = branch.key, .below = for_ranks(branch.below, ranks)});
    } else if (*taken) {
      Tree below = for_ranks(branch.below, ranks);
      if (!cut.empty() && runs_something(below.front())) {
        below = {{.key = "comm_size=any", .below = below}};
      }
      std::for_each(below.begin(), below.end(), add);
      break;
    }
  }
  return cut.empty() ? taken_by_none(tree) : cut;
}

// The algorithm, and below it its parameters.
Tree named(const Choice& choice) {
  Branch algorithm = leaf("algorithm=" + std::string(choice.algorithm->tree_name));
  if (!choice.algorithm->tree_parameters.empty()) {
    for (const std::string_view parameter : base::split(choice.algorithm->tree_parameters, ',')) {
      std::string text;
      for (const char c : parameter) {
        if (c == '%') {
          text += std::to_string(choice.fanout);
        } else if (c == '#') {
          text += std::to_string(choice.segment_bytes);
        } else {
          text += c;
        }
      }
      algorithm.below.push_back(leaf(std::move(text)));
    }
  }
  return {std::move(algorithm)};
}

// The algorithm where it can do what is asked, and `otherwise` where it cannot. What follows from
// the number of ranks alone has been looked at before.
Tree guarded(const Choice& choice, const Tree& otherwise) {
  const LibraryAlgorithm& row = *choice.algorithm;
  Tree tree = named(choice);
  if (row.count_from_ranks) {
    tree = {{.key = "count<pow2", .below = otherwise}, {.key = "count=any", .below = tree}};
  }
  if (row.regular_only) {
    tree = {{.key = "is_block_regular=yes", .below = tree},
            {.key = "is_block_regular=no", .below = otherwise}};
  }
  if (row.built_in_only) {
    tree = {{.key = "is_op_built_in=yes", .below = tree},
            {.key = "is_op_built_in=no", .below = otherwise}};
  }
  if (row.commutative_only && row.operation != "scan") {
    tree = {{.key = "is_commutative=yes", .below = tree},
            {.key = "is_commutative=no", .below = otherwise}};
  }
  if (row.hierarchy_only) {
    tree = {{.key = "comm_hierarchy=parent", .below = tree},
            {.key = "comm_hierarchy=any", .below = otherwise}};
  }
  return tree;
}

enum class TreeOf : std::uint8_t { kGeneric, kDevice };

class OperationBranches {
 public:
  OperationBranches(const OperationPlan& plan, const Tree& old, TreeOf tree)
      : plan_(plan), old_(with_plain_limits(old)), tree_(tree) {}

  [[nodiscard]] Tree all() const {
    Tree branches;
    std::uint32_t next = 1;  // below are the branches before
    for (const RanksPlan& ranks : plan_.ranks) {
      if (ranks.ranks > next) branches.push_back(up_to_ranks(ranks.ranks - 1, elsewhere()));
      branches.push_back(up_to_ranks(ranks.ranks, of_ranks(ranks)));
      next = ranks.ranks + 1;
    }
    branches.push_back({.key = "comm_size=any", .below = elsewhere()});
    return branches;
  }

 private:
  static Branch up_to_ranks(std::uint32_t ranks, Tree below) {
    return {.key = "comm_size<=" + std::to_string(ranks), .below = std::move(below)};
  }

  // What is sent has a size there, and in place it means nothing; and what is measured is not.
  [[nodiscard]] bool asks_in_place() const { return plan_.operation == "alltoall"; }

  // What holds where nothing is measured.
  [[nodiscard]] Tree elsewhere() const {
    const Tree tree = unmeasured(old_);
    return asks_in_place() && plan_.forced ? by_place(old_, tree) : tree;
  }

  // The same of calls that are not in place.
  [[nodiscard]] Tree unmeasured(const Tree& old) const {
    if (tree_ == TreeOf::kDevice || !plan_.forced) return old;
    Tree tree = guarded(*plan_.forced, old);
    if (plan_.forced->algorithm->ranks == RankNeed::kPowerOfTwo) {
      tree = {{.key = "comm_size=pow2", .below = tree}, {.key = "comm_size=any", .below = old}};
    }
    return tree;
  }

  static Tree by_place(const Tree& in_place, const Tree& apart) {
    return {{.key = "is_sendbuf_inplace=yes", .below = in_place},
            {.key = "is_sendbuf_inplace=no", .below = apart}};
  }

  [[nodiscard]] Tree chosen(const Choice& choice, const Tree& old) const {
    if (choice.algorithm == nullptr) return old;
    // A device that finds nothing leaves the call to the generic tree.
    return tree_ == TreeOf::kDevice ? taken_by_none(old) : guarded(choice, old);
  }

  [[nodiscard]] Tree of_ranks(const RanksPlan& ranks) const {
    const Tree old = for_ranks(old_, ranks.ranks);
    if (!plan_.sized) return chosen(ranks.ranges.front().choice, old);
    const Tree other = unmeasured(old);
    const std::string key(mpich_size_key(plan_.operation));
    const auto up_to_bytes = [&](std::uint64_t bytes, Tree below) {
      return Branch{.key = key + "<=" + std::to_string(bytes), .below = std::move(below)};
    };
    Tree sizes;
    std::uint64_t next = 0;
    for (const Range& range : ranks.ranges) {
      if (range.from > next) sizes.push_back(up_to_bytes(range.from - 1, other));
      sizes.push_back(up_to_bytes(range.to, chosen(range.choice, old)));
      next = range.to + 1;
    }
    sizes.push_back({.key = key + "=any", .below = other});
    return asks_in_place() ? by_place(old, sizes) : sizes;
  }

  const OperationPlan& plan_;
  Tree old_;
  TreeOf tree_;
};

void put_branches(Tree& tree, const OperationPlan& plan, TreeOf kind, const std::string& place) {
  Branch* collective = find_branch(tree, "collective=" + plan.operation);
  // A device without branches for the operation leaves it to the generic tree anyway.
  if (collective == nullptr && kind == TreeOf::kDevice) return;
  Branch* intra =
      collective == nullptr ? nullptr : find_branch(collective->below, "comm_type=intra");
  if (intra == nullptr) {
    throw base::UserError(place,
                          "MPICH's tree has no branch comm_type=intra for " + plan.operation +
                              ": it is built as none that is known",
                          "leave the operation out (--operation)");
  }
  intra->below = OperationBranches(plan, intra->below, kind).all();
}

std::string whole_tree(const std::vector<OperationPlan>& operations, std::string_view base,
                       TreeOf kind, const std::string& place) {
  Tree tree = parse_tree(base, place);
  base::Faults faults;
  for (const OperationPlan& operation : operations) {
    base::collect(faults, [&] { put_branches(tree, operation, kind, place); });
  }
  faults.throw_if_any();
  std::string text = tree_text(tree) + '\n';
  if (text.size() % kPageBytes == 0) text += '\n';
  return text;
}

// The operations for which the device's tree can be divided.
std::vector<OperationPlan> divided_in_device(const TuningRequest& request, const FilePlan& plan,
                                             const std::string& place) {
  std::vector<OperationPlan> divided;
  if (request.device_tree.empty()) return divided;
  Tree device = parse_tree(request.device_tree, place);
  for (const OperationPlan& operation : plan.operations) {
    Branch* collective = find_branch(device, "collective=" + operation.operation);
    if (collective == nullptr || find_branch(collective->below, "comm_type=intra") != nullptr) {
      divided.push_back(operation);
    }
  }
  return divided;
}

}  // namespace

void write_mpich_json(const TuningRequest& request, const FilePlan& plan, TunedFile& file) {
  file.text =
      whole_tree(plan.operations, request.base_tree, TreeOf::kGeneric, "MPICH's selection tree");
  file.set.emplace_back("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", request.path);
  const std::string place = "the selection tree of MPICH's device";
  const std::vector<OperationPlan> divided = divided_in_device(request, plan, place);
  for (const OperationPlan& operation : plan.operations) {
    if (std::ranges::find(divided, operation.operation, &OperationPlan::operation) !=
        divided.end()) {
      continue;
    }
    file.set.emplace_back("MPIR_CVAR_" + capitals_of(operation.operation) + "_DEVICE_COLLECTIVE",
                          "0");
    file.cautions.push_back(mpi_name_of(operation.operation) +
                            ": the device's own collectives are off for all sizes and numbers "
                            "of ranks, because its tree is not known");
  }
  if (divided.empty()) return;
  file.device_text = whole_tree(divided, request.device_tree, TreeOf::kDevice, place);
  file.set.emplace_back(
      "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE",
      request.path.substr(0, request.path.rfind('/') + 1) + std::string(kDeviceFileName));
}

}  // namespace invar::tuning
