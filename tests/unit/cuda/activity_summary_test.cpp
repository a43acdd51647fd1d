// SPDX-License-Identifier: Apache-2.0
// Activity of a device in two steps of 100 ns each, from 1000 on.
#include "harness/cuda/device_activity.h"

#include "harness/catalogue/catalogue.h"
#include "harness/estimate/columns.h"
#include "tests/testing.h"
#include "tests/unit/cuda/note_sink.h"

namespace stepbench::cuda {
namespace {

// Rows with ';' between: KIND [NAME] BEGIN END [#CORRELATION] [@THREAD]. Calls have a name.
ops::OpLog log_of(const std::string& rows) {
  using ops::ActivityKind;
  using ops::CopyKind;
  static const std::map<std::string, std::pair<ActivityKind, CopyKind>> kKinds = {
      {"kernel", {ActivityKind::kKernel, CopyKind::kNone}},
      {"set", {ActivityKind::kMemset, CopyKind::kNone}},
      {"up", {ActivityKind::kMemcpy, CopyKind::kHostToDevice}},
      {"pinned", {ActivityKind::kMemcpy, CopyKind::kHostToDevice}},
      {"down", {ActivityKind::kMemcpy, CopyKind::kDeviceToHost}},
      {"across", {ActivityKind::kMemcpy, CopyKind::kDeviceToDevice}},
      {"peer", {ActivityKind::kMemcpy, CopyKind::kPeer}},
      {"host", {ActivityKind::kMemcpy, CopyKind::kHostToHost}},
      {"runtime", {ActivityKind::kRuntime, CopyKind::kNone}},
      {"driver", {ActivityKind::kDriver, CopyKind::kNone}},
      {"wait", {ActivityKind::kSynchronization, CopyKind::kNone}}};
  ops::OpLog log;
  log.marks = {{.start_ns = 1000, .end_ns = 1100, .index = 5},
               {.start_ns = 1010, .end_ns = 1050, .index = 5, .phase = 0},
               {.start_ns = 1100, .end_ns = 1200, .index = 6}};
  std::istringstream all(rows);
  for (std::string row; std::getline(all, row, ';');) {
    std::istringstream in(row);
    std::string kind, name;
    in >> kind;
    ops::DeviceActivity activity;
    std::tie(activity.kind, activity.copy) = kKinds.at(kind);
    activity.pinned = kind == "pinned";
    if (activity.kind == ActivityKind::kMemcpy) activity.bytes = 50;
    if (!std::isdigit((in >> std::ws).peek())) in >> name;
    in >> activity.start_ns >> activity.end_ns;
    for (std::string more; in >> more;) {
      if (more[0] == '#') activity.correlation = std::stoull(more.substr(1));
      if (more[0] == '@') activity.thread = static_cast<std::uint32_t>(std::stoul(more.substr(1)));
    }
    activity.name = static_cast<std::uint32_t>(log.names.size());
    log.names.push_back(name);
    log.activities.push_back(activity);
  }
  return log;
}

std::string text_of(const ActivitySummary& sum) {
  std::ostringstream out;
  out << "steps " << sum.steps << " span " << sum.span_ns << " busy " << sum.busy_ns << " kernels "
      << sum.kernels << " launches " << sum.launches << " copies " << sum.copies << " bytes "
      << sum.copied_bytes.value_or(-1) << " pageable " << sum.pageable_copies << " waits "
      << sum.synchronisations.value_or(-1) << " waited " << sum.synchronisation_ns;
  return out.str();
}

struct Summed {
  const char* name;
  const char* rows;
  const char* sums;
};

constexpr Summed kSummed[] = {
    {"busy is the union over streams; the last kernel began in the last step",
     "kernel 1010 1050; pinned 1040 1070; set 1045 1046; kernel 1190 1300",
     "steps 2 span 300 busy 170 kernels 2 launches 0 copies 1 bytes 50 pageable 0 waits 0"},
    {"a kernel and a graph are launches; a stream that waits for an event holds up no host",
     "runtime cudaLaunchKernel 1001 1002; runtime cudaGetDevice 1003 1004; "
     "runtime cudaGraphLaunch 1005 1006; pinned 1010 1020; up 1010 1020; "
     "wait Stream_Synchronize 1020 1070",
     "launches 2 copies 2 bytes 100 pageable 1 waits 1 waited 50"},
    {"what ran outside the steps is not theirs", "kernel 100 900; kernel 1300 1400",
     "busy 0 kernels 0"},
    // Within it; on another thread; after it; by another API; after the steps.
    {"all ways to launch count, and one inside another counts once",
     "runtime __cudaLaunchKernel 1000 1010 #1 @0; driver cuLaunchKernelEx 1002 1008 #2 @0; "
     "driver cuLaunchKernelEx 1002 1008 #3 @1; driver cuLaunchKernelEx 1010 1012 #4 @0; "
     "runtime cudaLaunchHostFunc 1020 1022 #5 @0; driver cuGraphLaunch 1030 1032 #6 @0; "
     "runtime cudaMemcpyAsync 1040 1042 #7 @0; runtime cudaLaunchKernelExC 1050 1052 #8 @0; "
     "driver cuLaunchKernelEx 1052 1053 #8 @2; runtime __cudaLaunchKernel 1300 1302 #9 @0",
     "launches 5"},
    // Until the device has finished the work of the steps.
    {"work of a device that is behind belongs to the step that started it",
     "runtime cudaLaunchKernel 1010 1015 #1 @0; runtime cudaLaunchKernel 1180 1210 #2 @0; "
     "runtime cudaLaunchKernel 1400 1410 #3 @0; kernel 1020 1220 #1; kernel 1230 1500 #2; "
     "kernel 1600 1700 #3",
     "span 500 busy 470 kernels 2 launches 2"},
    {"work started before the steps is busy time but none of theirs",
     "runtime cudaLaunchKernel 900 910 #1 @0; kernel 950 1030 #1", "busy 30 kernels 0"},
    {"kernels of one graph launch are many kernels of one launch",
     "runtime cudaGraphLaunch 1010 1015 #1 @0; kernel 1020 1030 #1; kernel 1030 1040 #1; "
     "kernel 1240 1250 #1",
     "kernels 3 launches 1"},
    {"copies on the device are no pageable copies",
     "across 1010 1020; peer 1010 1020; host 1010 1020; down 1010 1020",
     "copies 4 bytes 200 pageable 1"},
    {"waits that a collector does not record are not said to be none",
     "kernel 1010 1050; runtime cudaStreamSynchronize 1050 1090", "waits -1"},
    {"nor are there two where they are recorded",
     "kernel 1010 1050; runtime cudaStreamSynchronize 1050 1090; wait Stream_Synchronize 1051 1089",
     "waits 1 waited 38"},
};

TEST(ActivitySummary, ActivityLog_IsSummedPerStep) {
  for (const Summed& each : kSummed) {
    const std::string text = text_of(summarise_activities(log_of(each.rows)));
    EXPECT_NE(text.find(each.sums), std::string::npos) << each.name << ": " << text;
  }
}

TEST(ActivitySummary, StreamWait_DelaysNoHost) {
  ops::OpLog log = log_of("wait x 1071 1072");
  log.names = {"Stream Wait Event"};
  EXPECT_EQ(summarise_activities(log).synchronisations, 0);
}

TEST(ActivitySummary, NoMarks_MakeTheLogOneStep) {
  ops::OpLog log = log_of("kernel 40 50; kernel 90 95; wait Stream_Synchronize 95 95");
  log.marks.clear();
  EXPECT_TRUE(text_of(summarise_activities(log)).starts_with("steps 1 span 55 busy 15 kernels 2"));
}

TEST(ActivitySummary, Report_HasDeclaredMetricsPerStep) {
  NoteSink sink;
  report(summarise_activities(log_of("kernel 1000 1100; kernel 1100 1150")), sink);
  EXPECT_EQ(sink.metrics.at("device_busy_ns"), 75);
  EXPECT_EQ(sink.metrics.at("device_idle_ns"), 25);
  EXPECT_EQ(sink.metrics.at("kernels"), 1);
  for (const auto& [name, value] : sink.metrics) {
    const auto& declared = estimate::harness_metrics();
    EXPECT_TRUE(std::any_of(declared.begin(), declared.end(), [&](const Metric& metric) {
      return metric.name == name;
    })) << name;
  }
}

TEST(ActivitySummary, UnknownValues_AreNotReported) {
  NoteSink nothing;
  report(summarise_activities(log_of("")), nothing);
  EXPECT_TRUE(nothing.metrics.empty());
  NoteSink unheard;
  report(summarise_activities(log_of("kernel 1010 1050; runtime cudaStreamSynchronize 1050 1090")),
         unheard);
  EXPECT_EQ(unheard.metrics.count("synchronisations"), 0U);
  EXPECT_EQ(unheard.metrics.count("synchronisation_ns"), 0U);
}

}  // namespace
}  // namespace stepbench::cuda
