// Rows of tables of network models: which models there are, and the columns that all tables have.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/network/network.hpp"

namespace invar::analysis {

struct ShownModel {
  const NetworkModel* model = nullptr;
  std::string regime = {};  // empty: the answer's
};

class NetworkRows {
 public:
  // Refers to it.
  explicit NetworkRows(const Network& found);

  // The answer's own first.
  [[nodiscard]] const std::vector<ShownModel>& models() const { return models_; }
  // With the columns that all have: arm, place, regime where several are shown.
  [[nodiscard]] TidyTable begin(const std::string& id, const std::string& title) const;
  [[nodiscard]] std::vector<Value> row_of(const ShownModel& shown) const;
  // Their models are of several.
  [[nodiscard]] bool several_arms() const { return arms_; }
  // Intervals leave out the truth so often.
  [[nodiscard]] double alpha() const { return found_.alpha; }
  // False: it has nothing to show, or nothing that anybody should quote.
  bool begin_shown(TidyTable& table) const;

 private:
  const Network& found_;
  std::vector<ShownModel> models_;
  bool places_ = false;
  bool arms_ = false;
};

void add_text_columns(TidyTable& table, std::initializer_list<const char*> names);
void add_bytes_columns(TidyTable& table, std::initializer_list<const char*> names);
// NAME, NAME_low, NAME_high, with `unit` behind each.
void add_model_estimate(TidyTable& table, const std::string& name, Kind kind,
                        const std::string& unit);
void append_model_estimate(std::vector<Value>& values,
                           const std::optional<ModelEstimate>& estimate);
// Two values, of whole bytes.
void append_bytes_interval(std::vector<Value>& values,
                           const std::optional<stats::Interval>& interval);
// Absent where it is empty.
Value text_unless_empty(const std::string& text);

// Pieces, points, PLogP's functions and slowed stretches: what is drawn, or read by machines.
TidyTable pieces_table(const NetworkRows& rows);
TidyTable points_table(const NetworkRows& rows);
TidyTable plogp_table(const NetworkRows& rows);
TidyTable stretches_table(const NetworkRows& rows);

}  // namespace invar::analysis
