#include "design/campaign/arms.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/program.hpp"

namespace invar::design {
namespace {

constexpr std::string_view kPassedOn = "env:";
constexpr std::array<std::string_view, 7> kPrefixes{"OMPI_MCA_", "MPIR_CVAR_", "I_MPI_", "UCX_",
                                                    "FI_",       "PMIX_",      "PRTE_"};
constexpr std::size_t kMaxName = 64;
// A simulator has two kinds of settings: the file that describes the machine, and its options,
// whose names all have a slash. Beside letters and digits these names have the signs in kInOptions.
constexpr std::string_view kPlatform = "platform";
constexpr std::string_view kInOptions = "._-/";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_variable(std::string_view name) {
  if (name.empty() || is_digit(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

bool is_option(std::string_view name) {
  if (name == kPlatform) return true;
  const bool sign_at_end = name.empty() || name.front() == '/' || name.back() == '/';
  return !sign_at_end && name.find('/') != std::string_view::npos &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || is_digit(c) || kInOptions.find(c) != std::string_view::npos;
         });
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// What a name without a known prefix was meant to be.
std::optional<std::string> meant_variable(std::string_view variable,
                                          const std::vector<std::string>& known) {
  // A lower-case name is Open MPI's: that is how ompi_info and mpirun --mca write its parameters.
  if (std::none_of(variable.begin(), variable.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
    constexpr std::string_view kInLowerCase = "ompi_mca_";
    if (variable.starts_with(kInLowerCase)) variable.remove_prefix(kInLowerCase.size());
    return std::string(kPrefixes[0]) + std::string(variable);
  }
  // A slip in the prefix alone: OPMI_MCA_..., MPI_CVAR_...
  const std::size_t cut = variable.find('_');
  const std::size_t second = cut == std::string_view::npos ? cut : variable.find('_', cut + 1);
  for (const std::size_t end : {second, cut}) {
    if (end == std::string_view::npos) continue;
    if (const auto prefix = base::nearest(variable.substr(0, end + 1), known)) {
      return *prefix + std::string(variable.substr(end + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Complaint> name_complaint(std::string_view kind, std::string_view name) {
  const std::string what = std::string(kind) + " " + quoted(name);
  if (name.empty()) return Complaint{"the " + std::string(kind) + " is empty", "give it a name"};
  if (name.size() > kMaxName) {
    return Complaint{what + " is longer than " + std::to_string(kMaxName) + " characters",
                     "shorten it"};
  }
  const bool good = (is_letter(name[0]) || is_digit(name[0])) &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return is_letter(c) || is_digit(c) ||
                             std::string_view("._-+#").find(c) != std::string_view::npos;
                    });
  if (good) return std::nullopt;
  return Complaint{what + " is not a name",
                   "use letters, digits and . _ - + #, a letter or digit first"};
}

std::optional<Complaint> setting_complaint(std::string_view key, std::string_view value) {
  const bool passed_on = key.starts_with(kPassedOn);
  const std::string_view variable = passed_on ? key.substr(kPassedOn.size()) : key;
  const bool option = !passed_on && is_option(key);
  if (!option && !is_variable(variable)) {
    return Complaint{"setting " + quoted(key) + " is not the name of an environment variable",
                     "write KEY=VALUE, the key in letters, digits and _"};
  }
  const bool of_library =
      option || std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const auto& prefix) {
        return variable.starts_with(prefix) && variable.size() > prefix.size();
      });
  if (!passed_on && !of_library) {
    const std::vector<std::string> known(kPrefixes.begin(), kPrefixes.end());
    const std::optional<std::string> meant = meant_variable(variable, known);
    return Complaint{"setting " + quoted(key) + " is not a variable of an MPI library",
                     "variables of a library begin with " + base::join(known, ", ") + "; " +
                         (meant ? "did you mean '" + *meant + "'? Else " : "") + "write '" +
                         std::string(kPassedOn) + std::string(variable) +
                         "' to pass on any other variable"};
  }
  if (std::any_of(value.begin(), value.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    return Complaint{"the value of " + quoted(key) + " has control characters", "remove them"};
  }
  return std::nullopt;
}

namespace {

// KEY=VALUE,KEY=VALUE with `\,` and `\\`; false if a backslash escapes nothing.
bool split_settings(std::string_view text, std::vector<std::string>& parts) {
  parts.assign(1, {});
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (i + 1 >= text.size() || (text[i + 1] != ',' && text[i + 1] != '\\')) return false;
      parts.back() += text[++i];
    } else if (text[i] == ',') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return true;
}

}  // namespace

Arm parse_arm(std::string_view text, const std::string& place) {
  base::Faults faults;
  const auto complain = [&](const std::optional<Complaint>& complaint) {
    if (complaint)
      faults.add(place, "arm " + quoted(text) + ": " + complaint->what, complaint->remedy);
  };
  Arm arm;
  const std::size_t colon = text.find(':');
  std::string_view head = text.substr(0, colon);
  if (const std::size_t equals = head.find('='); equals != std::string_view::npos) {
    arm.label = head.substr(0, equals);
    head.remove_prefix(equals + 1);
    complain(name_complaint("label", arm.label));
  }
  arm.library = head;
  complain(name_complaint("library", arm.library));
  if (colon != std::string_view::npos) {
    std::vector<std::string> parts;
    if (!split_settings(text.substr(colon + 1), parts)) {
      complain(
          Complaint{"a backslash that escapes nothing", "write \\, for a comma and \\\\ for it"});
    }
    std::set<std::string> keys;
    for (const std::string& part : parts) {
      const std::size_t equals = part.find('=');
      const std::string key = part.substr(0, equals);
      if (equals == std::string::npos) {
        complain(Complaint{"setting " + quoted(part) + " has no value",
                           &part == parts.data()
                               ? "write KEY=VALUE"
                               : "write KEY=VALUE; a comma in a value is written \\,"});
        continue;
      }
      const std::string value = part.substr(equals + 1);
      complain(setting_complaint(key, value));
      if (!keys.insert(key).second) {
        complain(Complaint{"setting " + quoted(key) + " stands twice", "write it once"});
      }
      arm.settings.emplace_back(key, value);
    }
  }
  faults.throw_if_any();
  return arm;
}

std::string arm_text(const Arm& arm) {
  std::string text = arm.label.empty() || arm.label == arm.library ? "" : arm.label + '=';
  text += arm.library;
  char separator = ':';
  for (const auto& [key, value] : arm.settings) {
    text += separator;
    separator = ',';
    for (const char c : key + '=' + value) {
      if (c == ',' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

void label_arms(std::vector<Arm>& arms, const std::string& place) {
  base::Faults faults;
  std::set<std::string> taken;
  for (const Arm& arm : arms) {
    if (arm.label.empty() || taken.insert(arm.label).second) continue;
    faults.add({.place = place,
                .line = arm.at.line,
                .column = arm.at.column,
                .what = "two arms have the label " + quoted(arm.label),
                .remedy = "give each its own"});
  }
  faults.throw_if_any();

  std::set<std::string> plain;
  for (const Arm& arm : arms) {
    if (arm.settings.empty() && !arm.is_program()) plain.insert(arm.library);
  }
  std::map<std::string, std::vector<Arm*>> by_label;
  for (Arm& arm : arms) {
    if (!arm.label.empty()) continue;
    const bool told_apart = !arm.settings.empty() && plain.contains(arm.library);
    std::string label = arm.library;
    if (arm.is_program()) {
      label += (label.empty() ? "" : "+") + program_name(arm.program.command);
    } else if (told_apart) {
      label += "+settings";
    }
    by_label[label].push_back(&arm);
  }
  for (auto& [label, same] : by_label) {
    if (same.size() == 1 && taken.insert(label).second) {
      same[0]->label = label;
      continue;
    }
    std::uint32_t number = 0;
    for (Arm* arm : same) {
      do {
        arm->label = label + '#' + std::to_string(++number);
      } while (!taken.insert(arm->label).second);
    }
  }
}

}  // namespace invar::design
