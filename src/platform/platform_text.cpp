#include "platform/platform_text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace invar::platform {
namespace {

struct XmlAttribute {
  std::string_view name = {};
  std::string_view value = {};
};

struct XmlTag {
  std::string_view name = {};  // "/config" where it ends one
  std::vector<XmlAttribute> attributes = {};
  bool ends_itself = false;
};

constexpr std::string_view kXmlSpace = " \t\r\n";

// Tags of a text, one after the other. No more XML than platform files have.
class XmlScanner {
 public:
  XmlScanner(std::string_view text, const std::string& place) : text_(text), place_(place) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') line_begins_.push_back(i + 1);
    }
  }

  // False: there is none any more.
  bool next(XmlTag& tag) {
    while (true) {
      at_ = text_.find('<', at_);
      if (at_ == std::string_view::npos) return false;
      if (begins("<!--")) {
        skip_to("-->", "a comment");
      } else if (begins("<?")) {
        skip_to("?>", "an instruction <?");
      } else if (begins("<!")) {
        skip_to(">", "a declaration <!");
      } else {
        read(tag);
        return true;
      }
    }
  }

  [[nodiscard]] base::Fault fault(std::size_t at, std::string what) const {
    const auto [line, column] = place_of(at);
    return {.place = place_, .line = line, .column = column, .what = std::move(what)};
  }
  [[nodiscard]] std::pair<int, int> place_of(std::size_t at) const {
    const auto behind = std::ranges::upper_bound(line_begins_, at);
    return {static_cast<int>(behind - line_begins_.begin()),
            static_cast<int>(at - *std::prev(behind)) + 1};
  }
  [[nodiscard]] std::size_t offset(std::string_view part) const {
    return static_cast<std::size_t>(part.data() - text_.data());
  }

 private:
  [[nodiscard]] bool begins(std::string_view with) const {
    return text_.substr(at_).starts_with(with);
  }
  [[noreturn]] void fail(std::size_t at, std::string what) const {
    throw base::UserError(fault(at, std::move(what)));
  }
  void skip_to(std::string_view end, const std::string& what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) fail(at_, what + " never ends");
    at_ = found + end.size();
  }
  void skip_space() { at_ = std::min(text_.find_first_not_of(kXmlSpace, at_), text_.size()); }
  std::string_view word(std::string_view ends) {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  void read(XmlTag& tag) {
    const std::size_t opened = at_++;
    tag = {};
    // The slash of an end is a part of the name.
    const bool ends = at_ < text_.size() && text_[at_] == '/';
    if (ends) ++at_;
    tag.name = word(" \t\r\n/>");
    if (tag.name.empty()) fail(opened, "a tag has no name");
    if (ends) tag.name = text_.substr(opened + 1, tag.name.size() + 1);
    while (true) {
      skip_space();
      if (at_ >= text_.size()) fail(opened, "a tag never ends");
      if (text_[at_] == '>') break;
      if (begins("/>")) {
        tag.ends_itself = true;
        ++at_;
        break;
      }
      tag.attributes.push_back(attribute());
    }
    ++at_;
  }

  XmlAttribute attribute() {
    const std::size_t begin = at_;
    XmlAttribute attribute{.name = word(" \t\r\n=/>")};
    skip_space();
    if (attribute.name.empty() || at_ >= text_.size() || text_[at_] != '=') {
      fail(begin, "this is not an attribute: name=\"value\"");
    }
    ++at_;
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '"' && quote != '\'') fail(begin, "the attribute's value is not quoted");
    const std::size_t value = ++at_;
    at_ = text_.find(quote, at_);
    if (at_ == std::string_view::npos) fail(begin, "the attribute's value never ends");
    attribute.value = text_.substr(value, at_ - value);
    ++at_;
    return attribute;
  }

  std::string_view text_;
  const std::string& place_;
  std::vector<std::size_t> line_begins_ = {0};
  std::size_t at_ = 0;
};

constexpr std::string_view kElements[] = {"zone", "AS",      "cluster", "host",
                                          "link", "cabinet", "peer"};

}  // namespace

std::vector<SimgridProperty> platform_properties(std::string_view xml, const std::string& place) {
  std::vector<SimgridProperty> properties;
  base::Faults faults;
  XmlScanner scanner(xml, place);
  const auto add = [&](std::string name, std::string_view value) {
    const auto [line, column] = scanner.place_of(scanner.offset(value));
    properties.push_back(
        {.name = std::move(name), .value = std::string(value), .line = line, .column = column});
  };
  bool in_config = false;
  bool has_elements = false;
  XmlTag tag;
  while (scanner.next(tag)) {
    if (tag.name == "config") {
      in_config = !tag.ends_itself;
      if (has_elements) {
        base::Fault fault =
            scanner.fault(scanner.offset(tag.name) - 1,
                          "<config> stands behind the first element of the platform");
        fault.remedy = "smpirun refuses that: put it in front of the zone";
        faults.add(std::move(fault));
      }
    } else if (tag.name == "/config") {
      in_config = false;
    } else if (tag.name == "prop" && in_config) {
      std::string name;
      for (const XmlAttribute& attribute : tag.attributes) {
        if (attribute.name == "id") name = attribute.value;
      }
      for (const XmlAttribute& attribute : tag.attributes) {
        if (attribute.name == "value") add(name, attribute.value);
      }
    } else if (tag.name == "cluster") {
      for (const XmlAttribute& attribute : tag.attributes) {
        add("cluster " + std::string(attribute.name), attribute.value);
      }
    }
    has_elements = has_elements || std::ranges::find(kElements, tag.name) != std::end(kElements);
  }
  faults.throw_if_any();
  return properties;
}

void check_platform_text(std::string_view xml, const std::string& place) {
  base::Faults faults;
  check_properties(platform_properties(xml, place), place, faults);
  faults.throw_if_any();
}

}  // namespace invar::platform
