#include <QtTest>

#include <chrono>
#include <string>

#include "app/server/http/access_log.h"
#include "app/server/http/access_rules.h"

using namespace quire;

namespace {

const std::string kKey = "sk-right";
const std::string kOther = "sk-second";

AccessRules rules_of(AccessOptions options) {
  auto rules = AccessRules::create(std::move(options));
  if (!rules) qFatal("%s", rules.error().message.c_str());
  return std::move(rules).value();
}

AccessRules without_key() {
  return rules_of({});
}

AccessRules with_keys() {
  return rules_of({.host = "0.0.0.0",
                   .keys = {kKey, kOther},
                   .origins = {"https://Good.example", "http://localhost:3000"},
                   .names = {"box.example"}});
}

int status_of(const HttpVerdict& verdict) {
  return verdict.answer ? verdict.answer->status : 0;
}

std::string field_of(const HttpFields& fields, const std::string& name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return {};
}

constexpr bool kNear = true;
constexpr bool kFar = false;

}  // namespace

class TestAccessRules : public QObject {
  Q_OBJECT

 private slots:
  void decide_withoutAKey_data();
  void decide_withoutAKey();
  void decide_withAKey_data();
  void decide_withAKey();
  void page_mayReadWhatItIsAllowedTo();
  void preflight_isAnsweredWithoutAKey();
  void refusal_hasTheShapeOfThePathsApi_data();
  void refusal_hasTheShapeOfThePathsApi();
  void emptyOrigin_isABrowsers();
  void refusal_saysNothingOfKeys();
  void create_refusesWhatIsUnsafe_data();
  void create_refusesWhatIsUnsafe();
  void loopbackName_isExact_data();
  void loopbackName_isExact();
  void keys_areComparedWhole();
  void logLine_isOneLineWithoutSecrets();
};

void TestAccessRules::decide_withoutAKey_data() {
  QTest::addColumn<bool>("near");
  QTest::addColumn<HttpFields>("fields");
  QTest::addColumn<int>("status");
  const auto row = [](const char* name, bool near, HttpFields fields, int status) {
    QTest::newRow(name) << near << fields << status;
  };
  row("localhost", kNear, {{"Host", "localhost:8000"}}, 0);
  row("127.0.0.1", kNear, {{"Host", "127.0.0.1"}}, 0);
  row("IPv6", kNear, {{"Host", "[::1]:8000"}}, 0);
  row("a key that nobody needs", kNear, {{"Host", "localhost"}, {"Authorization", "Bearer x"}}, 0);
  row("typed into a browser", kNear, {{"Host", "localhost"}, {"Sec-Fetch-Site", "none"}}, 0);
  row("no Host", kNear, {}, 400);
  row("broken Host", kNear, {{"Host", "a b"}}, 400);
  row("rebound name", kNear, {{"Host", "evil.example:8000"}}, 403);
  row("name that begins well", kNear, {{"Host", "127.0.0.1.evil.example"}}, 403);
  row("localhost below a name", kNear, {{"Host", "localhost.evil.example"}}, 403);
  row("all addresses", kNear, {{"Host", "0.0.0.0:8000"}}, 403);
  row("page", kNear, {{"Host", "localhost"}, {"Origin", "https://evil.example"}}, 403);
  row("page of this host", kNear, {{"Host", "localhost"}, {"Origin", "http://localhost"}}, 403);
  row("page without origin", kNear, {{"Host", "localhost"}, {"Origin", "null"}}, 403);
  row("image in a page", kNear, {{"Host", "localhost"}, {"Sec-Fetch-Site", "cross-site"}}, 403);
  row("image in a near page", kNear, {{"Host", "localhost"}, {"Sec-Fetch-Site", "same-site"}}, 403);
  row("other machine", kFar, {{"Host", "localhost"}}, 403);
  row("other machine, rebound", kFar, {{"Host", "evil.example"}}, 403);
}

void TestAccessRules::decide_withoutAKey() {
  QFETCH(bool, near);
  QFETCH(HttpFields, fields);
  QFETCH(int, status);
  const HttpVerdict verdict =
      without_key().decide({.method = "POST", .path = "/", .fields = fields, .is_loopback = near});
  QCOMPARE(status_of(verdict), status);
  QVERIFY(verdict.fields.empty());
}

void TestAccessRules::decide_withAKey_data() {
  QTest::addColumn<bool>("near");
  QTest::addColumn<HttpFields>("fields");
  QTest::addColumn<int>("status");
  const std::pair<std::string, std::string> host{"Host", "localhost:8000"};
  const std::pair<std::string, std::string> bearer{"Authorization", "Bearer " + kKey};
  const auto row = [](const char* name, bool near, HttpFields fields, int status) {
    QTest::newRow(name) << near << fields << status;
  };
  row("bearer", kNear, {host, bearer}, 0);
  row("bearer in lower case", kNear, {host, {"authorization", "bearer  " + kKey}}, 0);
  row("x-api-key", kNear, {host, {"X-Api-Key", kKey}}, 0);
  row("second key", kNear, {host, {"x-api-key", kOther}}, 0);
  row("other machine", kFar, {{"Host", "192.168.0.7:8000"}, bearer}, 0);
  row("other machine, any name", kFar, {{"Host", "proxy.example"}, bearer}, 0);
  row("known name", kNear, {{"Host", "BOX.example"}, bearer}, 0);
  row("own address", kNear, {{"Host", "0.0.0.0"}, bearer}, 0);
  row("no key", kNear, {host}, 401);
  row("no key from elsewhere", kFar, {host}, 401);
  row("wrong key", kNear, {host, {"Authorization", "Bearer sk-wrong"}}, 401);
  row("beginning of the key", kNear, {host, {"Authorization", "Bearer sk-righ"}}, 401);
  row("key and more", kNear, {host, {"Authorization", "Bearer sk-rightt"}}, 401);
  row("empty key", kNear, {host, {"Authorization", "Bearer "}, {"x-api-key", ""}}, 401);
  row("other scheme", kNear, {host, {"Authorization", "Basic " + kKey}}, 401);
  row("no scheme", kNear, {host, {"Authorization", kKey}}, 401);
  row("rebound name", kNear, {{"Host", "evil.example"}, bearer}, 403);
  row("rebound name, no key", kNear, {{"Host", "evil.example"}}, 403);
  row("no Host", kFar, {bearer}, 400);
  row("allowed page", kNear, {host, bearer, {"Origin", "https://good.example"}}, 0);
  row("allowed page with a port", kNear, {host, bearer, {"Origin", "http://localhost:3000"}}, 0);
  row("allowed page, no key", kNear, {host, {"Origin", "https://good.example"}}, 401);
  row("other port", kNear, {host, bearer, {"Origin", "http://localhost:3001"}}, 403);
  row("other scheme of a page", kNear, {host, bearer, {"Origin", "http://good.example"}}, 403);
  row("page below the name", kNear, {host, bearer, {"Origin", "https://a.good.example"}}, 403);
  row("page without origin", kNear, {host, bearer, {"Origin", "null"}}, 403);
}

void TestAccessRules::decide_withAKey() {
  QFETCH(bool, near);
  QFETCH(HttpFields, fields);
  QFETCH(int, status);
  const HttpVerdict verdict =
      with_keys().decide({.method = "POST", .path = "/", .fields = fields, .is_loopback = near});
  QCOMPARE(status_of(verdict), status);
  if (status == 401) {
    QCOMPARE(field_of(verdict.answer->fields, "WWW-Authenticate"), std::string("Bearer"));
  }
}

void TestAccessRules::page_mayReadWhatItIsAllowedTo() {
  HttpRequest request{.method = "GET", .path = "/"};
  request.fields = {{"Host", "x"}, {"Origin", "https://good.example"}};
  const auto allowed = [&] {
    return field_of(with_keys().decide(request).fields, "Access-Control-Allow-Origin");
  };
  QCOMPARE(allowed(), std::string("https://good.example"));  // Also why it is refused.
  request.fields.emplace_back("x-api-key", kKey);
  QCOMPARE(allowed(), std::string("https://good.example"));
  QCOMPARE(field_of(with_keys().decide(request).fields, "Vary"), std::string("Origin"));
  request.fields[1].second = "https://evil.example";
  QCOMPARE(allowed(), std::string());
  const AccessRules any = rules_of({.keys = {kKey}, .origins = {"*"}});
  QCOMPARE(field_of(any.decide(request).fields, "Access-Control-Allow-Origin"),
           std::string("https://evil.example"));
}

void TestAccessRules::preflight_isAnsweredWithoutAKey() {
  HttpRequest request{.method = "OPTIONS", .path = "/v1/chat/completions"};
  request.fields = {{"Host", "x"},
                    {"Origin", "https://good.example"},
                    {"Access-Control-Request-Method", "POST"},
                    {"Access-Control-Request-Private-Network", "true"}};
  const HttpVerdict verdict = with_keys().decide(request);
  QCOMPARE(status_of(verdict), 204);
  const HttpFields& fields = verdict.answer->fields;
  QCOMPARE(field_of(fields, "Access-Control-Allow-Origin"), std::string("https://good.example"));
  QVERIFY(field_of(fields, "Access-Control-Allow-Methods").find("POST") != std::string::npos);
  QVERIFY(field_of(fields, "Access-Control-Allow-Headers").starts_with("Authorization"));
  QCOMPARE(field_of(fields, "Access-Control-Allow-Private-Network"), std::string("true"));
  request.fields[1].second = "https://evil.example";
  QCOMPARE(status_of(with_keys().decide(request)), 403);
  request.fields[1].second = "https://good.example";
  request.fields.erase(request.fields.begin() + 2);
  QCOMPARE(status_of(with_keys().decide(request)), 401);  // No preflight: OPTIONS like any other.
}

void TestAccessRules::refusal_hasTheShapeOfThePathsApi_data() {
  QTest::addColumn<std::string>("path");
  QTest::addColumn<std::string>("body");
  const std::string message = R"("message":"The API key is wrong.")";
  QTest::newRow("Anthropic") << std::string("/v1/messages/count_tokens")
                             << R"({"type":"error","error":{"type":"authentication_error",)" +
                                    message + "}}";
  QTest::newRow("Ollama") << std::string("/api/chat")
                          << std::string(R"({"error":"The API key is wrong."})");
  QTest::newRow("OpenAI") << std::string("/v1/responses")
                          << R"({"error":{)" + message +
                                 R"(,"type":"invalid_request_error","param":null,)"
                                 R"("code":"invalid_api_key"}})";
}

void TestAccessRules::refusal_hasTheShapeOfThePathsApi() {
  QFETCH(std::string, path);
  QFETCH(std::string, body);
  const HttpFields fields = {{"Host", "localhost"}, {"x-api-key", "guess"}};
  const HttpVerdict verdict =
      with_keys().decide({.method = "POST", .path = path, .fields = fields, .is_loopback = true});
  QCOMPARE(verdict.answer->body, body);
  QCOMPARE(field_of(verdict.answer->fields, "Content-Type"), std::string("application/json"));
}

void TestAccessRules::emptyOrigin_isABrowsers() {
  HttpRequest request{.method = "GET", .path = "/", .is_loopback = true};
  request.fields = {{"Host", "localhost"}, {"Origin", ""}};
  QCOMPARE(status_of(rules_of({}).decide(request)), 403);
  request.fields.emplace_back("x-api-key", kKey);
  QCOMPARE(status_of(rules_of({.keys = {kKey}, .origins = {"*"}}).decide(request)), 403);
}

void TestAccessRules::refusal_saysNothingOfKeys() {
  const HttpFields fields = {{"Host", "localhost"}, {"Authorization", "Bearer sk-guess"}};
  const HttpVerdict verdict =
      with_keys().decide({.method = "GET", .path = "/", .fields = fields, .is_loopback = true});
  QCOMPARE(status_of(verdict), 401);
  QCOMPARE(
      verdict.answer->body,
      std::string(R"({"error":{"message":"The API key is wrong.",)"
                  R"("type":"invalid_request_error","param":null,"code":"invalid_api_key"}})"));
  QVERIFY(verdict.delay.count() >= 1000);  // So that keys cannot be guessed quickly.
  const HttpFields none = {{"Host", "localhost"}};
  QCOMPARE(with_keys().decide({.path = "/", .fields = none, .is_loopback = true}).delay.count(), 0);
  const auto bad_key = AccessRules::create({.keys = {"sk secret"}});
  QVERIFY(!bad_key);
  QVERIFY(bad_key.error().message.find("secret") == std::string::npos);
}

void TestAccessRules::create_refusesWhatIsUnsafe_data() {
  QTest::addColumn<QString>("host");
  QTest::addColumn<QString>("key");  // Empty: none.
  QTest::addColumn<QString>("origin");
  QTest::addColumn<QString>("message");  // The beginning; empty: accepted.
  const auto row = [](const char* name, const char* host, const char* key, const char* origin,
                      const char* message) {
    QTest::newRow(name) << host << key << origin << message;
  };
  row("plain", "127.0.0.1", "", "", "");
  row("localhost", "localhost", "", "", "");
  row("IPv6", "::1", "", "", "");
  row("all addresses", "0.0.0.0", "", "", "At 0.0.0.0 others can reach the server");
  row("all IPv6 addresses", "::", "", "", "At :: others can reach the server");
  row("name", "box", "", "", "At box others can reach the server");
  row("all addresses with a key", "0.0.0.0", "k", "", "");
  row("page without a key", "127.0.0.1", "", "https://a", "Web pages can be allowed only");
  row("page with a key", "127.0.0.1", "k", "https://a", "");
  row("any page", "127.0.0.1", "k", "*", "");
  row("origin with a path", "127.0.0.1", "k", "https://a/", "https://a/ is not the origin");
  row("origin without a scheme", "127.0.0.1", "k", "a", "a is not the origin");
  row("key with a line end", "127.0.0.1", "k\nX: y", "", "An API key must have");
  row("key with a space", "127.0.0.1", " ", "", "An API key must have");
  row("key that is not ASCII", "127.0.0.1", "키", "", "An API key must have");
}

void TestAccessRules::create_refusesWhatIsUnsafe() {
  QFETCH(QString, host);
  QFETCH(QString, key);
  QFETCH(QString, origin);
  QFETCH(QString, message);
  AccessOptions options{.host = host.toStdString()};
  if (!key.isEmpty()) options.keys.push_back(key.toStdString());
  if (!origin.isEmpty()) options.origins.push_back(origin.toStdString());
  const auto rules = AccessRules::create(options);
  QCOMPARE(rules.has_value(), message.isEmpty());
  if (rules) return;
  QCOMPARE(rules.error().code, ErrorCode::kInvalidArgument);
  QVERIFY2(rules.error().message.starts_with(message.toStdString()), rules.error().message.c_str());
}

void TestAccessRules::loopbackName_isExact_data() {
  QTest::addColumn<bool>("isLoopback");
  for (const char* name : {"localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1", "[::1]"}) {
    QTest::newRow(name) << true;
  }
  for (const char* name : {"", "localhost.", "localhost.a", "127.0.0.1.a", "127.1", "127.0.0.",
                           "127.0.0.1.1", "127.0.0..1", "128.0.0.1", "1270.0.0.1", "0.0.0.0",
                           "::", "::2", "[127.0.0.1", "127.a.b.c", "0127.0.0.1", "127.0.0.1111"}) {
    QTest::addRow("not \"%s\"", name) << false;
  }
}

void TestAccessRules::loopbackName_isExact() {
  QFETCH(bool, isLoopback);
  std::string name = QTest::currentDataTag();
  if (name.starts_with("not ")) name = name.substr(5, name.size() - 6);
  QCOMPARE(is_loopback_name(name), isLoopback);
}

void TestAccessRules::keys_areComparedWhole() {
  QVERIFY(equal_in_constant_time("abc", "abc"));
  for (const char* other : {"", "a", "ab", "abd", "Abc", "abcc", "abcabc", "xbc"}) {
    QVERIFY2(!equal_in_constant_time(other, "abc"), other);
  }
  QVERIFY(!equal_in_constant_time("", ""));
  QVERIFY(!equal_in_constant_time("a", ""));
}

void TestAccessRules::logLine_isOneLineWithoutSecrets() {
  using namespace std::chrono;
  const system_clock::time_point time = sys_days(2026y / 11 / 26) + 9h + 31min + 5s;
  HttpRecord record{.peer = "127.0.0.1:51234",
                    .method = "POST",
                    .path = "/v1/chat",
                    .status = 200,
                    .response_bytes = 1234,
                    .ms = 56.74};
  QCOMPARE(access_log_line(record, time),
           std::string("2026-11-26T09:31:05Z 127.0.0.1:51234 POST /v1/chat 200 1234 56.7"));
  record = {.peer = "[::1]:5", .path = "/a b\n\x1b[2J\xE2\x80\xAE", .is_complete = false};
  QCOMPARE(access_log_line(record, time),
           std::string("2026-11-26T09:31:05Z [::1]:5 - /a%20b<U+000A><U+001B>[2J<U+202E> - 0 0.0 "
                       "cut"));
  record.why_cut = "the client did not read it in time";
  QVERIFY(access_log_line(record, time).ends_with(" cut: the client did not read it in time"));
  record.path = "/" + std::string(1000, 'a');
  QVERIFY(access_log_line(record, time).size() < 400);
}

QTEST_APPLESS_MAIN(TestAccessRules)
#include "tst_access_rules.moc"
