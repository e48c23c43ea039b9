#include "app/remote/response_reader.h"

#include <algorithm>

namespace quire {
namespace {

constexpr qint64 kMaxChunk = qint64{1} << 40;

bool isToken(const QByteArray& text) {
  return !text.isEmpty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7f && c != ':' && c != '"' && c != '(' && c != ')';
  });
}

/// A number of digits alone; below 0: it is none, or too large.
qint64 numberOf(const QByteArray& digits, int base) {
  const bool isPlain = !digits.isEmpty() && std::ranges::all_of(digits, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
  bool isNumber = false;
  const qint64 number = digits.toLongLong(&isNumber, base);
  return isPlain && isNumber && number <= kMaxChunk ? number : -1;
}

}  // namespace

QByteArray ResponseHead::header(const QByteArray& lowerName) const {
  for (const auto& [name, value] : headers) {
    if (name == lowerName) return value;
  }
  return {};
}

QByteArray ResponseReader::append(const QByteArray& bytes) {
  m_held.remove(0, m_at);
  m_at = 0;
  m_held += bytes;
  QByteArray body;
  while (m_state != State::kFailed && m_state != State::kComplete) {
    if (m_state == State::kBody || m_state == State::kChunk) {
      if (m_at == m_held.size()) break;
      takeBody(body);
      continue;
    }
    QByteArray line;
    if (!readLine(line)) break;
    takeLine(line);
  }
  if (hasFailed() || isComplete()) m_held.clear(), m_at = 0;
  return body;
}

void ResponseReader::close() {
  if (m_state == State::kBody && m_left < 0) {
    m_state = State::kComplete;
  } else if (m_state != State::kComplete) {
    fail();
  }
}

/// False: the line is not complete yet, or it is too long.
bool ResponseReader::readLine(QByteArray& line) {
  const qsizetype end = m_held.indexOf('\n', m_at);
  const qsizetype length = (end < 0 ? m_held.size() : end) - m_at;
  if (length > kMaxLineBytes) fail();
  if (end < 0 || hasFailed()) return false;
  line = m_held.mid(m_at, length);
  if (line.endsWith('\r')) line.chop(1);
  m_at = end + 1;
  return true;
}

void ResponseReader::takeLine(const QByteArray& line) {
  const bool isOfHead =
      m_state == State::kStatus || m_state == State::kHeaders || m_state == State::kTrailers;
  if (isOfHead) m_headBytes += line.size() + 2;
  if (m_headBytes > kMaxHeadBytes) return fail();
  switch (m_state) {
    case State::kStatus:
      return takeStatus(line);
    case State::kHeaders:
      return line.isEmpty() ? endHead() : takeHeader(line);
    case State::kChunkSize:
      return takeChunkSize(line);
    case State::kChunkEnd:
      if (!line.isEmpty()) return fail();
      m_state = State::kChunkSize;
      return;
    case State::kTrailers:
      if (line.isEmpty()) m_state = State::kComplete;
      return;
    case State::kBody:
    case State::kChunk:
    case State::kComplete:
    case State::kFailed:
      break;
  }
}

void ResponseReader::takeStatus(const QByteArray& line) {
  const bool isHttp = line.startsWith("HTTP/1.") && line.size() >= 12 && line[8] == ' ';
  const bool isCode = isHttp && (line.size() == 12 || line[12] == ' ');
  const qint64 status = isCode ? numberOf(line.mid(9, 3), 10) : -1;
  if (status < 100 || status > 599) return fail();
  m_head = {.status = static_cast<int>(status), .headers = {}};
  m_state = State::kHeaders;
}

void ResponseReader::takeHeader(const QByteArray& line) {
  const qsizetype colon = line.indexOf(':');
  const QByteArray name = line.left(std::max<qsizetype>(colon, 0)).toLower();
  if (!isToken(name) || m_head.headers.size() >= kMaxHeaders) return fail();
  m_head.headers.append({name, line.mid(colon + 1).trimmed()});
}

void ResponseReader::endHead() {
  const int status = m_head.status;
  if (status == 101) return fail();  // Quire never asks for another protocol.
  if (status < 200) {
    m_state = State::kStatus;
    return;
  }
  const QByteArray length = m_head.header("content-length");
  const QByteArray coding = m_head.header("transfer-encoding").toLower();
  if (status == 204 || status == 304) {
    m_state = State::kComplete;
  } else if (!coding.isEmpty()) {
    if (coding != "chunked") return fail();
    m_state = State::kChunkSize;
  } else if (!length.isEmpty()) {
    m_left = numberOf(length, 10);
    if (m_left < 0) return fail();
    m_state = m_left == 0 ? State::kComplete : State::kBody;
  } else {
    m_left = -1;
    m_state = State::kBody;
  }
}

void ResponseReader::takeChunkSize(const QByteArray& line) {
  const qsizetype end = line.indexOf(';');  // An extension may follow.
  m_left = numberOf((end < 0 ? line : line.left(end)).trimmed(), 16);
  if (m_left < 0) return fail();
  m_state = m_left == 0 ? State::kTrailers : State::kChunk;
}

void ResponseReader::takeBody(QByteArray& body) {
  const qsizetype held = m_held.size() - m_at;
  const qsizetype count =
      m_left < 0 ? held : static_cast<qsizetype>(std::min<qint64>(m_left, held));
  body += m_held.mid(m_at, count);
  m_at += count;
  if (m_left < 0) return;
  m_left -= count;
  if (m_left > 0) return;
  m_state = m_state == State::kChunk ? State::kChunkEnd : State::kComplete;
}

}  // namespace quire
