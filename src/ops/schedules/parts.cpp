#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

void halve(int number, int bit, int& first, int& end, std::vector<Halving>& rounds) {
  const int middle = first + (end - first) / 2;
  if ((number & bit) != 0) {
    rounds.push_back({bit, middle, end, first, middle});
    first = middle;
  } else {
    rounds.push_back({bit, first, middle, middle, end});
    end = middle;
  }
}

}  // namespace

std::vector<Halving> halvings_outwards(int number, int power) {
  std::vector<Halving> rounds;
  int first = 0;
  int end = power;
  for (int bit = 1; bit < power; bit *= 2) halve(number, bit, first, end, rounds);
  return rounds;
}

std::vector<Halving> halvings_inwards(int number, int power) {
  std::vector<Halving> rounds;
  int first = 0;
  int end = power;
  for (int bit = power / 2; bit > 0; bit /= 2) halve(number, bit, first, end, rounds);
  return rounds;
}

}  // namespace invar::ops
