// What must hold while an operation is called, or while its communicator is made, and at no other
// time: numbers in the library's control variables, by which calls of others would go another way
// as well, those that only synchronise among them.
#pragma once

namespace invar::ops {

class Around {
 public:
  Around() = default;
  Around(const Around&) = delete;
  Around& operator=(const Around&) = delete;
  virtual ~Around() = default;
  // Never twice in a row. begin() may throw, and has done nothing then.
  virtual void begin() = 0;
  virtual void end() noexcept = 0;
};

// From here to the end of the block. Null: nothing has to hold.
class Held {
 public:
  explicit Held(Around* around) : around_(around) {
    if (around_ != nullptr) around_->begin();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (around_ != nullptr) around_->end();
  }

 private:
  Around* around_;
};

}  // namespace invar::ops
