// SPDX-License-Identifier: Apache-2.0
// The gradients of a model run as model.kind: python, compared with those of ours in this process.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/workloads/python.h"
#include "tests/workloads/test_case.h"
#include "workloads/model/model.h"

namespace stepbench {
namespace {

at::Tensor read_floats(const fs::path& file, at::IntArrayRef shape) {
  const at::Tensor values = at::empty(shape);
  EXPECT_EQ(fs::file_size(file), values.nbytes()) << file;
  std::ifstream in(file, std::ios::binary);
  in.read(static_cast<char*>(values.data_ptr()), static_cast<std::streamsize>(values.nbytes()));
  return values;
}

TEST(PythonModel, TorchvisionResnet_HasOurGradients) {
  const test::TemporaryFolder folder;
  (void)test::run_python("python_gradients.py", {STEPBENCH_WORKER, folder.path().string()});
  const auto file = [&](const std::string& name) { return folder.path() / (name + ".bin"); };
  const DataShape data{.input = {.name = "image", .shape = {3, 32, 32}},
                       .target = {.name = "label", .shape = {}, .dtype = DType::kInt64},
                       .classes = 10};
  test::Options options = test::tiny_images("resnet18");
  options["model.size"] = std::string("standard");
  const auto ours = make_model(test::train_case(options), data);
  {
    const at::NoGradGuard no_grad;
    for (const auto& [name, tensor] : ours->state()) {
      tensor.copy_(read_floats(file("weight." + name), tensor.sizes()));
    }
  }
  const at::Tensor output = ours->forward(read_floats(file("input"), {4, 3, 32, 32}));
  output.backward(read_floats(file("output"), output.sizes()));
  int compared = 0;
  for (const auto& [name, tensor] : ours->state()) {
    if (!tensor.requires_grad()) continue;
    const at::Tensor theirs = read_floats(file("gradient." + name), tensor.sizes());
    const double largest = theirs.abs().max().item().toDouble();
    const double difference = tensor.grad().sub(theirs).abs().max().item().toDouble();
    EXPECT_GT(largest, 0) << name;
    EXPECT_LE(difference, 1e-4 * largest) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 62);
}

}  // namespace
}  // namespace stepbench
