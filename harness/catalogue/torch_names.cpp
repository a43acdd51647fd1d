// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/torch_names.h"

#include <string_view>
#include <utility>

namespace stepbench::catalogue {
namespace {

using Names = std::vector<TorchName>;

constexpr std::string_view kPrecision = "model.precision";
const std::vector<TorchValue> kNull = {{"null"}};
const std::vector<TorchValue> kFalse = {{"false"}};

// An option with another name in torch.
TorchName renamed(std::string_view name, std::string_view ours) {
  return {.name = name, .ours = {ours}, .values = kNull};
}

// An option with the same name, for which torch has additional values.
TorchName valued(std::string_view name, std::vector<TorchValue> values = kNull) {
  return {.name = name, .ours = {name}, .values = std::move(values)};
}

// An argument without an option here: accepts only the values that match the behaviour without it.
TorchName only(std::string_view name, std::vector<TorchValue> values, std::string_view instead) {
  return {.name = name, .values = std::move(values), .takes_others = false, .instead = instead};
}

void add_loader(Names& names) {
  names.insert(names.end(),
               {valued("loader.shuffle"), valued("loader.sampler"),
                valued("loader.prefetch_factor"), renamed("loader.timeout", "loader.timeout_s"),
                renamed("loader.multiprocessing_context", "loader.start_method"),
                only("loader.collate_fn", kNull,
                     "define collate(samples) in the file data.path (data.kind: python)"),
                only("loader.worker_init_fn", kNull,
                     "define worker_init(worker) in the file data.path (data.kind: python)"),
                only("loader.batch_sampler", kNull,
                     "define batch_sampler(dataset) in the file data.path (data.kind: python)"),
                only("loader.generator", kNull,
                     "the order is drawn by a generator of its own: set loader.seed, or define "
                     "sampler(dataset) in the file data.path (data.kind: python)"),
                only("loader.pin_memory_device", {{""}, {"null"}, {"cuda"}},
                     "batches are pinned for the case's own device: set `device`")});
}

void add_optimizer(Names& names) {
  constexpr std::string_view kKinds = "optimizer.kind has sgd, adam and adamw as they are";
  constexpr std::string_view kSingle = "optimizer.implementation";
  names.insert(
      names.end(),
      {valued("optimizer.kind", {{"SGD", "sgd"}, {"Adam", "adam"}, {"AdamW", "adamw"}}),
       {.name = "optimizer.betas", .ours = {"optimizer.beta1", "optimizer.beta2"}},
       {.name = "optimizer.foreach",
        .ours = {kSingle},
        .values = {{"null"}, {"false", "single", 0}, {"true", "foreach"}},
        .takes_others = false},
       {.name = "optimizer.fused",
        .ours = {kSingle},
        .values = {{"null"}, {"false", "single", 0}, {"true", "fused"}},
        .takes_others = false},
       only("optimizer.amsgrad", kFalse, kKinds),
       only("optimizer.maximize", kFalse, kKinds),
       only("optimizer.dampening", {{"0"}}, kKinds),
       only("optimizer.differentiable", kFalse, kKinds),
       only("optimizer.capturable", kFalse,
            "model.cuda_graph: true captures the step, with implementation: fused"),
       only("optimizer.decoupled_weight_decay", kFalse, "optimizer.kind: adamw decouples it")});
}

void add_profile(Names& names) {
  constexpr std::string_view kTrace =
      "profile.active says how many steps, and profile.trace: json writes a trace of them";
  constexpr std::string_view kOps = "profile.ops: native or kineto says what records operations";
  names.insert(names.end(),
               {valued("schedule.repeat", {{"0"}}),
                renamed("profile.record_shapes", "profile.shapes"),
                renamed("profile.profile_memory", "profile.memory"),
                renamed("profile.with_modules", "profile.modules"),
                {.name = "profile.with_flops",
                 .ours = {"profile.shapes"},
                 .values = {{"false"}, {"true", "true"}},
                 .takes_others = false},
                only("profile.with_stack", kFalse,
                     "profile.stacks: true samples the Python lines of a loader's workers"),
                only("profile.activities", {{"null"}, {"cpu,cuda"}, {"cuda,cpu"}},
                     "the CPU and the device are recorded together, by profile.ops"),
                only("profile.schedule", kNull, kTrace),
                only("profile.on_trace_ready", kNull, kTrace),
                only("profile.experimental_config", kNull, kOps),
                only("profile.execution_trace_observer", kNull, kOps),
                only("profile.acc_events", kFalse, kOps),
                only("profile.use_cuda", {{"null"}, {"true"}}, kOps),
                only("profile.custom_trace_id_callback", kNull, kOps),
                only("profile.post_processing_timeout_s", kNull,
                     "limits.tear_down_s says how long the end of a launch may take")});
}

void add_precision(Names& names) {
  constexpr std::string_view kScaled =
      "model.precision: fp16 scales the loss with torch's own numbers, others do not";
  const std::vector<TorchValue> types = {{"float32", "fp32", 2},  {"float", "fp32", 2},
                                         {"fp32", "fp32", 2},     {"tf32", "tf32", 2},
                                         {"bfloat16", "bf16", 2}, {"bf16", "bf16", 2},
                                         {"float16", "fp16", 2},  {"half", "fp16", 2},
                                         {"fp16", "fp16", 2},     {"null"}};
  for (const std::string_view name : {"precision", "dtype", "model.dtype", "autocast.dtype"}) {
    names.push_back({.name = name, .ours = {kPrecision}, .values = types});
  }
  names.push_back(valued(kPrecision, types));
  names.insert(names.end(),
               {// The default dtype of torch.autocast per device.
                {.name = "autocast.device_type",
                 .ours = {kPrecision},
                 .values = {{"cpu", "bf16"}, {"cuda", "fp16"}},
                 .takes_others = false},
                {.name = "autocast.enabled",
                 .ours = {kPrecision},
                 .values = {{"true"}, {"false", "fp32", 3}},
                 .takes_others = false},
                only("autocast.cache_enabled", {{"null"}, {"true"}},
                     "autocast keeps cast weights within a step, as torch does"),
                only("grad_scaler.device", {{"cuda"}, {"cpu"}}, kScaled),
                only("grad_scaler.init_scale", {{"65536"}}, kScaled),
                only("grad_scaler.growth_factor", {{"2"}}, kScaled),
                only("grad_scaler.backoff_factor", {{"0.5"}}, kScaled),
                only("grad_scaler.growth_interval", {{"2000"}}, kScaled),
                only("grad_scaler.enabled", {{"true"}}, kScaled)});
}

// Names of things that a training script does outside its model.
void add_own_code(Names& names) {
  for (const std::string_view name :
       {"compile", "torch_compile", "model.compile", "model.torch_compile"}) {
    names.push_back(only(name, kFalse,
                         "set model.kind: python, whose model() returns torch.compile(network), or "
                         "measure your own script (workload: python_script)"));
  }
  for (const std::string_view name : {"lr_scheduler", "optimizer.lr_scheduler"}) {
    names.push_back(only(name, kNull,
                         "the step has no scheduler of the learning rate; measure a step of your "
                         "own (workload: python_step) with a phase lr_scheduler"));
  }
}

void add_ddp(Names& names) {
  constexpr std::string_view kOwn = "each rank trains on the device of its own";
  constexpr std::string_view kReducer =
      "distributed.sync, bucket_cap_mb and comm_hook say how gradients are exchanged";
  names.insert(
      names.end(),
      {valued("distributed.bucket_cap_mb"), only("distributed.device_ids", kNull, kOwn),
       only("distributed.output_device", kNull, kOwn), only("distributed.dim", {{"0"}}, kOwn),
       only("distributed.device_mesh", kNull, kOwn),
       only("distributed.process_group", kNull, "all ranks are one group"),
       only("distributed.broadcast_buffers", {{"true"}, {"null"}},
            "rank 0 sends its buffers in each step"),
       only("distributed.init_sync", {{"true"}}, "rank 0 sends its weights at the start"),
       only("distributed.check_reduction", kFalse, kReducer),
       only("distributed.delay_all_reduce_named_params", kNull, kReducer),
       only("distributed.param_to_hook_all_reduce", kNull, kReducer),
       only("distributed.bucket_cap_mb_list", kNull, kReducer),
       only("distributed.batched_grad_copy", kFalse, kReducer),
       only("distributed.lazy_bucket_allocation", kFalse, kReducer),
       only("distributed.forward_sync_buffers", kNull, "rank 0 sends its buffers in each step"),
       only("distributed.skip_all_reduce_unused_params", kFalse, kReducer),
       only("distributed.mixed_precision", kNull,
            "model.precision says in what the model computes, distributed.comm_hook in what "
            "gradients travel")});
}

Names make() {
  Names names;
  add_loader(names);
  add_optimizer(names);
  add_profile(names);
  add_precision(names);
  add_own_code(names);
  add_ddp(names);
  return names;
}

}  // namespace

std::span<const TorchName> torch_names() {
  static const Names names = make();
  return names;
}

}  // namespace stepbench::catalogue
