// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/event_clock.h"

#include <algorithm>

#include "harness/measure/window_samples.h"
#include "harness/workload.h"

namespace stepbench {
namespace {

constexpr std::size_t kUsualMarks = 16;       // eight phases, begin and end
constexpr std::int64_t kLeadPrecision = 100;  // the map's error is at most a hundredth of a step

bool records(Action action) { return action >= Action::kRecord; }

}  // namespace

EventClock::EventClock(const CudaApi& api, const Clock& clock, EventClockOptions options)
    : api_(api), clock_(clock), options_(std::move(options)), ring_(api) {}

std::optional<std::string> EventClock::exercise() {
  if (std::string missing = device_missing(api_, options_.device); !missing.empty()) return missing;
  // torch's guards return to the thread's own device, which is 0 unless it is set here.
  ring_.check("cudaSetDevice", api_.set_device(options_.device));
  first_event_ = ring_.make_event();
  last_event_ = ring_.make_event();
  ring_.prepare(std::min(options_.window, options_.ring), kUsualMarks);
  (void)moment(first_event_);
  (void)moment(last_event_);
  (void)ring_.elapsed_ns(first_event_, last_event_);
  rows_.reserve(options_.window);
  spans_.reserve(kUsualMarks);
  if (!ring_.failure().empty()) return ring_.failure();
  return std::nullopt;
}

void EventClock::change(Action, Action to) {
  if (to == Action::kNone) in_window_ = false;
  if (records(to) && !in_window_) begin_window();
}

void EventClock::begin_window() {
  ring_.prepare(std::min(options_.window, options_.ring), std::max(most_marks_, kUsualMarks));
  if (ring_.failure().empty()) ring_.check("cudaDeviceSynchronize", api_.device_synchronize());
  rows_.clear();
  compute_.clear();
  side_.clear();
  if (side_streams_) {
    compute_.reserve(options_.window * most_marks_ / 2);
    side_.reserve(options_.window * most_marks_ / 2);
  }
  first_ = moment(first_event_);
  previous_end_ = first_event_;
  previous_end_ns_ = 0;
  in_window_ = true;
}

// On an idle device: the event passes between the two readings of the host's clock.
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
    ring_.clear();
  } else if (ring_.full()) {
    if (ring_.ready(ring_.oldest())) {
      read_oldest();
    } else {
      ++lagging_;
    }
  }
  open_ = &ring_.next();
  ring_.record(open_->begin, nullptr);
}

void EventClock::step_end() noexcept {
  if (open_ == nullptr) return;
  ring_.record(open_->end, nullptr);
  open_->host_end_ns = clock_.now_ns();
  most_marks_ = std::max(most_marks_, open_->used);
  open_ = nullptr;
  if (in_window_) ring_.commit();
}

void EventClock::phase_begin(PhaseId id, DeviceStream on) {
  if (open_ == nullptr) return;
  side_streams_ |= on.handle != nullptr;
  ring_.mark(*open_, id, on.handle, true);
}

void EventClock::phase_end(PhaseId id, DeviceStream on) noexcept {
  if (open_ != nullptr) ring_.mark(*open_, id, on.handle, false);
}

void EventClock::read_oldest() {
  const StepEvents& events = ring_.oldest();
  const std::int64_t begin_ns = previous_end_ns_ + ring_.elapsed_ns(previous_end_, events.begin);
  const std::int64_t span_ns = ring_.elapsed_ns(events.begin, events.end);
  spans_.clear();
  for (std::size_t i = 0; i + 1 < events.used;
       i += 2) {  // phases do not nest: pairs are neighbours
    const StepEvents::Mark& from = events.marks[i];
    const StepEvents::Mark& to = events.marks[i + 1];
    spans_.push_back({.begin_ns = ring_.elapsed_ns(events.begin, from.event),
                      .end_ns = ring_.elapsed_ns(events.begin, to.event),
                      .phase = from.phase,
                      .side_stream = from.stream != nullptr});
  }
  if (side_streams_) keep_for_overlap(begin_ns);
  rows_.push_back({.step = device_step(spans_, span_ns),
                   .device_end_ns = begin_ns + span_ns,
                   .host_end_ns = events.host_end_ns});
  previous_end_ = events.end;
  previous_end_ns_ = begin_ns + span_ns;
  ring_.pop();
}

void EventClock::keep_for_overlap(std::int64_t step_begin_ns) {
  for (DeviceSpan span : spans_) {
    span.begin_ns += step_begin_ns;
    span.end_ns += step_begin_ns;
    if (span.side_stream) {
      side_.emplace_back(rows_.size(), span);
    } else if (launches_work(span)) {
      compute_.push_back(span);
    }
  }
}

void EventClock::add_columns(Columns& cycle) {
  in_window_ = false;
  ++windows_;
  if (ring_.failure().empty()) ring_.check("cudaDeviceSynchronize", api_.device_synchronize());
  while (ring_.unread() > 0 && ring_.failure().empty()) read_oldest();
  grown_ += ring_.grown();
  const std::size_t steps = cycle.values.front().size();
  if (!ring_.failure().empty() || rows_.size() != steps) return;

  const auto column = [&](std::string name, const auto& of_row) {
    cycle.names.push_back(std::move(name));
    std::vector<std::int64_t>& values = cycle.values.emplace_back(steps);
    std::transform(rows_.begin(), rows_.end(), values.begin(), of_row);
  };
  column("step_device_ns", [](const Row& row) { return row.step.span_ns; });
  for (std::size_t phase = 0; phase < options_.phase_names.size(); ++phase) {
    const auto occurs = [&](const Row& row) {
      return (row.step.occurred >> phase & std::uint32_t{1}) != 0;
    };
    if (!std::any_of(rows_.begin(), rows_.end(), occurs)) continue;
    column(options_.phase_names[phase] + "_device_ns",
           [&](const Row& row) { return row.step.phase_ns[phase]; });
  }
  column("idle_device_ns", [](const Row& row) { return row.step.idle_ns; });
  for (const auto& [row, span] : side_) rows_[row].overlap_ns += overlap_ns(span, compute_);
  if (!side_.empty()) column("overlap_device_ns", [](const Row& row) { return row.overlap_ns; });
  add_host_lead(cycle);
  ++timed_;
}

void EventClock::add_host_lead(Columns& cycle) {
  ClockMap::Moment last = moment(last_event_);
  last.device_ns = previous_end_ns_ + ring_.elapsed_ns(previous_end_, last_event_);
  if (!ring_.failure().empty()) return;
  const ClockMap map(first_, last);
  error_ns_ = std::max(error_ns_, map.error_ns());
  std::vector<std::int64_t> periods = cycle.at("step_ns");
  const auto middle = periods.begin() + static_cast<std::ptrdiff_t>(periods.size() / 2);
  std::nth_element(periods.begin(), middle, periods.end());
  if (map.error_ns() * kLeadPrecision > *middle) {
    ++leads_left_out_;
    return;
  }
  cycle.names.emplace_back("host_lead_ns");
  std::vector<std::int64_t>& values = cycle.values.emplace_back(rows_.size());
  std::transform(rows_.begin(), rows_.end(), values.begin(),
                 [&](const Row& row) { return map.host_ns(row.device_end_ns) - row.host_end_ns; });
}

std::string EventClock::what_is_missing() const {
  if (timed_ == 0) return "no device times";
  if (timed_ == windows_) return "the last window has no host_lead_ns";
  return "no device times after " + std::to_string(timed_) + " of " + std::to_string(windows_) +
         " windows";
}

void EventClock::report(ReportSink& sink) const {
  if (!ring_.failure().empty()) sink.note(what_is_missing() + ": " + ring_.failure());
  if (timed_ == 0) return;
  sink.metric("event_clock_error_ns", static_cast<double>(error_ns_));
  sink.metric("event_ring_grown", static_cast<double>(grown_));
  sink.metric("event_ring_lagging", static_cast<double>(lagging_));
  if (leads_left_out_ > 0) {
    sink.note("host_lead_ns is left out of " + std::to_string(leads_left_out_) + " of " +
              std::to_string(windows_) +
              " windows: the clocks of host and device were set against each other only to " +
              std::to_string(error_ns_) + " ns, more than a hundredth of a step");
  }
}

}  // namespace stepbench
