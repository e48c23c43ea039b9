#include "app/server/api/embeddings_endpoint.h"

#include <QByteArray>
#include <QThreadPool>
#include <QtEndian>

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "app/engine/text_backend.h"
#include "app/server/api/api_error.h"
#include "app/server/api/json_text.h"
#include "app/server/api/model_directory.h"
#include "app/server/api/openai_requests.h"
#include "app/server/api/request_limiter.h"
#include "app/server/api/text_question.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

struct EmbeddingsCall {
  std::string model;
  EmbeddingRequest request;
  bool isBase64 = false;
};

std::optional<ApiError> parse(const std::string& body, EmbeddingsCall& call) {
  Json object;
  if (auto error = parseBody(body, object)) return error;
  FieldReader reader(object);
  call.model = reader.string("model").value_or(std::string());
  call.request.inputs = readPrompts(reader, "input");
  const std::string format = reader.string("encoding_format").value_or("float");
  call.isBase64 = format == "base64";
  if (format != "float" && format != "base64") {
    reader.fail(badField("encoding_format", "encoding_format must be float or base64."));
  }
  reader.refuse("dimensions", "dimensions is not supported: vectors have the model's own size.");
  reader.ignore("user");
  return reader.finish();
}

/// Little-endian numbers of 32 bits.
std::string base64Of(const std::vector<float>& vector) {
  QByteArray bytes(static_cast<qsizetype>(vector.size() * sizeof(float)), '\0');
  qToLittleEndian<float>(vector.data(), static_cast<qsizetype>(vector.size()), bytes.data());
  return '"' + bytes.toBase64().toStdString() + '"';
}

/// The shortest numbers that are read as the same floats.
std::string arrayOf(const std::vector<float>& vector) {
  std::string text = "[";
  std::array<char, 32> digits;
  for (const float value : vector) {
    if (text.size() > 1) text += ',';
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
  }
  return text + "]";
}

/// Written by hand: there may be millions of numbers.
std::string responseText(const std::string& model, const Embeddings& embeddings, bool isBase64) {
  std::string text = R"({"object":"list","data":[)";
  for (size_t i = 0; i < embeddings.vectors.size(); ++i) {
    const std::vector<float>& vector = embeddings.vectors[i];
    if (i > 0) text += ',';
    text += R"({"object":"embedding","index":)" + std::to_string(i) + R"(,"embedding":)" +
            (isBase64 ? base64Of(vector) : arrayOf(vector)) + "}";
  }
  const Json usage = {{"prompt_tokens", embeddings.promptTokens},
                      {"total_tokens", embeddings.promptTokens}};
  return text + R"(],"model":)" + jsonText(model) + R"(,"usage":)" + jsonText(usage) + "}";
}

}  // namespace

void writeVectors(const Embeddings& result, std::function<void(const Embeddings&)> write) {
  constexpr size_t kMaxNumbersAtOnce = 1 << 16;
  size_t numbers = 0;
  for (const std::vector<float>& vector : result.vectors) numbers += vector.size();
  if (numbers <= kMaxNumbersAtOnce) return write(result);
  QThreadPool::globalInstance()->start([result, write = std::move(write)] { write(result); });
}

void embedTexts(const ApiContext& context, const std::shared_ptr<HttpExchange>& exchange) {
  EmbeddingsCall call;
  if (const auto error = parse(exchange->request().body, call)) {
    return respondError(*exchange, *error);
  }
  const auto model = findModel(context, *exchange, call.model);
  if (!model) return;
  const auto room = std::make_shared<RequestLimiter::Slots>(context.limiter.tryTake(1));
  if (!*room) return respondError(*exchange, overloaded(context.limiter.most()));
  call.request.modelPath = QString::fromStdString(model->path);
  TextQuestion::ask<Embeddings>(
      exchange,
      [&](Reply<Embeddings> reply) { return context.texts.embed(call.request, std::move(reply)); },
      [exchange, room, name = model->name, isBase64 = call.isBase64](const Embeddings& result) {
        room->release();
        writeVectors(result, [exchange, name, isBase64](const Embeddings& own) {
          if (!own.error.isEmpty()) {
            ApiError error = apiErrorOf(own.errorCode, own.error);
            if (error.status == 400) error.param = "input";
            return respondError(*exchange, error);
          }
          respondJson(*exchange, responseText(name, own, isBase64));
        });
      });
}

}  // namespace quire
