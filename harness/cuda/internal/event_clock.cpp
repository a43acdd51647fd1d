// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/internal/event_clock.h"

#include <algorithm>
#include <cmath>

#include "harness/base/format.h"
#include "harness/base/series.h"
#include "harness/workload.h"

namespace stepbench::cuda {
namespace {

constexpr std::size_t kUsualMarks = 16;       // eight phases, begin and end
constexpr std::int64_t kLeadPrecision = 100;  // the map's error is at most 1/100 of a step
constexpr std::int64_t kStepsAhead = 3;       // maximum lead of copies on side streams
constexpr std::int64_t kMinUnseenNs = 1'000'000;
constexpr int kFloatDigits = 24;  // precision of cudaEventElapsedTime

bool records(Action action) { return action >= Action::kRecord; }

}  // namespace

EventClock::EventClock(CudaApi api, const Clock& clock, EventClockOptions options)
    : api_(std::move(api)), clock_(clock), options_(std::move(options)), ring_(api_) {}

std::optional<std::string> EventClock::exercise() {
  if (std::string missing = device_missing(api_, options_.device); !missing.empty()) return missing;
  // torch's guards restore the thread's own device, which is 0 unless set here.
  ring_.check("cudaSetDevice", api_.set_device(options_.device));
  device_pci_ = api_.device_pci(options_.device);
  before_ = ring_.make_event();
  first_event_ = ring_.make_event();
  last_event_ = ring_.make_event();
  make_room();
  rows_.reserve(options_.window);
  spans_.reserve(kUsualMarks);
  if (ring_.failure().empty()) ring_.check("cudaDeviceSynchronize", api_.device_synchronize());
  (void)moment(last_event_);
  first_ = moment(first_event_);
  (void)ring_.elapsed_ns(last_event_, first_event_);
  if (!ring_.failure().empty()) return ring_.failure();
  return std::nullopt;
}

// Reserves for a window of steps like those seen so far. Free once the memory is allocated.
void EventClock::make_room() {
  ring_.prepare(std::min(options_.window, options_.ring), std::max(most_marks_, kUsualMarks));
  if (!side_streams_) return;
  compute_.reserve(options_.window * most_marks_ / 2);
  side_.reserve(options_.window * most_marks_ / 2);
}

void EventClock::change(Action, Action to) {
  if (to == Action::kNone) in_window_ = step_before_ = false;
  if (records(to) && !in_window_) begin_window();
}

void EventClock::begin_window() {
  make_room();
  rows_.clear();
  compute_.clear();
  side_.clear();
  if (!step_before_) ring_.record(before_, compute_stream_);
  previous_end_ = before_;
  in_window_ = true;
  window_opens_ = true;
}

// Requires an idle device: the event then passes between the two readings of the host clock.
ClockMap::Moment EventClock::moment(CudaEvent event) {
  const std::int64_t before = clock_.now_ns();
  ring_.record(event, nullptr);
  if (ring_.failure().empty()) ring_.check("cudaEventSynchronize", api_.event_synchronize(event));
  const std::int64_t after = clock_.now_ns();
  return {
      .device_ns = 0, .host_ns = before + (after - before) / 2, .error_ns = (after - before) / 2};
}

void EventClock::step_begin(std::int64_t) {
  if (!ring_.failure().empty()) return;
  if (!in_window_) {
    make_room();
  } else if (window_opens_) {
    // If the device is idle, the window's work has not begun: exclude the host's time until now
    // from the first step.
    if (ring_.passed(before_)) ring_.record(before_, compute_stream_);
    window_opens_ = false;
  } else if (ring_.full()) {
    if (ring_.ready(ring_.oldest())) {
      read_oldest();
    } else {
      ++lagging_;
    }
  }
  open_ = &ring_.next();
  ring_.record(open_->begin, compute_stream_);
}

void EventClock::step_end() noexcept {
  if (open_ == nullptr) return;
  ring_.record(in_window_ ? open_->end : before_, compute_stream_);
  open_->host_end_ns = clock_.now_ns();
  most_marks_ = std::max(most_marks_, open_->used);
  open_ = nullptr;
  if (in_window_) {
    ring_.commit();
  } else {
    step_before_ = true;
  }
}

void EventClock::phase_begin(PhaseId id, DeviceStream on) {
  if (open_ == nullptr) return;
  const bool side = is_side(on);
  side_streams_ |= side;
  if (!side) compute_stream_ = on.handle;
  ring_.mark(*open_, id, on, true);
}

void EventClock::phase_end(PhaseId id, DeviceStream on) noexcept {
  if (open_ != nullptr) ring_.mark(*open_, id, on, false);
}

// All times are relative to one event, the previous step's end. Rounded individually, they keep
// their order, and phases never sum to more than their period.
void EventClock::read_oldest() {
  if (rows_.empty()) seen_until_ns_ = 0;
  if (rows_.empty()) previous_end_ns_ = ring_.elapsed_ns(first_event_, before_);
  const StepEvents& events = ring_.oldest();
  const std::int64_t begin_ns = ring_.elapsed_ns(previous_end_, events.begin);
  const std::int64_t end_ns = ring_.elapsed_ns(previous_end_, events.end);
  spans_.clear();
  for (std::size_t i = 0; i + 1 < events.used;
       i += 2) {  // phases do not nest: pairs are neighbours
    const StepEvents::Mark& from = events.marks[i];
    const StepEvents::Mark& to = events.marks[i + 1];
    spans_.push_back({.begin_ns = ring_.elapsed_ns(previous_end_, from.event) - begin_ns,
                      .end_ns = ring_.elapsed_ns(previous_end_, to.event) - begin_ns,
                      .phase = from.phase,
                      .side_stream = is_side(from.stream)});
  }
  if (side_streams_) keep_for_overlap(previous_end_ns_ + begin_ns);
  rows_.push_back({.step = device_step(spans_, end_ns - begin_ns, begin_ns),
                   .device_end_ns = previous_end_ns_ + end_ns,
                   .host_end_ns = events.host_end_ns});
  previous_end_ = events.end;
  previous_end_ns_ += end_ns;
  seen_until_ns_ = std::max(seen_until_ns_, previous_end_ns_);
  ring_.pop();
}

void EventClock::keep_for_overlap(std::int64_t step_begin_ns) {
  for (DeviceSpan span : spans_) {
    span.begin_ns += step_begin_ns;
    span.end_ns += step_begin_ns;
    seen_until_ns_ = std::max(seen_until_ns_, span.end_ns);
    if (span.side_stream) {
      side_.emplace_back(rows_.size(), span);
    } else if (launches_work(span)) {
      compute_.push_back(span);
    }
  }
}

std::int64_t EventClock::queued_ns() const { return options_.queued_ns ? options_.queued_ns() : 0; }

void EventClock::device_wait_begins() {
  queued_ns_ = queued_ns();
  wait_began_ns_ = clock_.now_ns();
}

void EventClock::device_wait_ends() {
  if (ring_.failure().empty()) ring_.check("cudaDeviceSynchronize", api_.device_synchronize());
  drained_ns_ = clock_.now_ns();
  queued_ns_ = queued_ns() - queued_ns_;
}

void EventClock::add_columns(Series& cycle) {
  in_window_ = false;
  step_before_ = false;
  ++windows_;
  while (ring_.unread() > 0 && ring_.failure().empty()) read_oldest();
  grown_ += ring_.grown();
  if (!ring_.failure().empty() || rows_.size() != cycle.steps() || rows_.empty()) return;
  ClockMap::Moment last = moment(last_event_);
  last.device_ns = previous_end_ns_ + ring_.elapsed_ns(previous_end_, last_event_);
  const bool mapped = ring_.failure().empty();
  if (!mapped || !misses_work(last)) {
    add_times(cycle);
    ++timed_;
    if (mapped) add_host_lead(cycle, last);
  }
  if (!mapped) return;
  rows_.clear();
  last.device_ns = 0;
  first_ = last;
  std::swap(first_event_, last_event_);
}

// True if the device kept working after all marked work had passed, for longer than copies for the
// next few steps take: the steps computed on unmarked streams. Also if the host's queueing for a
// CPU may hide that. What the host does before it waits for the device is no device work.
bool EventClock::misses_work(ClockMap::Moment last) {
  const std::int64_t began_ns = rows_.front().device_end_ns - rows_.front().step.period_ns;
  const std::int64_t window_ns = rows_.back().device_end_ns - began_ns;
  const auto steps = static_cast<std::int64_t>(rows_.size());
  const std::int64_t usual_ns =
      std::max({kStepsAhead * window_ns / steps, window_ns / 10, kMinUnseenNs});
  const std::int64_t seen_ns = ClockMap(first_, last).host_ns(seen_until_ns_);
  const std::int64_t unseen_ns = drained_ns_ - std::max(seen_ns, wait_began_ns_);
  if (unseen_ns <= usual_ns) return false;
  if (unseen_ns - queued_ns_ <= usual_ns) {
    hidden_ns_ = std::max(hidden_ns_, queued_ns_);
    ++hidden_;
    return true;
  }
  unseen_ns_ = std::max(unseen_ns_, unseen_ns);
  ++unseen_;
  return true;
}

void EventClock::add_times(Series& cycle) {
  const auto column = [&](std::string name, const auto& of_row) {
    std::vector<std::int64_t>& values = cycle.add(std::move(name), rows_.size());
    std::transform(rows_.begin(), rows_.end(), values.begin(), of_row);
  };
  const auto phases = [&](DevicePhases DeviceStep::*stream, const char* suffix) {
    for (std::size_t phase = 0; phase < options_.phase_names.size(); ++phase) {
      const auto occurs = [&](const Row& row) {
        return ((row.step.*stream).occurred >> phase & std::uint32_t{1}) != 0;
      };
      if (!std::any_of(rows_.begin(), rows_.end(), occurs)) continue;
      column(options_.phase_names[phase] + suffix,
             [&](const Row& row) { return (row.step.*stream).ns[phase]; });
    }
  };
  column("period_device_ns", [](const Row& row) { return row.step.period_ns; });
  column("step_device_ns", [](const Row& row) { return row.step.span_ns; });
  phases(&DeviceStep::compute, "_device_ns");
  column("other_device_ns", [](const Row& row) { return row.step.other_ns; });
  phases(&DeviceStep::side, "_side_device_ns");
  column("idle_device_ns", [](const Row& row) { return row.step.idle_ns; });
  for (const auto& [row, span] : side_) rows_[row].overlap_ns += overlap_ns(span, compute_);
  if (!side_.empty()) column("overlap_device_ns", [](const Row& row) { return row.overlap_ns; });
}

void EventClock::add_host_lead(Series& cycle, ClockMap::Moment last) {
  const ClockMap map(first_, last);
  // The longest elapsed time, from the first event to the window, was read as a float.
  const std::int64_t error_ns = map.error_ns() + (last.device_ns >> kFloatDigits);
  error_ns_ = std::max(error_ns_, error_ns);
  std::vector<std::int64_t> steps = cycle.column("step_device_ns");
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  if (error_ns * kLeadPrecision > *middle) {
    ++leads_left_out_;
    return;
  }
  std::vector<std::int64_t>& values = cycle.add("host_lead_ns", rows_.size());
  std::transform(rows_.begin(), rows_.end(), values.begin(),
                 [&](const Row& row) { return map.host_ns(row.device_end_ns) - row.host_end_ns; });
}

std::string EventClock::missing_instruments_text() const {
  if (timed_ == 0) return "no device times";
  if (timed_ == windows_) return "the last window has no host_lead_ns";
  return formatted("no device times after {} of {} windows", timed_, windows_);
}

void EventClock::report(ReportSink& sink) const {
  if (!ring_.failure().empty()) sink.note(missing_instruments_text() + ": " + ring_.failure());
  if (unseen_ > 0) {
    sink.note(
        formatted("no device times of {} of {} windows: the device worked for {} ms more, on "
                  "streams that the step did not name, when its last step seemed done; mark the "
                  "step's phases inside `with torch.cuda.stream(...)`, or let the current stream "
                  "wait for the others (wait_stream) before the step returns",
                  unseen_, windows_, unseen_ns_ / 1'000'000));
  }
  if (hidden_ > 0) {
    sink.note(formatted(
        "no device times of {} of {} windows: the thread waited {} ms for a CPU while the device "
        "finished them, so it is unknown whether the device also worked on streams that the step "
        "did not name",
        hidden_, windows_, hidden_ns_ / 1'000'000));
  }
  if (timed_ == 0) return;
  sink.metric("event_clock_error_ns", static_cast<double>(error_ns_));
  sink.metric("event_ring_grown", static_cast<double>(grown_));
  sink.metric("event_ring_lagging", static_cast<double>(lagging_));
  if (leads_left_out_ > 0) {
    sink.note(
        formatted("host_lead_ns is left out of {} of {} windows: the clocks of host and device "
                  "could not be aligned to a hundredth of a step (event_clock_error_ns)",
                  leads_left_out_, windows_));
  }
}

EventRing::~EventRing() {
  for (CudaEvent event : events_) (void)api_.event_destroy(event);
}

void EventRing::check(const char* call, int code) {
  if (code != kCudaSuccess && failure_.empty()) failure_ = cuda_failure(api_, call, code);
}

CudaEvent EventRing::make_event() {
  CudaEvent event = nullptr;
  if (failure_.empty()) check("cudaEventCreate", api_.event_create(&event));
  if (failure_.empty()) events_.push_back(event);
  return event;
}

std::unique_ptr<StepEvents> EventRing::make_step(std::size_t marks) {
  auto step = std::make_unique<StepEvents>();
  step->begin = make_event();
  step->end = make_event();
  step->marks.reserve(marks);
  while (step->marks.size() < marks) step->marks.push_back({.event = make_event()});
  return step;
}

void EventRing::prepare(std::size_t steps, std::size_t marks) {
  head_ = 0;
  unread_ = 0;
  grown_ = 0;
  if (marks <= marks_ && ring_.size() > steps) return;
  const std::size_t made = events_.size();
  marks_ = std::max(marks_, marks);
  for (auto& step : ring_) {
    step->marks.reserve(marks_);
    while (step->marks.size() < marks_) step->marks.push_back({.event = make_event()});
  }
  // One extra for the last step read: the next step's time is relative to it.
  while (ring_.size() < steps + 1) ring_.push_back(make_step(marks_));
  for (std::size_t i = made; i < events_.size(); ++i) record(events_[i], nullptr);
}

StepEvents& EventRing::next() {
  std::size_t at = (head_ + unread_) % ring_.size();
  if (full()) {
    ring_.insert(ring_.begin() + static_cast<std::ptrdiff_t>(at), make_step(marks_));
    if (at <= head_) ++head_;
    ++grown_;
  }
  StepEvents& step = *ring_[at];
  step.used = 0;
  return step;
}

void EventRing::record(CudaEvent event, CudaStream stream) {
  if (!failure_.empty()) return;
  check("cudaEventRecord", api_.event_record(event, stream));
}

void EventRing::mark(StepEvents& step, PhaseId phase, DeviceStream stream, bool begins) {
  if (!failure_.empty()) return;
  if (step.used == step.marks.size()) {
    step.marks.push_back({.event = make_event()});
    ++grown_;
  }
  StepEvents::Mark& mark = step.marks[step.used++];
  mark.stream = stream;
  mark.phase = phase;
  mark.begins = begins;
  record(mark.event, stream.handle);
}

bool EventRing::passed(CudaEvent event) {
  if (!failure_.empty()) return false;
  const int code = api_.event_query(event);
  if (code != kCudaNotReady) check("cudaEventQuery", code);
  return code == kCudaSuccess;
}

bool EventRing::ready(const StepEvents& step) {
  if (!passed(step.end)) return false;
  return std::all_of(step.marks.begin(),
                     step.marks.begin() + static_cast<std::ptrdiff_t>(step.used),
                     [&](const StepEvents::Mark& mark) {
                       return mark.stream.handle == nullptr || passed(mark.event);
                     });
}

void EventRing::pop() {
  head_ = (head_ + 1) % ring_.size();
  --unread_;
}

std::int64_t EventRing::elapsed_ns(CudaEvent from, CudaEvent to) {
  if (!failure_.empty()) return 0;
  float ms = 0;
  check("cudaEventElapsedTime", api_.event_elapsed_ms(&ms, from, to));
  return ns_of_ms(ms);
}

namespace {

// Length of the union of work-launching spans within [0, to]. Spans are in order of begin_ns.
std::int64_t covered(const std::vector<DeviceSpan>& spans, std::int64_t to) {
  std::int64_t sum = 0;
  std::int64_t reached = 0;
  for (const DeviceSpan& span : spans) {
    if (!launches_work(span)) continue;
    const std::int64_t begin = std::max(span.begin_ns, reached);
    const std::int64_t end = std::min(span.end_ns, to);
    if (end <= begin) continue;
    sum += end - begin;
    reached = end;
  }
  return sum;
}

}  // namespace

DeviceStep device_step(std::vector<DeviceSpan>& spans, std::int64_t span_ns, std::int64_t gap_ns) {
  std::sort(spans.begin(), spans.end(),
            [](const DeviceSpan& a, const DeviceSpan& b) { return a.begin_ns < b.begin_ns; });
  DeviceStep step;
  step.span_ns = span_ns;
  step.period_ns = gap_ns + span_ns;
  step.other_ns = step.period_ns;
  for (const DeviceSpan& span : spans) {
    const auto phase = static_cast<std::size_t>(span.phase);
    DevicePhases& phases = span.side_stream ? step.side : step.compute;
    const std::int64_t ns = span.end_ns - span.begin_ns;
    phases.ns[phase] += ns;
    phases.occurred |= std::uint32_t{1} << phase;
    if (!span.side_stream) step.other_ns -= ns;
  }
  step.idle_ns = span_ns - covered(spans, span_ns);
  return step;
}

bool launches_work(const DeviceSpan& span) {
  return span.phase != PhaseId::kDataWait;  // the host waits and launches nothing
}

std::int64_t overlap_ns(const DeviceSpan& span, std::span<const DeviceSpan> compute) {
  const auto ends_before = [](const DeviceSpan& each, std::int64_t ns) {
    return each.end_ns <= ns;
  };
  auto each = std::lower_bound(compute.begin(), compute.end(), span.begin_ns, ends_before);
  std::int64_t sum = 0;
  for (; each != compute.end() && each->begin_ns < span.end_ns; ++each) {
    sum += std::min(each->end_ns, span.end_ns) - std::max(each->begin_ns, span.begin_ns);
  }
  return sum;
}

std::int64_t ns_of_ms(float ms) { return std::llround(1e6 * static_cast<double>(ms)); }

std::int64_t ClockMap::host_ns(std::int64_t device_ns) const {
  const std::int64_t device = last_.device_ns - first_.device_ns;
  const std::int64_t since = device_ns - first_.device_ns;
  if (device <= 0) return first_.host_ns + since;
  const std::int64_t drift = (last_.host_ns - first_.host_ns) - device;
  return first_.host_ns + since +
         std::llround(static_cast<double>(drift) * static_cast<double>(since) /
                      static_cast<double>(device));
}

std::int64_t ClockMap::error_ns() const { return std::max(first_.error_ns, last_.error_ns); }

}  // namespace stepbench::cuda
