// SPDX-License-Identifier: Apache-2.0
// Every argument of torch 2.15's DataLoader, optimizers, profiler, schedule, autocast, GradScaler
// and DistributedDataParallel: with its default, with another value, swept and by --set.
#include "harness/base/error.h"
#include "harness/plan/plan.h"
#include "tests/testing.h"
#include "workloads/built_in.h"

namespace stepbench {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kTrain =
    "workload: train_step\ndata: {kind: synthetic, image_size: 32, classes: 10}\n"
    "model: {kind: mlp}\n";
constexpr const char* kLoader = "workload: loader\ndata: {kind: synthetic}\n";

struct Planned {
  plan::Plan plan;
  std::string error;
  [[nodiscard]] std::string value(const std::string& option) const {
    const Value* value = plan.cases.at(0).resolved.options.get(option);
    return value == nullptr ? "absent" : to_text(*value);
  }
  [[nodiscard]] Texts ids() const {
    Texts ids;
    for (const plan::PlannedCase& each : plan.cases) ids.push_back(each.resolved.case_id);
    return ids;
  }
};

Planned planned(const std::string& yaml, const Texts& set = {}, const Texts& sweep = {}) {
  const plan::PlanRequest request{.file = "t.yaml", .text = yaml, .set = set, .sweep = sweep};
  try {
    return {plan::make_plan(request, built_in_catalogue(), built_in_rules()), {}};
  } catch (const ConfigError& error) {
    return {{}, error.what()};
  }
}

struct Argument {
  const char* section;
  const char* name;
  const char* usual;  // torch's default
  const char* other;
  const char* says;         // for `other`: "option=value", or the error after '!'; empty: as usual
  const char* beside = "";  // other content of the section
};

// Without `self`, `params`, `module` and `dataset`, which no file can name.
constexpr Argument kArguments[] = {
    // torch.utils.data.DataLoader
    {"loader", "batch_size", "1", "64", "loader.batch_size=64"},
    {"loader", "shuffle", "null", "true", "loader.shuffle=true"},
    {"loader", "sampler", "null", "random", "loader.shuffle=true"},
    {"loader", "batch_sampler", "null", "mine", "!define batch_sampler(dataset) in the file"},
    {"loader", "num_workers", "0", "4", "loader.num_workers=4"},
    {"loader", "collate_fn", "null", "mine", "!define collate(samples) in the file"},
    {"loader", "pin_memory", "false", "true", ""},
    {"loader", "drop_last", "false", "true", ""},
    {"loader", "timeout", "0", "50", "loader.timeout_s=50", "num_workers: 2"},
    {"loader", "worker_init_fn", "null", "mine", "!define worker_init(worker) in the file"},
    {"loader", "multiprocessing_context", "null", "spawn", "!belongs to loader.engine python"},
    {"loader", "generator", "null", "mine", "!set loader.seed"},
    {"loader", "prefetch_factor", "null", "4", "loader.prefetch_factor=4", "num_workers: 2"},
    {"loader", "persistent_workers", "false", "true", "loader.persistent_workers=true",
     "num_workers: 2, epochs: separate"},
    {"loader", "pin_memory_device", "''", "xpu", "!set `device`"},
    {"loader", "in_order", "true", "false", "loader.in_order=false", "num_workers: 2"},
    // torch.optim.SGD, Adam and AdamW
    {"optimizer", "kind", "SGD", "AdamW", "optimizer.kind=adamw"},
    {"optimizer", "lr", "0.01", "0.1", "optimizer.lr=0.1"},
    {"optimizer", "momentum", "0", "0.9", "optimizer.momentum=0.9"},
    {"optimizer", "dampening", "0", "0.1", "!optimizer.kind has"},
    {"optimizer", "weight_decay", "0", "0.1", "optimizer.weight_decay=0.1"},
    {"optimizer", "nesterov", "false", "true", "!needs optimizer.momentum > 0"},
    {"optimizer", "nesterov", "false", "true", "optimizer.nesterov=true", "momentum: 0.9"},
    {"optimizer", "maximize", "false", "true", "!takes false here"},
    {"optimizer", "foreach", "null", "true", "optimizer.implementation=foreach"},
    {"optimizer", "foreach", "false", "None", ""},
    {"optimizer", "fused", "null", "true", "optimizer.implementation=fused"},
    {"optimizer", "differentiable", "false", "true", "!takes false here"},
    {"optimizer", "betas", "[0.9, 0.999]", "[0.8, 0.95]", "optimizer.beta2=0.95", "kind: adam"},
    {"optimizer", "eps", "1e-8", "1e-6", "optimizer.eps=1e-06", "kind: adam"},
    {"optimizer", "amsgrad", "false", "true", "!optimizer.kind has", "kind: adam"},
    {"optimizer", "capturable", "false", "true", "!model.cuda_graph", "kind: adamw"},
    {"optimizer", "decoupled_weight_decay", "false", "true", "!optimizer.kind: adamw",
     "kind: adam"},
    // torch.profiler.profile and schedule
    {"profile", "activities", "null", "[cpu]", "!recorded together"},
    {"profile", "activities", "[CPU, CUDA]", "[cuda, cpu]", ""},
    {"profile", "schedule", "null", "mine", "!profile.active says"},
    {"profile", "on_trace_ready", "null", "mine", "!profile.trace: json"},
    {"profile", "record_shapes", "false", "true", "profile.shapes=true"},
    {"profile", "profile_memory", "false", "true", "profile.memory=true"},
    {"profile", "with_stack", "false", "true", "!profile.stacks: true samples"},
    {"profile", "with_flops", "false", "true", "profile.shapes=true"},
    {"profile", "with_modules", "false", "true", "profile.modules=true"},
    {"profile", "experimental_config", "null", "mine", "!profile.ops"},
    {"profile", "execution_trace_observer", "null", "mine", "!profile.ops"},
    {"profile", "acc_events", "false", "true", "!profile.ops"},
    {"profile", "use_cuda", "null", "true", ""},
    {"profile", "custom_trace_id_callback", "null", "mine", "!profile.ops"},
    {"profile", "post_processing_timeout_s", "null", "3.0", "!limits.tear_down_s"},
    {"schedule", "wait", "1", "2", "schedule.wait=2"},
    {"schedule", "warmup", "10", "20", "schedule.warmup=20"},
    {"schedule", "active", "50", "20", "schedule.active=20"},
    {"schedule", "repeat", "0", "2", "schedule.repeat=2"},
    {"schedule", "skip_first", "0", "3", "schedule.skip_first=3"},
    {"schedule", "skip_first_wait", "0", "1", "schedule.skip_first_wait=1"},
    // torch.autocast and torch.amp.GradScaler
    {"autocast", "device_type", "cpu", "cuda", "model.precision=fp16", "enabled: true"},
    {"autocast", "dtype", "null", "torch.bfloat16", "model.precision=bf16", "device_type: cpu"},
    {"autocast", "dtype", "null", "float16", "model.precision=fp16", "device_type: cpu"},
    {"autocast", "enabled", "true", "false", "model.precision=fp32", "dtype: bfloat16"},
    {"autocast", "cache_enabled", "null", "false", "!keeps cast weights", "dtype: bfloat16"},
    {"grad_scaler", "device", "cuda", "xpu", "!model.precision: fp16"},
    {"grad_scaler", "init_scale", "65536.0", "1024", "!model.precision: fp16"},
    {"grad_scaler", "growth_factor", "2.0", "4", "!model.precision: fp16"},
    {"grad_scaler", "backoff_factor", "0.5", "0.25", "!model.precision: fp16"},
    {"grad_scaler", "growth_interval", "2000", "100", "!model.precision: fp16"},
    {"grad_scaler", "enabled", "true", "false", "!model.precision: fp16"},
    // torch.nn.parallel.DistributedDataParallel
    {"distributed", "device_ids", "null", "[0]", "!device of its own", "ranks: 2"},
    {"distributed", "output_device", "null", "0", "!device of its own", "ranks: 2"},
    {"distributed", "dim", "0", "1", "!device of its own", "ranks: 2"},
    {"distributed", "broadcast_buffers", "null", "false", "!rank 0 sends", "ranks: 2"},
    {"distributed", "broadcast_buffers", "true", "false", "!rank 0 sends", "ranks: 2"},
    {"distributed", "init_sync", "true", "false", "!rank 0 sends", "ranks: 2"},
    {"distributed", "process_group", "null", "mine", "!one group", "ranks: 2"},
    {"distributed", "bucket_cap_mb", "null", "50", "distributed.bucket_cap_mb=50", "ranks: 2"},
    {"distributed", "find_unused_parameters", "false", "true",
     "distributed.find_unused_parameters=true", "ranks: 2"},
    {"distributed", "check_reduction", "false", "true", "!takes false here", "ranks: 2"},
    {"distributed", "gradient_as_bucket_view", "false", "true",
     "distributed.gradient_as_bucket_view=true", "ranks: 2"},
    {"distributed", "static_graph", "false", "true", "distributed.static_graph=true", "ranks: 2"},
    {"distributed", "delay_all_reduce_named_params", "null", "x", "!comm_hook", "ranks: 2"},
    {"distributed", "param_to_hook_all_reduce", "null", "x", "!comm_hook", "ranks: 2"},
    {"distributed", "mixed_precision", "null", "x", "!model.precision", "ranks: 2"},
    {"distributed", "device_mesh", "null", "x", "!device of its own", "ranks: 2"},
    {"distributed", "skip_all_reduce_unused_params", "false", "true", "!comm_hook", "ranks: 2"},
    {"distributed", "bucket_cap_mb_list", "null", "[1, 2]", "!comm_hook", "ranks: 2"},
    {"distributed", "batched_grad_copy", "false", "true", "!comm_hook", "ranks: 2"},
    {"distributed", "forward_sync_buffers", "null", "true", "!rank 0 sends", "ranks: 2"},
    {"distributed", "lazy_bucket_allocation", "false", "true", "!comm_hook", "ranks: 2"},
};

std::string with(const Argument& argument, const std::string& value) {
  const std::string beside = argument.beside;
  const std::string name = argument.name;
  return std::string(kTrain) + argument.section + ": {" + (beside.empty() ? "" : beside + ", ") +
         (value.empty() ? "" : name + ": " + value) + "}\n";
}

void expect_said(const Planned& planned, const std::string& says, const std::string& what) {
  if (says.starts_with('!')) {
    EXPECT_THAT(planned.error, HasSubstr(says.substr(1))) << what;
    return;
  }
  ASSERT_EQ(planned.error, "") << what;
  const std::size_t equals = says.find('=');
  if (says.empty()) return;
  EXPECT_EQ(planned.value(says.substr(0, equals)), says.substr(equals + 1)) << what;
}

TEST(TorchArguments, Defaults_ChangeNothing) {
  for (const Argument& argument : kArguments) {
    const Planned given = planned(with(argument, argument.usual));
    ASSERT_EQ(given.error, "") << argument.name;
    const bool decides = std::string_view(argument.name) == "device_type";
    if (!decides) {
      EXPECT_EQ(given.ids(), planned(with(argument, "")).ids()) << argument.name;
    }
    for (const auto& [name, value] : given.plan.cases.at(0).resolved.options) {
      EXPECT_NE(built_in_catalogue().find_option(name), nullptr) << name << " is no name of ours";
    }
  }
}

TEST(TorchArguments, OtherValues_AreReadOrRejected) {
  for (const Argument& argument : kArguments) {
    expect_said(planned(with(argument, argument.other)), argument.says, argument.name);
  }
}

TEST(TorchArguments, SetOption_GivesTheSame) {
  for (const Argument& argument : kArguments) {
    const std::string full = std::string(argument.section) + "." + argument.name;
    const std::string base = with(argument, "");
    expect_said(planned(base, {full + "=" + argument.other}), argument.says, full);
    const Planned usual = planned(base, {full + "=" + argument.usual});
    const bool quoted = std::string_view(argument.usual) == "''";
    EXPECT_EQ(usual.error, quoted ? usual.error : "") << full;
  }
}

TEST(TorchArguments, Swept_AreReadOrRejected) {
  for (const Argument& argument : kArguments) {
    const std::string full = std::string(argument.section) + "." + argument.name;
    const bool context = std::string_view(argument.section) == "profile" ||
                         std::string_view(argument.section) == "schedule" ||
                         std::string_view(argument.name) == "timeout";
    const bool apart = std::string_view(argument.name) == "betas" ||       // see below
                       std::string_view(argument.name) == "sampler";       // none is unsupported
    const bool open = std::string_view(argument.section) == "autocast" &&  // see below
                      std::string_view(argument.name) != "device_type";
    if (context || apart || open || std::string_view(argument.says).starts_with('!')) continue;
    const std::string values = std::string(argument.usual) + ", " + argument.other;
    const Planned swept =
        planned(with(argument, "") + "sweep: {matrix: {" + full + ": [" + values + "]}}\n");
    EXPECT_EQ(swept.error, "") << full;
    EXPECT_THAT(swept.ids(), Contains(planned(with(argument, argument.other)).ids().at(0))) << full;
    EXPECT_EQ(planned(with(argument, ""), {}, {full + "=" + values}).ids(), swept.ids()) << full;
  }
}

TEST(TorchArguments, TwoNamesOfOneOption_AreAnError) {
  for (const auto& [yaml, both] :
       {std::pair("loader: {num_workers: 2, timeout: 50, timeout_s: 50}\n", "loader.timeout_s"),
        std::pair("optimizer: {foreach: true, fused: true}\n", "optimizer.implementation"),
        std::pair("optimizer: {implementation: foreach, fused: true}\n", "implementation"),
        std::pair("optimizer: {kind: adam, betas: [0.9, 0.99], beta1: 0.9}\n", "optimizer.beta1"),
        std::pair("profile: {record_shapes: true, shapes: true}\n", "profile.shapes"),
        std::pair("profile: {record_shapes: false, with_flops: true}\n", "profile.shapes"),
        std::pair("precision: bf16\ndtype: bfloat16\n", "model.precision"),
        std::pair("sweep: {matrix: {fused: [true], foreach: [true]}}\n", "implementation")}) {
    const Planned given = planned(std::string(kTrain) + yaml);
    EXPECT_THAT(given.error, HasSubstr("both say ")) << yaml;
    EXPECT_THAT(given.error, HasSubstr(both)) << yaml;
  }
  const std::string agree[] = {"optimizer: {foreach: false, fused: true}\n",
                               "optimizer: {fused: false, foreach: true}\n",
                               "profile: {record_shapes: true, with_flops: true}\n"};
  for (const std::string& yaml : agree) EXPECT_EQ(planned(kTrain + yaml).error, "") << yaml;
}

TEST(TorchArguments, SectionsWithoutArguments_AreAnError) {
  for (const char* yaml :
       {"autocast: true\n", "autocast: bfloat16\n", "autocast: [cuda]\n", "grad_scaler: true\n"}) {
    EXPECT_THAT(planned(std::string(kTrain) + yaml).error,
                HasSubstr("' is a section: expected torch's arguments"))
        << yaml;
  }
  EXPECT_EQ(planned(std::string(kTrain) + "grad_scaler: {}\n").error, "");
}

TEST(TorchArguments, ScalerWithoutFp16_IsNoted) {
  const std::string yaml = std::string(kTrain) + "grad_scaler: {enabled: true}\n";
  const auto notes = [](const Planned& given) { return given.plan.notes; };
  const auto is_noted = Contains("no effect here: grad_scaler without model.precision: fp16");
  EXPECT_THAT(notes(planned(yaml)), is_noted);
  EXPECT_THAT(notes(planned(kTrain, {"grad_scaler.enabled=true"})), is_noted);
  EXPECT_THAT(notes(planned(yaml, {"precision=fp16"})), Not(is_noted));
  EXPECT_THAT(notes(planned(kTrain)), Not(is_noted));
}

// Never fp32 where autocast is asked for.
TEST(TorchArguments, AutocastWithoutType_IsAnError) {
  const std::string train = kTrain;
  constexpr const char* kNoType = "autocast names no type to compute in";
  for (const char* yaml : {"autocast:\n", "autocast: {}\n", "autocast: {enabled: true}\n",
                           "autocast: {dtype: null}\n", "autocast: {cache_enabled: true}\n"}) {
    EXPECT_THAT(planned(train + yaml).error, HasSubstr(kNoType)) << yaml;
    EXPECT_EQ(planned(train + yaml, {"precision=bf16"}).value("model.precision"), "bf16") << yaml;
    EXPECT_EQ(planned(train + yaml, {}, {"precision=fp32,bf16"}).ids().size(), 2U) << yaml;
  }
  EXPECT_THAT(planned(train, {"autocast.enabled=true"}).error, HasSubstr(kNoType));
  EXPECT_EQ(planned(train, {"autocast.enabled=false"}).value("model.precision"), "fp32");
  EXPECT_EQ(
      planned(train + "autocast: {enabled: true}\nprecision: bf16\n").value("model.precision"),
      "bf16");
  for (const char* values : {"autocast.enabled=true,false", "autocast.dtype=null,float16"}) {
    EXPECT_THAT(planned(train + "autocast: {dtype: bfloat16}\n", {}, {values}).error,
                HasSubstr("vary model.precision"));
  }
}

TEST(TorchArguments, Scheduler_IsNotTheSchedule) {
  for (const char* yaml : {"lr_scheduler: cosine\n", "lr_scheduler: {kind: cosine}\n",
                           "optimizer: {lr_scheduler: step}\n"}) {
    EXPECT_THAT(planned(std::string(kTrain) + yaml).error, HasSubstr("workload: python_step"))
        << yaml;
  }
  EXPECT_EQ(planned(std::string(kTrain) + "lr_scheduler: null\n").ids(), planned(kTrain).ids());
}

TEST(TorchArguments, Compile_NamesTheWayToCompile) {
  const std::string train = kTrain;
  for (const char* yaml : {"compile: true\n", "compile: {mode: max-autotune}\n",
                           "torch_compile: true\n", "optimizer: {lr: 1}\ncompile: true\n"}) {
    EXPECT_THAT(planned(train + yaml).error, HasSubstr("model() returns torch.compile(network)"))
        << yaml;
  }
  EXPECT_THAT(planned(train + "compile: {mode: default}\n").error,
              HasSubstr("takes false here, found a group of keys"));
  for (const char* name : {"compile", "model.compile"}) {
    EXPECT_THAT(planned(train, {std::string(name) + "=true"}).error, HasSubstr("torch.compile("));
    EXPECT_EQ(planned(train, {std::string(name) + "=false"}).ids(), planned(train).ids());
  }
  EXPECT_EQ(planned(train + "compile: false\n").ids(), planned(train).ids());
}

// Names of training scripts at the top level, though another key of ours is spelled like it.
TEST(ScriptsNames, MeantOption_WinsOverSpelling) {
  for (const auto& [yaml, meant] :
       {std::pair("steps: 10\n", "schedule.active"), std::pair("lr: 0.1\n", "optimizer.lr"),
        std::pair("amp: true\n", "model.precision"), std::pair("stepp: {}\n", "step")}) {
    EXPECT_THAT(planned(std::string(kTrain) + yaml).error,
                HasSubstr("(did you mean '" + std::string(meant) + "'?)"))
        << yaml;
  }
}

TEST(TorchArguments, TopLevelPrecision_IsTheModels) {
  EXPECT_EQ(planned(std::string(kTrain) + "precision: bf16\n").value("model.precision"), "bf16");
  EXPECT_EQ(planned(kTrain, {"betas=[0.8, 0.9]", "optimizer.kind=Adam"}).value("optimizer.beta1"),
            "0.8");
  EXPECT_THAT(planned(std::string(kLoader) + "precision: bf16\n").error,
              HasSubstr("does not read the section 'model'"));
}

TEST(TorchArguments, BetasVaryingTogether_AreAZip) {
  const std::string adam = std::string(kTrain) + "optimizer: {kind: adam}\n";
  const Planned both = planned(adam + "sweep: {matrix: {betas: [[0.9, 0.999], [0.8, 0.95]]}}\n");
  EXPECT_EQ(both.plan.cases.size(), 2U) << both.error;
  const Planned second = planned(adam, {}, {"betas=[0.9, 0.999],[0.9, 0.95]"});
  EXPECT_EQ(second.plan.cases.size(), 2U) << second.error;
  EXPECT_THAT(planned(adam, {}, {"betas=[0.9, 0.999],[0.8, 0.95]"}).error,
              HasSubstr("would vary together"));
}

// The arguments of most training scripts.
constexpr const char* kAsScripts =
    "{batch_size: 64, shuffle: true, num_workers: 4, pin_memory: true, drop_last: true, "
    "persistent_workers: true, prefetch_factor: 2}";

TEST(LoaderArguments, UsualArguments_GetOneNote) {
  for (const char* workload : {kLoader, kTrain}) {
    const Planned given = planned(std::string(workload) + "loader: " + kAsScripts + "\n");
    ASSERT_EQ(given.error, "");
    EXPECT_FALSE(given.plan.cases.at(0).skip) << *given.plan.cases.at(0).skip;
    EXPECT_THAT(given.plan.notes,
                Contains("no effect here: loader.drop_last and loader.persistent_workers without "
                         "loader.epochs: separate; loader.pin_memory without an accelerator"));
    const Planned plain = planned(std::string(workload) +
                                  "loader: {batch_size: 64, shuffle: true, num_workers: 4}\n");
    EXPECT_EQ(given.ids(), plain.ids());
    EXPECT_THAT(plain.plan.notes, Each(Not(HasSubstr("no effect"))));
    const Planned swept =
        planned(std::string(workload) + "loader: " + kAsScripts + "\n", {}, {"batch_size=32,64"});
    EXPECT_THAT(swept.plan.notes, Contains(HasSubstr("no effect here: loader.drop_last and")));
  }
}

TEST(LoaderArguments, SeparateEpochs_GetNoNote) {
  const Planned given = planned(std::string(kLoader) + "loader: " + kAsScripts + "\n",
                                {"loader.epochs=separate", "loader.pin_memory=false"});
  EXPECT_EQ(given.value("loader.drop_last"), "true");
  EXPECT_EQ(given.value("loader.persistent_workers"), "true");
  EXPECT_THAT(given.plan.notes, Each(Not(HasSubstr("no effect"))));
}

TEST(LoaderArguments, NoWorkers_AreAccepted) {
  const Planned given = planned(std::string(kLoader) +
                                "loader: {num_workers: 0, prefetch_factor: 2, timeout: 0, "
                                "persistent_workers: false, drop_last: false}\n");
  EXPECT_EQ(given.error, "");
  EXPECT_THAT(given.plan.notes, Contains(HasSubstr("loader.prefetch_factor and loader.timeout_s "
                                                   "without loader.num_workers > 0")));
}

TEST(LoaderArguments, SweptWithoutEffect_ReportsTheCause) {
  const Planned given = planned(std::string(kLoader) + "loader: {num_workers: 2}\n", {},
                                {"persistent_workers=false,true"});
  EXPECT_EQ(given.plan.cases.size(), 1U);
  EXPECT_THAT(given.plan.merged_points,
              ElementsAre(HasSubstr("; no effect: loader.persistent_workers without "
                                    "loader.epochs: separate")));
  const Planned some =
      planned(std::string(kLoader) + "loader: {prefetch_factor: 4}\n", {}, {"num_workers=0,2"});
  EXPECT_THAT(some.plan.notes, Each(Not(HasSubstr("no effect")))) << "it has one in a case";
}

}  // namespace
}  // namespace stepbench
