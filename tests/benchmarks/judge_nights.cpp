// SPDX-License-Identifier: Apache-2.0
// For aa_nights.py: what the nights' statistics say of the numbers of a line.
//   screen X...  of a series: "higher", "lower", "no" or "warming-up"; index since when; index of
//                the last good night, -1 if there is none
//   confirm higher|lower A... B...   of as many values of each arm: 1 if reproduced, 0; change;
//                low; high; p
#include <iomanip>
#include <iostream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "harness/track/confirm_rule.h"
#include "harness/track/last_good.h"

namespace {

using namespace stepbench;

std::vector<double> numbers_in(std::istream& line) {
  return {std::istream_iterator<double>(line), {}};
}

void answer_screen(const std::vector<double>& series) {
  const track::ScreenAnswer answer = track::screen(series, {});
  if (!answer.fired()) {
    std::cout << (answer.warming_up ? "warming-up" : "no") << " 0 -1";
    return;
  }
  const auto good = track::last_good(series, {}, answer);
  std::cout << (answer.higher ? "higher " : "lower ") << answer.since << ' '
            << (good ? static_cast<long>(*good) : -1);
}

void answer_confirm(bool higher, std::span<const double> arms) {
  const std::size_t pairs = arms.size() / 2;
  const track::ConfirmAnswer answer = track::confirm(arms.first(pairs), arms.last(pairs), higher);
  std::cout << answer.reproduced << ' ' << answer.change << ' ' << answer.low << ' ' << answer.high
            << ' ' << answer.p;
}

}  // namespace

int main() {
  std::cout << std::setprecision(17);
  std::string text;
  while (std::getline(std::cin, text)) {
    std::istringstream line(text);
    std::string what;
    line >> what;
    if (what == "screen") {
      answer_screen(numbers_in(line));
    } else if (what == "confirm") {
      std::string way;
      line >> way;
      answer_confirm(way == "higher", numbers_in(line));
    } else {
      std::cerr << "judge_nights: what is '" << what << "'?\n";
      return 2;
    }
    std::cout << std::endl;
  }
  return 0;
}
