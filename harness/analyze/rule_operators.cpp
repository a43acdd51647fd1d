// SPDX-License-Identifier: Apache-2.0
// Rules about the step thread of a trace without a device, where its operators are the work.
#include <algorithm>

#include "harness/analyze/rule_input.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::analyze {
namespace {

constexpr double kMinTinyOperators = 100;  // per step
// For large blocks: bytes allocated by the steps / peak bytes held. A forward and backward pass
// needs each block once or twice.
constexpr double kMinTurns = 10;

const HostWork* host_work_of(const RuleInput& in) {
  return in.on_device() || !in.analysis.host_work ? nullptr : &*in.analysis.host_work;
}

}  // namespace

RuleResult tiny_operators(const RuleInput& in) {
  const HostWork* work = host_work_of(in);
  if (work == nullptr) return std::nullopt;
  const double total_ns = double(work->tiny_ns + work->between_ns);
  if (in.share(total_ns) < in.threshold) return std::nullopt;
  const double each = in.per_step(double(work->tiny));
  if (each < kMinTinyOperators) return std::nullopt;
  const HostWork::Often& often = work->most_often;
  Finding finding = in.of_share(
      total_ns,
      text::with_separators(std::int64_t(each + 0.5)) +
          " operators per step take less than 10 us each, " +
          text::percent_text(in.share(total_ns)) + " of the step (" + in.each_step(total_ns) +
          (work->between_ns > 0
               ? ", of it between them " + text::duration(in.per_step(double(work->between_ns)))
               : std::string()) +
          "): mostly the overhead of calling operators, not their work; most often " +
          in.name(often.name) + ", " +
          text::with_separators(std::int64_t(in.per_step(double(often.count)) + 0.5)) +
          " times per step");
  finding.remedy =
      "Fewer, larger operators: work on whole tensors in place of loops over elements, foreach or "
      "fused optimizers, torch.compile, larger batches.";
  if (in.is_set_to("optimizer.implementation", std::string("single"))) {
    in.propose(finding, "optimizer.implementation", "fused");
  }
  in.gain(finding, total_ns);
  in.add_row(finding, "series of " + in.name(often.name), work->slowest_run,
             work->slowest_run_step);
  return finding;
}

RuleResult host_reads(const RuleInput& in) {
  const HostWork* work = host_work_of(in);
  if (work == nullptr) return std::nullopt;
  const double each = in.per_step(double(work->reads));
  if (each < in.threshold) return std::nullopt;
  Finding finding =
      in.of_value(each, Severity::kInfo,
                  "the step reads a value from a tensor " + text::short_number(each, 1) +
                      (each < 1.05 ? " time" : " times") + " (" +
                      in.called_at(in.name(work->most_reading.name), work->read_python) +
                      "): cheap here, but on a GPU each read stops the host until all "
                      "work before it is done");
  finding.remedy = "Keep sums and losses in tensors, and read them once in many steps.";
  in.gain(finding, double(work->read_ns));
  in.add_row(finding, in.name(work->most_reading.name), work->first_read, work->first_read_step);
  return finding;
}

RuleResult host_allocations(const RuleInput& in) {
  const HostWork* work = host_work_of(in);
  if (work == nullptr) return std::nullopt;
  if (!work->allocations) return in.undecided(in.analysis.memory.reason());
  if (work->allocations->most_held <= 0) return std::nullopt;
  const HostWork::Allocations& blocks = *work->allocations;
  const double turns = in.per_step(double(blocks.bytes)) / double(blocks.most_held);
  const double pages_ns = turns < kMinTurns ? double(blocks.mapped_ns)
                                            : double(blocks.bytes) / double(HostWork::kPageBytes) *
                                                  double(HostWork::kPageNs);
  if (in.share(pages_ns) < in.threshold) return std::nullopt;
  const double each = in.per_step(double(blocks.count));
  Finding finding = in.of_share(
      pages_ns, "large blocks of memory are allocated again and again: " +
                    text::byte_text(in.per_step(double(blocks.bytes))) + " in " +
                    text::short_number(each, 1) + (each < 1.05 ? " block" : " blocks") +
                    " per step, while at most " + text::byte_text(double(blocks.most_held)) +
                    " of them are held at once; mostly in " + in.name(blocks.most_often.name));
  finding.low_confidence = true;
  finding.remedy =
      "The system returns each block as fresh pages: write into existing tensors (out=, in-place "
      "operators), or use an allocator that keeps blocks (jemalloc, tcmalloc).";
  in.gain(finding, pages_ns);
  in.add_row(finding, in.name(blocks.most_often.name), blocks.first, blocks.first_step);
  return finding;
}

}  // namespace stepbench::analyze
