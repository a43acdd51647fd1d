// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/profile_section.h"

namespace stepbench::catalogue {
namespace {

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

}  // namespace

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

}  // namespace stepbench::catalogue
