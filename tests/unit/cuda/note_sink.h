// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/findings/finding.h"
#include "harness/workload.h"
#include "tests/testing.h"

namespace stepbench::cuda {

struct NoteSink final : ReportSink {
  void metric(std::string_view name, double value) override { metrics[std::string(name)] = value; }
  void effective(std::string_view, Value) override {}
  void note(std::string text) override { notes.push_back(std::move(text)); }
  void finding(Finding finding) override { findings.push_back(std::move(finding)); }

  std::map<std::string, double> metrics;
  std::vector<std::string> notes;
  std::vector<Finding> findings;
};

}  // namespace stepbench::cuda
