// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/device_tracing.h"

namespace stepbench::profile {

DeviceTracing::DeviceTracing(const OpCollectorOptions& options,
                             std::unique_ptr<cuda::ActivityCollector> activity)
    : activity_(std::move(activity)), listener_(*activity_), native_(options, &listener_) {}

DeviceTracing::~DeviceTracing() {
  if (tracing_) activity_->stop();
}

void DeviceTracing::start() {
  reason_ = activity_->start();
  tracing_ = !reason_;
  native_.start();
}

void DeviceTracing::begin_window(double reserve) {
  if (tracing_) activity_->discard();
  native_.begin_window(reserve);
}

void DeviceTracing::end_window() { native_.end_window(); }

ops::OpLog DeviceTracing::take() {
  ops::OpLog log = native_.take();
  if (!tracing_) return log;
  activity_->collect(log);
  reason_ = activity_->incomplete();
  activity_->stop();
  tracing_ = false;
  for (ops::DeviceActivity& activity : log.activities) {
    if (activity.external != 0) activity.op = native_.op_of(activity.external);
  }
  return log;
}

}  // namespace stepbench::profile
