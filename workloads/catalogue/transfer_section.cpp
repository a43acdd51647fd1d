// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "workloads/catalogue/sections.h"

namespace stepbench {
namespace {

using std::string_literals::operator""s;

Value mebibytes(std::int64_t count) { return count << 20U; }

// What cannot be had here is left out of a sweep and refused when it was asked for alone.
void refuse(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink,
            std::string_view option, std::string reason) {
  const bool insists = !facts.swept && !facts.device_auto && resolved.has("device");
  insists ? sink.error(option, std::move(reason)) : sink.skip(std::move(reason));
}

bool is_one_of(const std::string& text, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return text == name; });
}

}  // namespace

Section transfer_section() {
  return {
      .name = "transfer",
      .doc = "How batches get from the loader's memory to the device.",
      .selector = {},
      .options =
          {
              {.name = "placement",
               .type = OptionType::kEnum,
               .doc =
                   "Where the copy happens. inline: in the step, on the stream that computes. "
                   "inline_non_blocking: there too, but the host goes on at once. "
                   "prefetch_stream: on a stream of its own, one batch ahead, in two buffers that "
                   "events hand over. pin_thread: by the loader's pin thread. upstream: the whole "
                   "data set lies on the device; the loader has nothing to do. none: batches stay "
                   "where the loader put them (device: cpu).",
               .default_value = "inline"s,
               .choices = {"inline", "inline_non_blocking", "prefetch_stream", "pin_thread",
                           "upstream", "none"},
               .identity_default = "inline"s},
              {.name = "non_blocking",
               .type = OptionType::kBool,
               .doc = "Ask for asynchronous copies. They overlap with the host only from pinned "
                      "memory (loader.pin_memory).",
               .default_value = false,
               .identity_default = false},
          },
  };
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
  return {{.name = "copy_bytes_per_s",
           .unit = "bytes/s",
           .direction = Direction::kHigherIsBetter,
           .doc = "Bytes copied over the time of the last window, the device's work included."},
          {.name = "plain_copy_bytes_per_s",
           .unit = "bytes/s",
           .role = Role::kContext,
           .direction = Direction::kHigherIsBetter,
           .doc = "A bare loop of cudaMemcpyAsync from pinned memory (on the CPU: memcpy) of the "
                  "same size in the same process."},
          {.name = "copy_efficiency",
           .unit = "",
           .direction = Direction::kHigherIsBetter,
           .doc = "copy_bytes_per_s over plain_copy_bytes_per_s."}};
}

void check_transfer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const std::string& placement = resolved.text("transfer.placement");
  const bool on_cpu = resolved.text("device") == "cpu";
  if (!on_cpu && placement == "none") {
    sink.error("transfer.placement", "none leaves batches in host memory, but the model is on " +
                                         resolved.text("device") + "; use inline, or device: cpu");
  }
  if (on_cpu && is_one_of(placement, {"inline_non_blocking", "prefetch_stream", "pin_thread"})) {
    refuse(resolved, facts, sink, "transfer.placement",
           "transfer.placement: " + placement +
               " copies to a CUDA device, and the step is on the "
               "CPU, where batches are used in place");
    return;
  }
  if (placement == "pin_thread") {
    if (!resolved.flag("loader.pin_memory")) {
      sink.error("transfer.placement",
                 "pin_thread is the loader's own: it needs loader.pin_memory");
    } else {
      refuse(resolved, facts, sink, "transfer.placement",
             "transfer.placement: pin_thread is not offered by engine " +
                 resolved.text("loader.engine") + "; prefetch_stream copies ahead as well");
    }
    return;
  }
  if (placement == "prefetch_stream" && !resolved.flag("loader.pin_memory")) {
    sink.note(
        "transfer.placement: prefetch_stream from pageable memory: the host waits in each "
        "copy, so that little overlaps; try loader.pin_memory: true");
  }
}

void check_copy(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const std::string& placement = resolved.text("transfer.placement");
  const bool on_cpu = resolved.text("device") == "cpu";
  if (is_one_of(placement, {"none", "upstream", "pin_thread"})) {
    refuse(resolved, facts, sink, "transfer.placement",
           "transfer.placement: " + placement + " leaves the workload transfer nothing to copy");
  } else if (on_cpu && placement != "prefetch_stream") {
    refuse(resolved, facts, sink, "transfer.placement",
           "transfer.placement: " + placement +
               " copies nothing on the CPU; prefetch_stream tries "
               "its two buffers there, within memory");
  } else if (on_cpu && resolved.text("copy.source") == "pinned") {
    refuse(resolved, facts, sink, "copy.source", "pinned memory needs a CUDA device");
  }
}

}  // namespace stepbench
