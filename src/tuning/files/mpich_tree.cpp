#include "tuning/files/mpich_tree.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/json_writer.hpp"

namespace invar::tuning {
namespace {

// Deeper than any tree that there is, and no danger to the stack.
constexpr int kDeepestBranch = 200;

class TreeReader {
 public:
  TreeReader(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  Tree read() {
    Tree tree = read_branches(0);
    skip_space();
    if (at_ < text_.size()) fail("something stands behind the tree");
    return tree;
  }

 private:
  Tree read_branches(int depth) {
    if (depth > kDeepestBranch) fail("the tree is too deep");
    expect('{', "a branch holds an object");
    Tree branches;
    if (take('}')) return branches;
    do {
      Branch& branch = branches.emplace_back();
      branch.key = read_key();
      for (std::size_t i = 0; i + 1 < branches.size(); ++i) {
        // MPICH would keep the place of the first and the content of the second.
        if (branches[i].key == branch.key) fail("'" + branch.key + "' stands twice");
      }
      expect(':', "a colon stands behind a key");
      branch.below = read_branches(depth + 1);
    } while (take(','));
    expect('}', "an object ends with '}'");
    return branches;
  }

  // Keys of trees are plain: what would need an escape is none.
  std::string read_key() {
    expect('"', "a key is in quotes");
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '\\' || c < ' ' || c > '~') {
        fail("a key has a character that no key has");
      }
      ++at_;
    }
    std::string key(text_.substr(begin, at_ - begin));
    expect('"', "a key ends with a quote");
    return key;
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!take(c)) fail(what);
  }

  [[noreturn]] void fail(const std::string& what) const {
    int line = 1;
    int column = 1;
    for (const char c : text_.substr(0, at_)) {
      ++column;
      if (c != '\n') continue;
      ++line;
      column = 1;
    }
    throw base::UserError({.place = place_,
                           .line = line,
                           .column = column,
                           .what = "no selection tree of MPICH: " + what,
                           .remedy = "a tree is objects in objects, as MPICH's own one"});
  }

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
};

void write_tree(base::JsonWriter& json, const Tree& tree) {
  json.begin_object();
  for (const Branch& branch : tree) {
    json.key(branch.key);
    write_tree(json, branch.below);
  }
  json.end_object();
}

// The largest string of the file that begins like a tree and has that word in it.
std::optional<std::string> find_tree_with(std::string_view bytes, std::string_view word) {
  constexpr std::string_view kFirstKey = "\"collective=";
  constexpr std::string_view kSpace = " \t\r\n";
  std::optional<std::string> largest;
  for (std::size_t at = bytes.find(kFirstKey); at != std::string_view::npos;) {
    const std::size_t end = std::min(bytes.find('\0', at), bytes.size());
    const std::size_t before = bytes.substr(0, at).find_last_not_of(kSpace);
    if (before != std::string_view::npos && bytes[before] == '{') {
      const std::string_view text = bytes.substr(before, end - before);
      if (text.find(word) != std::string_view::npos &&
          (!largest || largest->size() < text.size())) {
        largest = std::string(text);
      }
    }
    // A string has many of them.
    at = bytes.find(kFirstKey, end);
  }
  return largest;
}

}  // namespace

Tree parse_tree(std::string_view json, const std::string& place) {
  return TreeReader(json, place).read();
}

std::string tree_text(const Tree& tree) {
  base::JsonWriter json;
  write_tree(json, tree);
  return json.text();
}

std::optional<std::string> find_mpich_tree(std::string_view library_bytes) {
  return find_tree_with(library_bytes, "\"algorithm=MPIR_Bcast_");
}

std::optional<std::string> find_mpich_device_tree(std::string_view library_bytes) {
  return find_tree_with(library_bytes, "\"composition=MPIDI_Bcast_");
}

}  // namespace invar::tuning
