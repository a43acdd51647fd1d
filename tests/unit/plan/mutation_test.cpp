// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "harness/base/error.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

const std::string kValid = R"(# a comment
name: mutations
workload: train
device: auto
threads: {intra_op: 1, inter_op: auto}
schedule: {wait: 1, warmup: 10, active: 50}
data: &data {kind: files, path: ${NOWHERE:-/}, size: 32}
loader:
  batch_size: 64
  num_workers: 4
model: {width: 8, rate: 1.0e-3}
env: {A: "1", B: 'two'}
sweep:
  matrix: {loader.num_workers: [0, 1, 2], loader.pin_memory: [false, true]}
  zip:    {loader.batch_size: [32, 64], model.width: [2, 1]}
  exclude: [{loader.num_workers: 0, loader.pin_memory: true}]
  include: [{loader.num_workers: 9}]
)";

std::string mutated(std::mt19937& random) {
  static const std::string kAlphabet = "{}[]:,-&*!|>'\"%@`#?~ \n\t\\$0aZ\xff\xc3\x01";
  std::string text = kValid;
  const int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random() % text.size();
    const char c = kAlphabet[random() % kAlphabet.size()];
    switch (random() % 5) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.insert(at, 1, c);
        break;
      case 2:
        text.erase(at, 1 + random() % 12);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      default:
        text.resize(at + 1);
    }
  }
  return text;
}

TEST(Mutations, EndInAPlanOrAConfigError) {
  std::mt19937 random(20'260'101);
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) /
                                     ("mutated-" + std::to_string(getpid()) + ".yaml");
  int plans = 0;
  int errors = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = mutated(random);
    std::ofstream(file, std::ios::binary) << text;
    try {
      const plan::Plan plan =
          plan::make_plan({.file = file, .max_cases = 1000}, sample_catalogue(), {});
      EXPECT_FALSE(plan.cases.empty()) << text;
      ++plans;
    } catch (const ConfigError& error) {
      EXPECT_TRUE(error.where().starts_with(file.string())) << error.what();
      ++errors;
    }
  }
  std::filesystem::remove(file);
  EXPECT_GT(plans, 10);
  EXPECT_GT(errors, 1000);
}

}  // namespace
}  // namespace stepbench::testing
