// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_claims.h"

#include <unistd.h>

#include <exception>
#include <utility>

#include "harness/campaign/confirm_events.h"
#include "harness/machine/environment.h"
#include "harness/os/text_file.h"
#include "harness/text/utc.h"

namespace stepbench::campaign {
namespace {

// Clock ticks from boot to the start of a process; empty: there is none with this number.
std::string start_of(const std::string& pid) {
  constexpr std::size_t kWordsUntilStart = 19;  // behind the name, which may hold blanks: proc(5)
  const std::string stat = os::read_text("/proc/" + pid + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  const auto words = os::split_words(std::string_view(stat).substr(name_end + 1));
  return words.size() > kWordsUntilStart ? std::string(words[kWordsUntilStart]) : std::string();
}

}  // namespace

std::string claimant_name(const std::string& who, const std::string& host) {
  const std::string pid = std::to_string(::getpid());
  return who + " on " + host + " #" + pid + "." + start_of(pid);
}

bool claimant_is_gone(const std::string& claimant, const std::string& host) {
  const std::size_t mark = claimant.rfind(" #");
  if (mark == std::string::npos || !claimant.substr(0, mark).ends_with(" on " + host)) return false;
  const std::string process = claimant.substr(mark + 2);
  const std::size_t point = process.find('.');
  if (point == std::string::npos || !os::parse_integer(process.substr(0, point))) return false;
  return start_of(process.substr(0, point)) != process.substr(point + 1);
}

CaseClaims::CaseClaims(track::TrackStore& store, std::string who, std::chrono::seconds lasts)
    : store_(store),
      who_(std::move(who)),
      claimant_(claimant_name(who_, machine::host_name("/"))),
      lasts_(lasts) {}

CaseClaims::~CaseClaims() {
  for (const std::string& what : held_) {
    try {
      store_.release(what, claimant_);
    } catch (const std::exception&) {
      continue;  // the store is away; the claim ends by itself
    }
  }
}

bool CaseClaims::claim(const std::string& night, const std::string& case_id) {
  const std::string what = "confirm " + night + " " + case_id;
  bool taken = store_.claim(what, claimant_, lasts_);
  if (!taken) {
    const std::string other = last_claimant(store_.events(), what);
    if (!claimant_is_gone(other, machine::host_name("/"))) return false;
    store_.release(what, other);
    taken = store_.claim(what, claimant_, lasts_);
  }
  if (!taken) return false;
  held_.push_back(what);
  const track::TrackEvent event =
      claim_event(what, claimant_, text::utc_text(std::chrono::system_clock::now()), who_);
  store_.record({&event, 1});
  return true;
}

}  // namespace stepbench::campaign
