// What speculation loses on texts that look as if they repeated themselves, and what it gains where
// they do, on simulated machines: tokens per second must never be more than 2 % below those without
// speculation.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "tests/engine/speculation/draft_simulation.h"

using namespace quire;
using Tokens = std::vector<TokenId>;
using Machine = DraftSimulation::Machine;
using Speaker = DraftSimulation::Speaker;

namespace {

constexpr int kTokens = 2000;

// Machines: milliseconds of a step by its rows, and how many times as long it takes at a time.

/// Weights are read from memory once a step, whatever the rows.
double memory_bound(int rows) {
  return 10.0 + 0.3 * rows;
}
/// Two rows cost what one does, and three are computed in another way.
double gemm_from_three(int rows) {
  return rows <= 2 ? 10.0 + 0.2 * rows : 16.0 + 0.8 * rows;
}
/// One row is slower than four (Q4_K on some processors).
double slow_alone(int rows) {
  return rows == 1 ? 15.0 : 9.0 + 0.7 * rows;
}
/// Each row reads experts of its own.
double experts(int rows) {
  return 3.0 + 3.0 * std::pow(rows, 0.8);
}
double compute_bound(int rows) {
  return 2.0 + 4.0 * rows;
}
/// Another program takes half of the machine for two seconds of every five.
double half_taken(double now) {
  return std::fmod(now, 5000.0) < 2000.0 ? 2.0 : 1.0;
}
/// One step in nine is interrupted.
double interrupted(double now) {
  const auto hash = static_cast<uint64_t>(now * 1000.0) * 0x9E3779B97F4A7C15u >> 40;
  return hash % 9 == 0 ? 3.0 : 1.0;
}
/// The first steps touch new memory.
double cold(double now) {
  return now < 100.0 ? 5.0 : 1.0;
}

const std::map<std::string, Machine> kMachines = {
    {"memory", {memory_bound}},
    {"gemm from three", {gemm_from_three}},
    {"slow alone", {slow_alone}},
    {"experts", {experts}},
    {"compute", {compute_bound}},
    {"memory, half taken", {memory_bound, half_taken}},
    {"compute, interrupted", {compute_bound, interrupted}},
    {"memory, cold", {memory_bound, cold}}};

// Texts.

/// The token that the n-gram index guesses after a text; -1: none.
TokenId promised(const std::vector<TokenId>& tokens) {
  NGramIndex index;
  index.append(tokens);
  const Tokens next = index.following(index.find_end(), 1);
  return next.empty() ? -1 : next[0];
}

/// Texts that are made beforehand, one for each chat.
Speaker spoken(const std::function<Tokens(uint32_t seed)>& make, int num_chats) {
  std::vector<Tokens> texts;
  for (int i = 0; i < num_chats; ++i) texts.push_back(make(uint32_t(i) + 1));
  return [texts](size_t chat, const Sequence& sequence) {
    const auto begin = texts[chat].begin() + std::ssize(sequence.table.tokens());
    return Tokens(begin, begin + kMaxDrafts + 1);
  };
}

/// Few tokens, so that every pair was there before, and never followed by what followed it last.
/// run: so many guessed tokens by turns with so many others; 0: none is the guessed one.
Tokens breaking_promises(uint32_t seed, int run) {
  std::mt19937 random(seed);
  Tokens text = {0, 1, 3};
  NGramIndex index;
  index.append(text);
  while (std::ssize(text) < 3 * kTokens) {
    const Tokens next = index.following(index.find_end(), 1);
    const bool keeps = run > 0 && std::ssize(text) / run % 2 == 0;
    TokenId token = static_cast<TokenId>(random() % 12);
    if (!next.empty()) token = keeps ? next[0] : token == next[0] ? (token + 1) % 12 : token;
    text.push_back(token);
    index.append(std::span(&text.back(), 1));
  }
  return text;
}

/// Continues as the n-gram guess says, except where drafts are computed: the worst case.
Tokens malicious(size_t chat, const Sequence& sequence) {
  std::vector<TokenId> text = sequence.table.tokens();
  if (text.size() > 400) text.erase(text.begin(), text.end() - 400);
  static std::mt19937 random(7);
  const TokenId next = promised(text);
  const TokenId other = static_cast<TokenId>(random() % 12);
  Tokens tokens(kMaxDrafts + 1, TokenId(chat));
  tokens[0] = next < 0 || !sequence.drafts.empty() ? (other == next ? 13 : other) : next;
  if (!sequence.drafts.empty() && tokens[0] == sequence.drafts[0]) tokens[0] = 14;
  return tokens;
}

/// A passage again and again, with a tenth of its tokens changed each time.
Tokens repeating(uint32_t seed) {
  std::mt19937 random(seed);
  Tokens passage, text;
  for (int i = 0; i < 120; ++i) passage.push_back(TokenId(random() % 30000));
  while (std::ssize(text) < 12 * kTokens) {
    for (const TokenId token : passage) {
      text.push_back(random() % 10 == 0 ? TokenId(random() % 30000) : token);
    }
  }
  return text;
}

Tokens never_twice(uint32_t seed) {
  Tokens text(3 * kTokens);
  for (size_t i = 0; i < text.size(); ++i) text[i] = TokenId(i * 16 + seed);
  return text;
}

Speaker speaker_of(const std::string& text, int num_chats) {
  const auto breaking = [](int run) {
    return [run](uint32_t seed) { return breaking_promises(seed, run); };
  };
  if (text == "malicious") return malicious;
  if (text == "broken promises") return spoken(breaking(0), num_chats);
  if (text == "promises kept for 4") return spoken(breaking(4), num_chats);
  if (text == "promises kept for 30") return spoken(breaking(30), num_chats);
  if (text == "never twice") return spoken(never_twice, num_chats);
  return spoken(repeating, num_chats);
}

/// Tokens per second with speculation, as a multiple of those without.
double gain(const std::string& machine, const std::string& text, int num_chats) {
  const auto ms = [&](SpeculationMode mode) {
    DraftSimulation simulation(mode, kMachines.at(machine), speaker_of(text, num_chats), num_chats);
    return simulation.run(kTokens);
  };
  return ms(SpeculationMode::kOff) / ms(SpeculationMode::kAuto);
}

struct OwnGain {
  double gain = 0.0;  ///< As gain().
  int drafted = 0;
};

/// The gain of one chat after another in which only the served model's own layers guess.
OwnGain own_gain(const std::string& machine, const DraftSimulation::OwnLayers& layers) {
  const Speaker never_twice_anywhere = [](size_t chat, const Sequence& sequence) {
    Tokens tokens;
    for (size_t i = 0; i <= kMaxDrafts; ++i) {
      const size_t at = sequence.table.tokens().size() + i;
      tokens.push_back(static_cast<TokenId>((chat * 64 + at) * 3 % 900'000 + 1000));
    }
    return tokens;
  };
  DraftSimulation plain(SpeculationMode::kOff, kMachines.at(machine), never_twice_anywhere, 1);
  DraftSimulation guessing(SpeculationMode::kAuto, kMachines.at(machine), never_twice_anywhere, 1);
  plain.use({.tokens_per_answer = layers.tokens_per_answer});
  guessing.use(layers);
  const double plain_ms = plain.run(kTokens);
  return {plain_ms / guessing.run(kTokens), guessing.num_drafted()};
}

}  // namespace

class TestDraftRegret : public QObject {
  Q_OBJECT

 private slots:
  void speculation_neverLosesMoreThanTwoPercent_data() {
    QTest::addColumn<QString>("machine");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("num_chats");
    for (const auto& [machine, costs] : kMachines) {
      for (const char* text : {"malicious", "broken promises", "promises kept for 4",
                               "promises kept for 30", "never twice", "repeating"}) {
        for (const int num_chats : {1, 4, 16}) {
          QTest::addRow("%s, %s, %d", machine.c_str(), text, num_chats)
              << QString::fromStdString(machine) << text << num_chats;
        }
      }
    }
  }
  void speculation_neverLosesMoreThanTwoPercent() {
    QFETCH(QString, machine);
    QFETCH(QString, text);
    QFETCH(int, num_chats);
    const double found = gain(machine.toStdString(), text.toStdString(), num_chats);
    QVERIFY2(found >= 0.98, qPrintable(QString("%1 times").arg(found)));
  }

  /// Short answers, one after the other, in which only the model's own layers guess.
  void ownLayers_neverLoseMoreThanTwoPercent_data() {
    QTest::addColumn<QString>("machine");
    QTest::addColumn<double>("chance");
    QTest::addColumn<double>("ms_per_guess");
    for (const auto& [machine, costs] : kMachines) {
      for (const double chance : {0.0, 0.15, 0.4, 0.65, 0.9}) {
        for (const double ms : {0.2, 1.5, 6.0}) {
          QTest::addRow("%s, %.2f, %.1f ms", machine.c_str(), chance, ms)
              << QString::fromStdString(machine) << chance << ms;
        }
      }
    }
  }
  void ownLayers_neverLoseMoreThanTwoPercent() {
    QFETCH(QString, machine);
    QFETCH(double, chance);
    QFETCH(double, ms_per_guess);
    const OwnGain found = own_gain(machine.toStdString(), {ms_per_guess, chance, 24});
    QVERIFY2(found.gain >= 0.98,
             qPrintable(QString("%1 times, %2 drafts").arg(found.gain).arg(found.drafted)));
  }

  /// An answer begins with what was learnt from those before it: layers whose guesses were right
  /// guess at once, and others are not asked anew in each answer.
  void ownLayers_areRememberedFromAnswerToAnswer() {
    const OwnGain right =
        own_gain("memory", {.ms_per_guess = 1.0, .chance = 0.9, .tokens_per_answer = 12});
    const OwnGain wrong =
        own_gain("memory", {.ms_per_guess = 1.0, .chance = 0.05, .tokens_per_answer = 12});
    qInfo("right: %.2f times, %d drafts; wrong: %.2f times, %d drafts", right.gain, right.drafted,
          wrong.gain, wrong.drafted);
    QVERIFY(right.drafted > 2400);
    QVERIFY(wrong.drafted < 300);
  }

  void speculation_gainsOnTextsThatRepeat() {
    const auto check = [](const char* machine, int num_chats, double least) {
      const double found = gain(machine, "repeating", num_chats);
      qInfo("%s, %d chats: %.2f times", machine, num_chats, found);
      QVERIFY2(found >= least, machine);
    };
    check("memory", 1, 2.0);
    check("memory", 4, 1.6);
    check("memory", 16, 1.15);
    check("slow alone", 1, 2.0);
    check("gemm from three", 1, 1.4);
    check("experts", 1, 1.1);
    check("memory, half taken", 1, 1.9);
    check("memory, cold", 1, 1.9);
  }
};

QTEST_APPLESS_MAIN(TestDraftRegret)
#include "tst_draft_regret.moc"
