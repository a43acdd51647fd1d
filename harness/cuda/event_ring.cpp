// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/event_ring.h"

#include <algorithm>

namespace stepbench::cuda {

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

}  // namespace stepbench::cuda
