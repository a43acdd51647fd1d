// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/loss.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/where.h>

#include "workloads/data/sample_lengths.h"

namespace stepbench::step {
namespace {

constexpr std::int64_t kIgnored = -100;  // cross_entropy_loss ignores such targets
constexpr double kMaskedShare = 0.15;    // Devlin et al. 2019, section 3.1

}  // namespace

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& target) {
  if (logits.dim() == 2) return at::cross_entropy_loss(logits, target);
  return at::cross_entropy_loss(logits.flatten(0, -2), target.flatten());
}

Loss::Loss(const ResolvedCase& resolved, std::int64_t classes)
    : kind_(kind_of(resolved)),
      classes_(classes),
      seed_(resolved.integer("seed")),
      padded_(data::lengths_differ(resolved)) {}

Loss::Kind Loss::kind_of(const ResolvedCase& resolved) {
  const std::string& name = resolved.text("model.loss");
  if (name == "masked_cross_entropy") return Kind::kMaskedCrossEntropy;
  if (name == "mse") return Kind::kMeanSquaredError;
  return name == "bce" ? Kind::kBinaryCrossEntropy : Kind::kCrossEntropy;
}

transfer::BatchTensors Loss::prepare(const transfer::BatchTensors& batch) {
  if (kind_ != Kind::kMaskedCrossEntropy) return batch;
  const at::NoGradGuard no_grad;
  if (!mask_.defined() || mask_.sizes() != batch.input.sizes()) {
    const at::Generator generator =
        at::detail::createCPUGenerator(static_cast<std::uint64_t>(seed_));
    mask_ = at::rand(batch.input.sizes(), generator, at::TensorOptions(at::kFloat))
                .lt(kMaskedShare)
                .to(batch.input.device());
    mask_.select(-1, 0).fill_(true);  // at least one position, even in a short sequence
  }
  const at::Tensor mask = padded_ ? mask_.logical_and(batch.target.ne(kIgnored)) : mask_;
  return {.input = batch.input.masked_fill(mask, classes_ - 1),
          .target = at::where(mask, batch.input, at::full_like(batch.input, kIgnored))};
}

at::Tensor Loss::operator()(const at::Tensor& output, const at::Tensor& target) const {
  switch (kind_) {
    case Kind::kMeanSquaredError:
      return at::mse_loss(output, one_hot(output, target));
    case Kind::kBinaryCrossEntropy:
      return at::binary_cross_entropy_with_logits(output, one_hot(output, target));
    case Kind::kCrossEntropy:
    case Kind::kMaskedCrossEntropy:
      break;
  }
  return cross_entropy(output, target);
}

at::Tensor Loss::one_hot(const at::Tensor& output, const at::Tensor& target) const {
  return at::one_hot(target, output.size(-1)).to(output.scalar_type());
}

}  // namespace stepbench::step
