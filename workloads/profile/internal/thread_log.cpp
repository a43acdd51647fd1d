// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/thread_log.h"

#include <pthread.h>
#include <unistd.h>

#include <array>

namespace stepbench::profile {
namespace {

std::string name_of_this_thread() {
  std::array<char, 32> name{};
  return ::pthread_getname_np(::pthread_self(), name.data(), name.size()) == 0 ? name.data() : "";
}

}  // namespace

ThreadLog::ThreadLog(std::uint32_t index_, std::uint32_t torch_thread_, OpListener* listener_)
    : index(index_),
      torch_thread(torch_thread_),
      kernel_thread(::gettid()),
      thread_name(name_of_this_thread()),
      listener(listener_) {}

std::uint32_t NameCache::look_up(std::string_view text, Entry& entry) {
  auto found = index_.find(text);
  if (found == index_.end()) {
    const std::string& copy = names_.emplace_back(text);
    found = index_.emplace(copy, static_cast<std::uint32_t>(names_.size() - 1)).first;
  }
  entry = {found->first.data(), found->first.size(), found->second};
  return found->second;
}

void ShapeWords::reserve(std::size_t words) {
  const std::size_t free =
      static_cast<std::size_t>(end_ - next_) + (chunks_.size() - opened_) * kChunk;
  for (std::size_t have = free; have < words; have += kChunk) add_chunk();
}

namespace {

std::string list_text(const std::int64_t* first, std::int64_t count) {
  std::string text = "[";
  for (std::int64_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(first[i]);
  return text + ']';
}

std::string truths_text(const std::int64_t* first, std::int64_t count) {
  std::string text = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + std::string(first[i] == 0 ? "False" : "True");
  }
  return text + ']';
}

std::string value_text(ShapeWords::Argument kind, const std::int64_t* values, std::int64_t count) {
  switch (kind) {
    case ShapeWords::Argument::kNone:
      break;
    case ShapeWords::Argument::kInteger:
      return std::to_string(*values);
    case ShapeWords::Argument::kTruth:
      return *values == 0 ? "False" : "True";
    case ShapeWords::Argument::kList:
      return list_text(values, count);
    case ShapeWords::Argument::kTruths:
      return truths_text(values, count);
  }
  return {};
}

}  // namespace

std::string shapes_text(const std::int64_t* words) {
  const std::int64_t* const end = words + 1 + *words;
  std::string text = "[";
  for (const std::int64_t* at = words + 1; at < end && *at != ShapeWords::kArguments;) {
    const std::int64_t extents = *at++;
    if (text.size() > 1) text += ", ";
    text += list_text(at, extents);
    at += extents;
  }
  return text + ']';
}

std::string arguments_text(const std::int64_t* words) {
  const std::int64_t* const end = words + 1 + *words;
  const std::int64_t* at = words + 1;
  while (at < end && *at != ShapeWords::kArguments) at += 1 + *at;
  if (at >= end) return {};
  std::string text = "[";
  for (++at; at < end;) {
    const auto kind = static_cast<ShapeWords::Argument>(at[0]);
    const std::int64_t count = at[1];
    if (text.size() > 1) text += ", ";
    text += '"' + value_text(kind, at + 2, count) + '"';
    at += 2 + count;
  }
  return text + ']';
}

}  // namespace stepbench::profile
