#include "analysis/machine/machine_tables.hpp"

namespace invar::analysis {

TidyTable regimes_table(const Regimes& regimes) {
  TidyTable table{.id = "regimes",
                  .columns = {{.name = "name"},
                              {.name = "median_ns", .kind = Kind::kTime},
                              {.name = "low_ns", .kind = Kind::kTime},
                              {.name = "high_ns", .kind = Kind::kTime},
                              {.name = "share", .kind = Kind::kShare},
                              {.name = "campaign_shares", .kind = Kind::kShare}},
                  .missing = regimes.why_none};
  for (const Regime& one : regimes.found) {
    table.rows.push_back({one.name, one.median_ns, one.low_ns, one.high_ns, one.share,
                          List(one.campaign_shares.begin(), one.campaign_shares.end())});
  }
  return table;
}

TidyTable perturbations_table(const std::vector<Perturbation>& perturbations) {
  TidyTable table{.id = "perturbations",
                  .columns = {{.name = "group", .kind = Kind::kCount},
                              {.name = "blocks", .kind = Kind::kCount},
                              {.name = "slowdown", .kind = Kind::kShare},
                              {.name = "visits", .kind = Kind::kCount},
                              {.name = "begin_s", .kind = Kind::kSeconds},
                              {.name = "end_s", .kind = Kind::kSeconds}}};
  for (const Perturbation& one : perturbations) {
    table.rows.push_back({one.group, List(one.blocks.begin(), one.blocks.end()), one.slowdown,
                          one.visits, one.begin_s, one.end_s});
  }
  return table;
}

}  // namespace invar::analysis
