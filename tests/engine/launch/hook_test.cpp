// What is done around measurements is always undone. Without MPI: hooks only hand the call on.
#include "ops/call/hook.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace invar::ops {

struct Call {};  // hooks without MPI

namespace {

class Noted final : public Hook {
 public:
  Noted(std::string& log, char name) : log_(log), name_(name) { note("+"); }
  ~Noted() override { note("-"); }
  void before(Call& /*call*/, std::uint32_t repetition) override {
    note("<" + std::to_string(repetition));
  }
  void behind(Call& /*call*/, std::uint32_t repetition) override {
    note(">" + std::to_string(repetition));
  }

 private:
  void note(const std::string& what) { log_ += name_ + what + ' '; }
  std::string& log_;
  char name_;
};

TEST(HookTest, HooksAreLeftInTheOppositeOrder) {
  std::string log;
  {
    Hooks hooks;
    EXPECT_TRUE(hooks.empty());
    hooks.add(std::make_unique<Noted>(log, 'a'));
    hooks.add(nullptr);
    hooks.add(std::make_unique<Noted>(log, 'b'));
    EXPECT_FALSE(hooks.empty());
    Call call;
    hooks.before(call, 7);
    hooks.behind(call, 7);
  }
  EXPECT_EQ(log, "a+ b+ a<7 b<7 b>7 a>7 b- a- ");
}

TEST(HookTest, WhatWasDoneIsUndoneAfterAnErrorOfALaterHook) {
  std::string log;
  const auto fail = [&] {
    Hooks hooks;
    hooks.add(std::make_unique<Noted>(log, 'a'));
    throw std::runtime_error("the next hook cannot");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(log, "a+ a- ");
}

}  // namespace
}  // namespace invar::ops
