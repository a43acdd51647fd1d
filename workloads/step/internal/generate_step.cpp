// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/steps.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/log_softmax.h>

#include "harness/base/error.h"
#include "workloads/step/internal/mixed_precision.h"
#include "workloads/step/internal/model_step.h"
#include "workloads/step/step_sections.h"

namespace stepbench::step {
namespace {

constexpr PhaseId kPrefill = declared_phase(0);
constexpr PhaseId kDecode = declared_phase(1);

class GenerateStep final : public ModelStep {
 public:
  using ModelStep::ModelStep;

 private:
  void prepare() override {
    model().train(false);
    if (model().decoder() != nullptr) return;
    throw ConfigError("model.kind",
                      resolved().text("model.kind") + " has no key-value cache to generate with");
  }

  [[nodiscard]] std::int64_t tokens_of(const at::Tensor& input) const override {
    return input.size(0) * resolved().integer("generate.new_tokens");
  }

  void run(StepRecorder& step) override {
    const at::Tensor input = next_batch(step).input;
    const GenerateLengths lengths = generate_lengths(resolved(), input.size(1));
    const at::NoGradGuard no_grad;
    const AutocastScope autocast(options().device.type(), options().autocast);
    at::Tensor token;
    {
      const auto prefill = step.phase(kPrefill);
      token = read_prompt(input, lengths);
      step.first_token(lengths.new_tokens - 1);
    }
    if (lengths.new_tokens == 1) return;
    const auto decode = step.phase(kDecode);
    for (std::int64_t i = 1; i < lengths.new_tokens; ++i) token = shown(next_logits(token));
  }

  // Loss of the generated text, in nats per token. Different tokens give a different loss; the
  // operations are those of a step.
  Fingerprint score(const transfer::BatchTensors& fixed) override {
    const GenerateLengths lengths = generate_lengths(resolved(), fixed.input.size(1));
    const at::NoGradGuard no_grad;
    const AutocastScope autocast(options().device.type(), options().autocast);
    Decoder& decoder = *model().decoder();
    decoder.restart();
    at::Tensor logits = decoder.next(fixed.input.narrow(1, 0, lengths.prompt_tokens));
    double nats = 0;
    for (std::int64_t i = 1;; ++i) {
      const at::Tensor logs = at::log_softmax(logits.to(at::kFloat), -1);
      nats -= std::get<0>(logs.max(-1)).mean().item<double>();
      if (i == lengths.new_tokens) break;
      logits = next_logits(at::argmax(logits, -1, /*keepdim=*/true));
    }
    return {.loss = nats / static_cast<double>(lengths.new_tokens)};
  }

  at::Tensor read_prompt(const at::Tensor& input, const GenerateLengths& lengths) {
    model().decoder()->restart();
    return shown(model().decoder()->next(input.narrow(1, 0, lengths.prompt_tokens)));
  }
  at::Tensor next_logits(const at::Tensor& token) { return model().decoder()->next(token); }

  // Returns the likeliest token {sequences, 1}, after it has also reached the host.
  static at::Tensor shown(const at::Tensor& logits) {
    at::Tensor token = at::argmax(logits, -1, /*keepdim=*/true);
    if (!token.is_cpu()) (void)token.cpu();
    return token;
  }
};

}  // namespace

std::unique_ptr<Workload> make_generate_step(const ResolvedCase& resolved, WorkerContext& context) {
  return std::make_unique<GenerateStep>(resolved, context);
}

}  // namespace stepbench::step
