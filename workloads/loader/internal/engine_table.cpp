// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/engines.h"

#include <algorithm>
#include <array>
#include <string>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/workload.h"
#include "workloads/data/python_parts.h"
#include "workloads/loader/internal/fork/fork_loader.h"
#include "workloads/loader/internal/inline_loader.h"
#include "workloads/loader/internal/thread/thread_loader.h"

namespace stepbench::loader {

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = {
      fork_engine(),   inline_engine(),    python_engine(),
      thread_engine(), torch_cpp_engine(), iterable_engine(),
  };
  return all;
}

const Engine* find_engine(const std::vector<Engine>& table, std::string_view name) {
  const auto row =
      std::ranges::find_if(table, [&](const Engine& each) { return each.variant.name == name; });
  return row == table.end() ? nullptr : &*row;
}

const Engine& engine_of(const ResolvedCase& resolved) {
  const std::string& name = resolved.text("loader.engine");
  if (const Engine* row = find_engine(engines(), name)) return *row;
  throw ConfigError("loader.engine", formatted("unknown loader engine '{}'", name));
}

namespace {

// Options that torch::data::DataLoader does not have: its threads always persist and have no thread
// cap.
void check_torch_cpp(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  const std::int64_t threads = resolved.integer_or("loader.threads_per_worker", 1);
  if (threads != 1) {
    refuse("loader.threads_per_worker",
           formatted("engine torch_cpp does not cap the threads of its workers, but "
                     "threads_per_worker is {}; leave it out or set engine: thread",
                     threads));
    return;
  }
  if (resolved.has("loader.affinity") && resolved.text("loader.affinity") != "none") {
    refuse("loader.affinity",
           "engine torch_cpp does not say where its workers run; leave affinity out or set engine: "
           "thread or fork");
    return;
  }
  resolved.options["loader.persistent_workers"] = Value{};
  resolved.options["loader.threads_per_worker"] = Value{};
  resolved.options["loader.affinity"] = Value{};
}

}  // namespace

Engine torch_cpp_engine() {
  return {.variant = {.name = "torch_cpp",
                      .doc = "torch::data::DataLoader of libtorch as it is: threads that share one "
                             "queue of prefetch_factor * num_workers jobs and live as long as the "
                             "loader."},
          .pins = false,
          .persists_workers = true,
          .lost_samples_remedy =
              "torch::data::DataLoader reads one batch less ahead after each error; engine thread "
              "goes on.",
          .check = check_torch_cpp};
}

Requires with_workers() {
  return {.option = "loader.num_workers",
          .op = Requires::Op::kGreater,
          .value = std::int64_t{0},
          .doc = "needs workers (num_workers > 0)"};
}

namespace {

// Rejects options that Python's DataLoader does not have.
void check_python(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  if (resolved.text("data.kind") != data::kPythonName) {
    refuse("loader.engine", formatted("engine python reads data.kind: python alone, and this is "
                                      "{}; set engine: thread, or write a dataset() in Python",
                                      resolved.text("data.kind")));
    return;
  }
  if (resolved.text_or("loader.sampler", "").starts_with("weighted")) {
    refuse("loader.sampler",
           "engine python weighs no samples itself: define sampler(dataset) in data.path and "
           "return a WeightedRandomSampler");
    return;
  }
  if (resolved.text_or("loader.affinity", "none") != "none") {
    refuse("loader.affinity",
           "engine python does not say where its workers run; define worker_init(worker) in "
           "data.path and call os.sched_setaffinity there");
    return;
  }
  if (resolved.text_or("loader.buffers", "fresh") != "fresh") {
    refuse("loader.buffers", "Python's DataLoader makes fresh memory for each batch");
    return;
  }
  if (resolved.flag_or("profile.stacks", false) &&
      resolved.text_or("profile.ops", "none") == "none") {
    resolved.options["profile.ops"] = std::string("native");
  }
  const bool forks = resolved.text_or("loader.start_method", "") == "fork";
  if (forks && resolved.text("loader.epochs") == "separate" &&
      !resolved.flag_or("loader.persistent_workers", false)) {
    sink.note(
        "engine python forks new workers at every epoch, while threads of the step are there, "
        "which can hang: loader.persistent_workers: true keeps those of the first epoch, and "
        "start_method: forkserver starts them clean");
  }
  resolved.options["loader.affinity"] = Value{};
  resolved.options["loader.buffers"] = Value{};
  if (resolved.integer("loader.num_workers") == 0) {
    resolved.options["loader.start_method"] = Value{};
    resolved.options["loader.sharing_strategy"] = Value{};
    resolved.options["loader.switch_interval_us"] = Value{};
  }
}

}  // namespace

Engine python_engine() {
  return {
      .variant =
          {.name = data::kPythonName,
           .doc = "torch.utils.data.DataLoader of Python itself, for data.kind: python. "
                  "Its batches reach the step without a copy.",
           .options = {{.name = "start_method",
                        .type = OptionType::kEnum,
                        .doc = "How Python starts its workers, as "
                               "DataLoader(multiprocessing_context=...).",
                        .default_value = std::string{"fork"},
                        .choices = {"fork", "spawn", "forkserver"},
                        .identity_default = std::string{"fork"},
                        .requires_ = with_workers(),
                        .also_called = {"multiprocessing_context", "mp_context"}},
                       {.name = "sharing_strategy",
                        .type = OptionType::kEnum,
                        .doc = "How batches leave Python's workers, as "
                               "torch.multiprocessing.set_sharing_strategy() takes it, "
                               "here and in each worker. file_descriptor: a descriptor per "
                               "tensor, whose number is limited (ulimit -n). file_system: "
                               "a name in /dev/shm that a process of its own "
                               "(torch_shm_manager) looks after. Unset: what the file data.path "
                               "sets, else PyTorch's file_descriptor.",
                        .choices = {"file_descriptor", "file_system"},
                        .requires_ = with_workers(),
                        .also_called = {"set_sharing_strategy", "sharing"}},
                       {.name = "switch_interval_us",
                        .type = OptionType::kInteger,
                        .doc = "After how long a worker's thread gives Python's lock (GIL) "
                               "to another that wants it: sys.setswitchinterval, before "
                               "worker_init().",
                        .unit = "us",
                        .default_value = kSwitchIntervalUs,
                        .min = 1,
                        .max = 1e6,
                        .identity_default = kSwitchIntervalUs,
                        .requires_ = with_workers()}}},
      .reads_alone = true,
      .forks = true,
      .check = check_python,
      .make = [](const data::Dataset& dataset, const LoaderOptions& options, EpochOrder,
                 const WorkerContext& context) -> std::unique_ptr<Loader> {
        if (context.python == nullptr) {
          throw ConfigError("loader.engine", "Python is run by stepbench-worker alone");
        }
        return context.python->make_loader(dataset, options, context);
      }};
}

namespace {

// Options that cannot be passed on to loader(), with their neutral value.
struct NotOffered {
  const char* option;
  const char* neutral;
};
constexpr std::array kNotOffered = {
    NotOffered{"loader.affinity", "none"}, NotOffered{"loader.buffers", "fresh"},
    NotOffered{"loader.sampler", ""}, NotOffered{"loader.epochs", "separate"}};

void check_iterable(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  if (resolved.text("data.kind") != data::kPythonName) {
    refuse("loader.engine",
           formatted("engine iterable takes its batches from loader() of a Python file (data.kind: "
                     "python), and this is {}; set engine: thread, or write a loader()",
                     resolved.text("data.kind")));
    return;
  }
  if (resolved.text_or("transfer.placement", "") == "upstream") {
    refuse("transfer.placement",
           "upstream needs a data set of known size, and engine iterable has "
           "batches alone");
  }
  for (const auto& [option, neutral] : kNotOffered) {
    const std::string value = resolved.text_or(option, neutral);
    if (value != neutral && !facts.swept) {
      sink.error(option, value +
                             " means nothing to engine iterable, whose loader() decides that; "
                             "leave it out");
    }
    if (resolved.has(option)) resolved.options[option] = Value{};
  }
  resolved.options["loader.epochs"] = std::string("separate");
}

}  // namespace

bool runs_python(const Engine& engine) {
  return engine.variant.name == data::kPythonName || engine.variant.name == kIterableName;
}

Engine iterable_engine() {
  return {.variant = {.name = kIterableName,
                      .doc = "Any Python iterable of batches (SPDL, webdataset, grain, a "
                             "generator): what loader() in data.path returns. An epoch ends where "
                             "the iterable ends. Options of `loader` are for loader() to take, by "
                             "name."},
          .reads_alone = true,
          .forks = true,
          .check = check_iterable,
          .make = python_engine().make};
}

}  // namespace stepbench::loader
