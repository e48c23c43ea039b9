#include "app/models/endpoint_editor.h"

#include <QLocale>

#include <utility>

#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr qsizetype kMostNameCharacters = 60;
constexpr double kMostPrice = 1e6;

/// Nothing: nothing was typed, or no price.
std::optional<double> priceOf(const QString& typed) {
  bool isNumber = false;
  const double price = QString(typed).replace(u',', u'.').toDouble(&isNumber);
  return isNumber && price >= 0.0 && price <= kMostPrice ? std::optional(price) : std::nullopt;
}

QString textOf(const std::optional<double>& price) {
  return price ? QString::number(*price) : QString();
}

}  // namespace

void EndpointEditor::open(const std::optional<RemoteEndpoint>& endpoint) {
  m_before = endpoint.value_or(RemoteEndpoint());
  m_address = m_before.baseUrl.toString();
  m_name = m_before.name;
  m_key.clear();
  m_inputPrice = textOf(m_before.inputPrice);
  m_outputPrice = textOf(m_before.outputPrice);
  m_server = m_before.server;
  m_models.clear();
  m_models.setChosen(m_before.models);
  m_isOpen = true;
  forgetResult();
}

void EndpointEditor::close() {
  if (!std::exchange(m_isOpen, false)) return;
  m_key.clear();
  forgetResult();
}

/// What was tested is not what is entered any more.
void EndpointEditor::forgetResult() {
  ++m_lastTest;
  m_isTesting = m_isTested = m_hasFailed = m_savesAfterTest = false;
  m_result.clear();
  emit changed();
}

void EndpointEditor::setAddress(const QString& address) {
  if (std::exchange(m_address, address) != address) forgetResult();
}

void EndpointEditor::setKey(const QString& key) {
  if (std::exchange(m_key, key.trimmed()) != key.trimmed()) forgetResult();
}

void EndpointEditor::setName(const QString& name) {
  if (std::exchange(m_name, name) != name) emit changed();
}

void EndpointEditor::setInputPrice(const QString& price) {
  if (std::exchange(m_inputPrice, price) != price) emit changed();
}

void EndpointEditor::setOutputPrice(const QString& price) {
  if (std::exchange(m_outputPrice, price) != price) emit changed();
}

QString EndpointEditor::nameHint() const {
  const QUrl url = readBaseUrl(m_address).url;
  return url.isEmpty() ? tr("Such as “Office”") : hostOf(url);
}

QString EndpointEditor::keyHint() const {
  return entered().hasKey && m_key.isEmpty() ? tr("Stored; type another one to replace it")
                                             : tr("Leave empty if it needs none");
}

QString EndpointEditor::addressProblem() const {
  return m_address.isEmpty() ? QString() : readBaseUrl(m_address).problem;
}

QString EndpointEditor::addressNote() const {
  const QUrl url = readBaseUrl(m_address).url;
  if (url.isEmpty()) return {};
  const QString note = tr("Requests go to %1.").arg(url.toDisplayString());
  if (!isReadable(url)) return note;
  return note + u' ' + tr("Others in the network can read them, and the key.");
}

QString EndpointEditor::priceProblem() const {
  const auto isWrong = [](const QString& typed) { return !typed.isEmpty() && !priceOf(typed); };
  return isWrong(m_inputPrice) || isWrong(m_outputPrice)
             ? tr("A price is a number of dollars per million tokens.")
             : QString();
}

bool EndpointEditor::canTest() const {
  return m_test && !m_isTesting && !readBaseUrl(m_address).url.isEmpty();
}

QString EndpointEditor::saveText() const {
  return m_hasFailed ? tr("Save anyway") : tr("Save");
}

/// A stored key belongs to the host that it was entered for.
RemoteEndpoint EndpointEditor::entered() const {
  RemoteEndpoint endpoint = m_before;
  endpoint.baseUrl = readBaseUrl(m_address).url;
  endpoint.name = visibleString(m_name.simplified().left(kMostNameCharacters));
  if (endpoint.name.isEmpty()) endpoint.name = hostOf(endpoint.baseUrl);
  endpoint.models = m_models.chosen();
  endpoint.server = m_server;
  endpoint.inputPrice = priceOf(m_inputPrice);
  endpoint.outputPrice = priceOf(m_outputPrice);
  const bool isStored = m_before.hasKey && secretName(m_before) == secretName(endpoint);
  endpoint.hasKey = !m_key.isEmpty() || isStored;
  return endpoint;
}

void EndpointEditor::test() {
  if (!canTest()) return;
  m_isTesting = true;
  m_hasFailed = false;
  m_result.clear();
  const int number = ++m_lastTest;
  m_test(entered(), m_key.isEmpty() ? std::nullopt : std::optional(m_key),
         {this, [this, number](const EndpointReport& report) {
            if (number == m_lastTest) onTested(report);
          }});
  emit changed();
}

void EndpointEditor::onTested(const EndpointReport& report) {
  m_isTesting = false;
  m_isTested = true;
  m_hasFailed = !report.error.isEmpty();
  if (m_hasFailed) {
    m_result = report.error;
    m_savesAfterTest = false;
    return emit changed();
  }
  m_server = report.server;
  m_models.setFound(report.models);
  m_result =
      report.hasList
          ? tr("It works and has %n model(s).", nullptr, static_cast<int>(report.models.size()))
          : tr("It answers, but does not list its models. Type the name of one below.");
  if (std::exchange(m_savesAfterTest, false)) return finish();
  emit changed();
}

void EndpointEditor::save() {
  if (m_isTesting || !addressProblem().isEmpty() || !priceProblem().isEmpty()) return;
  if (m_isTested) return finish();
  test();
  m_savesAfterTest = m_isTesting;
}

void EndpointEditor::finish() {
  RemoteEndpoint endpoint = entered();
  if (endpoint.baseUrl.isEmpty()) return;
  if (endpoint.models.isEmpty()) {
    m_result = tr("Choose at least one model for your chats.");
    return emit changed();
  }
  if (endpoint.id.isEmpty()) endpoint.id = makeEndpointId();
  const QString key = m_key;
  close();
  emit saved(endpoint, key);
}

}  // namespace quire
