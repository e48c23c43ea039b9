#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <future>
#include <nlohmann/json.hpp>

#include "tests/app/server/http/raw_client.h"
#include "tests/support/taken_port.h"
#include "tests/support/watched_test.h"
#include "tests/ui/e2e/real_application.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;
using Json = nlohmann::ordered_json;

namespace {

constexpr auto kPatience = std::chrono::milliseconds(kEngineMs);
constexpr int kStoryTokens = 1800;  ///< Of what stream() asks for.

std::string chatBody(const std::string& question, int tokens, bool streams,
                     const std::string& system = {}) {
  Json messages = Json::array();
  if (!system.empty()) messages.push_back({{"role", "system"}, {"content", system}});
  messages.push_back({{"role", "user"}, {"content", question}});
  return Json{{"model", "quire-mini"}, {"messages", messages}, {"seed", 7},
              {"ignore_eos", true},    {"max_tokens", tokens}, {"stream", streams}}
      .dump();
}

Json jsonOf(const RawResponse& response) {
  return Json::parse(response.body, nullptr, false);
}

int cachedTokens(const RawResponse& response) {
  const Json json = jsonOf(response);
  return json["usage"]["prompt_tokens_details"]["cached_tokens"].get<int>();
}

}  // namespace

/// The switch of the API's server in the window of the real application, and programs that ask it.
class ServerTest : public WatchedTest {
  Q_OBJECT

 private slots:
  void switchedOnByHand_itAnswersClients_andSaysWhatItDoes() {
    openSettings();
    QVERIFY(hands().scrollTo("serverReach"));
    QVERIFY(hands().write("serverPort", freePort()));
    QVERIFY(hands().click("serverSwitch"));
    QTRY_VERIFY(server().isRunning());
    QTRY_VERIFY(hands().sees(QString("http://127.0.0.1:%1/v1").arg(m_real->server().port())));
    QTRY_VERIFY(hands().sees("Models: quire-mini"));
    QVERIFY(!hands().sees(key()));
    QVERIFY(hands().click("serverKeyShown"));
    QTRY_VERIFY(hands().sees(key()));

    const RawResponse answer = ask(chatBody("Hello!", 12, false));
    QVERIFY2(answer.status == 200, answer.body.c_str());
    const Json json = jsonOf(answer);
    QCOMPARE(json["usage"]["completion_tokens"].get<int>(), 12);
    QVERIFY(!json["choices"][0]["message"]["content"].get<std::string>().empty());
    QCOMPARE(m_real->engine().models().size(), 1);  // The window's own one answered.

    RawClient client = stream();
    QTRY_VERIFY(hands().sees("Clients: 1 · Requests: 1"));
    client.close();
    QTRY_VERIFY(hands().sees("Clients: 0 · Requests: 0"));
  }

  void clientWithoutTheKey_isRefused() {
    switchOn();
    const std::string get = "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n";
    QCOMPARE(send(get + "\r\n").status, 401);
    QCOMPARE(send(get + "Authorization: Bearer quire-wrong\r\n\r\n").status, 401);
    QCOMPARE(send(get + "Authorization: Bearer " + key().toStdString() + "\r\n\r\n").status, 200);
    const std::string old = key().toStdString();
    server().renewKey();
    QTRY_VERIFY(server().isRunning());
    QCOMPARE(send(get + "Authorization: Bearer " + old + "\r\n\r\n").status, 401);
  }

  void portThatIsTaken_isSaid_andAnotherOneWorks() {
    const TakenPort taken;
    server().setPort(taken.port());
    openSettings();
    QVERIFY(hands().scrollTo("serverSwitch"));
    QVERIFY(hands().click("serverSwitch"));
    QTRY_VERIFY(hands().sees(QString("Port %1").arg(taken.port())));
    QVERIFY(!server().isOn());
    QVERIFY(hands().scrollTo("serverPort"));
    QVERIFY(hands().write("serverPort", freePort()));
    QTRY_VERIFY(server().problem().isEmpty());
    QVERIFY(hands().scrollTo("serverSwitch"));
    QVERIFY(hands().click("serverSwitch"));
    QTRY_VERIFY(server().isRunning());
    QCOMPARE(ask(chatBody("Hello!", 4, false)).status, 200);
  }

  void key_isTheKeychains_andWithoutOneItIsSaidToBeForgotten() {
    switchOn();
    const QString first = key();
    QVERIFY(!first.isEmpty());
    m_real->restart();
    QVERIFY(!server().isOn());  // Only the user switches it on.
    switchOn();
    QCOMPARE(m_real->secrets().secrets.value("server.key"), first);
    QCOMPARE(ask(chatBody("Hello!", 4, false)).status, 200);
    m_real->secrets().problem = "There is no keychain.";
    m_real->restart();
    switchOn();
    openSettings();
    QVERIFY(hands().scrollTo("serverKeyShown"));
    QTRY_VERIFY(hands().sees("It is forgotten when Quire closes: There is no keychain."));
    QCOMPARE(ask(chatBody("Hello!", 4, false)).status, 401);  // The keychain's is not known.
  }

  void stop_endsRequestsAtOnce_andItStartsAgain() {
    quint64 tokens = kStoryTokens;
    for (int attempt = 0; attempt < 5 && tokens >= kStoryTokens; ++attempt) {
      switchOn();
      const quint64 before = numTokens();
      RawClient client = stream();
      const QSignalSpy rates(&m_real->engine(), &ModelManager::throughputChanged);
      QVERIFY(hands().click("serverMarkStop"));  // A short while, in which all may have come.
      QVERIFY(!server().isOn());
      QVERIFY(client.is_closed_within(kPatience));
      QTRY_VERIFY_WITH_TIMEOUT(isIdle(rates), kEngineMs);
      tokens = numTokens() - before;
    }
    QVERIFY(tokens < kStoryTokens);
    switchOn();
    QCOMPARE(ask(chatBody("Hello!", 4, false)).status, 200);
  }

  void quit_endsRequests() {
    switchOn();
    std::vector<RawClient> clients;
    for (int i = 0; i < 8; ++i) clients.push_back(stream());
    const QSignalSpy rates(&m_real->engine(), &ModelManager::throughputChanged);
    QElapsedTimer timer;
    timer.start();
    m_real->app().close();
    QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
    for (RawClient& client : clients) QVERIFY(client.is_closed_within(kPatience));
    QTRY_VERIFY_WITH_TIMEOUT(isIdle(rates), kEngineMs);
    QVERIFY(numTokens() < 8 * kStoryTokens);
    m_real->restart();
    QVERIFY(!server().isOn());
  }

  void unloadedModel_endsTheAnswerWithItsReason() {
    switchOn();
    RawClient client = stream();
    m_real->engine().unloadModel(m_real->engine().modelPath());
    QTRY_COMPARE_WITH_TIMEOUT(numRunning(), 0, kEngineMs);
    const auto saysWhy = [&] {
      client.receive(std::chrono::milliseconds(1));
      return client.input().find("\"error\"") != std::string::npos;
    };
    QVERIFY2(QTest::qWaitFor(saysWhy, kEngineMs), client.input().c_str());
    QTRY_COMPARE(m_real->server().numRequests(), 0);
    QVERIFY(m_real->server().numConnections() <= 1);
  }

  void clientAndChatUnderOnePersona_shareItsPrompt() {
    switchOn();
    const PersonaRecord persona = m_real->app().personas()->personas().at(0);
    QVERIFY(!persona.systemPrompt.isEmpty());
    m_real->app().navigation()->newChat();
    m_real->chat().setPersona(persona.id);
    QVERIFY(hands().say("What is a bear?"));
    QTRY_VERIFY(!m_real->chat().isEmpty());
    m_real->waitForAnswer();
    const std::string system = persona.systemPrompt.toStdString();
    QVERIFY(cachedTokens(ask(chatBody("Who are you?", 4, false, system))) >= 16);
    QVERIFY(cachedTokens(ask(chatBody("Who are you?", 4, false, "Z" + system))) < 16);
  }

 private:
  Hands& hands() { return m_real->hands(); }
  ServerModel& server() { return *m_real->app().server(); }
  QString key() const { return m_real->secrets().secrets.value("server.key"); }
  int numRunning() const {
    const QList<ModelState> models = m_real->engine().models();
    return models.isEmpty() ? 0 : models[0].runningRequests;
  }
  /// That the engine has answered with since it was started, as of its last report.
  quint64 numTokens() const {
    return m_real->engine().stats(m_real->engine().modelPath()).output_tokens;
  }
  /// Whether all has ended that ran when these reports began to be noted.
  bool isIdle(const QSignalSpy& rates) const {
    return numRunning() == 0 && !rates.isEmpty() && rates.last()[0].toDouble() == 0.0;
  }

  void openSettings() {
    hands().press(Qt::Key_Comma, Qt::ControlModifier);
    QVERIFY(hands().click("section-server"));
  }

  void switchOn() {
    server().setPort(freePort());
    server().start();
    QTRY_VERIFY(server().isRunning());
  }

  /// Sends on another thread while this one runs the window.
  RawResponse send(const std::string& request) {
    auto response = std::async(std::launch::async, [request, port = m_real->server().port()] {
      RawClient client(port);
      client.send(request);
      return client.read_response(kPatience);
    });
    static_cast<void>(QTest::qWaitFor(
        [&] { return response.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
        kEngineMs));
    return response.get();
  }

  std::string post(const std::string& body) const {
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
           "Content-Type: application/json\r\nAuthorization: Bearer " +
           key().toStdString() + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
  }
  RawResponse ask(const std::string& body) { return send(post(body)); }

  /// A client that gets a long answer.
  RawClient stream() {
    RawClient client(m_real->server().port());
    client.send(post(chatBody("Tell me a story.", kStoryTokens, true)));
    const auto hasBegun = [&] {
      client.receive(std::chrono::milliseconds(1));
      return client.input().find("content") != std::string::npos;
    };
    if (!QTest::qWaitFor(hasBegun, kEngineMs))
      qFatal("No answer begins: %s", client.input().c_str());
    return client;
  }

  void prepare() override { m_real = std::make_unique<RealApplication>(); }
  void tidyUp() override { m_real.reset(); }

  std::unique_ptr<RealApplication> m_real;
};

QUIRE_UI_TEST_MAIN(ServerTest)
#include "tst_e2e_server.moc"
