// Typed access to the tables of a campaign's TOML: every fault is collected with file:line:column
// and the text as the user wrote it; nothing is converted silently.
#pragma once

#include <toml++/toml.h>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "design/campaign/campaign.hpp"

namespace invar::design {

// A parsed file, and what is wrong in it.
class TomlDocument {
 public:
  // Throws UserError if the text is no TOML.
  TomlDocument(std::string_view text, std::string place);

  [[nodiscard]] const toml::table& root() const { return root_; }
  [[nodiscard]] static Position position(const toml::node& node);
  // The value as it stands in the file: "1e3", "3.9", "\"8x\""; "a table" where it is one.
  [[nodiscard]] std::string written(const toml::node& node) const;

  void fault(Position at, std::string what, std::string remedy = {});
  void fault(const toml::node& node, std::string what, std::string remedy = {}) {
    fault(position(node), std::move(what), std::move(remedy));
  }
  [[nodiscard]] bool any_fault() const { return !faults_.empty(); }
  // Throws UserError with all faults in the order of the file.
  void throw_if_any();

 private:
  std::string_view text_;
  std::string place_;
  toml::table root_ = {};
  std::vector<base::Fault> faults_ = {};
};

// Bounds of a whole number, both included.
struct Bounds {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// One table. Keys that are not `known` are faults at once; each reader leaves its target alone
// where the key is absent or wrong.
class TomlTable {
 public:
  // `name`: as messages call it, "[design]", "[[cells]]", "'size'"; empty for the top of the file.
  TomlTable(TomlDocument& document, const toml::table& table, std::string name,
            std::vector<std::string> known);

  // Null if the key is absent.
  [[nodiscard]] const toml::node* find(std::string_view key) const { return table_.get(key); }
  // Where the key's value stands; where the table begins if the key is absent.
  [[nodiscard]] Position position(std::string_view key) const;
  // A fault if the key is absent; `remedy` says what to write.
  bool require(std::string_view key, const std::string& remedy);

  bool text(std::string_view key, std::string& target);
  bool word(std::string_view key, std::string& target, const std::vector<std::string>& allowed);
  bool number(std::string_view key, std::uint64_t& target, Bounds bounds);
  bool number(std::string_view key, std::uint32_t& target, Bounds bounds);
  bool number(std::string_view key, std::optional<std::uint32_t>& target, Bounds bounds);
  bool real(std::string_view key, double& target);
  bool truth(std::string_view key, bool& target);
  bool duration(std::string_view key, double& target);
  bool percent(std::string_view key, double& target);

  [[nodiscard]] TomlDocument& document() const { return document_; }
  // "'launches' of [design]", "'seed'".
  [[nodiscard]] std::string named(std::string_view key) const;

 private:
  TomlDocument& document_;
  const toml::table& table_;
  std::string name_;
};

// The node as one whole number inside the bounds, or a fault about `what` ("'rounds' of [design]").
std::optional<std::uint64_t> whole_number(TomlDocument& document, const toml::node& node,
                                          const std::string& what, Bounds bounds);

// Where a key of that name is known ("into [design]"), if anywhere: for misplaced keys.
std::optional<std::string> home_of_key(std::string_view key);

// "an array", "a table", "a date": what the user wrote instead.
std::string type_text(const toml::node& node);

}  // namespace invar::design
