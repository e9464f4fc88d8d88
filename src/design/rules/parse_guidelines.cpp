// parse_guidelines: the rules' language, line by line.
#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/arms.hpp"
#include "design/campaign/gate.hpp"
#include "design/rules/guideline.hpp"

namespace invar::design {
namespace {

constexpr const char* kForms =
    "write NAME: bcast(n) <= scatter(n/p) + allgather(n/p) tolerance 5%, monotone(reduce) or "
    "split(allgather)";
constexpr std::string_view kTolerance = "tolerance";
// A side that may take ten times as long as the other is not a guideline any more.
constexpr double kMostTolerance = 10;

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-.@=%").find(c) != std::string_view::npos;
}

struct RuleToken {
  std::string_view text = {};  // a word, a sign, or "<="
  int column = 0;              // from 1
};

// Ends the reading of a line.
struct LineFault {
  int column = 0;
  std::string what = {};
  std::string remedy = {};
};

std::vector<RuleToken> tokens_of(std::string_view line) {
  std::vector<RuleToken> tokens;
  for (std::size_t i = 0; i < line.size();) {
    const int column = static_cast<int>(i) + 1;
    std::size_t length = 1;
    if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
      ++i;
      continue;
    }
    if (is_word_char(line[i])) {
      while (i + length < line.size() && is_word_char(line[i + length])) ++length;
    } else if (line.substr(i).starts_with("<=")) {
      length = 2;
    } else if (std::string_view("():+*/").find(line[i]) == std::string_view::npos) {
      const std::size_t bytes = base::first_point(line.substr(i)).bytes;
      throw LineFault{column,
                      "'" + base::without_controls(line.substr(i, bytes)) + "' means nothing here",
                      kForms};
    }
    tokens.push_back({line.substr(i, length), column});
    i += length;
  }
  return tokens;
}

// One line that has a rule. Throws LineFault.
class RuleLine {
 public:
  RuleLine(std::string_view line, int number)
      : tokens_(tokens_of(line)), number_(number), end_column_(static_cast<int>(line.size()) + 1) {}

  Guideline read() {
    Guideline guideline{.at = position(front())};
    const bool named = tokens_.size() > 1 && tokens_[1].text == ":";
    if (named) {
      guideline.name = word("a name");
      next();
    }
    read_left(guideline);
    if (guideline.kind == GuidelineKind::kPattern) read_right(guideline);
    read_tolerance(guideline);
    if (!named) guideline.name = usual_name(guideline);
    if (const auto complaint = name_complaint("rule", guideline.name)) {
      const std::string remedy =
          named ? complaint->remedy : "give it a shorter name: NAME: " + statement_of(guideline);
      throw LineFault{guideline.at.column, complaint->what, remedy};
    }
    return guideline;
  }

 private:
  [[nodiscard]] bool at_end() const { return next_ == tokens_.size(); }
  [[nodiscard]] RuleToken front() const {
    return at_end() ? RuleToken{{}, end_column_} : tokens_[next_];
  }
  void next() { ++next_; }
  [[nodiscard]] Position position(const RuleToken& token) const {
    return {.line = number_, .column = token.column};
  }

  // "'tolerence' stands", "the line ends"
  [[nodiscard]] std::string found() const {
    return at_end() ? "the line ends" : "'" + std::string(front().text) + "' stands";
  }

  std::string word(const char* what) {
    if (at_end() || !is_word_char(front().text.front())) {
      throw LineFault{front().column, found() + " where " + what + " should be", kForms};
    }
    std::string text(front().text);
    next();
    return text;
  }

  void sign(std::string_view text) {
    if (front().text != text) {
      throw LineFault{front().column, found() + " where '" + std::string(text) + "' should be",
                      kForms};
    }
    next();
  }

  // What stands in brackets, without spaces.
  std::string in_brackets() {
    sign("(");
    const RuleToken begin = front();
    std::string text;
    while (!at_end() && front().text != ")" && front().text != "<=" && front().text != "(") {
      // Two words are no single one.
      if (!text.empty() && is_word_char(text.back()) && is_word_char(front().text.front())) {
        text += ' ';
      }
      text += front().text;
      next();
    }
    if (text.empty()) {
      throw LineFault{begin.column, "nothing stands between the brackets", kForms};
    }
    sign(")");
    return text;
  }

  void read_left(Guideline& guideline) {
    const RuleToken begin = front();
    guideline.operation_at = position(begin);
    guideline.operation = word("an operation");
    const RuleToken bracket = front();
    const std::string inside = in_brackets();
    const bool pattern = front().text == "<=";
    for (const GuidelineKind kind : {GuidelineKind::kMonotone, GuidelineKind::kSplit}) {
      if (pattern || guideline.operation != to_string(kind)) continue;
      guideline.kind = kind;
      guideline.operation = inside;
      guideline.operation_at = {.line = number_, .column = bracket.column + 1};
      if (!std::ranges::all_of(inside, is_word_char)) {
        throw LineFault{bracket.column + 1, "'" + inside + "' is not an operation", kForms};
      }
      return;
    }
    if (!pattern) {
      const std::vector<std::string> words{std::string(to_string(GuidelineKind::kMonotone)),
                                           std::string(to_string(GuidelineKind::kSplit))};
      const auto meant = base::nearest(guideline.operation, words);
      if (meant && inside != "n") {
        throw LineFault{begin.column, "there is no guideline '" + guideline.operation + "'",
                        "did you mean '" + *meant + "'?"};
      }
      throw LineFault{front().column, found() + " where '<=' and the right side should be", kForms};
    }
    if (inside != record::name_of(record::PartSize::kBlock)) {
      throw LineFault{bracket.column + 1,
                      "the left side's size is '" + inside + "', and n is the size of its block",
                      "write " + guideline.operation +
                          "(n), also of an operation without a size, and the parts' sizes by it"};
    }
    next();
  }

  void read_right(Guideline& guideline) {
    while (true) {
      guideline.part_positions.push_back(position(front()));
      const std::string operation = word("an operation");
      const RuleToken bracket = front();
      const std::string written = in_brackets();
      const auto size = record::parse_part_size(written);
      if (!size) {
        throw LineFault{bracket.column + 1, "unknown size '" + written + "'",
                        "write n, n/p (rounded up), p*n, or 1 for an element, n being the left "
                        "side's block"};
      }
      guideline.parts.push_back({.operation = operation, .size = *size});
      if (front().text != "+") break;
      next();
    }
    const bool itself =
        !guideline.composite() &&
        guideline.parts.front() == record::PartInfo{.operation = guideline.operation};
    if (itself) {
      throw LineFault{guideline.part_positions.front().column,
                      "both sides are " + guideline.operation + "(n)",
                      "name another operation; whether equals are found equal, invar self-test "
                      "tells"};
    }
  }

  void read_tolerance(Guideline& guideline) {
    if (at_end()) return;
    const RuleToken key = front();
    if (key.text != kTolerance) {
      const std::vector<std::string> words{std::string(kTolerance)};
      throw LineFault{key.column, "'" + std::string(key.text) + "' is not known behind a rule",
                      base::did_you_mean(key.text, words)};
    }
    next();
    const RuleToken number = front();
    const std::string written = at_end() ? std::string() : word("a tolerance");
    const base::Parsed<double> tolerance = base::parse_percent(written);
    if (!tolerance.value) throw LineFault{number.column, tolerance.error, "write tolerance 5%"};
    if (*tolerance.value > kMostTolerance) {
      throw LineFault{number.column, "a tolerance of " + written + " lets everything pass",
                      "write at most " + percent_words(kMostTolerance)};
    }
    guideline.tolerance = *tolerance.value;
    if (at_end()) return;
    throw LineFault{front().column,
                    "'" + std::string(front().text) + "' stands behind the rule's end", kForms};
  }

  // "monotone-reduce", "bcast-scatter-allgather"
  static std::string usual_name(const Guideline& guideline) {
    std::string name = guideline.kind == GuidelineKind::kPattern
                           ? guideline.operation
                           : std::string(to_string(guideline.kind)) + '-' + guideline.operation;
    for (const record::PartInfo& part : guideline.parts) name += '-' + part.operation;
    std::ranges::replace_if(
        name, [](char c) { return c == '@' || c == '=' || c == '%'; }, '-');
    return name;
  }

  std::vector<RuleToken> tokens_;
  int number_;
  int end_column_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<Guideline> parse_guidelines(std::string_view text, const std::string& place,
                                        base::Faults& faults) {
  std::vector<Guideline> guidelines;
  std::map<std::string, int> lines;  // of the names so far
  int number = 0;
  bool any = false;
  for (const std::string_view line : base::split(text, '\n')) {
    ++number;
    const std::size_t hash = line.find('#');
    const std::string_view rule = line.substr(0, hash);
    if (base::trim(rule).empty()) continue;
    any = true;
    try {
      Guideline guideline = RuleLine(rule, number).read();
      if (hash != std::string_view::npos) {
        guideline.why = base::without_controls(base::trim(line.substr(hash + 1)));
      }
      const auto [first, is_new] = lines.try_emplace(guideline.name, number);
      if (!is_new) {
        throw LineFault{
            guideline.at.column,
            "two rules have the name '" + guideline.name + "', this one and that of " + "line " +
                std::to_string(first->second),
            "give one of them another name, in front: NAME: " + statement_of(guideline)};
      }
      guidelines.push_back(std::move(guideline));
    } catch (const LineFault& fault) {
      faults.add({.place = place,
                  .line = number,
                  .column = fault.column,
                  .what = fault.what,
                  .remedy = fault.remedy});
    }
  }
  if (!any) faults.add(place, "it has no rules", kForms);
  return guidelines;
}

std::vector<Guideline> parse_guidelines(std::string_view text, const std::string& place) {
  base::Faults faults;
  std::vector<Guideline> guidelines = parse_guidelines(text, place, faults);
  faults.throw_if_any();
  return guidelines;
}

}  // namespace invar::design
