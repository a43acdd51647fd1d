// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/launchers.h"
#include "harness/text/words.h"

namespace stepbench::catalogue {
namespace {

using std::string_literals::operator""s;

constexpr std::int64_t kOne = 1;

std::vector<Option> gradient_options(const Requires& ranks) {
  return {
      {.name = "sync",
       .type = OptionType::kEnum,
       .doc =
           "Of train_step, which takes ddp where nothing is said. ddp: DistributedDataParallel's "
           "own Reducer, which exchanges buckets of gradients during the backward pass. flat: "
           "one all_reduce of all gradients behind it. none: nothing is exchanged, and ranks "
           "come apart; the floor of the others.",
       .choices = {"ddp", "flat", "none"},
       .identity_default = "ddp"s,
       .requires_ = ranks,
       .also_called = {"strategy", "gradient_sync", "data_parallel"},
       .values_called = {{"reducer", "ddp"},
                         {"DistributedDataParallel", "ddp"},
                         {"allreduce", "flat"},
                         {"all_reduce", "flat"},
                         {"no_sync", "none"},
                         {"off", "none"}}},
      {.name = "bucket_cap_mb",
       .type = OptionType::kNumber,
       .doc = "Size of a bucket of ddp. auto: 25, and 1 of the first one.",
       .unit = "MiB",
       .default_value = "auto"s,
       .min = 1e-3,
       .max = 1e6,
       .choices = {"auto"},
       .identity_default = "auto"s,
       .requires_ = ranks,
       .also_called = {"bucket_size", "bucket_size_mb"}},
      {.name = "gradient_as_bucket_view",
       .type = OptionType::kBool,
       .doc = "Of ddp: gradients are views of the buckets, which saves a copy and its memory.",
       .default_value = false,
       .identity_default = false,
       .requires_ = ranks},
      {.name = "find_unused_parameters",
       .type = OptionType::kBool,
       .doc = "Of ddp: looks in each step for parameters that the loss does not depend on.",
       .default_value = false,
       .identity_default = false,
       .requires_ = ranks},
      {.name = "static_graph",
       .type = OptionType::kBool,
       .doc = "Of ddp: the first step tells which parameters are used, and how often; no other "
              "step may differ.",
       .default_value = false,
       .identity_default = false,
       .requires_ = ranks},
      {.name = "comm_hook",
       .type = OptionType::kEnum,
       .doc =
           "Of ddp: the type in which gradients travel. none: their own. fp16 and bf16 halve the "
           "bytes, and round what is added.",
       .default_value = "none"s,
       .choices = {"none", "fp16", "bf16"},
       .identity_default = "none"s,
       .requires_ = ranks,
       .also_called = {"compression", "gradient_compression"},
       .values_called = {{"fp16_compress_hook", "fp16"},
                         {"float16", "fp16"},
                         {"bf16_compress_hook", "bf16"},
                         {"bfloat16", "bf16"}}},
  };
}

std::vector<std::pair<std::string, std::string>> names_of_launchers() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Launcher& launcher : launchers()) {
    for (const std::string_view theirs : launcher.also_called) {
      names.emplace_back(theirs, launcher.name);
    }
  }
  return names;
}

// The number of ranks of a launch, their launcher, and the gradient exchange between them.
Section distributed_section() {
  const Requires ranks{.option = "distributed.ranks",
                       .op = Requires::Op::kGreater,
                       .value = kOne,
                       .doc = "needs ranks: 2 or more"};
  Section section = {
      .name = "distributed",
      .doc = "Several processes that train together. Each launch starts a group of them.",
      .options = {
          {.name = "ranks",
           .type = OptionType::kInteger,
           .doc = "Processes of a launch. Each has RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and "
                  "MASTER_PORT as torchrun sets them.",
           .unit = "ranks",
           .default_value = kOne,
           .min = 1,
           .max = 4096,
           .identity_default = kOne,
           .also_called = {"world_size", "nproc_per_node", "num_processes", "world", "devices",
                           "gpus"}},
          {.name = "launcher",
           .type = OptionType::kEnum,
           .doc = "What starts them. " +
                  text::join(launchers(), "; ",
                             [](const Launcher& each) {
                               return std::string(each.name) + ": " + std::string(each.doc);
                             }) +
                  ".",
           .default_value = "local"s,
           .choices = launcher_names(),
           .identity_default = "local"s,
           .requires_ = ranks,
           .values_called = names_of_launchers()},
          {.name = "launcher_args",
           .doc = "Options for the launcher, as a shell would split them: '--nodes 2', "
                  "'--hostfile hosts'.",
           .default_value = ""s,
           .identity = Identity::kContext,
           .requires_ = ranks},
          {.name = "bind",
           .doc = "Where ranks on other machines find stepbench: an interface or an address of "
                  "this machine. auto: all that it has. What they say is not encrypted.",
           .default_value = "auto"s,
           .identity = Identity::kContext,
           .requires_ = ranks},
      }};
  for (Option& option : gradient_options(ranks)) section.options.push_back(std::move(option));
  return section;
}

using std::string_literals::operator""s;

Option flag(const std::string& name, bool value, const std::string& doc) {
  return {.name = name,
          .type = OptionType::kBool,
          .doc = doc,
          .default_value = value,
          .identity = Identity::kContext};
}

Option amount(const std::string& name, const std::string& unit, std::int64_t value, double min,
              const std::string& doc) {
  return {.name = name,
          .type = OptionType::kInteger,
          .doc = doc,
          .unit = unit,
          .default_value = value,
          .min = min,
          .max = 1e6,
          .identity = Identity::kContext};
}

// Contents of the extra, profiled launch of a case. Context: not part of a case's identity.
Section profile_section() {
  Option trace = flag("trace", false,
                      "Writes a Chrome trace of the profiled steps into the run's folder: json, or "
                      "json.gz (= true).");
  trace.choices = {"json", "json.gz"};
  Option warmup =
      amount("warmup", "steps", 0, 0,
             "Steps before the profiled ones. auto: so many that the launch has as many steps as a "
             "timing launch, which lets their losses be compared.");
  warmup.default_value = "auto"s;
  warmup.choices = {"auto"};
  return {
      .name = "profile",
      .doc =
          "An extra launch per case that records what each operation cost, and one that counts "
          "instructions. Their steps are slower and never enter step times.",
      .options = {
          {.name = "ops",
           .type = OptionType::kEnum,
           .doc = "What records operations. native: stepbench's own collector; kineto: libtorch's "
                  "profiler, which costs several times more.",
           .default_value = "none"s,
           .choices = {"none", "native", "kineto"},
           .identity = Identity::kContext},
          flag("shapes", true, "Records the shapes of inputs; FLOPs need them."),
          flag("memory", true, "Records what operations allocate and free."),
          flag("modules", true, "Records the path of the model's module (layer3.1.conv2)."),
          flag("stacks", false,
               "Which lines of your Python code the workers of the DataLoader spend their time in "
               "(with num_workers 0 the training thread), sampled some 100 times a second in each. "
               "For loader.engine: python; records operations, too."),
          trace,
          flag("nvtx", false,
               "Marks every measured step and its phases as NVTX ranges in the domain stepbench, "
               "in each launch: for Nsight."),
          flag(
              "capture_range", false,
              "NVTX ranges, and CUDA's profiler started and stopped around the measured steps, for "
              "nsys with --capture-range=cudaProfilerApi --capture-range-end=stop (repeat:N where "
              "schedule.repeat is N: otherwise nsys ends the worker) and for ncu."),
          {.name = "counts",
           .type = OptionType::kEnum,
           .doc = "What counts the instructions of a step, in user mode. perf: the processor's "
                  "counters, in the timing launches; valgrind: callgrind, in extra launches of "
                  "three steps on one thread, 10 to 100 times slower; auto: perf "
                  "where the machine has counters, else valgrind where it is installed.",
           .default_value = "none"s,
           .choices = {"none", "auto", "perf", "valgrind"},
           .identity = Identity::kContext},
          amount("active", "steps", 10, 1, "Profiled steps; fewer when a timing launch has fewer."),
          warmup,
          amount("launches", "launches", 1, 1, "Profiled launches per case, and those that count."),
      }};
}

}  // namespace
}  // namespace stepbench::catalogue

namespace stepbench {
namespace {

using std::string_literals::operator""s;

Value integer(std::int64_t value) { return value; }

Section top_level() {
  return {
      .name = "",
      .doc = "What is measured, where and how often.",
      .elsewhere = {{"interpreter", "give it as --interpreter PATH"}},
      .options = {
          {.name = "name",
           .doc =
               "Names the experiment; part of the result folder's name. Default: the file's name.",
           .identity = Identity::kContext,
           .pattern = "[A-Za-z0-9._-]+",
           .pattern_words = "letters, digits, '.', '_' and '-'"},
          {.name = "workload",
           .doc = "What one step does; see `stepbench list`.",
           .required = true},
          {.name = "device",
           .doc = "Where the step runs. auto takes CUDA when a device is there. cpu and cuda are "
                  "different cases; the "
                  "ordinal in cuda:N is not part of a case.",
           .default_value = "auto"s,
           .pattern = "auto|cpu|cuda(:[0-9]+)?",
           .pattern_words = "auto, cpu, cuda or one device such as cuda:1",
           .values_called = {{"gpu", "cuda"}, {"nvidia", "cuda"}}},
          {.name = "launches",
           .type = OptionType::kInteger,
           .doc = "Fresh worker processes per case. The interval is taken over launches: 95 % "
                  "needs 6, and 8 let `stepbench compare` find a change.",
           .unit = "launches",
           .default_value = integer(8),
           .min = 1,
           .max = 10'000,
           .identity = Identity::kContext,
           .also_called = {"runs", "repeats", "repetitions"}},
          {.name = "seed",
           .type = OptionType::kInteger,
           .doc = "Seeds weights, sample order and augmentation wherever a section has no seed of "
                  "its own.",
           .default_value = integer(0),
           .min = 0,
           .identity = Identity::kContext},
      }};
}

Option thread_count(const std::string& name, const std::string& doc) {
  return {.name = name,
          .type = OptionType::kInteger,
          .doc = doc,
          .unit = "threads",
          .default_value = "auto"s,
          .min = 1,
          .max = 4096,
          .choices = {"auto"},
          .identity_default = "auto"s};
}

Section threads() {
  return {
      .name = "threads",
      .doc = "Threads of the training process.",
      .options = {
          thread_count("intra_op", "Threads inside one operation. auto: the library's own choice."),
          thread_count("inter_op",
                       "Operations that may run at once. auto: the library's own choice."),
      }};
}

Option steps(const std::string& name, const std::string& doc, std::int64_t value, double min) {
  return {.name = name,
          .type = OptionType::kInteger,
          .doc = doc,
          .unit = "steps",
          .default_value = integer(value),
          .min = min,
          .max = 1e9,
          .identity = Identity::kContext};
}

Section schedule() {
  Option active =
      steps("active",
            "Measured steps of a cycle. auto: as many as `precision` needs. Where the "
            "loader has workers, the plan raises it to a multiple of loader.num_workers "
            "and at least 24 times it (6 times where a model's step takes the "
            "batches): workers deliver in turns, and a window that cuts a turn is "
            "wrong by the same amount in every launch. Where it stops at the borders "
            "of epochs (loader.epochs: separate), the worker raises it to whole "
            "epochs if an epoch is hardly longer; else the window holds no border.",
            50, 1);
  active.choices = {"auto"};
  active.also_called = {"steps", "num_steps", "iterations", "iters"};
  Option repeat = steps("repeat", "Cycles of wait, warmup and active in one launch.", 1, 1);
  repeat.unit = "cycles";
  Option skip_first_wait =
      steps("skip_first_wait", "1: the first cycle leaves out its wait steps.", 0, 0);
  skip_first_wait.unit.clear();
  skip_first_wait.max = 1;
  Option max_active =
      steps("max_active",
            "At most so many measured steps with active: auto. `precision` is judged from eleven "
            "windows on.",
            10'000, 10);
  Option window = steps("window",
                        "Measured steps of a cycle with active: auto; raised like `active`. Their "
                        "means are what `precision` is judged by.",
                        50, 1);
  const Requires automatic{.option = "schedule.active",
                           .op = Requires::Op::kEqual,
                           .value = "auto"s,
                           .doc = "needs active: auto"};
  max_active.requires_ = automatic;
  window.requires_ = automatic;
  Option warmup =
      steps("warmup",
            "Steps before the measured ones; instruments are on, results are dropped. Where "
            "the loader has workers, the plan raises wait + warmup to 2 * num_workers * "
            "prefetch_factor + 2: until then its queue still fills or drains.",
            10, 0);
  warmup.also_called = {"warmup_steps", "num_warmup_steps", "warmup_iters"};
  return {
      .name = "schedule",
      .doc = "Which steps of a launch are measured, as in torch.profiler's schedule.",
      .options = {
          steps("wait", "Steps at the start of a cycle of which nothing is kept.", 1, 0),
          warmup,
          active,
          repeat,
          steps("skip_first", "Steps before the first cycle.", 0, 0),
          skip_first_wait,
          {.name = "sync",
           .type = OptionType::kEnum,
           .doc = "step: wait for the device after every step, which measures latency; none: steps "
                  "overlap as in "
                  "training.",
           .default_value = "none"s,
           .choices = {"none", "step"},
           .identity_default = "none"s},
          {.name = "precision",
           .type = OptionType::kNumber,
           .doc = "With active: auto, stop when half the 95 % interval of time / steps is at most "
                  "this fraction of it, twice running.",
           .default_value = 0.01,
           .min = 1e-6,
           .max = 1,
           .identity = Identity::kContext,
           .requires_ = automatic},
          max_active,
          window,
          steps("block",
                "Steps that come in one turn of the loader's workers; windows are multiples of "
                "it. The plan sets it to loader.num_workers.",
                1, 1),
          steps("refill",
                "Steps after a border of epochs until the loader's queue stands as it will; no "
                "window begins within them, unless it holds whole epochs. The plan sets it to 2 * "
                "num_workers * prefetch_factor + 2.",
                0, 0),
      }};
}

Option limit(const std::string& name, const std::string& doc, double seconds) {
  return {.name = name,
          .type = OptionType::kNumber,
          .doc = doc,
          .unit = "s",
          .default_value = seconds,
          .min = 0.001,
          .max = 1e7,
          .identity = Identity::kContext};
}

Section limits() {
  Option stall =
      limit("stall_s",
            "Silence in warm-up or in a window after which a worker is taken for hung. auto: in a "
            "window 10 s + 20 x time per step x steps, by the time of the warm-up, of the window "
            "before or of the case's last launch, on a GPU only where the device was waited for; "
            "ten times as much in a profiled launch. In warm-up, where no time is known, and under "
            "--wrap, step_s counts.",
            0);
  stall.default_value = "auto"s;
  stall.choices = {"auto"};
  return {
      .name = "limits",
      .doc = "A launch that takes longer is ended and recorded as failed; the sweep goes on.",
      .options = {
          limit("wall_s", "A whole launch, from start to end of its process.", 600),
          limit("join_s", "With distributed.ranks: until all ranks have called.", 60),
          limit("set_up_s", "Building data set, loader and model.", 120),
          limit("step_s",
                "A single step while its usual time is not known: a worker may be silent for the "
                "steps of a whole cycle.",
                60),
          stall,
          limit("tear_down_s", "Stopping the loader and freeing the model.", 30),
          limit("ask_s",
                "A question to the worker program before anything is launched: `check`, and "
                "`describe`, which comes before the file is read and looks at --set alone.",
                60),
      }};
}

Section background() {
  return {
      .name = "background",
      .doc = "A load beside each launch: how much slower a step is where its CPUs are shared.",
      .options = {
          {.name = "busy_cpus",
           .type = OptionType::kNumber,
           .doc = "CPUs that threads of stepbench keep busy, on this machine: with 1.5, one thread "
                  "all the time and one for half of it. Where all CPUs are taken, they share them "
                  "with the worker as other programs would.",
           .unit = "CPUs",
           .default_value = 0.0,
           .min = 0,
           .max = 4096,
           .identity_default = 0.0,
           .also_called = {"cpus", "cpu", "load", "neighbours", "noise"}},
      }};
}

Option margin(const std::string& metric, const std::string& doc, const std::string& value) {
  return {.name = "margin." + metric,
          .doc = doc,
          .default_value = value,
          .identity = Identity::kContext,
          .pattern = "auto|[0-9]+(\\.[0-9]+)?%?",
          .pattern_words = "auto, or a share such as 2% or 0.02"};
}

Section compare() {
  return {.name = "compare",
          .doc =
              "What decides and what `stepbench ab` takes for a change, as `margin: {step: 1%, "
              "peak_bytes: 0}`.",
          .options = {
              {.name = "gate",
               .type = OptionType::kEnum,
               .doc = "What decides in `stepbench ab`, and in `stepbench compare` of results of "
                      "this file. times: the tested metrics; counts: what launches counted per "
                      "step, which a busy machine does not change. --gate wins over it.",
               .default_value = "times"s,
               .choices = {"times", "counts"},
               .identity = Identity::kContext},
              margin("step",
                     "The relative change of the step time that does not matter, as a share or in "
                     "percent. auto: 1%.",
                     "auto"),
              margin("peak_bytes",
                     "The same for the peak of memory. auto: 0 where an allocator counts to the "
                     "byte, else 1%.",
                     "auto"),
              margin("counts",
                     "The same for counts, where they decide. auto: 0, and 0.1% of instructions.",
                     "auto"),
          }};
}

Section track() {
  return {
      .name = "track",
      .doc = "How `stepbench track` follows the case over many nights.",
      .options = {
          {.name = "control",
           .type = OptionType::kBool,
           .doc = "The case measures the machine rather than the program: its step stands "
                  "beside the points of the run's other cases.",
           .default_value = false,
           .identity = Identity::kContext},
          {.name = "version",
           .type = OptionType::kInteger,
           .doc = "Raise it when the case has come to do other work under the same options: "
                  "its history begins anew.",
           .default_value = integer(1),
           .min = 1,
           .max = 1e9,
           .identity = Identity::kContext},
          {.name = "main",
           .doc = "The branch whose nights make the levels. A night with --label branch= of "
                  "another name has a history of its own, EXPERIMENT@BRANCH.",
           .default_value = "main"s,
           .identity = Identity::kContext},
          {.name = "commit_url",
           .doc = "Where a commit is shown, with {sha} for it: the commits between the last "
                  "good and the first bad night of an alert are linked.",
           .default_value = ""s,
           .identity = Identity::kContext},
          {.name = "metrics",
           .doc =
               "What else of the case has a history and is judged, beside its step and its "
               "peak of memory: names of `list metrics`, as step_p99, samples_per_s=5%; the share "
               "is its margin, and 1% where there is none.",
           .default_value = ""s,
           .identity = Identity::kContext},
          margin("step",
                 "The change of the step, of the last good night's, up to which nothing is told "
                 "of it. auto: 1%.",
                 "auto"),
          margin("peak_bytes", "The same of the peak of memory. auto: 1%.", "auto"),
          {.name = "reference",
           .doc = "What `stepbench nightly` holds the case against. nightly: half of the "
                  "launches are of a kept program of an earlier night, in turns, and the case "
                  "is judged by ratios to it; 6 launches or more. suspects: all launches are "
                  "tonight's, and programs are measured in turns where the case moved.",
           .default_value = "nightly"s,
           .choices = {"nightly", "suspects"},
           .identity = Identity::kContext},
      }};
}

Section environment() {
  return {.name = "env",
          .doc = "Environment variables of the worker process, by name; sweepable as env.NAME.",
          .open = true};
}

}  // namespace

std::vector<Section> harness_sections() {
  return {top_level(),  threads(),
          schedule(),   limits(),
          background(), catalogue::distributed_section(),
          compare(),    catalogue::profile_section(),
          track(),      environment()};
}

const std::vector<Phase>& built_in_phases() {
  static const std::vector<Phase> phases = {
      {"data_wait", "Blocked in the loader's next()."},
      {"h2d", "Host-to-device copies of the batch."},
      {"zero_grad", "Clearing gradients."},
      {"forward", "The model's forward pass."},
      {"loss", "The loss function."},
      {"backward", "The backward pass."},
      {"grad_sync", "Waiting for gradients of other ranks."},
      {"optimizer", "The optimizer's update."},
      {"graph_replay", "Replay of a captured CUDA graph of the step."},
      {"other", "The rest of the step: period minus all phases."},
  };
  return phases;
}

}  // namespace stepbench
