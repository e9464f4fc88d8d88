// The page's data, and the page around them: every key is there, hostile text stays text.
#include "report/page/page_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/kit/page_numbers.hpp"
#include "report/page/page_html.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::report {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile =
    "</script><img src=x onerror=\"alert('1')\">&amp;\xe2\x80\xa8\\u003c";

PageStamp stamp() { return {.invar = "0.1.0", .made_at = "2026-11-22T13:00:00Z"}; }

analysis::Page page_of(const synthetic::Options& options) {
  const store::TestDir dir;
  synthetic::write(dir / "om", options);
  analysis::PageSources sources;
  sources.campaigns.push_back(store::read_campaign_dir(dir / "om"));
  return analysis::make_page(std::move(sources));
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(PageJson, EveryKeyIsAlwaysThere) {
  const Json empty = Json::parse(page_json({}, stamp()));
  const Json full = Json::parse(page_json(page_of({.groups = 3}), stamp()));
  EXPECT_THAT(keys(full), testing::UnorderedElementsAre(
                              "schema", "invar", "made_at", "anonymised", "title", "sentence",
                              "cards", "campaigns", "comparison", "comparison_missing", "reproduce",
                              "reproduce_missing", "answers", "metadata", "method"));
  EXPECT_EQ(keys(empty), keys(full));
  EXPECT_EQ(full["schema"], 1);
  const Json& campaign = full["campaigns"][0];
  EXPECT_THAT(keys(campaign), testing::UnorderedElementsAre(
                                  "name", "state", "problems", "question", "sentence", "scope",
                                  "runtime", "alpha", "min_effect", "arms", "cells", "failures",
                                  "health", "compare", "compare_missing", "times", "launch_medians",
                                  "distributions", "order", "canary", "regimes", "regimes_missing",
                                  "perturbations", "normality", "factors", "self_test", "answers"));
  const Json without = Json::parse(
      page_json(page_of({.arms = {"a"}, .groups = 1, .canary = false}), stamp()))["campaigns"][0];
  EXPECT_EQ(keys(without), keys(campaign));
  EXPECT_TRUE(without["compare"].is_null());
  EXPECT_TRUE(without["canary"].is_null());
}

TEST(PageJson, CellsOfLocalTimesAreNamedWhereThereAreSome) {
  analysis::Page page = page_of({.groups = 3});
  page.campaigns[0].local_cells = {1};
  const Json campaign = Json::parse(page_json(page, stamp()))["campaigns"][0];
  EXPECT_EQ(campaign["local_cells"], Json::array({1}));
  EXPECT_EQ(campaign["cells"][1]["size_bytes"], 1024);
}

TEST(PageJson, FiguresNameTheirCellAndArm) {
  const Json campaign = Json::parse(page_json(page_of({.groups = 3}), stamp()))["campaigns"][0];
  EXPECT_EQ(campaign["cells"][1]["size_bytes"], 1024);
  for (const char* list : {"times", "launch_medians", "distributions", "order", "normality"}) {
    const Json& last = campaign[list].back();
    EXPECT_EQ(last["cell"], 1) << list;
    EXPECT_EQ(last["arm"], "beta") << list;
  }
  EXPECT_EQ(campaign["compare"]["method"], "invar");
  EXPECT_EQ(campaign["compare"]["correction"], "bh");
  EXPECT_EQ(campaign["compare"]["runtime"], campaign["runtime"]);
  EXPECT_EQ(campaign["compare"]["alpha"], 0.05);
  EXPECT_EQ(campaign["compare"]["min_effect"], 0.02);
  const Json& bins = campaign["distributions"][0]["bins"];
  std::uint64_t counted = 0;
  for (const Json& count : bins["counts"]) counted += count.get<std::uint64_t>();
  const Json& one = campaign["distributions"][0];
  EXPECT_EQ(counted + one["below"].get<std::uint64_t>() + one["above"].get<std::uint64_t>(),
            one["observations"]);
  EXPECT_EQ(campaign["order"][0]["seconds"].size(), campaign["order"][0]["median_ns"].size() + 1);
}

TEST(PageJson, HostileTextStaysTextEverywhere) {
  synthetic::Options options{.arms = {kHostile, "beta"}, .groups = 3};
  options.toml = synthetic::campaign_toml({.groups = 3});
  options.scope = kHostile;
  analysis::Page page = page_of(options);
  page.title = kHostile;
  page.metadata.push_back({.group = kHostile, .key = kHostile, .values = {kHostile}});
  page.answers.push_back(
      {.source = kHostile,
       .answer = {.question = kHostile,
                  .sentence = kHostile,
                  .tables = {{.id = "points", .columns = {{.name = "a"}}, .rows = {{kHostile}}}},
                  .warnings = {kHostile}}});
  const std::string text = page_json(page, stamp());
  const Json data = Json::parse(text);
  EXPECT_EQ(data["title"], kHostile);
  EXPECT_EQ(data["campaigns"][0]["times"][0]["arm"], kHostile);
  const auto html =
      page_html("<script type=\"application/json\" id=\"data\">@INVAR_DATA@</script>", text);
  ASSERT_TRUE(html);
  const std::string content = html->substr(html->find('{'), html->rfind('}') + 1 - html->find('{'));
  // Nothing in it can end the element, and a reader of JSON sees the same.
  EXPECT_THAT(content, Not(HasSubstr("<")));
  EXPECT_THAT(content, Not(HasSubstr(">")));
  EXPECT_THAT(content, Not(HasSubstr("&")));
  EXPECT_THAT(content, Not(HasSubstr("\xe2\x80\xa8")));
  EXPECT_EQ(Json::parse(content), data);
}

TEST(PageJson, EveryTextGoesThroughTheOneRewrite) {
  PageStamp hidden = stamp();
  hidden.anonymised = true;
  hidden.rewrite = [](std::string_view text) {
    std::string out(text);
    for (std::size_t at = out.find("secret"); at != std::string::npos; at = out.find("secret")) {
      out.replace(at, 6, "arm-1");
    }
    return out;
  };
  const std::string text = page_json(page_of({.arms = {"secret", "beta"}, .groups = 3}), hidden);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, HasSubstr("arm-1 is 1.3 times faster"));
  EXPECT_EQ(Json::parse(text)["anonymised"], true);
}

TEST(PageHtml, NeedsThePlaceOnce) {
  EXPECT_FALSE(page_html("<html></html>", "{}"));
  EXPECT_FALSE(page_html("@INVAR_DATA@ @INVAR_DATA@", "{}"));
  EXPECT_EQ(page_html("a @INVAR_DATA@ b", "{}").value(), "a {} b");
  // A marker in the data is data.
  EXPECT_EQ(page_html("@INVAR_DATA@", "{\"a\":\"@INVAR_DATA@\"}").value(),
            "{\"a\":\"@INVAR_DATA@\"}");
}

TEST(PageHtml, KnowsItsOwnPages) {
  const std::string data = page_json({}, stamp());
  EXPECT_TRUE(is_invar_page(data));
  EXPECT_TRUE(is_invar_page(*page_html(
      "<html><script type=\"application/json\" id=\"data\">@INVAR_DATA@</script>", data)));
  EXPECT_FALSE(is_invar_page("<html>my own report</html>"));
  EXPECT_FALSE(is_invar_page("<script type=\"application/json\" id=\"data\">{}</script>"));
  EXPECT_FALSE(is_invar_page("{\"schema\":1,\"sentence\":\"\"}"));
}

TEST(PageNumbers, KeepFourDigitsOfTheirRangeAndTimesAlsoOfTheirOwn) {
  base::JsonWriter writer;
  writer.begin_object();
  const std::vector<double> narrow{100000.0123456, 100000.0223456, 100000.0323456};
  write_numbers(writer, "narrow", narrow);
  const std::vector<double> wide{0, 12.3456, 98765.4321};
  write_numbers(writer, "wide", wide);
  write_numbers(writer, "constant", std::vector<double>{1234.5678, 1234.5678});
  write_numbers(writer, "none", std::vector<double>{});
  write_numbers(writer, "zero", std::vector<double>{0, 0});
  const std::vector<std::optional<double>> some{1.0, std::nullopt, 3.00004};
  write_times(writer, "some", some);
  write_times(writer, "wide_ns", wide);
  write_relative_numbers(writer, "each", std::vector<double>{0, 1.23456e-7, 98765.4321, NAN});
  writer.end_object();
  EXPECT_EQ(writer.text(),
            "{\"narrow\":[100000.01235,100000.02235,100000.03235],\"wide\":[0,10,98770],"
            "\"constant\":[1235,1235],\"none\":[],\"zero\":[0,0],\"some\":[1,null,3],\"wide_ns\":["
            "0,12.35,98770],"
            "\"each\":[0,1.235e-07,98770,null]}");
}

}  // namespace
}  // namespace invar::report
