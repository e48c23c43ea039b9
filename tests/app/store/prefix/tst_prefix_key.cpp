#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <unistd.h>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "app/store/prefix/prefix_key.h"
#include "tests/app/store/prefix/file_content.h"

using namespace quire;

namespace {

std::span<const uint8_t> octets(const QByteArray& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.constData()), static_cast<size_t>(bytes.size())};
}

std::span<const std::byte> bytesOf(const QByteArray& bytes) {
  return std::as_bytes(octets(bytes));
}

}  // namespace

class TestPrefixKey : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  // RFC 4231, 4.2 and 4.3.
  void hmac_isThatOfTheStandard_data() {
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QString>("code");
    QTest::newRow("1") << QByteArray(20, 0x0b) << QByteArray("Hi There")
                       << "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
    QTest::newRow("2") << QByteArray("Jefe") << QByteArray("what do ya want for nothing?")
                       << "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  }
  void hmac_isThatOfTheStandard() {
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, message);
    QFETCH(QString, code);
    const Hmac hmac(octets(key));
    QCOMPARE(QString::fromStdString(to_hex(hmac.of({bytesOf(message)}))), code);
    QCOMPARE(hmac.of({bytesOf(message.left(3)), bytesOf(message.mid(3))}),
             hmac.of({bytesOf(message)}));
  }

  void key_isPrivateAndTheSameAgain() {
    const auto made = PrefixKey::ofFile(path());
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    QVERIFY(made->isNew());
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList("prefix.db.key"));
    const auto others = QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther;
    QVERIFY(!(QFile::permissions(keyPath()) & others));
    const auto again = PrefixKey::ofFile(path());
    QVERIFY(again && !again->isNew());
    QCOMPARE(tagWith(*again), tagWith(*made));
  }

  void readableKey_isNarrowed() {
    QVERIFY(PrefixKey::ofFile(path()));
    QFile::setPermissions(keyPath(), QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther);
    QVERIFY(PrefixKey::ofFile(path()));
    QVERIFY(!(QFile::permissions(keyPath()) & QFile::ReadOther));
  }

  void eachDatabase_hasAKeyOfItsOwn() {
    const auto one = PrefixKey::ofFile(path());
    const auto other = PrefixKey::ofFile(m_folder->path().toStdString() + "/other.db");
    QVERIFY(one && other);
    QVERIFY(tagWith(*one) != tagWith(*other));
  }

  void tag_bindsEachPart() {
    const auto key = PrefixKey::ofFile(path());
    QVERIFY(key);
    const BlockKey name = root_key("a"), parent = root_key("b"), other = root_key("c");
    const QByteArray tokens("tokens"), payload("payload"), changed("changed");
    const auto tag = key->tagOf(name, parent, bytesOf(tokens), bytesOf(payload));
    QVERIFY(tag != key->tagOf(other, parent, bytesOf(tokens), bytesOf(payload)));
    QVERIFY(tag != key->tagOf(name, other, bytesOf(tokens), bytesOf(payload)));
    QVERIFY(tag != key->tagOf(name, parent, bytesOf(changed), bytesOf(payload)));
    QVERIFY(tag != key->tagOf(name, parent, bytesOf(tokens), bytesOf(changed)));
  }

  void fileOfTheUser_staysAsItIs() {
    write(keyPath().toStdString(), "-----BEGIN PRIVATE KEY-----");
    const auto refused = PrefixKey::ofFile(path());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kUnsupported);
    QVERIFY(refused.error().message.find("prefix.db.key") != std::string::npos);
    QVERIFY(PrefixKey::remove(path(), /*any=*/false));
    QCOMPARE(contentOf(keyPath().toStdString()), QByteArray("-----BEGIN PRIVATE KEY-----"));
    QVERIFY(PrefixKey::remove(path(), /*any=*/true));
    QVERIFY(PrefixKey::ofFile(path()));
  }

  void link_isNotFollowed() {
    QVERIFY(PrefixKey::ofFile(m_folder->path().toStdString() + "/other.db"));
    QVERIFY(QFile::link(m_folder->filePath("other.db.key"), keyPath()));
    const auto refused = PrefixKey::ofFile(path());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kUnsupported);
  }

  /// What a process left that was killed while it made the key; not what one is making now, nor
  /// what has another name.
  void unfinishedKeys_areRemoved() {
    namespace fs = std::filesystem;
    const std::string key = keyPath().toStdString();
    for (const char* suffix : {".123", ".4567", ".7", ".old", ".12x", "."}) {
      write(key + suffix, "Quire prefix key");
      const bool isYoung = std::strcmp(suffix, ".7") == 0;
      if (isYoung) continue;
      fs::last_write_time(key + suffix, fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
    QVERIFY(QFile::link(keyPath() + ".old", keyPath() + ".99"));
    QVERIFY(PrefixKey::ofFile(path()));
    const QStringList left =
        QDir(m_folder->path()).entryList(QDir::Files | QDir::System, QDir::Name);
    QCOMPARE(left, QStringList({"prefix.db.key", "prefix.db.key.", "prefix.db.key.12x",
                                "prefix.db.key.7", "prefix.db.key.99", "prefix.db.key.old"}));
  }

  void keyOfAnotherUser_isRefused() {
    if (geteuid() != 0) QSKIP("only root may give files away");
    QVERIFY(PrefixKey::ofFile(path()));
    QCOMPARE(chown(QFile::encodeName(keyPath()).constData(), 65534, 65534), 0);
    const auto refused = PrefixKey::ofFile(path());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::kUnsupported);
  }

 private:
  std::filesystem::path path() const { return m_folder->path().toStdString() + "/prefix.db"; }
  QString keyPath() const { return m_folder->filePath("prefix.db.key"); }
  static PrefixKey::Tag tagWith(const PrefixKey& key) {
    return key.tagOf(root_key("a"), root_key("b"), {}, {});
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestPrefixKey)
#include "tst_prefix_key.moc"
