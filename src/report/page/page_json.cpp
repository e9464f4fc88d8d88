#include "report/page/page_json.hpp"

#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_page.hpp"

namespace invar::report {
namespace {

using analysis::Page;

void write_missing(base::JsonWriter& json, const char* key, const std::string& why) {
  json.field(key, why.empty() ? std::nullopt : std::optional(why));
}

void write_cards(base::JsonWriter& json, const Page& page) {
  json.key("cards").begin_array();
  for (const analysis::PageCard& card : page.cards) {
    json.begin_object()
        .field("label", card.label)
        .field("value", card.value)
        .field("detail", card.detail)
        .end_object();
  }
  json.end_array();
}

void write_answers(base::JsonWriter& json, const Page& page) {
  json.key("answers").begin_array();
  for (const analysis::PageAnswer& one : page.answers) {
    write_answer_data(json, one.answer, one.source);
  }
  json.end_array();
}

void write_metadata(base::JsonWriter& json, const Page& page) {
  json.key("metadata").begin_object().key("columns").begin_array();
  for (const std::string& column : page.metadata_columns) json.value(column);
  json.end_array().key("rows").begin_array();
  for (const analysis::MetadataRow& row : page.metadata) {
    json.begin_object().field("group", row.group).field("key", row.key).key("values").begin_array();
    for (const auto& value : row.values) {
      if (value) {
        json.value(*value);
      } else {
        json.null();
      }
    }
    json.end_array().field("differs", row.differs).field("matters", row.matters).end_object();
  }
  json.end_array().end_object();
}

void write_method(base::JsonWriter& json, const Page& page) {
  json.key("method").begin_object().key("paragraphs").begin_array();
  for (const std::string& paragraph : page.method.paragraphs) json.value(paragraph);
  json.end_array().key("references").begin_array();
  for (const analysis::Reference& reference : page.method.references) {
    json.begin_object().field("key", reference.key).field("text", reference.text).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string page_json(const Page& page, const PageStamp& stamp) {
  base::JsonWriter json(stamp.rewrite);
  json.begin_object()
      .field("schema", 1)
      .field("invar", stamp.invar)
      .field("made_at", stamp.made_at)
      .field("anonymised", stamp.anonymised)
      .field("title", page.title)
      .field("sentence", page.sentence);
  write_cards(json, page);
  json.key("campaigns").begin_array();
  for (const analysis::CampaignPage& campaign : page.campaigns) {
    write_campaign_page(json, campaign);
  }
  json.end_array().key("comparison");
  if (page.comparison) {
    write_answer(json, answer_of(*page.comparison));
  } else {
    json.null();
  }
  write_missing(json, "comparison_missing", page.comparison_missing);
  json.key("reproduce");
  if (page.reproduce) {
    write_answer(json, answer_of(*page.reproduce, false));
  } else {
    json.null();
  }
  write_missing(json, "reproduce_missing", page.reproduce_missing);
  write_answers(json, page);
  write_metadata(json, page);
  write_method(json, page);
  json.end_object();
  return json.text() + "\n";
}

}  // namespace invar::report
