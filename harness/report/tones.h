// SPDX-License-Identifier: Apache-2.0
// How serious each fact is, for every form alike. Pure; any thread.
#pragma once

#include <cstdint>

#include "harness/document/tone.h"

namespace stepbench {
enum class Severity : std::uint8_t;
}  // namespace stepbench
namespace stepbench::analyze {
enum class DiffLevel : std::uint8_t;
enum class IntegrityLevel : std::uint8_t;
}  // namespace stepbench::analyze
namespace stepbench::compare {
enum class GateState : std::uint8_t;
enum class Verdict : std::uint8_t;
struct TestResult;
}  // namespace stepbench::compare
namespace stepbench::track {
enum class NightState : std::uint8_t;
}  // namespace stepbench::track

namespace stepbench::report {

[[nodiscard]] document::Tone tone_of(Severity severity);
[[nodiscard]] document::Tone tone_of(analyze::DiffLevel level);
[[nodiscard]] document::Tone tone_of(analyze::IntegrityLevel level);
// What is claimed without being confirmed is a doubt.
[[nodiscard]] document::Tone tone_of(const compare::TestResult& test);
// Of a whole comparison.
[[nodiscard]] document::Tone tone_of(compare::Verdict verdict);
[[nodiscard]] document::Tone tone_of(compare::GateState state);
// Of a series or an alert; `worse`: which way it moved.
[[nodiscard]] document::Tone tone_of(track::NightState state, bool worse);

}  // namespace stepbench::report
