// SPDX-License-Identifier: Apache-2.0
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/workloads/python.h"
#include "tests/workloads/test_case.h"
#include "workloads/model/model.h"

namespace stepbench {
namespace {

void write_tensor(std::ofstream& file, const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kDouble).contiguous();
  file.write(static_cast<const char*>(values.data_ptr()),
             static_cast<std::streamsize>(values.nbytes()));
}

// Weights by name, an input and our output for it, as same_output.py reads them.
void write_example(const std::filesystem::path& folder, Model& model, const at::Tensor& input) {
  std::ofstream names(folder / "names.txt");
  std::ofstream weights(folder / "weights.bin", std::ios::binary);
  for (const auto& [name, tensor] : model.state()) {
    names << name << ' ' << tensor.numel() << '\n';
    write_tensor(weights, tensor);
  }
  std::ofstream in(folder / "input.bin", std::ios::binary);
  write_tensor(in, input);
  std::ofstream out(folder / "output.bin", std::ios::binary);
  write_tensor(out, model.forward(input));
}

class SameOutput : public testing::TestWithParam<const char*> {};

TEST_P(SameOutput, AsTorchvisionsWithTheSameWeights) {
  const std::string kind = GetParam();
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("stepbench-" + kind);
  std::filesystem::create_directories(folder);
  at::manual_seed(11);
  test::Options options = test::tiny_images(kind);
  options["model.size"] = std::string("standard");
  const auto model = make_model(test::train_case(options),
                                {.input = {.name = "image", .shape = {3, 64, 64}},
                                 .target = {.name = "label", .shape = {}, .dtype = DType::kInt64},
                                 .classes = 10});
  const at::NoGradGuard no_grad;
  (void)model->forward(
      at::rand({4, 3, 64, 64}));  // moves the running statistics off their defaults
  model->train(false);
  write_example(folder, *model, at::rand({2, 3, 64, 64}));
  const double difference = std::stod(test::run_python("same_output.py", {kind, folder.string()}));
  std::filesystem::remove_all(folder);
  EXPECT_LT(difference, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Zoo, SameOutput, testing::Values("resnet18", "resnet50"));

}  // namespace
}  // namespace stepbench
