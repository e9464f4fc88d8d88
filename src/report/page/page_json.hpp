// The data of a page: one object with everything that it says and draws (docs/formats.md, "The
// page's data").
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/page/page.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// What does not follow from the data.
struct PageStamp {
  std::string invar = {};    // version
  std::string made_at = {};  // "2026-11-22T13:00:00Z"
  bool anonymised = false;
  // Every text on the page goes through it, once: the one place where names of hosts, users and
  // paths can be taken out. Empty: as they are.
  std::function<std::string(std::string_view)> rewrite = {};
};

std::string page_json(const analysis::Page& page, const PageStamp& stamp);

// One campaign, as an element of "campaigns".
void write_campaign_page(base::JsonWriter& json, const analysis::CampaignPage& page);

}  // namespace invar::report
