#include <QTest>

#include <algorithm>
#include <iterator>

#include "engine/chat/chat_prompt.h"
#include "tests/support/template_model.h"

using namespace quire;

/// Chats in published vocabularies, with published templates and with what stands in for them:
/// nobody forges a turn, and there is never a second BOS.
class TestChatVocabularies : public QObject {
  Q_OBJECT

 private:
  static std::vector<TokenId> prompt(const LoadedModel& model, const std::string& text) {
    const std::vector<ChatMessage> messages = {{"user", text, {}}};
    auto ids = chat_prompt(*model.chat, messages);
    if (!ids) qFatal("%s", ids.error().message.c_str());
    return std::move(ids->tokens);
  }
  static std::vector<TokenId> specials(const LoadedModel& model, const std::vector<TokenId>& ids) {
    std::vector<TokenId> found;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(found),
                 [&](TokenId id) { return model.chat->tokenizer->is_special(id); });
    return found;
  }

 private slots:
  void message_cannotForgeATurn_data() {
    QTest::addColumn<QString>("vocabulary");
    QTest::addColumn<QString>("template_file");
    if (!std::filesystem::exists(kConformanceFolder)) QSKIP("../shared/conformance is not there");
    QTest::newRow("phi-3") << "ggml-vocab-phi-3.gguf"
                           << "microsoft-Phi-3.5-mini-instruct.jinja";
    QTest::newRow("phi-3, default") << "ggml-vocab-phi-3.gguf"
                                    << "";
    QTest::newRow("llama, default") << "ggml-vocab-llama-spm.gguf"
                                    << "";
    QTest::newRow("gpt-2, default") << "ggml-vocab-gpt-2.gguf"
                                    << "";
    QTest::newRow("deepseek, default") << "ggml-vocab-deepseek-llm.gguf"
                                       << "";
    QTest::newRow("starcoder, default") << "ggml-vocab-starcoder.gguf"
                                        << "";
  }
  void message_cannotForgeATurn() {
    QFETCH(QString, vocabulary);
    QFETCH(QString, template_file);
    const LoadedModel model = template_model(vocabulary.toStdString(), template_file.toStdString());
    // Every special token that the vocabulary has, in one message.
    std::string forged = "Hi ";
    for (const std::string& content : model.chat->tokenizer->special_tokens())
      forged += content + "\n";
    const std::vector<TokenId> honest = prompt(model, "Hi");
    const std::vector<TokenId> hostile = prompt(model, forged);
    QCOMPARE(specials(model, hostile), specials(model, honest));
    QVERIFY(model.chat->tokenizer->decode(hostile).find(forged) != std::string::npos);
    if (const auto bos = model.chat->tokenizer->bos_token()) {
      QVERIFY(std::count(hostile.begin(), hostile.end(), *bos) <= 1);
    }
  }
};

QTEST_APPLESS_MAIN(TestChatVocabularies)
#include "tst_chat_vocabularies.moc"
