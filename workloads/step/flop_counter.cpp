// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/flop_counter.h"

#include <ATen/record_function.h>

#include <atomic>
#include <string>

#include "harness/ops/flops.h"

namespace stepbench {
namespace {

// at::RecordFunction calls plain functions, on autograd's threads too: there is nowhere else to
// keep the sum.
std::atomic<std::int64_t> counted_flops{0};

template <typename List>
std::string list_text(const List& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(static_cast<std::int64_t>(list[i]));
  }
  return text + "]";
}

std::string shape_of(const at::IValue& input) {
  if (!input.isTensor() || !input.toTensor().defined()) return "[]";
  return list_text(input.toTensor().sizes());
}

std::string argument_of(const at::IValue& input) {
  if (input.isIntList()) return list_text(input.toIntVector());
  if (input.isBoolList()) return list_text(input.toBoolList().vec());
  if (input.isBool()) return input.toBool() ? "True" : "False";
  return input.isInt() ? std::to_string(input.toInt()) : "";
}

constexpr std::string_view kConvolution = "aten::_convolution";

bool is_attention(std::string_view name) { return name.starts_with("aten::_scaled_dot_product"); }

// Asked before the inputs are: not every function that is recorded has them.
bool is_counted(std::string_view name) {
  return name == kConvolution || name == "aten::convolution_backward" || name == "aten::mm" ||
         name == "aten::addmm" || name == "aten::bmm" || name == "aten::baddbmm" ||
         is_attention(name);
}

// Every convolution, by whatever name it was called, passes through _convolution once. Its first
// inputs stand as in conv2d, and input 6 says whether it is a transposed one.
std::string_view counted_as(std::string_view name, c10::ArrayRef<const at::IValue> inputs) {
  if (name != kConvolution) return name;
  const bool transposed = inputs.size() > 6 && inputs[6].isBool() && inputs[6].toBool();
  return transposed ? "aten::conv_transpose2d" : "aten::conv2d";
}

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
  if (!is_counted(function.name())) return nullptr;
  const auto inputs = function.inputs();
  const std::string_view name = counted_as(function.name(), inputs);
  std::string shapes = "[";
  std::string arguments = "[";
  for (const at::IValue& input : inputs) {
    shapes += (shapes.size() > 1 ? ", " : "") + shape_of(input);
    arguments += (arguments.size() > 1 ? ", \"" : "\"") + argument_of(input) + "\"";
  }
  std::int64_t flop = flops(name, shapes + "]", arguments + "]").value_or(0);
  // A fused kernel's backward forms the scores again: five products where the model has four.
  if (is_attention(name) && name.ends_with("_backward")) flop = flop / 5 * 4;
  counted_flops += flop;
  return nullptr;
}

}  // namespace

FlopCounter::FlopCounter() {
  counted_flops = 0;
  callback_ = at::addGlobalCallback(
      at::RecordFunctionCallback(count).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

FlopCounter::~FlopCounter() { at::removeCallback(callback_); }

std::int64_t FlopCounter::flops() const { return counted_flops; }

}  // namespace stepbench
