// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/own_model.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <sstream>

#include "harness/base/error.h"

namespace stepbench::step {
namespace {

constexpr const char* kOptionName = "model.path";

std::string braces(at::IntArrayRef sizes) {
  std::ostringstream text;
  text << '{';
  for (std::size_t i = 0; i < sizes.size(); ++i) text << (i == 0 ? "" : ", ") << sizes[i];
  text << '}';
  return text.str();
}

// Derives the expected input from the model's first weight.
std::string expectation_of(const Model& model, bool token_ids) {
  for (const auto& [name, weight] : model.state()) {
    if (weight.dim() < 2) continue;
    const std::string first = "its first weight '" + name + "' " + braces(weight.sizes());
    if (token_ids) {
      return first + " expects token ids below " + std::to_string(weight.size(0));
    }
    return first + " expects " + std::to_string(weight.size(1)) +
           (weight.dim() == 2 ? " features" : " channels");
  }
  return "it has no weight that would tell what it expects";
}

// TorchScript's messages begin with a trace of the model's source and end with the error.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

void check_output(const std::string& path, const at::Tensor& output,
                  const transfer::BatchTensors& samples, const DataShape& data) {
  std::vector<std::int64_t> expected = samples.target.sizes().vec();
  expected.push_back(data.classes);
  const bool same_places = output.dim() == samples.target.dim() + 1 &&
                           output.sizes().slice(0, output.dim() - 1) == samples.target.sizes();
  if (same_places && output.size(-1) >= data.classes) return;
  throw ConfigError(kOptionName, path + " gives " + braces(output.sizes()) + " for " +
                                     std::to_string(samples.input.size(0)) +
                                     " samples; this data set needs logits " + braces(expected));
}

}  // namespace

bool is_own_model(const ResolvedCase& resolved) { return resolved.has("model.path"); }

void try_own_model(const ResolvedCase& resolved, Model& model, const DataShape& data,
                   const transfer::BatchTensors& samples,
                   const std::function<at::Tensor(Model&, const at::Tensor&)>& forward) {
  const std::string& path = resolved.text("model.path");
  // Python's messages begin with the error and end with its traceback.
  const bool python = resolved.text("model.kind") == "python";
  const auto parameters = model.parameters();
  const bool trainable =
      std::ranges::any_of(parameters, [](const at::Tensor& p) { return p.requires_grad(); });
  if (!trainable && resolved.workload != "eval_step") {
    throw ConfigError(kOptionName,
                      path + " has no parameters to train: " +
                          (python ? "none requires a gradient. Measure it with workload: "
                                    "eval_step"
                                  : "it was frozen (torch.jit.freeze) or saved for "
                                    "inference. Save it in training mode, or measure it "
                                    "with workload: eval_step"));
  }
  const at::NoGradGuard no_grad;
  at::Tensor output;
  std::string refusal;
  model.train(false);
  try {
    output = forward(model, samples.input);
  } catch (const c10::Error& error) {
    refusal = error.what_without_backtrace();
  } catch (const std::exception& error) {
    refusal = error.what();
  }
  model.train(true);
  if (!output.defined()) {
    throw ConfigError(kOptionName,
                      path + " does not take this data: given " + shape_text(data.input) +
                          " per sample; " +
                          expectation_of(model, samples.input.scalar_type() == at::kLong) +
                          ". It says: " + (python ? refusal : last_line(refusal)));
  }
  check_output(path, output, samples, data);
}

}  // namespace stepbench::step
