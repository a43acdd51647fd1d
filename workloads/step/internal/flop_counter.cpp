// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/flop_counter.h"

#include <ATen/record_function.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "harness/ops/op_work.h"
#include "workloads/model/recomputing.h"

namespace stepbench::step {
namespace {

// at::RecordFunction calls plain functions, also on autograd's threads: the sum can only be global.
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

// Checked before reading inputs, which some recorded functions lack.
bool is_counted(std::string_view name) {
  return name == kConvolution || name == "aten::convolution_backward" || name == "aten::mm" ||
         name == "aten::addmm" || name == "aten::bmm" || name == "aten::baddbmm" ||
         is_attention(name);
}

// Every convolution passes through _convolution once, whatever function was called. Its first
// inputs are those of conv2d; input 6 is true for a transposed one.
std::string_view counted_as(std::string_view name, c10::ArrayRef<const at::IValue> inputs) {
  if (name != kConvolution) return name;
  const bool transposed = inputs.size() > 6 && inputs[6].isBool() && inputs[6].toBool();
  return transposed ? "aten::conv_transpose2d" : "aten::conv2d";
}

// One call of a counted function. Autocast casts the inputs and calls the same function again: only
// the innermost call counts.
struct Call final : at::ObserverContext {
  Call(std::string name_of, Call* around_it) : name(std::move(name_of)), around(around_it) {}

  std::string name;
  Call* around;
  std::int64_t flops = 0;
  bool repeated = false;
};
constinit thread_local Call* innermost_call = nullptr;

std::int64_t flops_of(std::string_view function, c10::ArrayRef<const at::IValue> inputs) {
  const std::string_view name = counted_as(function, inputs);
  std::string shapes = "[";
  std::string arguments = "[";
  for (const at::IValue& input : inputs) {
    shapes += (shapes.size() > 1 ? ", " : "") + shape_of(input);
    arguments += (arguments.size() > 1 ? ", \"" : "\"") + argument_of(input) + "\"";
  }
  const std::int64_t flop = ops::flops(name, shapes + "]", arguments + "]").value_or(0);
  // A fused kernel's backward recomputes the scores: five products where the model has four.
  return is_attention(name) && name.ends_with("_backward") ? flop / 5 * 4 : flop;
}

std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& function) {
  if (model::recomputing || !is_counted(function.name())) return nullptr;
  auto call = std::make_unique<Call>(function.name(), innermost_call);
  call->flops = flops_of(call->name, function.inputs());
  for (Call* outer = call->around; outer != nullptr; outer = outer->around) {
    if (outer->name == call->name) outer->repeated = true;
  }
  innermost_call = call.get();
  return call;
}

void end_call(const at::RecordFunction&, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto* const call = static_cast<Call*>(context);
  innermost_call = call->around;
  if (!call->repeated) counted_flops += call->flops;
}

}  // namespace

FlopCounter::FlopCounter() {
  counted_flops = 0;
  callback_ = at::addGlobalCallback(at::RecordFunctionCallback(begin_call, end_call)
                                        .needsInputs(true)
                                        .scopes({at::RecordScope::FUNCTION}));
}

FlopCounter::~FlopCounter() { at::removeCallback(callback_); }

std::int64_t FlopCounter::flops() const { return counted_flops; }

}  // namespace stepbench::step
