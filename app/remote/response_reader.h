#pragma once

#include <QByteArray>
#include <QList>
#include <QPair>

namespace quire {

/// Status and headers of an HTTP response.
struct ResponseHead {
  int status = 0;
  QList<QPair<QByteArray, QByteArray>> headers;  ///< Names in lower case.

  /// The value of the first header with this name; empty: there is none.
  QByteArray header(const QByteArray& lowerName) const;
};

/// Reads one HTTP/1.1 response from bytes in pieces of any size. Interim responses (1xx) are
/// skipped. What a hostile server sends is bounded: the head, its lines, and the framing of chunks.
///
/// Invariants: the result does not depend on the pieces in which the bytes arrive; after a failure
/// nothing more is read.
class ResponseReader {
 public:
  static constexpr qsizetype kMaxHeadBytes = 64 << 10;
  static constexpr qsizetype kMaxLineBytes = 16 << 10;
  static constexpr qsizetype kMaxHeaders = 200;

  /// Reads on, and returns the bytes of the body among them.
  QByteArray append(const QByteArray& bytes);
  /// The connection was closed, which ends a body without a length, and cuts off any other.
  void close();

  bool hasHead() const { return m_state >= State::kBody; }
  bool isComplete() const { return m_state == State::kComplete; }
  bool hasFailed() const { return m_state == State::kFailed; }
  const ResponseHead& head() const { return m_head; }

 private:
  /// In this order: all from kBody on have the head.
  enum class State {
    kFailed,
    kStatus,
    kHeaders,
    kBody,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailers,
    kComplete
  };

  bool readLine(QByteArray& line);
  void takeLine(const QByteArray& line);
  void takeStatus(const QByteArray& line);
  void takeHeader(const QByteArray& line);
  void endHead();
  void takeChunkSize(const QByteArray& line);
  void takeBody(QByteArray& body);
  void fail() { m_state = State::kFailed; }

  State m_state = State::kStatus;
  ResponseHead m_head;
  QByteArray m_held;          ///< Bytes that are not read yet.
  qsizetype m_at = 0;         ///< The first of them in m_held.
  qsizetype m_headBytes = 0;  ///< Of all heads and trailers.
  qint64 m_left = -1;         ///< Bytes of the body or chunk; below 0: until the end.
};

}  // namespace quire
