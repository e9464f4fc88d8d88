#include "launch/libraries/operation_json.hpp"

namespace invar::launch {

using OrderedJson = nlohmann::ordered_json;

OrderedJson operation_json(const record::OperationInfo& info) {
  OrderedJson datatypes = OrderedJson::array();
  for (const record::DatatypeInfo& type : info.datatypes) {
    datatypes.push_back(
        {{"name", type.name}, {"size_bytes", type.size_bytes}, {"reductions", type.reductions}});
  }
  return {{"name", info.name},
          {"summary", info.summary},
          {"sized", info.sized},
          {"rooted", info.rooted},
          {"reduces", info.reduces},
          {"in_place", info.in_place},
          {"neighbours", info.neighbours},
          {"persistent", info.persistent},
          {"datatypes", datatypes},
          {"missing", info.missing}};
}

record::OperationInfo operation_from(const OrderedJson& json) {
  record::OperationInfo info;
  json.at("name").get_to(info.name);
  json.at("summary").get_to(info.summary);
  json.at("sized").get_to(info.sized);
  json.at("rooted").get_to(info.rooted);
  json.at("reduces").get_to(info.reduces);
  json.at("in_place").get_to(info.in_place);
  json.at("neighbours").get_to(info.neighbours);
  json.at("persistent").get_to(info.persistent);
  for (const OrderedJson& type : json.at("datatypes")) {
    info.datatypes.push_back({.name = type.at("name").get<std::string>(),
                              .size_bytes = type.at("size_bytes").get<std::uint32_t>(),
                              .reductions = type.at("reductions").get<std::vector<std::string>>()});
  }
  json.at("missing").get_to(info.missing);
  return info;
}

}  // namespace invar::launch
