#include "app/models/remote_labels.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

namespace quire::remote_labels {
namespace {

struct RemoteLabels {
  Q_DECLARE_TR_FUNCTIONS(quire::RemoteLabels)
};

QString number(int value) {
  return QLocale().toString(value);
}

/// Two significant digits at least: "$0.0042", "$12.50".
QString dollars(double amount) {
  if (amount <= 0.0) return QStringLiteral("$0");
  int decimals = 2;
  for (double least = 0.1; amount < least && decimals < 8; least /= 10.0) ++decimals;
  return u'$' + QLocale().toString(amount, 'f', decimals);
}

/// Nothing: the prices are not known.
std::optional<double> costOf(const MessageRecord& answer, const RemoteEndpoint* endpoint) {
  if (!endpoint || (!endpoint->inputPrice && !endpoint->outputPrice)) return {};
  return (endpoint->inputPrice.value_or(0.0) * answer.promptTokens +
          endpoint->outputPrice.value_or(0.0) * answer.outputTokens) /
         1e6;
}

}  // namespace

QString place(const RemoteEndpoint& endpoint) {
  const QString address = endpoint.baseUrl.toDisplayString();
  return isThisComputer(endpoint.baseUrl)
             ? RemoteLabels::tr("%1 · another program on this computer").arg(address)
             : RemoteLabels::tr("%1 · leaves this computer").arg(address);
}

QString price(const RemoteEndpoint& endpoint) {
  if (!endpoint.inputPrice && !endpoint.outputPrice) return {};
  return RemoteLabels::tr("%1 in, %2 out per million tokens")
      .arg(dollars(endpoint.inputPrice.value_or(0.0)), dollars(endpoint.outputPrice.value_or(0.0)));
}

QString warning(const RemoteEndpoint& endpoint) {
  const QString host = hostOf(endpoint.baseUrl);
  if (isThisComputer(endpoint.baseUrl)) {
    return RemoteLabels::tr(
               "Another program on this computer answers this chat: %1 (%2). Quire does not know "
               "what it does with it.")
        .arg(endpoint.name, host);
  }
  const QString sentence =
      RemoteLabels::tr("This chat leaves this computer: all its messages and files go to %1 (%2).")
          .arg(endpoint.name, host);
  if (!isReadable(endpoint.baseUrl)) return sentence;
  return sentence + u' ' + RemoteLabels::tr("The connection is not encrypted.");
}

QString introduction(const RemoteEndpoint& endpoint, const QString& model) {
  return RemoteLabels::tr("%1 answers. %2").arg(model, warning(endpoint));
}

bool isRemote(const MessageRecord& answer) {
  return isRemotePath(answer.modelFingerprint);
}

QString usage(const MessageRecord& answer, const RemoteEndpoint* endpoint) {
  if (answer.promptTokens <= 0) return {};
  const QString in = answer.cachedTokens > 0
                         ? RemoteLabels::tr("%1 tokens in (%2 cached)")
                               .arg(number(answer.promptTokens), number(answer.cachedTokens))
                         : RemoteLabels::tr("%1 tokens in").arg(number(answer.promptTokens));
  QStringList facts = {in, RemoteLabels::tr("%1 out").arg(number(answer.outputTokens))};
  if (const auto cost = costOf(answer, endpoint)) facts.append(dollars(*cost));
  return facts.join(QStringLiteral(" · "));
}

QString usageHint(const MessageRecord& answer, const RemoteEndpoint* endpoint) {
  if (answer.promptTokens <= 0) return {};
  const QString counts =
      RemoteLabels::tr(
          "As the server counted: %1 tokens in the prompt, of which it had %2 cached, "
          "and %3 in the answer with its reasoning.")
          .arg(number(answer.promptTokens), number(answer.cachedTokens),
               number(answer.outputTokens));
  if (!costOf(answer, endpoint)) return counts;
  return counts + u'\n' +
         RemoteLabels::tr("At the prices that you entered: %1.").arg(price(*endpoint));
}

}  // namespace quire::remote_labels
