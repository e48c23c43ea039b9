// The cost of guessing from texts: microseconds of one core's processor time for each generated
// token, for texts that grow to their bounds.

#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include "engine/speculation/drafter.h"
#include "engine/speculation/speculation_mode.h"

using namespace quire;

namespace {

double processor_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

/// Tokens of which a few are frequent and most are rare, as in texts, with repeated passages.
std::vector<TokenId> made_up_text(int count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TokenId> tokens;
  while (static_cast<int>(tokens.size()) < count) {
    if (tokens.size() > 200 && random() % 40 == 0) {
      const auto begin = static_cast<std::ptrdiff_t>(random() % (tokens.size() - 50));
      const std::vector<TokenId> again(tokens.begin() + begin, tokens.begin() + begin + 40);
      tokens.insert(tokens.end(), again.begin(), again.end());
    }
    tokens.push_back(static_cast<TokenId>(random() % (1u << random() % 16)));
  }
  tokens.resize(static_cast<size_t>(count));
  return tokens;
}

/// Measures a token of a chat that has `own` tokens before it, and `others` tokens of its persona.
void measure(int own, int others) {
  NGramDrafter drafter;
  const TextOwner owner = {.persona = 1, .chat = 1};
  for (int kept = 0; kept < others; kept += 1000) {
    drafter.keep({.persona = 1, .chat = 2}, made_up_text(1000, static_cast<uint32_t>(kept)));
  }
  constexpr int kSaid = 2000;
  const std::vector<TokenId> tokens = made_up_text(own + kSaid, 7);
  const auto guess = [&](int count) {
    std::vector<DraftRequest> requests(1);
    requests[0].id = 1;
    requests[0].tokens = std::span(tokens).first(static_cast<size_t>(count));
    requests[0].most = kMaxDrafts;
    requests[0].owner = owner;
    drafter.guess(requests);
  };
  const double begin = processor_us();
  guess(own);
  const double indexed = processor_us();
  for (int i = 1; i <= kSaid; ++i) guess(own + i);
  const double said = processor_us();
  drafter.keep(owner, std::span(tokens).last(kSaid));
  const double kept = processor_us();
  std::printf(
      "%8d own, %6d of the persona: %6.3f us to index a token of the prompt, %6.3f to guess "
      "after one that is said, %6.3f to keep one\n",
      own, others, (indexed - begin) / own, (said - indexed) / kSaid, (kept - said) / kSaid);
}

}  // namespace

int main() {
  for (const int others : {0, 4000, 60'000, 200'000}) measure(1000, others);
  for (const int own : {8000, 64'000, 256'000}) measure(own, 60'000);
}
