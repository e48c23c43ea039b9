// A server of the API whose model answers from a script, for real clients: with tools it calls the
// first one, and repeats the result of a call; else it says what it was asked.
#include <QCoreApplication>
#include <QThreadPool>

#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/engine/text_backend.h"
#include "app/server/api/api_service.h"
#include "app/server/http/http_server.h"
#include "tests/app/server/tool_model.h"

using namespace quire;

namespace {

using Json = nlohmann::ordered_json;

/// What the model writes after a chat.
QString answerTo(const ChatRequest& request) {
  if (request.rawPrompt) return QStringLiteral("and so on");
  const ChatTurn& last = request.turns.last();
  const bool thinks = request.prompt.variables.find("true") != std::string::npos ||
                      last.text.startsWith(QLatin1String("Think"));
  const QString thought = thinks ? QStringLiteral("<think>Hm.</think>\n") : QString();
  if (last.role == QLatin1String("tool")) return thought + "It is " + last.text + ".";
  if (request.prompt.tools.empty()) return thought + "You said: " + last.text;
  const Json tools = Json::parse(request.prompt.tools, nullptr, false);
  const std::string name = tools.at(0).at("function").at("name");
  return thought + "I look.\n<tool_call>\n{\"name\": \"" + QString::fromStdString(name) +
         "\", \"arguments\": {\"city\": \"Ulm\"}}\n</tool_call>";
}

class ScriptedModel : public ChatBackend, public TextBackend {
 public:
  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) override {
    QThreadPool::globalInstance()->start([text = answerTo(request),
                                          most = request.sampling.max_tokens,
                                          sink] { answer(text, most, *sink); });
    return ++m_lastId;
  }
  void cancel(RequestId) override {}
  void setPriority(RequestId, int) override {}
  PendingReply forecast(const ChatRequest&, Reply<ContextForecast> reply) override {
    return reply.pending();
  }

  PendingReply open(const QString& path, Reply<TextModel> reply) override {
    reply(TextModel{.path = path, .contextLength = 4096, .chat = toolModel()});
    return reply.pending();
  }
  PendingReply tokenize(const ChatRequest&, bool, Reply<TokenizedText> reply) override {
    TokenizedText text;
    text.tokens = {1, 2, 3};
    reply(text);
    return reply.pending();
  }
  PendingReply detokenize(const QString&, const QList<qint32>&,
                          Reply<DetokenizedText> reply) override {
    reply(DetokenizedText{});
    return reply.pending();
  }
  PendingReply embed(const EmbeddingRequest& request, Reply<Embeddings> reply) override {
    Embeddings result{.promptTokens = 2};
    for (size_t i = 0; i < request.inputs.size(); ++i) result.vectors.push_back({0.5f, 0.25f});
    reply(result);
    return reply.pending();
  }

 private:
  static void answer(const QString& text, int most, AnswerSink& sink) {
    PromptReport prompt;
    prompt.promptTokens = 10;
    prompt.cachedTokens = 4;
    sink.started(prompt);
    AnswerReport report;
    report.prompt = prompt;
    constexpr qsizetype kPiece = 5;
    for (qsizetype at = 0; at < text.size() && report.outputTokens < most; at += kPiece) {
      sink.tokensSampled({1});
      sink.textAppended(text.sliced(at, std::min(kPiece, text.size() - at)), ++report.outputTokens);
    }
    const bool isCut = report.outputTokens * kPiece < text.size();
    report.finish = isCut ? FinishReason::kLength : FinishReason::kEnd;
    sink.finished(report);
  }

  std::atomic<RequestId> m_lastId = 0;
};

}  // namespace

/// Prints its port and serves until its input ends.
int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  ScriptedModel model;
  ModelDirectory models;
  models.set({{.path = "/models/mini.gguf", .contextLength = 4096, .isLoaded = true}});
  ApiService service(model, model, models);
  const auto server = HttpServer::start(
      {.port = 0},
      [&](const std::shared_ptr<HttpExchange>& exchange) { service.handle(exchange); });
  if (!server) return 1;
  std::printf("%d\n", (*server)->port());
  std::fflush(stdout);
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
  return 0;
}
