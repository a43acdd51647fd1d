// SPDX-License-Identifier: Apache-2.0
#include "workloads/script/script_section.h"

#include <filesystem>
#include <string>

namespace stepbench::script {

using std::string_literals::operator""s;

Section script_section() {
  return {
      .name = "script",
      .doc = "A Python script with a loop over measure(), see tools/examples/python.",
      .elsewhere = {{"interpreter", "give it as --interpreter PATH"},
                    {"python", "give its Python as --interpreter PATH"}},
      .options = {
          {.name = "path",
           .type = OptionType::kPath,
           .doc = "The script, seen from the current folder.",
           .required = true,
           .identity = Identity::kContext,
           .must_exist = true},
          {.name = "args",
           .doc = "Its arguments, as a shell would split them; sweepable.",
           .default_value = ""s,
           .identity_default = ""s,
           .also_called = {"argv", "arguments"}},
          {.name = "loop",
           .doc = "The loop that is measured, by its name in measure(loader, name=...); "
                  "sweepable. Empty: the first one.",
           .default_value = ""s,
           .identity_default = ""s},
          {.name = "gc",
           .type = OptionType::kEnum,
           .doc = "Python's collector of garbage, when the loop begins: freeze lets it never again "
                  "look at what the script has made so far (gc.freeze), off stops it "
                  "(gc.disable); sweepable. Workers of a loader are forked with it.",
           .default_value = "default"s,
           .choices = {"default", "freeze", "off"},
           .identity_default = "default"s,
           .also_called = {"garbage_collector"}},
      }};
}

std::vector<Phase> script_phases() {
  return {{.name = "augment", .doc = "Changing a batch on the device or in the training process."},
          {.name = "metrics", .doc = "Computing and recording metrics."},
          {.name = "clip_grad", .doc = "Limiting the gradient."},
          {.name = "lr_scheduler", .doc = "Setting the learning rate."},
          {.name = "ema", .doc = "Averaging weights."},
          {.name = "checkpoint", .doc = "Writing the state of training."}};
}

std::vector<Metric> script_metrics() {
  const auto device_bytes = [](std::string name, std::string doc) {
    return Metric{.name = std::move(name),
                  .unit = "bytes",
                  .doc = std::move(doc),
                  .source = Source::kAllocator};
  };
  return {{.name = "gc_ns",
           .unit = "ns",
           .doc = "Time per step that Python's collector of garbage took; every thread of the "
                  "interpreter stands still meanwhile.",
           .source = Source::kHostClock},
          {.name = "gc_collections",
           .unit = "collections",
           .direction = Direction::kNeither,
           .doc = "Collections per step.",
           .source = Source::kCounted},
          device_bytes("peak_allocated_bytes",
                       "Most memory that tensors held at once in the last window."),
          device_bytes("peak_reserved_bytes",
                       "Most memory that the allocator held from the driver in the last window."),
          device_bytes("reserved_bytes",
                       "Memory that the allocator held from the driver after the last window.")};
}

void check_script(ResolvedCase& resolved, const RuleFacts&, RuleSink& sink) {
  if (std::filesystem::is_directory(resolved.text("script.path"))) {
    sink.error("script.path", "is a folder; expected a Python script");
  }
  // A script runs in its own process, where torch.profiler records.
  if (resolved.text_or("profile.ops", "none") == "native") {
    resolved.options["profile.ops"] = "kineto"s;
  }
  if (resolved.text_or("profile.counts", "none") != "none") {
    sink.error("profile.counts",
               "the instructions of a script are not counted; make its step one of `workload: "
               "python_step`");
  }
}

}  // namespace stepbench::script
