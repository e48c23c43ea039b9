#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/engine/text_backend.h"
#include "app/server/api/api_error.h"
#include "app/server/api/api_service.h"

namespace quire {

/// JSON to be compared.
inline QString text(const nlohmann::ordered_json& json) {
  return QString::fromStdString(json.dump());
}

inline constexpr const char* kChat = "/v1/chat/completions";

/// The body of a chat with these further fields.
inline std::string chatBody(const std::string& fields = {}) {
  return R"({"model": "mini", "messages": [{"role": "user", "content": "Hi"}])" +
         (fields.empty() ? "" : ", " + fields) + "}";
}

inline nlohmann::ordered_json parsedJson(const std::string& text) {
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

/// An exchange without a socket, which keeps what is answered.
class FakeExchange : public HttpExchange {
 public:
  FakeExchange(std::string method, std::string path, std::string body = {}) {
    m_request.method = std::move(method);
    m_request.path = std::move(path);
    m_request.body = std::move(body);
    m_request.is_loopback = true;
  }

  const HttpRequest& request() const override { return m_request; }
  void respond(HttpResponse answer) override {
    response = std::move(answer);
    ++numResponses;
    isEnded = true;
  }
  void begin(HttpResponse answer) override {
    parts.push_back(answer.body);
    response = std::move(answer);
    ++numResponses;
  }
  void write(std::string part) override { parts.push_back(std::move(part)); }
  void end() override { isEnded = true; }
  void on_closed(std::function<void()> closed) override { m_closed = std::move(closed); }
  bool is_closed() const override { return m_isClosed; }

  /// The client disconnects.
  void close() {
    m_isClosed = true;
    if (const auto closed = std::exchange(m_closed, {})) closed();
  }

  nlohmann::ordered_json json() const {
    return nlohmann::ordered_json::parse(response.body, nullptr, false);
  }
  /// The data of each event of the stream.
  std::vector<std::string> events() const {
    std::vector<std::string> events;
    for (const std::string& part : parts) {
      const size_t data = part.find("data: ");
      events.push_back(part.substr(data + 6, part.size() - data - 8));
    }
    return events;
  }
  std::string header(const std::string& name) const {
    for (const auto& [key, value] : response.fields) {
      if (key == name) return value;
    }
    return {};
  }

  HttpResponse response;
  std::vector<std::string> parts;
  int numResponses = 0;
  bool isEnded = false;

 private:
  HttpRequest m_request;
  std::function<void()> m_closed;
  bool m_isClosed = false;
};

/// Keeps requests; tests call their sinks.
class ScriptedBackend : public ChatBackend {
 public:
  struct Asked {
    ChatRequest request;
    std::shared_ptr<AnswerSink> sink;
    bool isCancelled = false;
  };

  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) override {
    asked.push_back({request, std::move(sink)});
    return asked.size();
  }
  void cancel(RequestId id) override { asked.at(id - 1).isCancelled = true; }
  void setPriority(RequestId, int) override {}
  PendingReply forecast(const ChatRequest&, Reply<ContextForecast> reply) override {
    return reply.pending();
  }

  void start(size_t i, int promptTokens = 10, int cachedTokens = 4) {
    PromptReport report;
    report.promptTokens = promptTokens;
    report.cachedTokens = cachedTokens;
    asked.at(i).sink->started(report);
  }
  /// A token with this text, and its log probability if the request asks for it.
  void say(size_t i, const QString& text, float logprob = -0.5f) {
    Asked& one = asked.at(i);
    one.sink->tokensSampled({static_cast<qint32>(100 + m_numSaid)});
    if (one.request.sampling.num_logprobs >= 0) {
      TokenChances chances;
      chances.sampled = {.id = 100 + m_numSaid, .bytes = text.toUtf8(), .logprob = logprob};
      for (int n = 0; n < one.request.sampling.num_logprobs; ++n) {
        chances.likeliest.append({.id = n,
                                  .bytes = QByteArray(1, static_cast<char>('a' + n)),
                                  .logprob = -1.0f - static_cast<float>(n)});
      }
      one.sink->logprobsComputed({chances});
    }
    one.sink->textAppended(text, ++m_numSaid);
  }
  void finish(size_t i, FinishReason reason = FinishReason::kEnd, int outputTokens = 3) {
    AnswerReport report;
    report.finish = reason;
    report.outputTokens = outputTokens;
    report.prompt.promptTokens = 10;
    report.prompt.cachedTokens = 4;
    std::exchange(asked.at(i).sink, nullptr)->finished(report);
  }
  void fail(size_t i, ErrorCode code, const QString& error) {
    AnswerReport report;
    report.finish = FinishReason::kFailed;
    report.errorCode = code;
    report.error = error;
    std::exchange(asked.at(i).sink, nullptr)->finished(report);
  }

  std::vector<Asked> asked;

 private:
  int m_numSaid = 0;
};

/// Replies with what it was given, when flush() is called.
class FakeTexts : public TextBackend {
 public:
  PendingReply open(const QString& path, Reply<TextModel> reply) override {
    opened.append(path);
    return later(std::move(reply), model);
  }
  PendingReply tokenize(const ChatRequest& request, bool withPieces,
                        Reply<TokenizedText> reply) override {
    tokenized.append(request);
    wantsPieces = withPieces;
    return later(std::move(reply), tokens);
  }
  PendingReply detokenize(const QString&, const QList<qint32>& ids,
                          Reply<DetokenizedText> reply) override {
    detokenized = ids;
    return later(std::move(reply), text);
  }
  PendingReply embed(const EmbeddingRequest& request, Reply<Embeddings> reply) override {
    embedded.push_back(request);
    return later(std::move(reply), embeddings);
  }

  void flush() {
    for (const auto& reply : std::exchange(m_replies, {})) reply();
  }

  TextModel model = {.contextLength = 4096};
  TokenizedText tokens;
  DetokenizedText text;
  Embeddings embeddings;
  QStringList opened;
  QList<ChatRequest> tokenized;
  bool wantsPieces = false;  ///< Of the latest text.
  QList<qint32> detokenized;
  std::vector<EmbeddingRequest> embedded;

 private:
  template <typename T>
  PendingReply later(Reply<T> reply, const T& value) {
    PendingReply pending = reply.pending();
    m_replies.push_back([reply, value] { reply(value); });
    return pending;
  }
  std::vector<std::function<void()>> m_replies;
};

/// A service with two models, "mini" (which is loaded) and "other".
struct FakeApi {
  explicit FakeApi(int maxRequests = 8) : service(backend, texts, models, maxRequests) {
    models.set({{.path = "/models/mini.gguf", .contextLength = 4096, .isLoaded = true},
                {.path = "/models/other", .error = "It is damaged."}});
  }

  std::shared_ptr<FakeExchange> send(const std::string& method, const std::string& path,
                                     const std::string& body = {}) {
    auto exchange = std::make_shared<FakeExchange>(method, path, body);
    service.handle(exchange);
    texts.flush();
    return exchange;
  }
  std::shared_ptr<FakeExchange> post(const std::string& path, const std::string& body) {
    return send("POST", path, body);
  }

  ScriptedBackend backend;
  FakeTexts texts;
  ModelDirectory models;
  ApiService service;
};

}  // namespace quire
