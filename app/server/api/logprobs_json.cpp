#include "app/server/api/logprobs_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity; OpenAI writes this for tokens that are impossible.
constexpr float kImpossible = -9999.0f;

double logprobOf(const TokenChance& token) {
  return double{std::max(token.logprob, kImpossible)};
}

QString textOf(const TokenChance& token) {
  return QString::fromUtf8(token.bytes);
}

Json chanceJson(const TokenChance& token) {
  Json bytes = Json::array();
  for (const char byte : token.bytes) bytes.push_back(static_cast<unsigned char>(byte));
  return {{"token", textOf(token).toStdString()},
          {"logprob", logprobOf(token)},
          {"bytes", std::move(bytes)}};
}

}  // namespace

Json chatLogprobs(const QList<TokenChances>& tokens) {
  Json content = Json::array();
  for (const TokenChances& token : tokens) {
    Json entry = chanceJson(token.sampled);
    Json& likeliest = entry["top_logprobs"] = Json::array();
    for (const TokenChance& one : token.likeliest) likeliest.push_back(chanceJson(one));
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

Json completionLogprobs(const QList<TokenChances>& tokens, int64_t& offset) {
  Json texts = Json::array(), logprobs = Json::array(), tops = Json::array(),
       offsets = Json::array();
  for (const TokenChances& token : tokens) {
    const QString text = textOf(token.sampled);
    texts.push_back(text.toStdString());
    logprobs.push_back(logprobOf(token.sampled));
    offsets.push_back(offset);
    offset += text.toUcs4().size();
    Json top = Json::object();
    for (const TokenChance& one : token.likeliest) {
      top[textOf(one).toStdString()] = logprobOf(one);
    }
    tops.push_back(std::move(top));
  }
  return {{"tokens", std::move(texts)},
          {"token_logprobs", std::move(logprobs)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

}  // namespace quire
