// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/host_activity.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepbench::traces {
namespace {

// Number of other threads that are listed separately; the rest are merged.
constexpr std::size_t kMaxHostThreads = 32;

IdleCause cause_of_call(CallClass call) {
  if (call == CallClass::kSynchronize) return IdleCause::kSynchronise;
  return call == CallClass::kCopy ? IdleCause::kCopyCall : IdleCause::kLaunch;
}

// Adds the part of the stretch behind those before it.
void append(std::vector<Stretch>& stretches, Stretch more) {
  if (!stretches.empty()) {
    more.at.begin_ns = std::max(more.at.begin_ns, stretches.back().at.end_ns);
  }
  if (more.at.length_ns() > 0) stretches.push_back(more);
}

IntervalSet set_of(const std::vector<Stretch>& stretches) {
  std::vector<TimeSpan> spans;
  for (const Stretch& stretch : stretches) spans.push_back(stretch.at);
  return IntervalSet(std::move(spans));
}

IntervalSet backward_on(const Trace& trace, const TraceLane& lane) {
  std::vector<TimeSpan> spans;
  for (const TraceEvent& event : lane.events) {
    const bool works = is_call(event.kind) || is_host_op(trace, event);
    if (works && trace.facts_of(event).autograd) spans.push_back(span_of(event));
  }
  return IntervalSet(std::move(spans));
}

}  // namespace

std::vector<InnerRow> innermost_rows(const Trace& trace, const TraceLane& lane, bool calls) {
  const Nesting rows(lane, [&](const TraceEvent& event) {
    return is_host_op(trace, event) || (calls && is_call(event.kind));
  });
  const std::vector<Nesting::Piece> pieces = rows.pieces();
  std::vector<InnerRow> out;
  out.reserve(pieces.size());
  for (const auto& [at, row] : pieces) {
    std::uint32_t op = row;
    while (op != ops::kNoIndex && is_call(rows[op].event->kind)) op = rows[op].parent;
    out.push_back({at, rows[row].event, op == ops::kNoIndex ? nullptr : rows[op].event});
  }
  return out;
}

HostActivity::HostActivity(const Timeline& timeline, std::uint32_t main) {
  const Trace& trace = *timeline.trace;
  if (main != ops::kNoIndex) add_step_thread(timeline, main);
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
    explaining[cause] = set_of(stretches[cause]);
  }
  IntervalSet others;
  IntervalSet backward = main_backward;
  std::vector<OtherThread> all;
  for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
    if (trace.lanes[i].kind != LaneKind::kHost || i == main) continue;
    OtherThread thread{.lane = i};
    for (const InnerRow& inner : innermost_rows(trace, trace.lanes[i], true)) {
      thread.stretches.push_back(
          {.at = inner.at,
           .name = inner.op == nullptr ? ops::kNoIndex : timeline.shown_name(*inner.op),
           .call = inner.op == inner.row ? ops::kNoIndex : inner.row->name,
           .row = inner.row});
    }
    if (thread.stretches.empty()) continue;
    thread.set = set_of(thread.stretches);
    thread.backward = backward_on(trace, trace.lanes[i]);
    others = others | thread.set;
    backward = backward | thread.backward;
    all.push_back(std::move(thread));
  }
  explaining[IdleCause::kBackward] = std::move(backward);
  explaining[IdleCause::kOtherThread] = std::move(others);
  std::vector<std::pair<std::int64_t, std::size_t>> by_length;
  for (std::size_t i = 0; i < all.size(); ++i) by_length.emplace_back(-all[i].set.length_ns(), i);
  std::ranges::sort(by_length);
  by_length.resize(std::min(kMaxHostThreads, by_length.size()));
  for (const auto& [length, i] : by_length) threads.push_back(std::move(all[i]));
}

// A call inside another one of the same cause counts as part of it.
void HostActivity::add_step_thread(const Timeline& timeline, std::uint32_t main) {
  const Trace& trace = *timeline.trace;
  const TraceLane& lane = trace.lanes[main];
  for (const CallRow& call : timeline.calls) {
    if (call.event->lane != main) continue;
    append(stretches[cause_of_call(trace.facts_of(*call.event).call)],
           {.at = span_of(*call.event),
            .name = call.op == nullptr ? ops::kNoIndex : timeline.shown_name(*call.op),
            .call = call.event->name,
            .row = call.event});
  }
  for (const InnerRow& inner : innermost_rows(trace, lane, false)) {
    stretches[IdleCause::kHostOp].push_back(
        {.at = inner.at, .name = timeline.shown_name(*inner.row), .row = inner.row});
  }
  for (const TraceEvent& event : lane.events) {
    if (!is_host_op(trace, event) || !trace.facts_of(event).data_wait) continue;
    append(stretches[IdleCause::kDataLoading],
           {.at = span_of(event), .name = event.name, .row = &event});
  }
  main_backward = backward_on(trace, lane);
}

namespace {

constexpr std::int64_t kNamedPart = 5;  // a fifth of a span

}  // namespace

bool is_users_frame(std::string_view name) {
  if (name.empty() || name.front() == '<' || name.starts_with("nn.Module: ")) return false;
  const std::size_t line = name.find(".py(");
  if (line == std::string_view::npos) return false;
  const std::string_view path = name.substr(0, line + 3);
  constexpr std::array<std::string_view, 4> kInstalled = {"site-packages/", "dist-packages/",
                                                          "lib/python", "lib64/python"};
  const auto within = [&](std::string_view part) {
    return path.find(part) != std::string_view::npos;
  };
  if (std::ranges::any_of(kInstalled, within)) return false;
  // Recorders omit the folder in which Python found a module.
  constexpr std::array<std::string_view, 42> kLibraries = {
      "PIL/",        "abc.py",        "asyncio/",     "codecs.py",        "collections/",
      "concurrent/", "contextlib.py", "copy.py",      "datetime.py",      "encodings/",
      "enum.py",     "functools.py",  "gzip.py",      "importlib/",       "inspect.py",
      "io.py",       "json/",         "logging/",     "multiprocessing/", "numpy/",
      "os.py",       "pathlib.py",    "pickle.py",    "posixpath.py",     "queue.py",
      "random.py",   "re.py",         "runpy.py",     "selectors.py",     "shutil.py",
      "socket.py",   "subprocess.py", "tempfile.py",  "threading.py",     "torch/",
      "torchaudio/", "torchvision/",  "traceback.py", "typing.py",        "warnings.py",
      "weakref.py",  "zipfile.py"};
  return std::ranges::none_of(kLibraries,
                              [&](std::string_view library) { return path.starts_with(library); });
}

PythonFrames::PythonFrames(const Trace& trace, const TraceLane& lane) {
  const Nesting frames(lane,
                       [](const TraceEvent& event) { return event.kind == EventKind::kPython; });
  rows_ = frames.rows();
  pieces_ = frames.pieces();
  frames_.resize(rows_.size());
  if (rows_.empty()) return;
  users_.resize(trace.names.size());
  for (const NestedRow& row : rows_) {
    users_[row.event->name] = is_users_frame(trace.names[row.event->name].text);
  }
}

bool PythonFrames::is_users(std::uint32_t frame) const { return users_[rows_[frame].event->name]; }

std::uint32_t PythonFrames::users_around(std::uint32_t frame) const {
  while (frame != ops::kNoIndex && !is_users(frame)) frame = rows_[frame].parent;
  return frame;
}

std::uint32_t PythonFrames::user_at(std::int64_t at_ns) const {
  const auto piece = window_at(pieces_, at_ns, [](const Nesting::Piece& each) { return each.at; });
  if (!piece) return ops::kNoIndex;
  const std::uint32_t frame = users_around(pieces_[*piece].row);
  return frame == ops::kNoIndex ? ops::kNoIndex : rows_[frame].event->name;
}

// In "main > save > _save > write" the function that the user's main called is reported: save.
PythonShare PythonFrames::share_of(std::uint32_t frame) const {
  const std::uint32_t user = users_around(frame);
  std::uint32_t called = frame;
  while (user != ops::kNoIndex && called != user && rows_[called].parent != user) {
    called = rows_[called].parent;
  }
  const TraceEvent* row = rows_[called].event;
  return {
      .function = row->name,
      .caller = user == ops::kNoIndex || called == user ? ops::kNoIndex : rows_[user].event->name,
      .row = row};
}

std::vector<PythonShare> PythonFrames::shares_of(TimeSpan stretch) {
  std::vector<std::uint32_t> touched;
  std::int64_t covered_ns = 0;
  const auto first = std::ranges::partition_point(
      pieces_, [&](const Nesting::Piece& piece) { return piece.at.end_ns <= stretch.begin_ns; });
  std::vector<std::pair<std::uint32_t, std::int64_t>> own;
  for (auto piece = first; piece != pieces_.end() && piece->at.begin_ns < stretch.end_ns; ++piece) {
    const std::int64_t ns =
        std::min(piece->at.end_ns, stretch.end_ns) - std::max(piece->at.begin_ns, stretch.begin_ns);
    covered_ns += ns;
    own.emplace_back(piece->row, ns);
    frames_[piece->row].covered_ns += ns;
    for (std::uint32_t frame = piece->row; frame != ops::kNoIndex && !frames_[frame].touched;
         frame = rows_[frame].parent) {
      frames_[frame].touched = true;
      touched.push_back(frame);
    }
  }
  std::ranges::sort(touched);
  for (auto frame = touched.rbegin(); frame != touched.rend(); ++frame) {
    const std::uint32_t parent = rows_[*frame].parent;
    if (parent != ops::kNoIndex) frames_[parent].covered_ns += frames_[*frame].covered_ns;
  }
  for (const std::uint32_t index : touched) {
    Frame& frame = frames_[index];
    const std::uint32_t parent = rows_[index].parent;
    const bool large = kNamedPart * frame.covered_ns >= stretch.length_ns();
    frame.named_as = large || parent == ops::kNoIndex ? index : frames_[parent].named_as;
  }
  std::vector<PythonShare> shares;
  for (const auto& [frame, ns] : own) {
    PythonShare share = share_of(frames_[frame].named_as);
    const auto same = std::ranges::find_if(shares, [&](const PythonShare& each) {
      return each.function == share.function && each.caller == share.caller;
    });
    if (same == shares.end()) {
      share.ns = ns;
      shares.push_back(share);
      continue;
    }
    same->ns += ns;
    if (share.row->duration_ns() > same->row->duration_ns()) same->row = share.row;
  }
  for (const std::uint32_t frame : touched) {
    frames_[frame].covered_ns = 0;
    frames_[frame].touched = false;
  }
  if (covered_ns < stretch.length_ns()) shares.push_back({.ns = stretch.length_ns() - covered_ns});
  return shares;
}

}  // namespace stepbench::traces
