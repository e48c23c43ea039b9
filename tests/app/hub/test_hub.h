#pragma once

#include <QList>
#include <QMap>
#include <QMutex>
#include <QSslCertificate>
#include <QSslKey>
#include <QTcpServer>
#include <QThread>
#include <QUrl>

#include <functional>
#include <memory>

#include "tests/app/hub/hub_files.h"

namespace quire {

/// What the hub does wrong in the answer to one request for a file.
struct HubFault {
  enum class Kind {
    kNone,
    kCut,          ///< The connection ends after `at` bytes of the body.
    kReset,        ///< The same, by an error.
    kStall,        ///< Nothing comes after `at` bytes.
    kSlow,         ///< `at` bytes every 10 ms.
    kCorrupt,      ///< The byte `at` is wrong.
    kStatus,       ///< `status`, with Retry-After if it is not below 0.
    kRedirect,     ///< To `location`.
    kIgnoreRange,  ///< 200 with the whole file.
    kOtherFile,    ///< The file has changed: another ETag and other bytes.
    kLonger,       ///< A hundred bytes too many, which the length announces.
    kShorter,      ///< A hundred bytes too few, which the length announces.
    kEndless,      ///< Without a length, and `at` bytes more than the file has.
    kCompressed,
    kNotHttp,
    kWrongRange,  ///< 206 of other bytes than were asked for.
  };
  Kind kind = Kind::kNone;
  qint64 at = 0;
  int status = 500;
  int retryAfter = -1;
  QByteArray location = {};
  bool ignoresRange = false;  ///< Beside the fault: 200 with the whole file.
};

/// A request that the hub has seen.
struct HubRequest {
  QByteArray path;                       ///< With the query.
  QMap<QByteArray, QByteArray> headers;  ///< Names in lower case.
  bool isOfFile = false;
};

/// How a hub proves who it is; no `key`: it speaks http.
struct HubIdentity {
  QList<QSslCertificate> chain;
  QSslKey key;
};

/// A server with the responses of Hugging Face and of Ollama's registry, on a thread of its own.
/// Thread: that of the test.
class TestHub {
 public:
  explicit TestHub(const HubIdentity& identity = {});
  ~TestHub();

  /// With a name in place of 127.0.0.1 in all addresses that it gives.
  void setHost(const QString& host) { m_host = host; }
  QString address() const { return QStringLiteral("%1://%2:%3").arg(m_scheme, m_host).arg(m_port); }
  quint16 port() const { return m_port; }

  /// A repository of Hugging Face. `properties`: more members of its JSON, such as
  /// "\"gated\":\"auto\"".
  void addModel(const QByteArray& name, const QMap<QByteArray, HubBlob>& files,
                const QByteArray& properties = "\"tags\":[\"license:mit\"]");
  /// A model of Ollama's registry, with blobs by the last part of their media types.
  void addOllama(const QByteArray& name, const QByteArray& tag,
                 const QList<QPair<QByteArray, HubBlob>>& layers);
  /// What is answered to a path, instead of anything else.
  void answer(const QByteArray& path, const QByteArray& response);
  /// What is answered to the first requests of a path; nothing: the connection is closed.
  void answerOnce(const QByteArray& path, const QByteArrayList& responses);
  /// Files of at most so many are in one page of a tree.
  void setPageSize(int files);
  /// Asked for each request of a file, which are counted from 0. Thread: the hub's.
  using Faults = std::function<HubFault(const HubRequest& request, int index)>;
  void setFaults(Faults faults);
  /// Requests without this token are answered with 401.
  void requireToken(const QByteArray& token);

  QList<HubRequest> seen() const;
  int numFileRequests() const;

 private:
  friend class HubConnection;
  struct Repository {
    QMap<QByteArray, HubBlob> files;
    QByteArray properties;
  };
  /// The response to a request: a head, and a blob's bytes or a body.
  struct Response {
    QByteArray head;
    QByteArray body;
    HubBlob blob;
    qint64 first = 0;
    qint64 last = -1;  ///< Below `first`: there is no blob.
    HubFault fault;
    QByteArray tail = {};  ///< After the blob.
  };
  Response respond(HubRequest request);
  Response respondToApi(const QByteArray& path);
  Response tree(const Repository& repository, const QByteArray& path) const;
  Response blob(const HubBlob& blob, const HubRequest& request, const HubFault& fault) const;
  Response file(const HubRequest& request);
  QByteArray redirectToStorage(const HubBlob& blob, bool isOllama) const;

  mutable QMutex m_mutex;  ///< Of everything below.
  QMap<QByteArray, Repository> m_repositories;
  QMap<QByteArray, QByteArray> m_manifests;  ///< By path.
  QMap<QByteArray, HubBlob> m_blobs;         ///< By SHA-256.
  QMap<QByteArray, QByteArray> m_answers;
  QMap<QByteArray, QByteArrayList> m_onceAnswers;
  QList<HubRequest> m_seen;
  Faults m_faults;
  QByteArray m_token;
  int m_pageSize = 1000;
  int m_numFileRequests = 0;

  const QString m_scheme;
  QString m_host = QStringLiteral("127.0.0.1");
  QThread m_thread;
  QTcpServer* m_server;  ///< In the thread.
  quint16 m_port = 0;
};

}  // namespace quire
