#include <QTest>

#include <fstream>
#include <iterator>

#include "engine/chat/channel_marks.h"
#include "engine/tokenizer/tokenizer_loader.h"

using namespace quire;

namespace {

constexpr TokenId kStart = 1, kChannel = 2, kMessage = 3, kEnd = 4, kWord = 5, kOpen = 6,
                  kClose = 7;

/// Marks by their names, words as they are.
std::string said(const std::vector<std::string>& tokens, bool has_channels = true,
                 bool shows_calls = false) {
  ChannelTokens ids{.start = kStart, .channel = kChannel, .message = kMessage, .end = kEnd};
  if (!has_channels) ids = {};
  ChannelMarks marks(ids, shows_calls);
  std::string text;
  for (const std::string& token : tokens) {
    if (token == "<|start|>") {
      text += marks.push(kStart, {});
    } else if (token == "<|channel|>") {
      text += marks.push(kChannel, {});
    } else if (token == "<|message|>") {
      text += marks.push(kMessage, {});
    } else if (token == "<|end|>") {
      text += marks.push(kEnd, {});
    } else {
      text += marks.push(kWord, token);
    }
  }
  return text;
}

/// The same of Gemma 4's marks.
std::string gemma(const std::vector<std::string>& tokens) {
  ChannelMarks marks({.open = kOpen, .close = kClose});
  std::string text;
  for (const std::string& token : tokens) {
    const bool is_open = token == "<|channel>", is_close = token == "<channel|>";
    text += is_open    ? marks.push(kOpen, {})
            : is_close ? marks.push(kClose, {})
                       : marks.push(kWord, token);
  }
  return text;
}

}  // namespace

class TestChannelMarks : public QObject {
  Q_OBJECT

 private slots:
  void analysis_isReasoning_andFinalTheAnswer() {
    QCOMPARE(said({"<|channel|>", "analysis", "<|message|>", "Hmm", ".", "<|end|>", "<|start|>",
                   "assistant", "<|channel|>", "final", "<|message|>", "Hello", "."}),
             std::string("<think>Hmm.</think>\nHello."));
  }
  void everyChannelButFinal_isReasoning() {
    QCOMPARE(said({"<|channel|>", "analysis", "<|message|>", "a", "<|end|>", "<|start|>",
                   "assistant", "<|channel|>", "comment", "ary", " to=x", "<|message|>", "b"}),
             std::string("<think>a</think>\n<think>b"));
  }
  void calls_areMarked_ifTheyAreShown() {
    const std::string call = "<|channel|>commentary to=functions.now<|message|>{\"a\": 1}";
    const auto shown = [](const std::vector<std::string>& tokens) {
      return said(tokens, /*has_channels=*/true, /*shows_calls=*/true);
    };
    // The recipient stands after the channel's name, or after the role.
    QCOMPARE(shown({"<|channel|>", "analysis", "<|message|>", "Hm", "<|end|>", "<|start|>",
                    "assistant", "<|channel|>", "commentary", " to=", "functions.now ",
                    "<|constrain|>json", "<|message|>", "{\"a\": 1}"}),
             "<think>Hm</think>\n" + call);
    QCOMPARE(shown({"<|channel|>", "analysis", "<|message|>", "Hm", "<|end|>", "<|start|>",
                    "assistant to=functions.now", "<|channel|>", "commentary json", "<|message|>",
                    "{\"a\": 1}", "<|end|>", "<|start|>", "assistant", "<|channel|>", "final",
                    "<|message|>", "So"}),
             "<think>Hm</think>\n" + call + "<|call|>So");
    QCOMPARE(shown({" to=func", "tions.now", "<|channel|>", "commentary json", "<|message|>",
                    "{\"a\": 1}"}),
             call);
    // Other recipients, and text that only begins like one.
    QCOMPARE(shown({"<|channel|>", "commentary to=python", "<|message|>", "1"}),
             std::string("<think>1"));
    QCOMPARE(shown({" to", " you", " to=functions."}), std::string(" to you to=functions."));
    QCOMPARE(shown({"<|channel|>", "final", "<|message|>", " to=functions.x"}),
             std::string(" to=functions.x"));
  }
  void missingEnd_isNoticedAtTheNextChannel() {
    QCOMPARE(said({"<|channel|>", "analysis", "<|message|>", "a", "<|channel|>", "final",
                   "<|message|>", "b"}),
             std::string("<think>a</think>\nb"));
  }
  void finalAlone_isJustTheAnswer() {
    QCOMPARE(said({"<|channel|>", "fin", "al", "<|message|>", "Yes"}), std::string("Yes"));
  }
  void gemmasChannel_isReasoning() {
    QCOMPARE(gemma({"<|channel>", "thought", "\n", "Hmm", ".\n", "<channel|>", "Hello", "."}),
             std::string("<think>Hmm.\n</think>\nHello."));
    QCOMPARE(gemma({"<|channel>", "thought\nHm", "<channel|>", "A", "<|channel>", "thought\n", "b",
                    "<channel|>", "C"}),
             std::string("<think>Hm</think>\nA<think>b</think>\nC"));
  }
  void gemmasEmptyChannel_isNothing() {
    QCOMPARE(gemma({"<|channel>", "thought", "\n", "<channel|>", "Hello"}), std::string("Hello"));
    QCOMPARE(gemma({"<|channel>", "thought", "<channel|>", "Hello"}), std::string("Hello"));
    QCOMPARE(gemma({"<channel|>", "Hello\n", "you"}), std::string("Hello\nyou"));
  }
  void gemmasUnfinishedThought_isReasoning() {
    QCOMPARE(gemma({"<|channel>", "thought", "\n", "Hmm"}), std::string("<think>Hmm"));
  }
  void vocabularies_sayWhichChannelsThereAre() {
    std::ifstream file(QUIRE_SOURCE_DIR "/tests/data/tokenizer/golden/gemma/tokenizer.json");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto rename = [&](const std::string& from, const std::string& to) {
      for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
        text.replace(at, from.size(), to);
      }
    };
    rename("</s>", "<|channel>");
    const auto half = parse_tokenizer(text, "half", {});
    rename("<|sp|>", "<channel|>");
    const auto whole = parse_tokenizer(text, "whole", {});
    QVERIFY(half && whole);
    QVERIFY(!channel_tokens(**half).open);
    const ChannelTokens tokens = channel_tokens(**whole);
    QVERIFY(tokens.open && tokens.open == (*whole)->special_token("<|channel>"));
    QVERIFY(tokens.close && tokens.close == (*whole)->special_token("<channel|>"));
  }
  void withoutChannels_nothingChanges() {
    QCOMPARE(said({"analysis", " final", "<|end|>", "x"}, false), std::string("analysis finalx"));
  }
};

QTEST_GUILESS_MAIN(TestChannelMarks)
#include "tst_channel_marks.moc"
