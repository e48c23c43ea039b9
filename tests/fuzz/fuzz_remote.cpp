#include <algorithm>
#include <string>

#include "app/remote/answer_chunk.h"
#include "app/remote/response_reader.h"
#include "app/remote/sse_reader.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

/// What is read from a response that arrives in pieces of `step` bytes.
struct Read {
  bool is_complete = false;
  int status = 0;
  QByteArray body;
  QList<SseEvent> events;
  bool operator==(const Read&) const = default;
};

Read read(const QByteArray& bytes, qsizetype step) {
  ResponseReader response;
  SseReader reader;
  Read read;
  for (qsizetype at = 0; at < bytes.size(); at += step) {
    const QByteArray body = response.append(bytes.mid(at, step));
    read.body += body;
    read.events += reader.append(body);
  }
  if (!response.isComplete()) response.close();
  read.is_complete = response.isComplete();
  read.status = response.head().status;
  if (const auto last = reader.finish()) read.events.append(*last);
  return read;
}

void check_chunk(const QByteArray& data) {
  const std::optional<AnswerChunk> chunk = readAnswerChunk(data);
  if (!chunk) return;
  const qsizetype length = chunk->text.size() + chunk->reasoning.size();
  require(length <= 2 * data.size(), "a chunk with more text than it has");
  if (chunk->error) require(chunk->error->size() <= 400, "a long sentence of an error");
  if (!chunk->usage) return;
  const RemoteUsage& usage = *chunk->usage;
  require(usage.promptTokens >= 0 && usage.outputTokens >= 0, "a negative count");
  require(usage.cachedTokens >= 0 && usage.cachedTokens <= usage.promptTokens, "a wrong count");
}

}  // namespace

void fuzz_remote(std::string_view bytes) {
  const QByteArray response(bytes.data(), static_cast<qsizetype>(bytes.size()));
  const Read whole = read(response, std::max<qsizetype>(1, response.size()));
  for (const qsizetype step : {1, 7}) {
    const Read pieces = read(response, step);
    require(pieces == whole, "a response that depends on the pieces");
  }
  require(whole.body.size() <= response.size(), "a body that is longer than its response");
  for (const SseEvent& event : whole.events) check_chunk(event.data);
  check_chunk(whole.body);
  require(refusalText(whole.body).size() <= 400, "a long sentence of a refusal");
  if (const auto list = readModelList(whole.body)) {
    for (const QString& name : list->names)
      require(!name.isEmpty() && name.simplified() == name, "a name that is not shown as it is");
  }
}

}  // namespace quire::fuzz
