// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/distributed_sections.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/words.h"

namespace stepbench::distributed {
namespace {

using std::string_literals::operator""s;

constexpr std::array kKinds = {
    CollectiveKind{"all_reduce", CollectiveOp::kAllReduce, false, 2},
    CollectiveKind{"all_gather", CollectiveOp::kAllGather, true, 1},
    CollectiveKind{"reduce_scatter", CollectiveOp::kReduceScatter, true, 1},
    CollectiveKind{"broadcast", CollectiveOp::kBroadcast, false, 1},
    CollectiveKind{"all_to_all", CollectiveOp::kAllToAll, true, 1},
};

struct ElementType {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array kTypes = {
    ElementType{"float32", 4},  ElementType{"float64", 8}, ElementType{"float16", 2},
    ElementType{"bfloat16", 2}, ElementType{"int32", 4},   ElementType{"int64", 8},
    ElementType{"int8", 1},     ElementType{"uint8", 1},
};

template <typename Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

template <typename Rows>
const auto& row_of(const Rows& rows, std::string_view option, std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const auto& row) { return row.name; });
  if (found != rows.end()) return *found;
  throw ConfigError(std::string(option),
                    formatted("'{}' is not one of {}", name, text::join(names_of(rows), ", ")));
}

}  // namespace

const CollectiveKind& collective_kind(std::string_view name) {
  return row_of(kKinds, "collective.op", name);
}

double bus_factor(const CollectiveKind& kind, int ranks) {
  if (kind.op == CollectiveOp::kBroadcast) return 1;
  return kind.links * (ranks - 1) / ranks;
}

std::int64_t element_bytes(std::string_view dtype) {
  return row_of(kTypes, "collective.dtype", dtype).bytes;
}

Section collective_section() {
  constexpr std::int64_t kMebibyte = 1 << 20;
  return {
      .name = "collective",
      .doc = "What the ranks of the workload collective exchange in each step.",
      .selector = {},
      .options = {
          {.name = "op",
           .type = OptionType::kEnum,
           .doc = "all_reduce: the sum of all ranks' buffers, in place. all_gather: the parts of "
                  "all. reduce_scatter: each rank its part of the sum. broadcast: from rank 0. "
                  "all_to_all: each rank a part to each.",
           .default_value = "all_reduce"s,
           .choices = names_of(kKinds),
           .identity_default = "all_reduce"s,
           .also_called = {"operation", "collective", "kind"},
           .values_called = {{"allreduce", "all_reduce"},
                             {"allgather", "all_gather"},
                             {"all_gather_into_tensor", "all_gather"},
                             {"reducescatter", "reduce_scatter"},
                             {"reduce_scatter_tensor", "reduce_scatter"},
                             {"alltoall", "all_to_all"},
                             {"all_to_all_single", "all_to_all"},
                             {"bcast", "broadcast"}}},
          {.name = "bytes",
           .type = OptionType::kInteger,
           .doc = "The whole buffer of a rank, as nccl-tests counts it: what it sends to all, or "
                  "has from all in the end. A multiple of the element, and but for all_reduce and "
                  "broadcast of the element times the ranks.",
           .unit = "bytes",
           .default_value = kMebibyte,
           .min = 1,
           .max = 1e12,
           .identity_default = kMebibyte,
           .also_called = {"size", "message_size", "nbytes"}},
          {.name = "dtype",
           .type = OptionType::kEnum,
           .doc = "Type of the elements; what is summed up costs by it.",
           .default_value = "float32"s,
           .choices = names_of(kTypes),
           .identity_default = "float32"s,
           .also_called = {"datatype", "type", "precision"},
           .values_called = {{"fp32", "float32"},
                             {"float", "float32"},
                             {"fp64", "float64"},
                             {"double", "float64"},
                             {"fp16", "float16"},
                             {"half", "float16"},
                             {"bf16", "bfloat16"},
                             {"int", "int32"},
                             {"long", "int64"}}},
          {.name = "backend",
           .type = OptionType::kEnum,
           .doc = "gloo: between the memory of hosts (device: cpu). nccl: between CUDA devices, "
                  "one for each rank. auto: that of the device.",
           .default_value = "auto"s,
           .choices = {"auto", "gloo", "nccl"},
           .identity_default = "auto"s,
           .values_called = {{"rccl", "nccl"}, {"cpu", "gloo"}, {"cuda", "nccl"}}},
      }};
}

std::vector<Phase> collective_phases() {
  return {
      {.name = "collective", .doc = "One collective, from its call until its result is there."}};
}

std::vector<Metric> collective_metrics() {
  return read_from(
      Source::kHostClock,
      {{.name = "bus_bytes_per_s",
        .unit = "bytes/s",
        .direction = Direction::kHigherIsBetter,
        .doc =
            "Bus bandwidth as nccl-tests define it: bytes over the time per step of the slowest "
            "rank in the last window, times 2 (n - 1) / n of all_reduce, 1 of broadcast, "
            "(n - 1) / n of the others, with n ranks. bytes_per_s is the algorithm bandwidth."}});
}

void check_collective(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  // A size that is not divisible by the ranks or the type is skipped in a sweep.
  const auto refuse = [&](std::string_view option, const std::string& reason) {
    facts.swept ? sink.skip(std::string(option) + ": " + reason) : sink.error(option, reason);
  };
  const CollectiveKind& kind = collective_kind(resolved.text("collective.op"));
  const std::string dtype = resolved.text("collective.dtype");
  const std::int64_t bytes = resolved.integer("collective.bytes");
  const std::int64_t ranks = resolved.integer_or("distributed.ranks", 1);
  const std::int64_t unit = element_bytes(dtype) * (kind.divided ? ranks : 1);
  if (bytes % unit != 0) {
    const std::int64_t below = bytes / unit * unit;
    std::string next = std::to_string(below + unit);
    if (below > 0) next = formatted("{} or {}", below, next);
    refuse("collective.bytes",
           formatted("{} is not a multiple of {}, {}; use {}", bytes, unit,
                     kind.divided && ranks > 1
                         ? formatted("an element of {} for each of {} ranks", dtype, ranks)
                         : "an element of " + dtype,
                     next));
  }
  const std::string backend = resolved.text("collective.backend");
  const bool on_cpu = resolved.text("device") == "cpu";
  if (backend == "nccl" && on_cpu) {
    refuse("collective.backend",
           facts.cuda_available
               ? "nccl exchanges the memory of CUDA devices; use device: cuda, or backend: gloo"
               : "nccl needs a CUDA device, and there is none here; use backend: gloo");
  } else if (backend == "gloo" && !on_cpu) {
    refuse("collective.backend",
           "gloo exchanges the memory of hosts; use device: cpu, or backend: nccl");
  }
  if (ranks == 1) {
    sink.note(
        "workload: collective with one rank exchanges nothing: its times are those of the call; "
        "set distributed.ranks (--ranks)");
  }
}

namespace {

using std::string_literals::operator""s;

using Refuse = std::function<void(const std::string& option, const std::string& reason)>;

// Clears the options that only apply to ddp; calls `refuse` for each that was set.
void drop_ddp_options(ResolvedCase& resolved, const Refuse& refuse) {
  const std::pair<std::string, Value> options[] = {
      {"distributed.bucket_cap_mb", "auto"s},
      {"distributed.gradient_as_bucket_view", false},
      {"distributed.find_unused_parameters", false},
      {"distributed.static_graph", false},
      {"distributed.comm_hook", "none"s},
  };
  for (const auto& [name, usual] : options) {
    if (!resolved.has(name)) continue;
    if (resolved.options[name] != usual) refuse(name, "needs distributed.sync: ddp");
    resolved.options[name] = {};
  }
}

}  // namespace

void refuse_sync(ResolvedCase& resolved, RuleSink& sink) {
  if (resolved.has(kSync)) {
    sink.error(kSync, formatted("`workload: {}` has no model of which stepbench would exchange "
                                "gradients; train_step has one",
                                resolved.workload));
  }
  drop_ddp_options(resolved, [&](const std::string& option, const std::string&) {
    sink.error(option, formatted("is of gradients, and `workload: {}` has no model of which "
                                 "stepbench would exchange them",
                                 resolved.workload));
  });
}

void check_group_train_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (resolved.integer_or("distributed.ranks", 1) == 1) return;
  if (!resolved.has(kSync)) resolved.options[kSync] = "ddp"s;
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(std::string(option) + ": " + reason) : sink.error(option, reason);
  };
  // In a sweep they belong to its points with ddp.
  if (resolved.text(kSync) != "ddp") {
    drop_ddp_options(resolved, [&](const std::string& option, const std::string& reason) {
      if (!facts.swept) sink.error(option, reason);
    });
  }
  if (resolved.flag_or("model.cuda_graph", false)) {
    refuse("model.cuda_graph", "is for one process: a graph would hold what ranks exchange");
  }
  const std::string engine = resolved.text_or("loader.engine", "");
  if (engine == "python") {
    refuse("loader.engine",
           "python takes all samples in each of the ranks; use thread or fork, or measure your "
           "own script with its DistributedSampler (`stepbench run --python`)");
  } else if (engine == "iterable") {
    sink.note(
        "loader.engine: iterable deals out nothing to ranks: loader() has to take its share by "
        "RANK and WORLD_SIZE itself");
  }
  const std::string device = resolved.text("device");
  if (device.starts_with("cuda:")) {
    refuse("device", device + " is one device, and each rank has its own; use device: cuda");
  }
}

}  // namespace stepbench::distributed
