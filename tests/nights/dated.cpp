// SPDX-License-Identifier: Apache-2.0
// When preloaded, shifts the date by DATED_SECONDS: a month of nights in a minute. Clocks that
// measure durations are unchanged.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

long seconds() {
  static const long moved = [] {
    const char* text = std::getenv("DATED_SECONDS");
    return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  }();
  return moved;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = ::syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    time->tv_sec += seconds();
  }
  return static_cast<int>(result);
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now{};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t* into) noexcept {
  timespec now{};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}
}
