#include <QTest>

#include <string>

#include "engine/tokenizer/length_check.h"

using namespace quire;

namespace {

/// Each run of the same letter is split into tokens of at most four; "_" is left out. Counts what
/// it encodes.
class CountingTokenizer : public Tokenizer {
 public:
  std::vector<TokenId> encode(std::string_view text) const override {
    encoded_bytes += text.size();
    std::vector<TokenId> ids;
    size_t run = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool goes_on = i > 0 && text[i] == text[i - 1] && run % 4 != 0;
      run = i > 0 && text[i] == text[i - 1] ? run + 1 : 1;
      if (!goes_on && text[i] != '_') ids.push_back(text[i]);
    }
    return ids;
  }
  int vocab_size() const override { return 256; }
  std::optional<TokenId> special_token(std::string_view) const override { return std::nullopt; }
  const std::vector<std::string>& special_tokens() const override { return m_none; }
  bool is_special(TokenId) const override { return false; }
  std::string_view token_bytes(TokenId) const override { return {}; }
  std::string_view token_piece(TokenId) const override { return {}; }
  std::optional<TokenId> bos_token() const override { return std::nullopt; }
  std::optional<TokenId> eos_token() const override { return std::nullopt; }
  bool adds_bos() const override { return false; }

  mutable size_t encoded_bytes = 0;

 private:
  std::vector<std::string> m_none;
};

}  // namespace

/// Texts that are much too long are found out by their beginnings.
class TestLengthCheck : public QObject {
  Q_OBJECT

 private slots:
  void texts_data() {
    QTest::addColumn<QList<QByteArray>>("texts");
    QTest::addColumn<int>("limit");
    QTest::addColumn<bool>("isFarBeyond");
    QTest::addColumn<int>("mostBytes");  // That are encoded.
    constexpr int kKib = 1 << 10;
    const auto letters = [](int count, char letter = 'a') { return QByteArray(count, letter); };
    QTest::newRow("none") << QList<QByteArray>() << 10 << false << 0;
    QTest::newRow("short") << QList{letters(64 * kKib)} << 10 << false << 0;
    QTest::newRow("long") << QList{letters(8192 * kKib)} << 2048 << true << 64 * kKib;
    // 65,537 bytes are 16,385 tokens.
    QTest::newRow("fits") << QList{letters(64 * kKib + 1)} << 8193 << false << 129 * kKib;
    QTest::newRow("just beyond") << QList{letters(64 * kKib + 1)} << 8192 << true << 129 * kKib;
    // For a limit of 100,000 tokens the first 800,000 bytes come first, and twice as many next.
    QTest::newRow("doubles") << QList{letters(8192 * kKib)} << 100'000 << true << 2'400'000;
    QTest::newRow("left out") << QList{letters(256 * kKib, '_')} << 10 << false << 448 * kKib;
    QTest::newRow("together") << QList{letters(40 * kKib), letters(40 * kKib)} << 10'000 << true
                              << 80 * kKib;
    QTest::newRow("enough without the last")
        << QList{letters(64 * kKib), letters(64 * kKib)} << 8'000 << true << 64 * kKib;
  }

  void texts() {
    QFETCH(QList<QByteArray>, texts);
    QFETCH(int, limit);
    QFETCH(int, mostBytes);
    std::vector<std::string_view> views;
    for (const QByteArray& text : texts) {
      views.emplace_back(text.data(), static_cast<size_t>(text.size()));
    }
    const CountingTokenizer tokenizer;
    QTEST(is_far_beyond(tokenizer, views, static_cast<size_t>(limit)), "isFarBeyond");
    QVERIFY2(tokenizer.encoded_bytes <= static_cast<size_t>(mostBytes),
             qPrintable(QString::number(tokenizer.encoded_bytes)));
  }
};

QTEST_APPLESS_MAIN(TestLengthCheck)
#include "tst_length_check.moc"
