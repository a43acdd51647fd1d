// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/answers.h"

#include <charconv>
#include <istream>
#include <memory>
#include <ostream>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/error.h"

namespace stepbench::gpu {
namespace {

using machine::NvmlApi;
using machine::NvmlDevice;

template <typename Number>
requires std::is_integral_v<Number> std::string text_of_value(Number value) {
  return std::to_string(value);
}
std::string text_of_value(const std::string& value) { return value; }
std::string text_of_value(const machine::NvmlUtilisation& value) {
  return std::to_string(value.gpu) + ' ' + std::to_string(value.memory);
}
std::string text_of_value(const machine::NvmlMemory& value) {
  return std::to_string(value.total) + ' ' + std::to_string(value.free) + ' ' +
         std::to_string(value.used);
}
std::string text_of_value(const std::vector<int>& value) {
  std::string text;
  for (const int each : value) text += (text.empty() ? "" : " ") + std::to_string(each);
  return text;
}

template <typename Number>
requires std::is_integral_v<Number>
void read_value(const std::string& text, Number& value) {
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
}
void read_value(const std::string& text, std::string& value) { value = text; }
void read_value(const std::string& text, machine::NvmlUtilisation& value) {
  std::istringstream(text) >> value.gpu >> value.memory;
}
void read_value(const std::string& text, machine::NvmlMemory& value) {
  std::istringstream(text) >> value.total >> value.free >> value.used;
}
void read_value(const std::string& text, std::vector<int>& value) {
  std::istringstream in(text);
  for (int each = 0; in >> each;) value.push_back(each);
}

// Calls each(key, function) for every function of the table that returns one value. The key of a
// query about a device begins with its index.
template <typename Each>
void for_each_question(NvmlApi& api, const Each& each) {
  each("driver_version", api.driver_version);
  each("cuda_version", api.cuda_version);
  each("device_count", api.device_count);
  each("name", api.name);
  each("uuid", api.uuid);
  each("clock", api.clock);
  each("max_clock", api.max_clock);
  each("power", api.power);
  each("power_limit", api.power_limit);
  each("energy", api.energy);
  each("temperature", api.temperature);
  each("clock_reasons", api.clock_reasons);
  each("throttled", api.throttled);
  each("utilisation", api.utilisation);
  each("memory", api.memory);
  each("persistence", api.persistence);
  each("mig", api.mig);
  each("ecc", api.ecc);
  each("memory_errors", api.memory_errors);
  each("processes", api.processes);
}

// Handles of replayed devices are indices plus one; those of real ones are learnt.
using Handles = std::map<NvmlDevice, unsigned>;

// The device comes before the query, other arguments after it; the last argument receives the
// value.
template <typename... Arguments>
std::string key_of(const Handles& handles, const char* question, Arguments... arguments) {
  std::string before;
  std::string after;
  const auto add = [&](auto each) {
    if constexpr (std::is_same_v<decltype(each), NvmlDevice>) {
      const auto found = handles.find(each);
      before = (found == handles.end() ? "?" : std::to_string(found->second)) + '.';
    } else if constexpr (std::is_integral_v<decltype(each)>) {
      after += '.' + std::to_string(each);
    }
  };
  (add(arguments), ...);
  return before + question + after;
}

template <typename... Arguments>
auto& value_of(Arguments... arguments) {
  return *std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
}

}  // namespace

NvmlApi recording(NvmlApi api, Answers& answers) {
  const auto handles = std::make_shared<Handles>();
  for_each_question(api, [&]<typename... Arguments>(const char* question,
                                                    std::function<int(Arguments...)>& call) {
    call = [question, inner = std::move(call), &answers, handles](Arguments... arguments) {
      const HostClock clock;
      const std::int64_t begin_ns = clock.now_ns();
      const int code = inner(arguments...);
      const std::int64_t ns = clock.now_ns() - begin_ns;
      answers[key_of(*handles, question, arguments...)] = {
          code, ns, code == 0 ? text_of_value(value_of(arguments...)) : ""};
      return code;
    };
  });
  api.device = [inner = std::move(api.device), handles](unsigned index, NvmlDevice* device) {
    const int code = inner(index, device);
    if (code == 0) (*handles)[*device] = index;
    return code;
  };
  return api;
}

NvmlApi replaying(const Answers& answers) {
  const auto handles = std::make_shared<Handles>();
  NvmlApi api;
  for_each_question(api, [&]<typename... Arguments>(const char* question,
                                                    std::function<int(Arguments...)>& call) {
    call = [question, all = std::make_shared<const Answers>(answers),
            handles](Arguments... arguments) {
      const auto found = all->find(key_of(*handles, question, arguments...));
      if (found == all->end()) return machine::kNvmlNotSupported;
      if (found->second.code == 0) read_value(found->second.value, value_of(arguments...));
      return found->second.code;
    };
  });
  api.init = [] { return 0; };
  api.shutdown = [] { return 0; };
  unsigned count = 0;
  if (api.device_count(&count) != 0) count = 0;
  for (unsigned i = 0; i < count; ++i) {
    (*handles)[reinterpret_cast<NvmlDevice>(std::uintptr_t{i} + 1)] = i;
  }
  api.device = [count](unsigned index, NvmlDevice* device) {
    *device = reinterpret_cast<NvmlDevice>(std::uintptr_t{index} + 1);
    return index < count ? 0 : 2;
  };
  api.device_of_pci = [](const std::string&, NvmlDevice*) { return machine::kNvmlNotSupported; };
  api.device_of_slice = api.device_of_pci;
  return api;
}

void write(const Answers& answers, std::ostream& out) {
  for (const auto& [question, answer] : answers) {
    out << question << '\t' << answer.code << '\t' << answer.ns << '\t' << answer.value << '\n';
  }
}

Answers read_answers(std::istream& in) {
  Answers answers;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string question;
    Answer answer;
    if (!std::getline(fields, question, '\t') || !(fields >> answer.code >> answer.ns)) {
      throw Error("'" + line + "' is no answer: question, code, nanoseconds, value");
    }
    fields.get();
    std::getline(fields, answer.value);
    answers[question] = answer;
  }
  return answers;
}

}  // namespace stepbench::gpu
