#include <QTest>

#include "engine/chat/channel_marks.h"

using namespace quire;

namespace {

constexpr TokenId kStart = 1, kChannel = 2, kMessage = 3, kEnd = 4, kWord = 5;

/// Marks by their names, words as they are.
std::string said(const std::vector<std::string>& tokens, bool has_channels = true) {
  ChannelTokens ids{.start = kStart, .channel = kChannel, .message = kMessage, .end = kEnd};
  if (!has_channels) ids = {};
  ChannelMarks marks(ids);
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
  void missingEnd_isNoticedAtTheNextChannel() {
    QCOMPARE(said({"<|channel|>", "analysis", "<|message|>", "a", "<|channel|>", "final",
                   "<|message|>", "b"}),
             std::string("<think>a</think>\nb"));
  }
  void finalAlone_isJustTheAnswer() {
    QCOMPARE(said({"<|channel|>", "fin", "al", "<|message|>", "Yes"}), std::string("Yes"));
  }
  void withoutChannels_nothingChanges() {
    QCOMPARE(said({"analysis", " final", "<|end|>", "x"}, false), std::string("analysis finalx"));
  }
};

QTEST_GUILESS_MAIN(TestChannelMarks)
#include "tst_channel_marks.moc"
