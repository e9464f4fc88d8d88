// What ends a command: faults in the user's input, and the exit status that each outcome has.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace invar::base {

// Exit status of every command (docs/guide.md, Exit status).
enum class Exit : int {
  kDone = 0,
  kFound = 1,              // what --fail-on names was found
  kUsage = 2,              // wrong option, campaign, plan or directory
  kMeasurementFailed = 3,  // a cell or a launch failed
  kIncomplete = 4,         // unfinished, `run --resume` goes on
  kDamaged = 5,            // data do not match their checksums
};

// One thing that is wrong, where, and what to do about it. Line and column count from 1; 0: none.
struct Fault {
  std::string place = {};  // a file, or the option of the command line
  int line = 0;
  int column = 0;
  std::string what;
  std::string remedy = {};

  // "campaign.toml:3:8: unknown key 'oprations'; did you mean 'operations'?"
  [[nodiscard]] std::string text() const;
};

// Ends a command. Carries all faults that were found, so that a user mends them in one go.
class CommandError : public std::runtime_error {
 public:
  CommandError(Exit status, std::vector<Fault> faults);
  [[nodiscard]] Exit status() const { return status_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }

 private:
  Exit status_;
  std::vector<Fault> faults_;
};

// Wrong input: exit status 2.
class UserError : public CommandError {
 public:
  explicit UserError(std::vector<Fault> faults) : CommandError(Exit::kUsage, std::move(faults)) {}
  explicit UserError(Fault fault) : UserError(std::vector<Fault>{std::move(fault)}) {}
  UserError(std::string place, std::string what, std::string remedy = {})
      : UserError(Fault{
            .place = std::move(place), .what = std::move(what), .remedy = std::move(remedy)}) {}
};

// Collects faults and throws them together.
class Faults {
 public:
  void add(Fault fault) { faults_.push_back(std::move(fault)); }
  void add(std::string place, std::string what, std::string remedy = {}) {
    add(Fault{.place = std::move(place), .what = std::move(what), .remedy = std::move(remedy)});
  }
  void add(const Faults& others) {
    faults_.insert(faults_.end(), others.faults_.begin(), others.faults_.end());
  }
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  // Throws UserError with every fault so far, if there is one.
  void throw_if_any() const;

 private:
  std::vector<Fault> faults_;
};

}  // namespace invar::base
