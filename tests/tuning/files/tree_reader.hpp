// MPICH's selection trees as csel.c reads them, written apart from their writer: a communicator
// goes down once, when it is made, and a call from there on.
#pragma once

#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace invar::tuning {

struct Communicator {
  std::uint64_t ranks = 1;
  bool parent = false;  // of hosts with several ranks each
  bool one_host = true;
  bool consecutive = true;
};

struct Call {
  std::uint64_t average_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t count = 0;
  bool commutative = true;
  bool built_in = true;
  bool in_place = false;
  bool regular = true;
};

class TreeReader {
 public:
  explicit TreeReader(const std::string& text) : tree_(nodes_of(parse(text))) {}

  // "MPIR_Bcast_intra_tree{k=2}"; "nothing" where the tree has no answer.
  [[nodiscard]] std::string decide(const std::string& operation, const Communicator& communicator,
                                   const Call& call) const {
    const std::string key = "collective=" + operation;
    for (const Node& collective : tree_) {
      if (collective.key != key) continue;
      At at{&collective.below, 0};
      // When the communicator is made: down to the first question about a call.
      while (at.among != nullptr && !is_leaf(at.key()) && asks_communicator(at.key())) {
        at.go(holds_early(at.key(), communicator));
      }
      // At the call: whatever is asked below.
      while (at.among != nullptr && !is_leaf(at.key())) {
        at.go(holds_late(at.key(), communicator, call));
      }
      return at.among == nullptr ? "nothing" : leaf_text((*at.among)[at.index]);
    }
    return "nothing";
  }

 private:
  using Json = nlohmann::ordered_json;

  struct Node {
    std::string key = {};
    std::vector<Node> below = {};
  };

  // One branch among its siblings.
  struct At {
    const std::vector<Node>* among = nullptr;
    std::size_t index = 0;

    [[nodiscard]] const std::string& key() const { return (*among)[index].key; }
    void go(bool holds) {
      if (holds) {
        among = &(*among)[index].below;
        index = 0;
        // MPICH stops the program when it reads such a tree.
        if (among->empty()) throw std::runtime_error("nothing stands below a question");
      } else if (++index >= among->size()) {
        among = nullptr;
      }
    }
  };

  static bool is_leaf(const std::string& key) {
    return key.starts_with("algorithm=") || key.starts_with("composition=");
  }

  static std::string leaf_text(const Node& leaf) {
    std::string text = leaf.key.substr(leaf.key.find('=') + 1);
    std::string parameters;
    for (const Node& parameter : leaf.below) {
      if (!parameter.below.empty()) throw std::runtime_error("a parameter has branches");
      parameters += (parameters.empty() ? "" : ",") + parameter.key;
    }
    if (!parameters.empty()) text += '{' + parameters + '}';
    return text;
  }

  static std::vector<Node> nodes_of(const Json& object) {
    std::vector<Node> nodes;
    nodes.reserve(object.size());
    for (const auto& [key, below] : object.items()) nodes.push_back({key, nodes_of(below)});
    // MPICH makes an algorithm of the whole object then, and stops at the first other key.
    for (const Node& node : nodes) {
      if (is_leaf(node.key) && nodes.size() > 1) {
        throw std::runtime_error("'" + node.key + "' does not stand alone");
      }
    }
    return nodes;
  }

  // Twice the same key in an object is an error here: MPICH would lose one of them.
  static Json parse(const std::string& text) {
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::object_start) keys.emplace_back();
      if (event == Json::parse_event_t::object_end) keys.pop_back();
      if (event == Json::parse_event_t::key &&
          !keys.back().insert(parsed.get<std::string>()).second) {
        throw std::runtime_error("'" + parsed.get<std::string>() + "' stands twice");
      }
      return true;
    };
    return Json::parse(text, watch);
  }

  static bool asks_communicator(const std::string& key) {
    return key.starts_with("comm_type=") || key.starts_with("comm_size") ||
           key.starts_with("comm_hierarchy=") || key.starts_with("comm_avg_ppn") ||
           key.starts_with("is_node_consecutive=");
  }

  static std::uint64_t number_behind(const std::string& key, char sign) {
    return std::stoull(key.substr(key.find(sign) + 1));
  }

  static bool holds_early(const std::string& key, const Communicator& communicator) {
    const std::uint64_t ranks = communicator.ranks;
    if (key.ends_with("=any")) return true;
    if (key == "comm_type=intra") return true;
    if (key == "comm_type=inter") return false;
    if (key == "comm_size=pow2") return (ranks & (ranks - 1)) == 0;
    if (key == "comm_size=node_comm_size") return communicator.one_host;
    if (key.starts_with("comm_size<=")) return ranks <= number_behind(key, '=');
    if (key.starts_with("comm_size<")) return ranks < number_behind(key, '<');
    if (key == "comm_hierarchy=parent") return communicator.parent;
    if (key == "is_node_consecutive=yes") return communicator.consecutive;
    if (key == "is_node_consecutive=no") return !communicator.consecutive;
    throw std::runtime_error("unknown key " + key);
  }

  static bool holds_late(const std::string& key, const Communicator& communicator,
                         const Call& call) {
    // Here the limit itself belongs to it.
    if (key.starts_with("comm_size<") && !key.starts_with("comm_size<=")) {
      return communicator.ranks <= number_behind(key, '<');
    }
    if (asks_communicator(key) || key.ends_with("=any")) return holds_early(key, communicator);
    if (key.starts_with("avg_msg_size<=")) return call.average_bytes <= number_behind(key, '=');
    if (key.starts_with("avg_msg_size<")) return call.average_bytes < number_behind(key, '<');
    if (key.starts_with("total_msg_size<=")) return call.total_bytes <= number_behind(key, '=');
    if (key.starts_with("total_msg_size<")) return call.total_bytes < number_behind(key, '<');
    if (key == "count<pow2") {
      std::uint64_t power = 1;
      while (power * 2 <= communicator.ranks) power *= 2;
      return call.count < power;
    }
    if (key == "is_commutative=yes") return call.commutative;
    if (key == "is_commutative=no") return !call.commutative;
    if (key == "is_op_built_in=yes") return call.built_in;
    if (key == "is_op_built_in=no") return !call.built_in;
    if (key == "is_sendbuf_inplace=yes") return call.in_place;
    if (key == "is_sendbuf_inplace=no") return !call.in_place;
    if (key == "is_block_regular=yes") return call.regular;
    if (key == "is_block_regular=no") return !call.regular;
    if (key == "is_multi_threaded=no") return true;
    if (key == "is_multi_threaded=yes") return false;
    throw std::runtime_error("unknown key " + key);
  }

  std::vector<Node> tree_;
};

}  // namespace invar::tuning
