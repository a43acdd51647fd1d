// SPDX-License-Identifier: Apache-2.0
// Both engines against Python's torch.profiler on one TorchScript model, forward and backward.
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/workloads/profiled_steps.h"
#include "tests/workloads/python.h"
#include "workloads/model/model.h"
#include "workloads/profile/kineto_collector.h"
#include "workloads/profile/native_collector.h"

namespace stepbench {
namespace {

using testing::IsEmpty;

std::vector<std::string> rows_of(const std::string& text) {
  constexpr std::string_view kRow = "op ";
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kRow)) rows.push_back(line.substr(kRow.size()));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

void forget_gradients(const Model& model) {
  for (at::Tensor parameter : model.parameters()) parameter.mutable_grad().reset();
}

std::vector<std::string> profile(profile::OpCollector& collector, Model& model) {
  const at::Tensor images = at::ones({2, 3, 16, 16});
  const at::Tensor gradient = at::ones({});
  forget_gradients(model);
  collector.start();
  collector.begin_window(1);
  const at::Tensor out = model.forward(images);
  const at::Tensor loss = out.mean();
  loss.backward(gradient);
  collector.end_window();
  return test::costs_of(collector.take());
}

TEST(TorchProfiler, AgreesOnCallsShapesAndBytesOfEachOperation) {
  const auto file = std::filesystem::path(testing::TempDir()) /
                    ("stepbench-profiled-" + std::to_string(::getpid()) + ".pt");
  const std::vector<std::string> python =
      rows_of(test::run_python("profile_in_python.py", {file.string()}));
  EXPECT_GT(python.size(), 30U);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto model = make_model(
      test::train_case({{"model.kind", std::string("torchscript")}, {"model.path", file.string()}}),
      {});
  std::filesystem::remove(file);
  const at::Tensor images = at::ones({2, 3, 16, 16});
  for (int i = 0; i < 4; ++i) {
    forget_gradients(*model);
    model->forward(images).mean().backward(at::ones({}));
  }
  profile::NativeCollector native({});
  EXPECT_THAT(test::differences(python, profile(native, *model)), IsEmpty());
  profile::KinetoCollector kineto({});
  EXPECT_THAT(test::differences(python, profile(kineto, *model)), IsEmpty());
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace stepbench
