// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/findings/finding.h"
#include "harness/os/descriptor.h"
#include "harness/os/files.h"
#include "harness/text/numbers.h"
#include "workloads/data/data_files.h"
#include "workloads/step/step_sections.h"
#include "workloads/step/torch_runtime.h"

namespace stepbench::step {
namespace {

constexpr const char* kPath = "checkpoint.path";
constexpr double kMinShareToReport = 0.05;  // minimum share of the step for a finding

std::string type_name(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Float:
      return "F32";
    case c10::ScalarType::Half:
      return "F16";
    case c10::ScalarType::BFloat16:
      return "BF16";
    case c10::ScalarType::Double:
      return "F64";
    case c10::ScalarType::Long:
      return "I64";
    case c10::ScalarType::Int:
      return "I32";
    case c10::ScalarType::Bool:
      return "BOOL";
    case c10::ScalarType::Byte:
      return "U8";
    default:
      throw Error(std::string("a checkpoint cannot hold tensors of type ") + c10::toString(type));
  }
}

std::string_view bytes_of(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
}

// Creates an empty file with a unique name.
std::filesystem::path new_file(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw ConfigError(kPath, "there is no folder " + folder.string());
  }
  constexpr std::string_view kEnding = ".safetensors";
  std::string name = (folder / "stepbench-checkpoint-XXXXXX").string() + std::string(kEnding);
  const os::Descriptor file(::mkostemps(name.data(), static_cast<int>(kEnding.size()), O_CLOEXEC));
  if (!file.is_open()) {
    throw ConfigError(
        kPath, folder.string() + " cannot be written: " + std::generic_category().message(errno));
  }
  return name;
}

}  // namespace

Checkpoint::Checkpoint(const ResolvedCase& resolved, c10::Device device, const Clock& clock)
    : device_(device),
      clock_(clock),
      every_(resolved.integer("checkpoint.every")),
      file_(new_file(resolved.text("checkpoint.path"))),
      fsync_(resolved.flag("checkpoint.fsync")),
      async_(resolved.flag("checkpoint.async")) {}

Checkpoint::~Checkpoint() {
  if (writer_.valid()) writer_.wait();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void Checkpoint::after_step(StepRecorder& step, const std::function<NamedTensors()>& state) {
  if ((step.index() + 1) % every_ != 0) return;
  const std::int64_t begin_ns = clock_.now_ns();
  {
    const auto phase = step.phase(kCheckpointPhase);
    finish();
    const NamedTensors tensors = on_the_host(state());
    if (async_) {
      writer_ = std::async(std::launch::async, [this, tensors] { return write(tensors); });
    } else {
      count(write(tensors));
    }
  }
  if (!in_window_) return;
  blocked_ns_ += clock_.now_ns() - begin_ns;
  ++checkpoints_;
}

// Copies tensors that are not on the host or that the step may change during writing.
NamedTensors Checkpoint::on_the_host(const NamedTensors& state) {
  const at::NoGradGuard no_grad;
  NamedTensors tensors;
  copies_.resize(state.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    const auto& [name, tensor] = state[i];
    if (!async_ && tensor.is_cpu()) {
      tensors.emplace_back(name, tensor.contiguous());
      continue;
    }
    if (!copies_[i].defined()) {
      copies_[i] = at::empty(
          tensor.sizes(),
          at::TensorOptions().dtype(tensor.scalar_type()).pinned_memory(tensor.is_cuda()));
    }
    copies_[i].copy_(tensor, /*non_blocking=*/true);
    tensors.emplace_back(name, copies_[i]);
  }
  synchronize_device(device_);
  return tensors;
}

Checkpoint::Written Checkpoint::write(const NamedTensors& tensors) const {
  const std::int64_t begin_ns = clock_.now_ns();
  std::vector<data::StoredTensor> header;
  for (const auto& [name, tensor] : tensors) {
    header.push_back({.name = name,
                      .type = type_name(tensor.scalar_type()),
                      .shape = tensor.sizes().vec(),
                      .bytes = tensor.nbytes()});
  }
  const std::string head = data::safetensors_header(header);
  os::OutputFile file(kPath, file_);
  file.write(head);
  auto bytes = static_cast<std::int64_t>(head.size());
  for (const auto& [name, tensor] : tensors) {
    file.write(bytes_of(tensor));
    bytes += static_cast<std::int64_t>(tensor.nbytes());
  }
  file.close(fsync_);
  return {.bytes = bytes, .ns = clock_.now_ns() - begin_ns};
}

void Checkpoint::count(const Written& written) {
  if (!in_window_) return;
  written_.bytes += written.bytes;
  written_.ns += written.ns;
  ++writings_;
}

void Checkpoint::finish() {
  if (writer_.valid()) count(writer_.get());
}

void Checkpoint::window(Edge edge) {
  in_window_ = edge == Edge::kBegin;
  if (in_window_) {
    window_begin_ns_ = clock_.now_ns();
  } else {
    windows_ns_ += clock_.now_ns() - window_begin_ns_;
  }
}

void Checkpoint::report(ReportSink& sink) const {
  if (checkpoints_ == 0 || windows_ns_ == 0) return;
  const double block_ns = static_cast<double>(blocked_ns_) / static_cast<double>(checkpoints_);
  sink.metric("checkpoint_block_ns", block_ns);
  if (writings_ == 0 || written_.ns == 0) return;
  const double bytes = static_cast<double>(written_.bytes) / static_cast<double>(writings_);
  const double bytes_per_s =
      static_cast<double>(written_.bytes) / (static_cast<double>(written_.ns) * 1e-9);
  sink.metric("checkpoint_bytes", bytes);
  sink.metric("checkpoint_bytes_per_s", bytes_per_s);
  const double share = static_cast<double>(blocked_ns_) / static_cast<double>(windows_ns_);
  if (share < kMinShareToReport) return;
  Finding finding{.id = "checkpoint.blocks",
                  .severity = Severity::kWarning,
                  .text = "checkpoints take " + text::percent_text(share) +
                          " of the time: " + text::duration(block_ns) + " every " +
                          (every_ == 1 ? "step" : std::to_string(every_) + " steps") + ", " +
                          text::byte_text(bytes) + " at " + text::byte_text(bytes_per_s) + "/s",
                  .value = share,
                  .threshold = kMinShareToReport,
                  .share = share,
                  .evidence = {"checkpoint_ns", "checkpoint_bytes_per_s"}};
  if (async_) {
    finding.remedy =
        "The next one waits for the last one's writing: write less often, or to a "
        "faster disk.";
  } else {
    finding.remedy = "Copy the state and write the copy beside the next steps.";
    finding.set = {{"checkpoint.async", "true"}};
  }
  sink.finding(std::move(finding));
}

}  // namespace stepbench::step
