// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/host_activity.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepbench::traces {
namespace {

// Number of other threads that are listed separately; the rest are merged.
constexpr std::size_t kMaxHostThreads = 32;

// Merges spans as they arrive in ascending order of start: most rows lie inside the previous one.
class GrowingSet {
 public:
  void add(const TraceEvent& event) {
    if (!spans_.empty() && event.start_ns <= spans_.back().end_ns) {
      spans_.back().end_ns = std::max(spans_.back().end_ns, event.end_ns);
    } else {
      spans_.push_back(span_of(event));
    }
  }
  [[nodiscard]] const std::vector<TimeSpan>& spans() const { return spans_; }
  [[nodiscard]] IntervalSet take() { return IntervalSet(std::exchange(spans_, {})); }

 private:
  std::vector<TimeSpan> spans_;
};

// A linear search suffices: calls rarely nest.
const TraceEvent* op_around(const std::vector<const TraceEvent*>& open) {
  const auto found = std::find_if(open.rbegin(), open.rend(),
                                  [](const TraceEvent* row) { return !is_call(row->kind); });
  return found == open.rend() ? nullptr : *found;
}

}  // namespace

std::vector<InnerRow> innermost_rows(const Trace& trace, const TraceLane& lane, bool calls) {
  std::vector<InnerRow> out;
  std::vector<const TraceEvent*> open;
  std::int64_t now_ns = 0;
  // The innermost open row runs from `now_ns` to `until_ns`.
  const auto run_until = [&](std::int64_t until_ns) {
    while (!open.empty()) {
      const TraceEvent* row = open.back();
      const std::int64_t end_ns = std::min(row->end_ns, until_ns);
      if (end_ns > now_ns) {
        if (!out.empty() && out.back().row == row && out.back().at.end_ns == now_ns) {
          out.back().at.end_ns = end_ns;
        } else {
          out.push_back({{now_ns, end_ns}, row, is_call(row->kind) ? op_around(open) : nullptr});
        }
        now_ns = end_ns;
      }
      if (row->end_ns > until_ns) return;
      open.pop_back();
    }
  };
  for (const TraceEvent& event : lane.events) {
    if (!is_host_op(trace, event) && !(calls && is_call(event.kind))) continue;
    run_until(event.start_ns);
    now_ns = std::max(now_ns, event.start_ns);
    if (open.empty()) now_ns = event.start_ns;
    open.push_back(&event);
  }
  if (!open.empty()) {
    std::int64_t last_ns = now_ns;
    for (const TraceEvent* row : open) last_ns = std::max(last_ns, row->end_ns);
    run_until(last_ns);
  }
  return out;
}

IdleCause cause_of_call(CallClass call) {
  if (call == CallClass::kSynchronize) return IdleCause::kSynchronise;
  return call == CallClass::kCopy ? IdleCause::kCopyCall : IdleCause::kLaunch;
}

HostSets::HostSets(const Trace& trace, std::uint32_t main) {
  ByCause<GrowingSet> of_main;
  std::vector<TimeSpan> all_others;
  std::vector<TimeSpan> all_backward;
  for (std::uint32_t i = 0; i < trace.lanes.size(); ++i) {
    if (trace.lanes[i].kind != LaneKind::kHost) continue;
    ByCause<GrowingSet> of_thread;
    ByCause<GrowingSet>& sets = i == main ? of_main : of_thread;
    for (const TraceEvent& event : trace.lanes[i].events) {
      const bool call = is_call(event.kind);
      if (!call && !is_host_op(trace, event)) continue;
      const NameFacts& facts = trace.names[event.name].facts;
      if (i != main) sets[IdleCause::kOtherThread].add(event);
      if (call) {
        sets[cause_of_call(facts.call)].add(event);
      } else {
        sets[IdleCause::kHostOp].add(event);
        if (facts.data_wait) sets[IdleCause::kDataLoading].add(event);
      }
      if (facts.autograd) sets[IdleCause::kBackward].add(event);
    }
    if (i == main || of_thread[IdleCause::kOtherThread].spans().empty()) continue;
    for (const auto& [cause, all] : {std::pair(IdleCause::kOtherThread, &all_others),
                                     std::pair(IdleCause::kBackward, &all_backward)}) {
      all->insert(all->end(), of_thread[cause].spans().begin(), of_thread[cause].spans().end());
    }
    threads.push_back(
        {i, of_thread[IdleCause::kOtherThread].take(), of_thread[IdleCause::kBackward].take()});
  }
  for (std::size_t cause = 0; cause < kIdleCauses; ++cause) {
    explaining[cause] = of_main[cause].take();
  }
  main_backward = explaining[IdleCause::kBackward];
  explaining[IdleCause::kBackward] = IntervalSet(std::move(all_backward)) | main_backward;
  explaining[IdleCause::kOtherThread] = IntervalSet(std::move(all_others));
  const std::size_t kept = std::min(kMaxHostThreads, threads.size());
  std::vector<std::pair<std::int64_t, std::size_t>> by_length;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    by_length.emplace_back(-threads[i].set.length_ns(), i);
  }
  std::ranges::sort(by_length);
  std::vector<OtherThread> busiest;
  for (std::size_t i = 0; i < kept; ++i) busiest.push_back(std::move(threads[by_length[i].second]));
  threads = std::move(busiest);
}

const std::vector<const TraceEvent*>& OpenRows::at(std::int64_t at_ns) {
  const std::vector<TraceEvent>& events = lane_.events;
  for (; next_ < events.size() && events[next_].start_ns <= at_ns; ++next_) {
    const TraceEvent& event = events[next_];
    if (!is_op_or_annotation(event.kind)) continue;
    close_until(event.start_ns);
    open_.push_back(&event);
  }
  close_until(at_ns);
  return open_;
}

void OpenRows::close_until(std::int64_t at_ns) {
  while (!open_.empty() && open_.back()->end_ns <= at_ns) open_.pop_back();
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

PythonFrames::PythonFrames(const Trace& trace, const TraceLane& lane) : trace_(&trace) {
  std::vector<std::uint32_t> open;
  std::int64_t now_ns = 0;
  const auto run_until = [&](std::int64_t until_ns) {
    while (!open.empty()) {
      const TraceEvent& row = *frames_[open.back()].row;
      const std::int64_t end_ns = std::min(row.end_ns, until_ns);
      if (end_ns > now_ns) {
        pieces_.push_back({{now_ns, end_ns}, open.back()});
        now_ns = end_ns;
      }
      if (row.end_ns > until_ns) return;
      open.pop_back();
    }
  };
  for (const TraceEvent& event : lane.events) {
    if (event.kind != EventKind::kPython) continue;
    run_until(event.start_ns);
    now_ns = open.empty() ? event.start_ns : std::max(now_ns, event.start_ns);
    const auto index = std::uint32_t(frames_.size());
    frames_.push_back({.row = &event, .parent = open.empty() ? kNoFrame : open.back()});
    open.push_back(index);
  }
  std::int64_t last_ns = now_ns;
  for (const std::uint32_t frame : open) last_ns = std::max(last_ns, frames_[frame].row->end_ns);
  run_until(last_ns);
  if (frames_.empty()) return;
  users_.resize(trace.names.size());
  for (const Frame& frame : frames_) {
    users_[frame.row->name] = is_users_frame(trace.names[frame.row->name].text);
  }
}

bool PythonFrames::is_users(std::uint32_t frame) const { return users_[frames_[frame].row->name]; }

std::uint32_t PythonFrames::users_around(std::uint32_t frame) const {
  while (frame != kNoFrame && !is_users(frame)) frame = frames_[frame].parent;
  return frame;
}

std::uint32_t PythonFrames::user_at(std::int64_t at_ns) const {
  const auto piece = window_at(pieces_, at_ns, [](const Piece& each) { return each.at; });
  if (!piece) return ops::kNoIndex;
  const std::uint32_t frame = users_around(pieces_[*piece].frame);
  return frame == kNoFrame ? ops::kNoIndex : frames_[frame].row->name;
}

// In "main > save > _save > write" the function that the user's main called is reported: save.
PythonShare PythonFrames::share_of(std::uint32_t frame) const {
  const std::uint32_t user = users_around(frame);
  std::uint32_t called = frame;
  while (user != kNoFrame && called != user && frames_[called].parent != user) {
    called = frames_[called].parent;
  }
  const TraceEvent* row = frames_[called].row;
  return {.function = row->name,
          .caller = user == kNoFrame || called == user ? ops::kNoIndex : frames_[user].row->name,
          .row = row};
}

std::vector<PythonShare> PythonFrames::shares_of(TimeSpan stretch) {
  std::vector<std::uint32_t> touched;
  std::int64_t covered_ns = 0;
  const auto first = std::ranges::partition_point(
      pieces_, [&](const Piece& piece) { return piece.at.end_ns <= stretch.begin_ns; });
  std::vector<std::pair<std::uint32_t, std::int64_t>> own;
  for (auto piece = first; piece != pieces_.end() && piece->at.begin_ns < stretch.end_ns; ++piece) {
    const std::int64_t ns =
        std::min(piece->at.end_ns, stretch.end_ns) - std::max(piece->at.begin_ns, stretch.begin_ns);
    covered_ns += ns;
    own.emplace_back(piece->frame, ns);
    frames_[piece->frame].covered_ns += ns;
    for (std::uint32_t frame = piece->frame; frame != kNoFrame && !frames_[frame].touched;
         frame = frames_[frame].parent) {
      frames_[frame].touched = true;
      touched.push_back(frame);
    }
  }
  std::ranges::sort(touched);
  for (auto frame = touched.rbegin(); frame != touched.rend(); ++frame) {
    const Frame& each = frames_[*frame];
    if (each.parent != kNoFrame) frames_[each.parent].covered_ns += each.covered_ns;
  }
  for (const std::uint32_t index : touched) {
    Frame& frame = frames_[index];
    const bool large = kNamedPart * frame.covered_ns >= stretch.length_ns();
    frame.named_as = large || frame.parent == kNoFrame ? index : frames_[frame.parent].named_as;
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
