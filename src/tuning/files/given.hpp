// What an arm forces by the settings that it was given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuning/files/plan.hpp"

namespace invar::tuning {

// The value that the arm sets; null: it does not set the variable (environment name).
const std::string* given_value(const Variables& given, std::string_view name);

// The algorithm that the arm forces for the operation, whatever the size. Nothing: none. Throws
// UserError: a value that names none, or conditions (Intel MPI).
std::optional<Choice> forced_choice(const TuningRequest& request, std::string_view operation);

// Throws UserError if the arm has a rules file that a new one would replace.
void refuse_given_file(const TuningRequest& request);

}  // namespace invar::tuning
