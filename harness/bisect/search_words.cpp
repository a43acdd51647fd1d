// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search_words.h"

#include "harness/bisect/programs.h"
#include "harness/run/run_header.h"
#include "harness/stats/random.h"

namespace stepbench::bisect {

std::uint64_t seed_of(const std::vector<Commit>& commits) {
  std::vector<double> letters;
  for (const Commit& commit : commits) {
    for (const char letter : commit.id) letters.push_back(letter);
  }
  return stats::seed_of(letters) >> 11U;
}

std::string folder_of(const SearchStep& step, const std::vector<Commit>& commits) {
  const auto of_candidate = [&](const char* kind) {
    return kind + run::file_name_part(short_id(commits[step.candidate]));
  };
  switch (step.kind) {
    case SearchStep::Kind::kEnds:
      return "ends";
    case SearchStep::Kind::kCommit:
      return of_candidate("commit-");
    case SearchStep::Kind::kCulprit:
      return of_candidate("culprit-");
    case SearchStep::Kind::kRest:
      return "rest";
  }
  return {};
}

std::string words_of(const SearchStep& step, const std::vector<Commit>& commits) {
  const std::string base = short_id(commits[step.base]);
  const std::string candidate = short_id(commits[step.candidate]);
  switch (step.kind) {
    case SearchStep::Kind::kEnds:
      return "the ends: " + base + " against " + candidate;
    case SearchStep::Kind::kCommit:
      return candidate + " against " + base;
    case SearchStep::Kind::kCulprit:
      return candidate + " against the commit before it, " + base + ", with fresh pairs";
    case SearchStep::Kind::kRest:
      return "what came after it: " + candidate + " against " + base;
  }
  return {};
}

}  // namespace stepbench::bisect
