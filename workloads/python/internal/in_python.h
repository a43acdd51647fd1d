// SPDX-License-Identifier: Apache-2.0
// The interpreter's lock (GIL) and its errors. The worker runs without the lock and takes it for
// the duration of a Python call, so that the step's C++ and the user's threads run concurrently.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <exception>
#include <utility>

#include "harness/base/clock.h"

namespace stepbench::python {

// Converts a Python exception: UserError of user_file.py to ConfigError, its Unavailable to
// NotMeasurable, others to Error with one line that describes the error and its place. Prints the
// traceback to standard error, as Python does. Requires the lock.
[[nodiscard]] std::exception_ptr to_cpp(pybind11::error_already_set& error);

// Calls `body` with the lock held, on any thread. The result must not be a Python object, which
// would outlive the lock. Throws the conversion of to_cpp() for a Python exception.
template <typename Body>
auto in_python(const Body& body) {
  const pybind11::gil_scoped_acquire hold;
  try {
    return body();
  } catch (pybind11::error_already_set& error) {
    std::rethrow_exception(to_cpp(error));
  }
}

// Time that calls waited for the lock, held by another thread of the user's code. Access requires
// the lock.
struct GilWait {
  std::int64_t wait_ns = 0;
  std::int64_t calls = 0;
};

// The same, and counts the wait for the lock.
template <typename Body>
auto in_python(GilWait& waited, const Body& body) {
  const HostClock clock;
  const std::int64_t asked = clock.now_ns();
  const pybind11::gil_scoped_acquire hold;
  waited.wait_ns += clock.now_ns() - asked;
  ++waited.calls;
  return in_python(body);
}

// A Python object that C++ keeps beyond one call; released with the lock held, on any thread.
class OwnedPyObject {
 public:
  OwnedPyObject() = default;
  // Requires the lock.
  explicit OwnedPyObject(pybind11::object object) : object_(object.release()) {}
  OwnedPyObject(const OwnedPyObject&) = delete;
  OwnedPyObject& operator=(const OwnedPyObject&) = delete;
  OwnedPyObject(OwnedPyObject&& other) noexcept : object_(std::exchange(other.object_, {})) {}
  OwnedPyObject& operator=(OwnedPyObject&& other) noexcept {
    if (this == &other) return *this;
    reset();
    object_ = std::exchange(other.object_, {});
    return *this;
  }
  ~OwnedPyObject() { reset(); }

  // Requires the lock.
  [[nodiscard]] pybind11::object get() const {
    return pybind11::reinterpret_borrow<pybind11::object>(object_);
  }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(object_); }
  void reset() {
    if (!object_) return;
    const pybind11::gil_scoped_acquire hold;
    object_.dec_ref();
    object_ = {};
  }

 private:
  pybind11::handle object_;
};

}  // namespace stepbench::python
