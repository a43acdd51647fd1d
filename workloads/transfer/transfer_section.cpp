// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/transfer_section.h"

#include <array>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "workloads/loader/engines.h"

namespace stepbench::transfer {
namespace {

using std::string_literals::operator""s;

Value mebibytes(std::int64_t count) { return count << 20U; }

// Incompatible options are skipped in a sweep and an error outside one.
void exclude(const RuleFacts& facts, RuleSink& sink, std::string_view option,
             const std::string& reason) {
  facts.swept ? sink.skip(std::string(option) + ": " + reason) : sink.error(option, reason);
}

// An unavailable option is skipped in a sweep and an error if requested explicitly.
void refuse(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink,
            std::string_view option, std::string reason) {
  const bool insists = !facts.swept && !facts.device_auto && resolved.has("device");
  insists ? sink.error(option, std::move(reason)) : sink.skip(std::move(reason));
}

void check_pin_thread(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse_it = [&](const std::string& reason) {
    exclude(facts, sink, "transfer.placement", "pin_thread " + reason);
  };
  const loader::Engine& engine = loader::engine_of(resolved);
  if (resolved.integer("loader.num_workers") == 0) {
    refuse_it(
        "needs workers: with num_workers 0 the training thread reads and pins each batch itself; "
        "set loader.num_workers: 1 or more, or placement: prefetch_stream");
  } else if (!engine.pins) {
    refuse_it(
        formatted("needs a pin thread, which engine {} does not have; use engine thread or fork",
                  engine.variant.name));
  } else if (!resolved.flag("loader.pin_memory")) {
    refuse_it("copies what the loader's pin thread has pinned; set loader.pin_memory: true");
  }
}

}  // namespace

Section transfer_section() {
  Section section{
      .name = "transfer",
      .doc = "How batches get from the loader's memory to the device.",
      .selector = {},
      .options =
          {
              {.name = "placement",
               .type = OptionType::kEnum,
               .doc =
                   "Where the copy happens. inline: in the step, on the stream that computes. "
                   "inline_non_blocking: there too, but the host goes on at once. prefetch_stream: "
                   "on a stream of its own, one batch ahead, in two buffers that events hand over. "
                   "pin_thread: by the loader's pin thread as soon as a batch is pinned, "
                   "asynchronously, on a stream of its own; the phase h2d is then the wait for "
                   "what has not arrived. It runs ahead as far as the loader does: up to "
                   "prefetch_factor * num_workers batches lie on the device beside those in use. "
                   "upstream: the whole data set lies on the device; the loader has nothing to do. "
                   "none: batches stay where the loader put them (device: cpu).",
               .default_value = "inline"s,
               .choices = {},
               .identity_default = "inline"s},
              {.name = "non_blocking",
               .type = OptionType::kBool,
               .doc = "Ask for asynchronous copies. They overlap with the host only from pinned "
                      "memory (loader.pin_memory).",
               .default_value = false,
               .identity_default = false},
          },
  };
  for (const Placement& placement : placements()) {
    section.options[0].choices.emplace_back(placement.name);
  }
  return section;
}

Section copy_section() {
  return {.name = "copy",
          .doc = "What the workload transfer copies in each step.",
          .selector = {},
          .options = {
              {.name = "bytes",
               .type = OptionType::kInteger,
               .doc = "Size of one copy.",
               .unit = "bytes",
               .default_value = mebibytes(64),
               .min = 1,
               .max = 1e12,
               .identity_default = mebibytes(64)},
              {.name = "source",
               .type = OptionType::kEnum,
               .doc = "The host's side. pageable: ordinary memory, which the driver copies twice. "
                      "pinned: page-locked memory, which the device reads itself.",
               .default_value = "pageable"s,
               .choices = {"pageable", "pinned"},
               .identity_default = "pageable"s},
          }};
}

std::vector<Metric> copy_metrics() {
  return read_from(
      Source::kHostClock,
      {{.name = "copy_bytes_per_s",
        .unit = "bytes/s",
        .direction = Direction::kHigherIsBetter,
        .doc = "Bytes copied over the time of the last window: on the device, from the end of the "
               "warm-up's copies to the end of the window's; on the CPU by the host's clock."},
       {.name = "plain_copy_bytes_per_s",
        .unit = "bytes/s",
        .role = Role::kContext,
        .direction = Direction::kHigherIsBetter,
        .doc = "A bare loop of cudaMemcpyAsync from pinned memory (on the CPU: memcpy) of the same "
               "size in the same process."},
       {.name = "copy_efficiency",
        .unit = "",
        .direction = Direction::kHigherIsBetter,
        .doc = "copy_bytes_per_s over plain_copy_bytes_per_s."}});
}

void check_transfer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const Placement& placement = placement_of(resolved);
  const std::string name(placement.name);
  const bool on_cpu = resolved.text("device") == "cpu";
  if (!on_cpu && placement.kind == PlacementKind::kNone) {
    sink.error("transfer.placement", formatted("none leaves batches in host memory, but the model "
                                               "is on {}; use inline, or device: cpu",
                                               resolved.text("device")));
  }
  if (on_cpu && placement.asynchronous) {
    refuse(resolved, facts, sink, "transfer.placement",
           formatted("transfer.placement: {} copies to a CUDA device, and the step is on the CPU, "
                     "where batches are used in place",
                     name));
    return;
  }
  if (placement.kind == PlacementKind::kPinThread) check_pin_thread(resolved, facts, sink);
  if (placement.kind == PlacementKind::kPrefetchStream && !resolved.flag("loader.pin_memory")) {
    sink.note(
        "transfer.placement: prefetch_stream from pageable memory: the host waits in each copy, so "
        "that little overlaps; try loader.pin_memory: true");
  }
}

void check_copy(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const Placement& placement = placement_of(resolved);
  const std::string name(placement.name);
  const bool on_cpu = resolved.text("device") == "cpu";
  if (placement.kind == PlacementKind::kPinThread) {
    exclude(
        facts, sink, "transfer.placement",
        "pin_thread copies in the loader's pin thread, and the workload transfer has no loader; "
        "use workload: train_step");
  } else if (!placement.copies) {
    refuse(resolved, facts, sink, "transfer.placement",
           formatted("transfer.placement: {} leaves the workload transfer nothing to copy", name));
  } else if (on_cpu && placement.kind != PlacementKind::kPrefetchStream) {
    refuse(resolved, facts, sink, "transfer.placement",
           formatted("transfer.placement: {} copies nothing on the CPU; prefetch_stream tries its "
                     "two buffers there, within memory",
                     name));
  } else if (on_cpu && resolved.text("copy.source") == "pinned") {
    refuse(resolved, facts, sink, "copy.source", "pinned memory needs a CUDA device");
  }
}

std::span<const Placement> placements() {
  static constexpr std::array rows = {
      Placement{.name = "inline", .kind = PlacementKind::kInline},
      Placement{.name = "inline_non_blocking",
                .kind = PlacementKind::kInlineNonBlocking,
                .asynchronous = true},
      Placement{
          .name = "prefetch_stream", .kind = PlacementKind::kPrefetchStream, .asynchronous = true},
      Placement{.name = "pin_thread", .kind = PlacementKind::kPinThread, .asynchronous = true},
      Placement{.name = "upstream", .kind = PlacementKind::kUpstream, .copies = false},
      Placement{.name = "none", .kind = PlacementKind::kNone, .copies = false},
  };
  return rows;
}

const Placement& placement_of(const ResolvedCase& resolved) {
  const std::string& name = resolved.text("transfer.placement");
  for (const Placement& placement : placements()) {
    if (placement.name == name) return placement;
  }
  throw ConfigError("transfer.placement", formatted("unknown placement '{}'", name));
}

}  // namespace stepbench::transfer
