// SPDX-License-Identifier: Apache-2.0
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn_like.h>
#include <unistd.h>

#include "tests/testing.h"
#include "tests/workloads/python.h"
#include "tests/workloads/test_case.h"
#include "workloads/model/model.h"

namespace stepbench {
namespace {

void write_tensor(std::ofstream& file, const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kFloat).contiguous();
  file.write(static_cast<const char*>(values.data_ptr()),
             static_cast<std::streamsize>(values.nbytes()));
}

// Writes weights by name, an input and our output for it, for same_output.py.
void write_example(const fs::path& folder, const Model& model, const at::Tensor& input,
                   const at::Tensor& output) {
  std::ofstream names(folder / "names.txt");
  std::ofstream weights(folder / "weights.bin", std::ios::binary);
  for (const auto& [name, tensor] : model.state()) {
    names << name;
    for (const std::int64_t extent : tensor.sizes()) names << ' ' << extent;
    names << '\n';
    write_tensor(weights, tensor);
  }
  std::ofstream in(folder / "input.bin", std::ios::binary);
  write_tensor(in, input);
  std::ofstream out(folder / "output.bin", std::ios::binary);
  write_tensor(out, output);
}

// Moves weights off initial values that hide mistakes: zeros, ones, and untrained running
// statistics.
void disturb(Model& model, const at::Tensor& input) {
  for (at::Tensor parameter : model.parameters()) parameter.add_(at::randn_like(parameter), 0.02);
  (void)model.forward(input);
}

// The model's greedy continuation of each prompt, by its cache.
at::Tensor text_after(const at::Tensor& prompts, std::int64_t tokens, Model& model) {
  Decoder& decoder = *model.decoder();
  decoder.restart();
  std::vector<at::Tensor> made = {decoder.next(prompts).argmax(-1, /*keepdim=*/true)};
  while (std::ssize(made) < tokens) made.push_back(decoder.next(made.back()).argmax(-1, true));
  return at::cat(made, 1);
}

// The folder with an example: a model of standard size for two images of ten classes, or for two
// sequences of 16 tokens; with two of gpt's twelve equal blocks. `name` is a kind of model, or
// gpt_text: the output is gpt's continuation of the sequences.
fs::path make_example(const std::string& name) {
  const bool text = name == "gpt_text";
  const std::string kind = text ? "gpt" : name;
  const fs::path folder =
      fs::path(testing::TempDir()) / ("stepbench-" + name + "-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  at::manual_seed(11);
  test::Options options = test::tiny_images(kind);
  const bool language = kind == "gpt" || kind == "bert_base";
  options["model.size"] = std::string("standard");
  if (kind == "gpt") options["model.blocks"] = std::int64_t{2};
  const FieldSpec tokens{.name = "tokens", .shape = {text ? 32 : 16}, .dtype = DType::kInt64};
  const DataShape data =
      language ? DataShape{.input = tokens, .target = tokens, .classes = 50}
               : DataShape{.input = {.name = "image", .shape = {3, 64, 64}},
                           .target = {.name = "label", .shape = {}, .dtype = DType::kInt64},
                           .classes = 10};
  const auto model = make_model(test::train_case(options), data);
  const at::Tensor input =
      language ? at::randint(50, {2, 16}, at::kLong) : at::rand({2, 3, 64, 64});
  const at::NoGradGuard no_grad;
  disturb(*model, input);
  model->train(false);
  write_example(folder, *model, input,
                text ? text_after(input, 16, *model) : model->forward(input));
  return folder;
}

TEST(Model, SameWeights_MatchThePythonReference) {
  std::vector<std::string> arguments;
  for (const std::string kind :
       {"resnet18", "resnet50", "vit_b16", "gpt", "bert_base", "gpt_text"}) {
    arguments.push_back(kind);
    arguments.push_back(make_example(kind).string());
  }
  std::istringstream differences(test::run_python("same_output.py", arguments));
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    double difference = 1;
    differences >> difference;
    EXPECT_LT(difference, 1e-4) << arguments[i];
    fs::remove_all(arguments[i + 1]);
  }
}

}  // namespace
}  // namespace stepbench
