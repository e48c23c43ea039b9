#pragma once

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "tests/app/hub/test_hub.h"

namespace quire {

/// An authority that signs certificates of hubs, made by the program openssl when the test runs.
class TestAuthority {
 public:
  TestAuthority() {
    m_works = run({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                   "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj",
                   "/CN=Quire's test", "-addext", "keyUsage=critical,keyCertSign"});
  }

  bool works() const { return m_works; }
  QSslCertificate certificate() const { return QSslCertificate(read("ca.pem")); }

  /// For what is behind "IP:" or "DNS:".
  HubIdentity identityFor(const QByteArray& subject) const {
    QFile extensions(m_folder.filePath("extensions"));
    if (!extensions.open(QIODevice::WriteOnly)) return {};
    extensions.write("subjectAltName=" + subject + "\n");
    extensions.close();
    const bool isSigned =
        run({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", "hub.key", "-out", "hub.csr", "-subj", "/CN=hub"}) &&
        run({"x509", "-req", "-in", "hub.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
             "-CAcreateserial", "-out", "hub.pem", "-days", "2", "-extfile", "extensions"});
    if (!isSigned) return {};
    return {.chain = {QSslCertificate(read("hub.pem"))}, .key = QSslKey(read("hub.key"), QSsl::Ec)};
  }

 private:
  bool run(const QStringList& arguments) const {
    QProcess openssl;
    openssl.setWorkingDirectory(m_folder.path());
    openssl.start("openssl", arguments);
    return openssl.waitForFinished(30'000) && openssl.exitCode() == 0;
  }
  QByteArray read(const QString& name) const {
    QFile file(m_folder.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  QTemporaryDir m_folder;
  bool m_works = false;
};

}  // namespace quire
