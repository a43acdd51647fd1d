// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_workload.h"

#include <unistd.h>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/machine/cpu_findings.h"
#include "harness/machine/environment.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/python_parts.h"
#include "workloads/data/random.h"
#include "workloads/loader/internal/analysis/loader_facts.h"
#include "workloads/loader/internal/analysis/loader_findings.h"
#include "workloads/loader/internal/analysis/loader_report.h"
#include "workloads/loader/loader.h"
#include "workloads/loader/loader_section.h"

namespace stepbench::loader {
namespace {

std::int64_t memory_bytes() {
  return ::sysconf(_SC_PHYS_PAGES) * std::int64_t{::sysconf(_SC_PAGESIZE)};
}

}  // namespace

LoaderPipeline::LoaderPipeline(const ResolvedCase& resolved, WorkerContext& context,
                               OrderMaker order, const std::vector<Engine>& table)
    : resolved_(resolved),
      context_(context),
      order_(std::move(order)),
      table_(table),
      page_cache_(resolved),
      cpus_at_start_(machine::cpus_in_affinity("/")) {}

void LoaderPipeline::open(std::unique_ptr<PinnedMemory> pinned, BatchUpload* upload) {
  pinned_ = std::move(pinned);
  options_ = loader_options(resolved_);
  options_.rank = context_.rank;
  options_.world = context_.world;
  dataset_ = data::make_dataset(resolved_, context_.python);
  page_cache_.prepare(*dataset_);
  loader_ = make_loader(*dataset_, resolved_, order(), context_, table_, pinned_.get(), upload);
  stream_.emplace(*loader_, context_);
  const Engine* engine = find_engine(table_, resolved_.text("loader.engine"));
  if (engine != nullptr && engine->forks) stream_->begin();
}

std::int64_t LoaderPipeline::batches_per_epoch() const {
  return std::max<std::int64_t>(0, loader_->batches_per_epoch());
}

void LoaderPipeline::window(Edge edge) {
  if (edge == Edge::kBegin) stream_->window(edge);
  if (context_.python != nullptr) context_.python->window(edge);
}

void LoaderPipeline::steps_done() { stream_->window(Edge::kEnd); }

void LoaderPipeline::tear_down() { stepbench::loader::tear_down(loader_, context_); }

void LoaderPipeline::report(ReportSink& sink) const {
  if (!stream_) return;
  stream_->report(sink, resolved_, padding_of_epoch(*dataset_, options_, order(), kSortedBatches));
  if (context_.python != nullptr) context_.python->report(sink);
  auto bound = machine::bound_cpus(cpus_at_start_, machine::cpus_in_affinity("/"));
  if (bound) sink.finding(std::move(*bound));
  if (data::data_kind(resolved_).open == nullptr) sink.effective("data.digest", dataset_->digest());
  if (const auto stored = data::stored_size(resolved_, *dataset_)) {
    report_stored(*stored, sink);
    if (resolved_.number_or("emulated.step_us", 0) > 0 &&
        resolved_.text_or("data.page_cache", "") != "cold") {
      note_data_in_memory(*stored, memory_bytes(), sink);
    }
  }
  report_idle_readers(*dataset_, options_.num_workers, context_.world, sink);
  for (std::string& note : dataset_->facts().notes) sink.note(std::move(note));
  if (page_cache_.effective()) sink.effective("data.page_cache", *page_cache_.effective());
  if (pinned_ && pinned_->peak_bytes() > 0) {
    sink.metric("loader_pinned_bytes", static_cast<double>(pinned_->peak_bytes()));
  }
}

void BatchStream::begin() {
  epoch_began_ns_ = begun_ns_ = context_.clock.now_ns();
  loader_.begin_epoch(++epoch_);
  begin_ns_ = context_.clock.now_ns() - begun_ns_;
}

Batch BatchStream::next(StepRecorder& step) {
  std::optional<Batch> batch;
  const bool first = !yielded_;
  const std::int64_t began = context_.clock.now_ns();
  if (!first) {
    const auto scope = step.phase(PhaseId::kDataWait);
    batch = loader_.next();
    if (!batch) step.first_of_epoch();  // in the phase: finding the epoch's end is part of the gap
  }
  if (!batch) {
    const auto scope = step.phase(PhaseId::kDataWait);
    if (first && epoch_ < 0) begun_ns_ = began;
    if (!first || epoch_ < 0) {
      epoch_began_ns_ = context_.clock.now_ns();
      loader_.begin_epoch(++epoch_);
    }
    const std::int64_t asked = context_.clock.now_ns();
    batch = loader_.next();
    const std::int64_t now = context_.clock.now_ns();
    if (first) {
      context_.life_cycle.first_batch_ns = now - begun_ns_;
      first_wait_ns_ = begin_ns_ + now - began;
      step.first_batch();
    } else if (in_window_) {
      ++window_.borders;
      window_.border_ns += now - began;
      window_.border_next_ns += now - asked;
    }
  }
  if (!batch) {
    throw Error(
        formatted("epoch {} of the loader has no batch: the data set is empty, or smaller than one "
                  "batch while loader.drop_last is set",
                  epoch_));
  }
  yielded_ = true;
  return std::move(*batch);
}

void BatchStream::window(Edge edge) {
  in_window_ = edge == Edge::kBegin;
  // Count ready batches right next to the steps: workers continue while facts are read.
  const auto count_ready = [&](std::optional<std::int64_t>& sum) {
    if (const auto ready = loader_.ready()) sum = sum.value_or(0) + *ready;
  };
  if (in_window_) {
    unknown_length_ = loader_.batches_per_epoch() < 0;
    cores_.begin(loader_.worker_threads());
    at_begin_ = read_window_facts(context_.clock);
    count_ready(ready_at_begin_);
    loader_.reset_metrics();
  } else {
    count_ready(ready_at_end_);
    measured_.add(loader_.metrics());
    WindowFacts at_end = read_window_facts(context_.clock);
    cores_.end(loader_.worker_threads(), at_end.elapsed_ns - at_begin_.elapsed_ns,
               at_end.cpu_ns() - at_begin_.cpu_ns(), at_end.elapsed_ns - epoch_began_ns_);
    at_end.open_descriptors = count_descriptors();
    window_.add_span(at_begin_, at_end);
  }
}

void BatchStream::report(ReportSink& sink, const ResolvedCase& resolved,
                         std::optional<double> padding_sorted) const {
  report_loader(measured_, window_, cores_.facts(), sink);
  const auto report = [&](const char* name, auto value) {
    if (value) sink.metric(name, static_cast<double>(*value));
  };
  report("loader_ready_at_begin", ready_at_begin_);
  report("loader_ready_at_end", ready_at_end_);
  if (yielded_) sink.metric("loader_first_wait_ns", static_cast<double>(first_wait_ns_));
  if (unknown_length_ && window_.borders > 0) {
    sink.note(
        formatted("the length of an epoch is not known: {} borders lie where they fell in the "
                  "windows, and the numbers depend on it",
                  window_.borders));
  }
  LoaderFacts facts = loader_facts(resolved, measured_, window_);
  facts.first_wait_ns = first_wait_ns_;
  facts.machine = cores_.facts();
  facts.unknown_length = unknown_length_;
  facts.padding_sorted = padding_sorted;
  for (Finding& finding : loader_findings(facts)) sink.finding(std::move(finding));
}

std::optional<std::string> LoaderWorkload::set_up() {
  pipeline_.open(std::move(pinned_));
  return std::nullopt;
}

std::int64_t LoaderWorkload::steps_per_epoch() const {
  return pipeline_.batches_per_epoch() / batches_per_step_;
}

void LoaderWorkload::step(StepRecorder& step) {
  for (std::int64_t i = 0; i < batches_per_step_; ++i) {
    const Batch batch = pipeline_.next(step);
    BatchMarks(batch).put_on(step);
    if (batch.padding) step.add(Count::kTokens, batch.elements() - *batch.padding);
  }
  if (!loader_only_) emulated_.run(step);
}

namespace {

constexpr PhaseId kEmulated = declared_phase(0);
constexpr std::uint32_t kStepDraws = 20;  // Philox sequence

}  // namespace

Section emulated_section() {
  const Requires with_time{.option = "emulated.step_us",
                           .op = Requires::Op::kGreater,
                           .value = std::int64_t{0},
                           .doc = "needs a step that is emulated (step_us > 0)"};
  return {
      .name = "emulated",
      .doc =
          "A step of known time in place of a model: what must the loader feed, and does it? "
          "`data wait` and `AU` say how near it comes.",
      .selector = {},
      .options = {
          {.name = "step_us",
           .type = OptionType::kNumber,
           .doc = "Mean time of the step without its wait for data: what the model takes on the "
                  "accelerator that is not here. 0: none, so that the loader alone is measured.",
           .unit = "us",
           .default_value = 0.0,
           .min = 0,
           .max = 600e6,
           .identity_default = 0.0},
          {.name = "cv",
           .type = OptionType::kNumber,
           .doc = "Standard deviation of the step's time divided by its mean; a gamma "
                  "distribution, drawn from (seed, step), so it repeats exactly.",
           .default_value = 0.0,
           .min = 0,
           .max = 10,
           .identity_default = 0.0,
           .requires_ = with_time},
          {.name = "where",
           .type = OptionType::kEnum,
           .doc = "sleep: the training thread waits, as for an accelerator, and its core is the "
                  "workers'. spin: it computes, as a model on the CPU does.",
           .default_value = std::string{"sleep"},
           .choices = {"sleep", "spin"},
           .identity_default = std::string{"sleep"},
           .requires_ = with_time},
      }};
}

std::vector<Phase> emulated_phases() {
  return {{"emulated", "The step that stands for a model (emulated.step_us)."}};
}

EmulatedStep::EmulatedStep(const ResolvedCase& resolved)
    : mean_us_(resolved.number_or("emulated.step_us", 0)),
      cv_(resolved.number_or("emulated.cv", 0)),
      computes_(resolved.text_or("emulated.where", "sleep") == "spin"),
      seed_(static_cast<std::uint64_t>(resolved.integer_or("seed", 0))) {}

double EmulatedStep::time_us(std::uint64_t index) const {
  if (cv_ <= 0) return mean_us_;
  data::Philox random(seed_, index, kStepDraws);
  return mean_us_ * data::unit_gamma(random, 1 / (cv_ * cv_));
}

void EmulatedStep::run(StepRecorder& step) {
  if (mean_us_ <= 0) return;
  const auto scope = step.phase(kEmulated);
  const double us = time_us(index_++);
  computes_ ? data::spin_us(us) : data::sleep_exactly_us(us);
}

}  // namespace stepbench::loader
