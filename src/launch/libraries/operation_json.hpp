// What an engine knows of an operation, as JSON: in its own description and in a profile's file.
#pragma once

#include <nlohmann/json.hpp>

#include "record/operation_info.hpp"

namespace invar::launch {

nlohmann::ordered_json operation_json(const record::OperationInfo& info);

// Throws nlohmann::json::exception for what is none.
record::OperationInfo operation_from(const nlohmann::ordered_json& json);

}  // namespace invar::launch
