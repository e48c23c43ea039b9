#include <QTest>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/chat/chat_format.h"
#include "engine/models/model_config.h"
#include "engine/template/chat_template.h"

using namespace quire;

namespace {

/// A vocabulary of nothing but special tokens.
class MarkTokenizer final : public Tokenizer {
 public:
  MarkTokenizer(std::vector<std::string> marks, bool adds_bos)
      : m_marks(std::move(marks)), m_adds_bos(adds_bos) {}

  int vocab_size() const override { return static_cast<int>(m_marks.size()); }
  std::vector<TokenId> encode(std::string_view) const override { return {}; }
  std::optional<TokenId> special_token(std::string_view content) const override {
    const auto at = std::find(m_marks.begin(), m_marks.end(), content);
    if (at == m_marks.end()) return std::nullopt;
    return static_cast<TokenId>(at - m_marks.begin());
  }
  const std::vector<std::string>& special_tokens() const override { return m_marks; }
  bool is_special(TokenId) const override { return true; }
  std::string_view token_bytes(TokenId) const override { return {}; }
  std::string_view token_piece(TokenId id) const override {
    return m_marks[static_cast<size_t>(id)];
  }
  std::optional<TokenId> bos_token() const override { return special_token("<s>"); }
  std::optional<TokenId> eos_token() const override { return special_token("</s>"); }
  bool adds_bos() const override { return m_adds_bos; }

 private:
  std::vector<std::string> m_marks;
  bool m_adds_bos;
};

std::string render(const std::string& source) {
  auto compiled = ChatTemplate::compile(source);
  if (!compiled) qFatal("%s", compiled.error().message.c_str());
  const auto turn = [](const char* role, const char* content) {
    return nlohmann::ordered_json{{"role", role}, {"content", content}};
  };
  const auto rendered = compiled->render(
      {{"messages",
        {turn("system", "S"), turn("user", "U"), turn("assistant", "A"), turn("user", "V")}},
       {"add_generation_prompt", true},
       {"bos_token", "<s>"},
       {"eos_token", "</s>"}});
  if (!rendered) qFatal("%s", rendered.error().message.c_str());
  return rendered->text();
}

}  // namespace

class TestDefaultTemplate : public QObject {
  Q_OBJECT

 private slots:
  void format_isChosenByTheVocabularysMarks_data() {
    QTest::addColumn<QStringList>("marks");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    QTest::newRow("ChatML") << QStringList{"<|im_start|>", "<|im_end|>"} << "ChatML"
                            << "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n"
                               "<|im_start|>assistant\nA<|im_end|>\n<|im_start|>user\nV<|im_end|>\n"
                               "<|im_start|>assistant\n";
    QTest::newRow("Llama 3") << QStringList{"<|start_header_id|>", "<|end_header_id|>",
                                            "<|eot_id|>"}
                             << "Llama 3"
                             << "<|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|>"
                                "<|start_header_id|>user<|end_header_id|>\n\nU<|eot_id|>"
                                "<|start_header_id|>assistant<|end_header_id|>\n\nA<|eot_id|>"
                                "<|start_header_id|>user<|end_header_id|>\n\nV<|eot_id|>"
                                "<|start_header_id|>assistant<|end_header_id|>\n\n";
    QTest::newRow("Gemma") << QStringList{"<start_of_turn>", "<end_of_turn>"} << "Gemma"
                           << "<start_of_turn>user\nS\n\nU<end_of_turn>\n"
                              "<start_of_turn>model\nA<end_of_turn>\n"
                              "<start_of_turn>user\nV<end_of_turn>\n<start_of_turn>model\n";
    QTest::newRow("Phi-3") << QStringList{"<|user|>", "<|assistant|>", "<|end|>"} << "Phi-3"
                           << "<|system|>\nS<|end|>\n<|user|>\nU<|end|>\n<|assistant|>\nA<|end|>\n"
                              "<|user|>\nV<|end|>\n<|assistant|>\n";
    QTest::newRow("Mistral") << QStringList{"[INST]", "[/INST]"} << "Mistral"
                             << "[INST] S\n\nU [/INST] A</s>[INST] V [/INST]";
    QTest::newRow("none") << QStringList{"<s>", "</s>"} << "plain"
                          << "S\n\nUser: U\nAssistant: A\nUser: V\nAssistant:";
    QTest::newRow("half a format") << QStringList{"<|im_start|>"} << "plain"
                                   << "S\n\nUser: U\nAssistant: A\nUser: V\nAssistant:";
  }
  void format_isChosenByTheVocabularysMarks() {
    QFETCH(QStringList, marks);
    QFETCH(QString, name);
    QFETCH(QString, text);
    std::vector<std::string> known;
    for (const QString& mark : marks) known.push_back(mark.toStdString());
    const DefaultTemplate chosen = default_template(MarkTokenizer(known, false));
    QCOMPARE(std::string(chosen.name), name.toStdString());
    QCOMPARE(render(chosen.source), text.toStdString());
    QCOMPARE(chosen.stops.empty(), name != "plain");
  }

  void bos_isWrittenOnceWhereTheTokenizerAsksForIt() {
    const std::vector<std::string> marks = {"<s>", "<|im_start|>", "<|im_end|>"};
    const std::string with = render(default_template(MarkTokenizer(marks, true)).source);
    QVERIFY(with.starts_with("<s><|im_start|>system"));
    const std::string without = render(default_template(MarkTokenizer(marks, false)).source);
    QCOMPARE(with, "<s>" + without);
    // Asked for, but unknown to the vocabulary.
    const std::string unknown = render(default_template(MarkTokenizer({"<s/>"}, true)).source);
    QVERIFY(unknown.starts_with("S\n\n"));
  }

  void turnMarksOfTheTemplate_endAnswers() {
    const MarkTokenizer tokenizer({"<s>", "</s>", "<|turn>", "<turn|>", "<|im_end|>"}, true);
    const char* gemma4 = "{{ '<|turn>user\n' + messages[0].content + '<turn|>\n' }}";
    QCOMPARE(find_end_tokens({}, tokenizer, nullptr, gemma4), (std::vector<TokenId>{1, 3}));
    QCOMPARE(find_end_tokens({}, tokenizer, nullptr, ""), std::vector<TokenId>{1});
  }
};

QTEST_APPLESS_MAIN(TestDefaultTemplate)
#include "tst_default_template.moc"
