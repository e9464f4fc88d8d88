#include "record/p2p/train_delay.hpp"

#include <string>

namespace invar::record {

std::optional<Amount> parse_train_delay(std::string_view text) {
  return text == kNoTrainDelay ? Amount{} : parse_amount(text);
}

LevelText train_delay_level(std::string_view written) {
  if (written == kNoTrainDelay) return {.text = std::string(written)};
  const auto planned = planned_amount(written);
  if (!planned) {
    return {
        .complaint = "is '" + std::string(written) + "', no delay between messages",
        .remedy = "write \"off\", a time as in \"10us\", or times a call's own time as in \"1x\""};
  }
  if (parse_amount(*planned)->too_long()) {
    return {.complaint = "is longer than 1 s or 1000 calls", .remedy = "write a shorter time"};
  }
  return {.text = planned};
}

double train_delay_s(const Cell& cell, double calls_s) {
  return parse_train_delay(cell.train_delay).value_or(Amount{}).seconds(calls_s);
}

double train_delays_s(const Cell& cell, double calls_s) {
  return (cell.window - 1) * train_delay_s(cell, calls_s);
}

}  // namespace invar::record
