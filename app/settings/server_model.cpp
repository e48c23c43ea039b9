#include "app/settings/server_model.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QRandomGenerator>
#include <QSysInfo>

#include <array>
#include <memory>
#include <utility>

#include "app/store/setting_keys.h"

namespace quire {
namespace {

constexpr int kStandardPort = 8000;
constexpr int kMostPort = 65535;
constexpr int kWatchMs = 1000;
constexpr int kNumDots = 24;
constexpr QLatin1String kPortKey = setting_keys::kServerPort;
constexpr QLatin1String kReachKey = setting_keys::kServerReach;
const QString kPublic = QStringLiteral("network");

/// 192 random bits in letters that need no quotes anywhere.
QString randomKey() {
  std::array<quint32, 6> numbers{};
  QRandomGenerator::system()->fillRange(numbers.data(), numbers.size());
  const QByteArray bytes(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
  return QStringLiteral("quire-") +
         QString::fromLatin1(
             bytes.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals));
}

void copy(const QString& text) {
  QGuiApplication::clipboard()->setText(text);
}

/// Clipboard managers are asked not to remember it.
void copySecret(const QString& text) {
  auto data = std::make_unique<QMimeData>();
  data->setText(text);
  data->setData(QStringLiteral("x-kde-passwordManagerHint"), QByteArrayLiteral("secret"));
  QGuiApplication::clipboard()->setMimeData(data.release());
}

}  // namespace

ServerModel::ServerModel(DataSession& session, QObject* parent)
    : QObject(parent), m_session(session) {
  m_watch.setInterval(kWatchMs);
  connect(&m_watch, &QTimer::timeout, this, &ServerModel::loadChanged);
}

void ServerModel::setControl(ApiServerControl* control, ServerKeys* keys) {
  m_control = control;
  m_keys = keys;
  connect(control, &ApiServerControl::changed, this, &ServerModel::onControlChanged);
  onControlChanged();
}

void ServerModel::onControlChanged() {
  isRunning() ? m_watch.start() : m_watch.stop();
  emit changed();
  emit loadChanged();
}

void ServerModel::start() {
  if (!isAvailable() || isOn()) return;
  m_isStarting = true;
  m_problem.clear();
  emit changed();
  withKey([this] { startNow(); });
}

void ServerModel::startNow() {
  const bool isWanted = std::exchange(m_isStarting, false);  // It may have been switched off again.
  if (!isWanted || !isAvailable()) return;
  m_problem = m_control->start(
      {.port = static_cast<quint16>(port().toUInt()), .isPublic = isPublic(), .key = m_key});
  onControlChanged();
}

void ServerModel::stop() {
  m_isStarting = false;
  m_problem.clear();
  if (isAvailable()) m_control->stop();
  onControlChanged();
}

/// With what has changed, if it is on.
void ServerModel::restart() {
  if (isRunning()) {
    m_isStarting = true;
    startNow();
  } else {
    m_problem.clear();
    emit changed();
  }
}

QString ServerModel::address() const {
  const QString host = isPublic() ? QSysInfo::machineHostName() : QStringLiteral("127.0.0.1");
  const QString port = isRunning() ? QString::number(m_control->port()) : this->port();
  return QStringLiteral("http://%1:%2/v1").arg(host, port);
}

void ServerModel::copyAddress() const {
  copy(address());
}

QString ServerModel::port() const {
  const QString stored = m_session.setting(kPortKey);
  const int port = stored.toInt();
  return port >= 1 && port <= kMostPort ? stored : QString::number(kStandardPort);
}

bool ServerModel::portIsSet() const {
  return port() != QString::number(kStandardPort);
}

QString ServerModel::portProblem() const {
  return m_portIsWrong ? tr("The port must be a number from 1 to %1.").arg(kMostPort) : QString();
}

QString ServerModel::portDefault() const {
  return tr("Default: %1").arg(kStandardPort);
}

void ServerModel::setPort(const QString& text) {
  bool isNumber = false;
  const int number = text.trimmed().toInt(&isNumber);
  m_portIsWrong = !text.trimmed().isEmpty() && (!isNumber || number < 1 || number > kMostPort);
  const QString wanted = isNumber ? QString::number(number) : QString::number(kStandardPort);
  if (m_portIsWrong || wanted == port()) {
    emit changed();
    return;
  }
  m_session.putSetting(kPortKey, wanted);
  restart();
}

bool ServerModel::isPublic() const {
  return m_session.setting(kReachKey) == kPublic;
}

QString ServerModel::reachWarning() const {
  if (!isPublic()) return {};
  return tr(
      "Anyone in your network who has the key can use your models. The connection is not "
      "encrypted.");
}

void ServerModel::chooseReach(int index) {
  if (index == reachIndex()) return;
  m_session.putSetting(kReachKey, index == 1 ? kPublic : QString());
  restart();
}

QString ServerModel::keyText() const {
  return m_keyIsShown || m_key.isEmpty() ? m_key : QString(kNumDots, u'•');
}

QString ServerModel::keyProblem() const {
  if (!m_keyProblem.isEmpty()) return tr("It is forgotten when Quire closes: %1").arg(m_keyProblem);
  return m_keys ? QString() : tr("It is forgotten when Quire closes.");
}

void ServerModel::toggleKey() {
  if (std::exchange(m_keyIsShown, !m_keyIsShown)) {
    emit changed();
  } else {
    withKey([this] { emit changed(); });
  }
}

void ServerModel::copyKey() {
  withKey([this] { copySecret(m_key); });
}

void ServerModel::renewKey() {
  makeKey();
  restart();
}

/// Reads the key, which may take as long as the user needs to unlock the keychain, or makes one.
void ServerModel::withKey(std::function<void()> then) {
  if (m_key.isEmpty() && m_keys) {
    m_wantKey.append(std::move(then));
    if (std::exchange(m_isReadingKey, true)) return;
    m_keys->read({this, [this](const ServerKeys::Reading& reading) { takeKey(reading); }});
    return;
  }
  if (m_key.isEmpty()) makeKey();
  then();
}

void ServerModel::takeKey(const ServerKeys::Reading& reading) {
  m_isReadingKey = false;
  // Renewed meanwhile: the new one holds.
  if (m_key.isEmpty()) m_key = reading.key;
  if (m_key.isEmpty() && !reading.error.isEmpty()) {
    // Whatever the keychain holds stays there.
    m_key = randomKey();
    m_keyProblem = reading.error;
  }
  if (m_key.isEmpty()) makeKey();
  for (const auto& then : std::exchange(m_wantKey, {})) then();
  emit changed();
}

void ServerModel::makeKey() {
  m_key = randomKey();
  m_keyProblem.clear();
  emit changed();
  if (!m_keys) return;
  m_keys->keep(m_key, {this, [this](const QString& problem) {
                         m_keyProblem = problem;
                         emit changed();
                       }});
}

QString ServerModel::modelsText() const {
  const QStringList names = m_control ? m_control->modelNames() : QStringList();
  return names.isEmpty() ? tr("None yet: load a model on the page Models.")
                         : names.join(QStringLiteral(", "));
}

QString ServerModel::loadText() const {
  if (!isRunning()) return {};
  return tr("Clients: %1 · Requests: %2")
      .arg(m_control->numClients())
      .arg(m_control->numRequests());
}

}  // namespace quire
